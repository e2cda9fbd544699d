// gedge/base/shared_value.hpp - a value that its copies share until one of them is changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace gedge {

/// One pointer, null where there is nothing. Copies may be used by different threads at the same
/// time.
template <typename T>
class SharedValue {
 public:
  SharedValue() = default;
  explicit SharedValue(T&& value) : node_(new Node{std::move(value)}) {}
  SharedValue(const SharedValue& other) : node_(other.node_) {
    if (node_ != nullptr) node_->users.fetch_add(1, std::memory_order_relaxed);
  }
  SharedValue(SharedValue&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  SharedValue& operator=(SharedValue other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~SharedValue() {
    // The analyzer does not count users. NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete)
    if (node_ != nullptr && node_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
  }

  /// There is something, and no copy shares it.
  bool is_alone() const {
    return node_ != nullptr && node_->users.load(std::memory_order_acquire) == 1;
  }
  /// Until this copy is edited, assigned or gone.
  const T* get() const { return node_ != nullptr ? &node_->value : nullptr; }
  /// The value to be changed, made anew where nothing was; earlier copies keep what they have. To
  /// be done with before this is copied: a later copy shares what is changed.
  T& edit() {
    if (node_ == nullptr)
      *this = SharedValue(T());
    else if (node_->users.load(std::memory_order_acquire) != 1)
      *this = SharedValue(T(node_->value));
    return node_->value;
  }

 private:
  struct Node {
    explicit Node(T&& from) : value(std::move(from)) {}
    T value;
    std::atomic<std::uint32_t> users{1};
  };
  Node* node_ = nullptr;
};

}  // namespace gedge
