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

}  // namespace gedge
