#include "gedge/pin/pin_record.hpp"

#include <algorithm>

namespace gedge {

const CpuSet& mask_before(const ProcessBefore& before, const ProcessId& thread) {
  const auto other =
      std::find_if(before.others.begin(), before.others.end(),
                   [&](const ThreadBefore& known) { return known.thread == thread; });
  return other != before.others.end() ? other->cpus : before.usual;
}

}  // namespace gedge
