// gedge/base/result.hpp - a value or an Error. std::expected is C++23; GCC 12 in C++20 mode has
// none.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "gedge/base/error.hpp"

namespace gedge {

/// Carries a T or an Error across a public boundary; never used inside a hot loop.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  const T& operator*() const& { return assert(*this), std::get<0>(state_); }
  T& operator*() & { return assert(*this), std::get<0>(state_); }
  T&& operator*() && { return assert(*this), std::move(std::get<0>(state_)); }
  const T* operator->() const { return assert(*this), std::get_if<0>(&state_); }
  T* operator->() { return assert(*this), std::get_if<0>(&state_); }
  const Error& error() const& { return assert(!*this), std::get<1>(state_); }
  Error&& error() && { return assert(!*this), std::move(std::get<1>(state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const noexcept { return !error_.has_value(); }
  const Error& error() const& { return assert(error_.has_value()), *error_; }
  Error&& error() && { return assert(error_.has_value()), std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace gedge

/// Hands an error of `expression` to the caller; goes on if there is none.
#define GEDGE_TRY(expression)                                                                    \
  do {                                                                                           \
    if (auto gedge_status = (expression); !gedge_status) return std::move(gedge_status).error(); \
  } while (false)
