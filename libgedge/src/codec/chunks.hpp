// codec/chunks.hpp - many values one after another, none of which moves when one is added.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace gedge::codec {

/// A list in pieces of `N`: no copy of everything where it grows, and few allocations.
template <typename T, std::size_t N = 256>
class Chunks {
 public:
  template <typename U>
  T& push_back(U&& value) {
    if (chunks_.empty() || chunks_.back().size() == N) chunks_.emplace_back().reserve(N);
    return chunks_.back().emplace_back(std::forward<U>(value));
  }
  T& operator[](std::size_t i) { return chunks_[i / N][i % N]; }
  const T& operator[](std::size_t i) const { return chunks_[i / N][i % N]; }
  std::size_t size() const {
    return chunks_.empty() ? 0 : (chunks_.size() - 1) * N + chunks_.back().size();
  }
  template <typename F>
  void for_each(F f) {
    for (std::vector<T>& chunk : chunks_)
      for (T& value : chunk) f(value);
  }
  void clear() { chunks_.clear(); }

 private:
  std::vector<std::vector<T>> chunks_;
};

}  // namespace gedge::codec
