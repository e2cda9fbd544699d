// host/failure.hpp - the first breach of the contract, kept until the planner asks.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "gedge/base/error.hpp"

namespace gedge {

class FailureBox {
 public:
  /// Keeps the first error and drops later ones: they follow from it.
  void report(Error error) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::move(error);
    any_.store(true, std::memory_order_release);
  }
  bool any() const { return any_.load(std::memory_order_acquire); }
  std::optional<Error> first() const {
    if (!any()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    return first_;
  }

 private:
  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::optional<Error> first_;
};

}  // namespace gedge
