#include "gedge/pin/pin_record.hpp"

#include <algorithm>

namespace gedge {

std::optional<PinHolder> holder_of(const PinRecord& record) {
  if (!record.processes.empty()) return record.processes.front().process;
  if (!record.groups.empty()) return record.groups.front().group;
  return std::nullopt;
}

CpuSet Aside::cpus() const {
  CpuSet cpus;
  for (const auto& [holder, its] : isolated) cpus |= its;
  return cpus;
}

CpuSet lower_cpus() {
  constexpr int kLast = 1'023;
  return CpuSet::range(0, kLast);
}

CpuSet aside_of(const CpuSet& before, const CpuSet& isolated, const CpuSet& all) {
  CpuSet rest = before - isolated;
  return rest.empty() ? all - isolated : rest;
}

bool is_aside(const CpuSet& now, const CpuSet& before, const CpuSet& isolated, const CpuSet& all) {
  const auto is_rest_of = [&](const CpuSet& set) {
    return now.is_subset_of(set) && (set - now).is_subset_of(isolated);
  };
  if (now.empty() || now == before) return false;
  if (is_rest_of(before)) return true;
  return before.is_subset_of(isolated) && !now.meets(before) && is_rest_of(all);
}

int nice_beside(int before, const CpuSet& cpus, const std::map<std::string, NiceLevel>& levels) {
  int nice = before;
  for (const auto& [holder, level] : levels)
    if (level.cpus.meets(cpus)) nice = std::max(nice, level.nice);
  return nice;
}

bool is_raised(int now, int before, const std::map<std::string, NiceLevel>& levels) {
  return now > before && std::any_of(levels.begin(), levels.end(),
                                     [now](const auto& entry) { return entry.second.nice == now; });
}

}  // namespace gedge
