// drive/workload_lists.hpp - scales of many workloads, read at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/scaling.hpp"

namespace gedge {

/// Of many workloads of one kind in a namespace a list says what their scales say, for less than
/// half of what the server has to do, and a tenth where they are small. Where a list is refused,
/// too large, or has fewer than half of them, each is read alone for ten minutes, and for a minute
/// where the server had no answer.
class WorkloadLists {
 public:
  /// Takes out of `reads` those that are better listed, by namespace and kind.
  std::vector<std::vector<ScaleRead>> take(std::vector<ScaleRead>& reads, Nanos now);
  /// A GET of them and of as many others, at most.
  static Result<ApiRequest> request(const std::vector<ScaleRead>& reads);
  /// What the answer says of `reads`; what it does not say stays in there, to be read alone.
  std::vector<std::pair<std::uint64_t, ScaleReading>> answer(const ApiAnswer& answer,
                                                             std::vector<ScaleRead>& reads,
                                                             Nanos now);

 private:
  std::map<std::string, Nanos> alone_until_;  // by namespace and kind
};

}  // namespace gedge
