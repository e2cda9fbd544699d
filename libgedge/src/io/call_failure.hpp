// io/call_failure.hpp - why a call has no answer, in words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gedge/base/error.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// What was too much of an answer.
enum class Excess : std::uint8_t { kNone, kHeader, kBody, kLine };

struct CallFailure {
  bool connected = false, silent = true;
  Micros connect_timeout{0}, timeout{0};
  Excess excess = Excess::kNone;
  std::size_t most_bytes = 0;  // of that
};

Error timeout_error(const CallFailure& failure);
Error excess_error(const CallFailure& failure);
/// Of a request with a moment that passed.
Error too_late_to_send();

}  // namespace gedge
