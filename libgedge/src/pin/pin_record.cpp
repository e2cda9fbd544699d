#include "gedge/pin/pin_record.hpp"

#include <algorithm>

namespace gedge {

const CpuSet& mask_before(const ProcessBefore& before, const ProcessId& thread) {
  const auto other =
      std::find_if(before.others.begin(), before.others.end(),
                   [&](const ThreadBefore& known) { return known.thread == thread; });
  return other != before.others.end() ? other->cpus : before.usual;
}

CpuSet Aside::cpus() const {
  CpuSet cpus;
  for (const auto& [holder, its] : isolated) cpus |= its;
  return cpus;
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

}  // namespace gedge
