// gedge/drive/last_failure.hpp - with what the calls about something have failed since one did not.
#pragma once

#include <optional>
#include <utility>

#include "gedge/base/error.hpp"
#include "gedge/base/nanos.hpp"

namespace gedge {

class LastFailure {
 public:
  /// True: somebody is to be told, who was not told the same before.
  bool note(const Error& error, Nanos now) {
    const bool is_news = !error_ || error_->what != error.what;
    if (!error_) first_ = now;
    last_ = now;
    error_ = error;
    return is_news;
  }
  /// True: something had failed.
  bool clear() { return std::exchange(error_, std::nullopt).has_value(); }
  /// Null where nothing fails, or the first call that did was not so long before the last one.
  const Error* lasting(Nanos at_least) const {
    return error_ && last_ - first_ >= at_least ? &*error_ : nullptr;
  }

 private:
  std::optional<Error> error_;
  Nanos first_{0}, last_{0};
};

}  // namespace gedge
