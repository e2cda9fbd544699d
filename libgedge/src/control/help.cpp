#include "control/help.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gedge {
namespace {

struct FilterHelp {
  std::string_view filter;
  std::uint8_t helps;
};
// Of the filters that gedge has; of any other everything may help.
constexpr std::array<FilterHelp, 13> kFilterHelps = {{
    {"NodeName", kNodeHelps},
    {"NodeUnschedulable", kNodeHelps},
    {"TaintToleration", kNodeHelps},
    {"NodeAffinity", kNodeHelps},
    {"NodePorts", kNodeHelps | kSpaceHelps},
    {"NodeResourcesFit", kNodeHelps | kSpaceHelps},
    {"GpuShare", kNodeHelps | kSpaceHelps},
    {"InterPodAffinity", kNodeHelps | kSpaceHelps | kPlaceHelps},
    {"PodTopologySpread", kNodeHelps | kSpaceHelps | kPlaceHelps},
    {"DelayBudget", kNodeHelps | kSpaceHelps | kPlaceHelps | kRttHelps},
    {"VolumeBinding", kNodeHelps | kVolumeHelps},
    {"VolumeZone", kNodeHelps | kVolumeHelps},
    {"VolumeRestrictions", kNodeHelps | kSpaceHelps | kVolumeHelps},
}};

}  // namespace

std::uint8_t helps_of(const RejectedBy& rejected) {
  std::uint8_t helps = kNodeHelps;
  for (const auto& entry : rejected) {
    const std::string_view filter = entry.first;
    const auto known = std::find_if(kFilterHelps.begin(), kFilterHelps.end(),
                                    [&](const FilterHelp& of) { return of.filter == filter; });
    helps |= known == kFilterHelps.end() ? kAllHelps : known->helps;
  }
  return helps;
}

// A claim that is not bound yet gives the volume back that was chosen for it.
std::uint8_t help_of_leaving(const PodSpec* spec) {
  const auto has_claim = [](const PodVolume& volume) { return !volume.claim.empty(); };
  const bool has_claims =
      spec != nullptr && std::any_of(spec->volumes.begin(), spec->volumes.end(), has_claim);
  return has_claims ? kSpaceHelps | kVolumeHelps : kSpaceHelps;
}

}  // namespace gedge
