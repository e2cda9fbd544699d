// gedge/snapshot/node_mask.hpp - one bit a node slot.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

class NodeMask {
 public:
  NodeMask() = default;
  explicit NodeMask(std::size_t slots, bool value = false)
      : slots_(slots), words_((slots + 63) / 64, value ? ~std::uint64_t{0} : 0) {
    trim();
  }
  std::size_t size() const { return slots_; }
  bool test(NodeIndex n) const { return (words_[raw(n) / 64] >> (raw(n) % 64) & 1) != 0; }
  void set(NodeIndex n) { words_[raw(n) / 64] |= std::uint64_t{1} << (raw(n) % 64); }
  void clear(NodeIndex n) { words_[raw(n) / 64] &= ~(std::uint64_t{1} << (raw(n) % 64)); }
  std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  bool none() const {
    for (const std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  NodeMask& operator&=(const NodeMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  NodeMask& operator|=(const NodeMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  /// Clears every bit that `other` has.
  NodeMask& operator-=(const NodeMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  std::size_t words() const { return words_.size(); }
  /// Slots 64 * i to 64 * i + 63, the lowest slot in the lowest bit.
  std::uint64_t word(std::size_t i) const { return words_[i]; }
  /// `bits` beyond the last slot must be 0.
  void assign_word(std::size_t i, std::uint64_t bits) { words_[i] = bits; }
  /// All words, in order.
  std::span<const std::uint64_t> bits() const { return words_; }
  std::span<std::uint64_t> bits() { return words_; }
  void reset() { words_.assign(words_.size(), 0); }
  /// Clears the bits of that word that `bits` lacks.
  void keep(std::size_t i, std::uint64_t bits) { words_[i] &= bits; }
  /// Sets the bits of that word that `bits` has; none beyond the last slot.
  void add(std::size_t i, std::uint64_t bits) { words_[i] |= bits; }
  /// Calls visit(NodeIndex) for every set bit, ascending.
  template <typename F>
  void for_each(F&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(NodeIndex{
            static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word)))});
  }
  friend bool operator==(const NodeMask&, const NodeMask&) = default;

 private:
  void trim() {
    if (slots_ % 64 != 0 && !words_.empty())
      words_.back() &= (std::uint64_t{1} << (slots_ % 64)) - 1;
  }
  std::size_t slots_ = 0;
  std::vector<std::uint64_t> words_;
};

/// A range of slots, [first, last). The engine hands out ranges that never cross a multiple of 64.
struct Rows {
  std::uint32_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
};

}  // namespace gedge
