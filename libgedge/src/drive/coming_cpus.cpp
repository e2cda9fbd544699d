#include "drive/coming_cpus.hpp"

#include <utility>

namespace gedge {

ComingCpus::ComingCpus(const ControlGroups& groups, const Aside& aside, const CpuSet& online)
    : groups_(groups), then_(aside.all | online), is_known_(aside.all.is_subset_of(online)) {}

bool ComingCpus::are_of(const CpuSet& had, const ProcessId& process) const {
  if (then_.is_subset_of(had)) return true;
  if (!is_known_) return false;
  const auto group = groups_.of_process(process.pid);
  if (!group) return false;
  const auto [known, is_new] = usable_.try_emplace(*group);
  if (is_new)
    if (auto usable = groups_.read(*group, CpusetField::kUsableCpus))
      known->second = *std::move(usable);
  return !known->second.empty() && known->second.is_subset_of(had);
}

void ComingCpus::add_to(ProcessBefore& before) const {
  const auto add = [&](CpuSet& had) {
    if (are_of(had, before.process)) had |= lower_cpus();
  };
  add(before.usual);
  for (auto& other : before.others) add(other.value);
}

}  // namespace gedge
