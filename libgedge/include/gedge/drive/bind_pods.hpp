// gedge/drive/bind_pods.hpp - binds that were decided before, each followed to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/binding.hpp"
#include "gedge/port/clock.hpp"

namespace gedge {

struct BindPodsOptions {
  std::size_t most_at_once = 100;
  std::uint32_t most_tries = 5;  ///< of what the server is too busy for, or has not done
  Nanos first_pause{500'000'000}, max_pause{8'000'000'000};  ///< plus up to as much again
  Nanos most_retry_after{60'000'000'000};
  Nanos settle_within{60'000'000'000};  ///< of reading what became of one bind
  Nanos send_by = Nanos::max();  ///< of a Clock: no bind is sent later, and none a second time
  std::uint64_t seed = 0;        ///< of jitter
  bool is_dry_run = false;       ///< the server judges each bind, and does none
};

/// What became of one bind.
struct BoundPod {
  enum class Outcome : std::uint8_t {
    kBound,
    kElsewhere,  ///< it has another node: `node`
    kGone,       ///< there is none, or another one of its name
    kRefused,    ///< it is there and has no node
    kUnclear,    ///< it could not be read
    kTooLate,    ///< it was not sent, or not done, and must not be any more
  } outcome = Outcome::kUnclear;
  SharedText node;
  std::string why;  ///< of kRefused, kUnclear and kTooLate: what the server said
};

/// Sends the binds in their order. Where no answer says what became of one, its pod is read, until
/// one does, and it is not sent a second time before. Returns one outcome a bind, in their order.
/// Errors: those of ApiTransport::wait; then nobody knows of those that were under way.
Result<std::vector<BoundPod>> bind_pods(ApiTransport& transport, const Clock& clock,
                                        const std::vector<BindRequest>& binds,
                                        const BindPodsOptions& options = {});

}  // namespace gedge
