// codec/flat_index.hpp - finds values that stand elsewhere by hash: 8 bytes a slot, no node a
// value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gedge/base/prefetch.hpp"

namespace gedge::codec {

/// Numbers from 0 below 2^32 - 1, by the hashes of what they stand for. Equal hashes are told apart
/// by whoever knows the values.
class FlatIndex {
 public:
  /// The number of a value that is there already, by `same(number)`; else `number`, which is added.
  template <typename Same>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number, Same same) {
    if (2 * (count_ + 1) > slots_.size()) resize(std::max<std::size_t>(64, 2 * slots_.size()));
    std::uint64_t& slot = slots_[place_of(hash, same)];
    if (slot != 0) return number_of(slot);
    slot = slot_of(hash, number);
    ++count_;
    return number;
  }

  /// The number of a value; `otherwise` where there is none.
  template <typename Same>
  std::uint32_t find(std::uint64_t hash, std::uint32_t otherwise, Same same) const {
    if (slots_.empty()) return otherwise;
    const std::uint64_t slot = slots_[place_of(hash, same)];
    return slot != 0 ? number_of(slot) : otherwise;
  }

  /// For whoever asks for that hash soon.
  [[gnu::always_inline]] void expect(std::uint64_t hash) const {
    if (!slots_.empty()) prefetch(&slots_[first_of(hash)], sizeof(std::uint64_t));
  }

 private:
  // The upper half of the hash, and the number plus one: no slot that is taken is 0. The place is
  // of the upper half too, so that slots move without asking for their hashes.
  static std::uint64_t slot_of(std::uint64_t hash, std::uint32_t number) {
    return (hash >> 32 << 32) | (number + 1);
  }
  static std::uint32_t number_of(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot) - 1;
  }
  std::size_t first_of(std::uint64_t hash) const { return (hash >> 32) & (slots_.size() - 1); }

  template <typename Same>
  std::size_t place_of(std::uint64_t hash, Same same) const {
    std::size_t at = first_of(hash);
    while (slots_[at] != 0 && ((slots_[at] ^ hash) >> 32 != 0 || !same(number_of(slots_[at]))))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void resize(std::size_t size) {
    const std::vector<std::uint64_t> old = std::exchange(slots_, std::vector<std::uint64_t>(size));
    for (const std::uint64_t slot : old)
      if (slot != 0) slots_[place_of(slot, [](std::uint32_t) { return false; })] = slot;
  }

  std::vector<std::uint64_t> slots_;  // a power of two of them, half of them free
  std::size_t count_ = 0;
};

}  // namespace gedge::codec
