// io/call_over.hpp - what is told of calls under way, whoever carries them out.
#pragma once

#include <cstdint>
#include <string_view>

#include "gedge/base/nanos.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

struct CallOver {
  std::uint64_t ticket = 0;
  std::uint64_t generation = 0;  // of who we were
  ApiRequest request;            // to send it again
  bool is_second = false;        // as it was sent
  bool is_unserved = false;      // nothing was sent: somebody else has to
  ApiAnswer answer;              // unless it is unserved
};

class CallSink {
 public:
  virtual ~CallSink() = default;
  /// A stream will succeed: its lines come from now on.
  virtual void opened(std::uint64_t ticket) = 0;
  virtual void line(std::uint64_t ticket, std::string_view line) = 0;
  virtual void over(CallOver&& call) = 0;
};

}  // namespace gedge
