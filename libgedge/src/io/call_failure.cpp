#include "io/call_failure.hpp"

#include <string>

#include "gedge/base/duration.hpp"

namespace gedge {

Error timeout_error(const CallFailure& failure) {
  if (!failure.connected)
    return {Errc::kTimeout,
            "no connection within " + format_duration(failure.connect_timeout.count()),
            {},
            {}};
  return {Errc::kTimeout,
          (failure.silent ? "no answer within " : "the answer did not end within ") +
              format_duration(failure.timeout.count()),
          {},
          {}};
}

Error excess_error(const CallFailure& failure) {
  const char* const what = failure.excess == Excess::kHeader ? "the headers of the answer have"
                           : failure.excess == Excess::kLine ? "a line of the answer has"
                                                             : "the answer has";
  return invalid_input(std::string(what) + " more than " + std::to_string(failure.most_bytes) +
                       " bytes");
}

Error too_late_to_send() {
  return {Errc::kTimeout, "it waited until it was too late to be sent", {}, {}};
}

}  // namespace gedge
