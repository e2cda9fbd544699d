// drive/workload_lists.hpp - scales of many workloads, read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/port/api_transport.hpp"
#include "gedge/port/scaling.hpp"

namespace gedge {

/// Of many workloads of one kind in a namespace a list says what their scales say, for a tenth of
/// what the server has to do. Where it may not be read, or is mostly of others, each is read alone.
class WorkloadLists {
 public:
  /// Takes out of `reads` those that are better listed, by namespace and kind.
  std::vector<std::vector<ScaleRead>> take(std::vector<ScaleRead>& reads, Nanos now);
  /// What the answer says of `reads`; what it does not say stays in there, to be read alone.
  std::vector<std::pair<std::uint64_t, ScaleReading>> answer(const ApiAnswer& answer,
                                                             std::vector<ScaleRead>& reads,
                                                             Nanos now);

 private:
  std::map<std::string, Nanos> alone_until_;  // by namespace and kind
};

}  // namespace gedge
