// gedge/base/shared_list.hpp - a list that many values have, in one pointer each.
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "gedge/base/shared_value.hpp"

namespace gedge {

/// Reads like a const std::vector, and its copies share one until it is edited: the containers of
/// ten thousand pods that differ in labels are kept once, and a list that most values leave empty
/// takes eight bytes of each.
template <typename T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T>&& values) {
    if (!values.empty()) values_ = SharedValue<std::vector<T>>(std::move(values));
  }
  SharedList(const std::vector<T>& values) : SharedList(std::vector<T>(values)) {}
  SharedList(std::initializer_list<T> values) : SharedList(std::vector<T>(values)) {}

  /// Until this copy is edited, assigned or gone; so do iterators.
  const std::vector<T>& get() const {
    const std::vector<T>* const values = values_.get();
    return values != nullptr ? *values : nothing();
  }
  operator const std::vector<T>&() const { return get(); }
  auto begin() const { return get().begin(); }
  auto end() const { return get().end(); }
  std::size_t size() const { return get().size(); }
  bool empty() const { return values_.get() == nullptr || values_.get()->empty(); }
  const T& operator[](std::size_t i) const { return get()[i]; }
  const T& at(std::size_t i) const { return get().at(i); }
  const T& front() const { return get().front(); }
  const T& back() const { return get().back(); }

  /// For changes, to be done with before this is copied. Earlier copies keep what they have.
  std::vector<T>& edit() { return values_.edit(); }
  void push_back(T value) { edit().push_back(std::move(value)); }
  void clear() { values_ = {}; }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.values_.get() == b.values_.get() || a.get() == b.get();
  }
  friend auto operator<=>(const SharedList& a, const SharedList& b) { return a.get() <=> b.get(); }

 private:
  static const std::vector<T>& nothing() {
    static const std::vector<T> empty;
    return empty;
  }
  SharedValue<std::vector<T>> values_;  // nothing: the empty list
};

}  // namespace gedge
