// plan/seen_hashes.hpp - what was seen once, by its hash; one array.
#pragma once

#include <cstdint>
#include <vector>

namespace gedge {

class SeenHashes {
 public:
  bool contains(std::uint64_t hash) const {
    return !table_.empty() && table_[place_of(hash == kFree ? kFree + 1 : hash)] != kFree;
  }
  /// False if it was there before.
  bool insert(std::uint64_t hash) {
    if (2 * used_ >= table_.size()) grow(table_.empty() ? 64 : 2 * table_.size());
    return put(hash == kFree ? kFree + 1 : hash);
  }

 private:
  static constexpr std::uint64_t kFree = 0;

  bool put(std::uint64_t hash) {
    const std::size_t at = place_of(hash);
    if (table_[at] == hash) return false;
    table_[at] = hash;
    ++used_;
    return true;
  }
  // Where it is, or would be.
  std::size_t place_of(std::uint64_t hash) const {
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != kFree && table_[at] != hash) at = (at + 1) & (table_.size() - 1);
    return at;
  }
  void grow(std::size_t size) {
    if (size <= table_.size()) return;
    std::vector<std::uint64_t> before(size, kFree);
    before.swap(table_);
    used_ = 0;
    for (const std::uint64_t hash : before)
      if (hash != kFree) put(hash);
  }

  std::vector<std::uint64_t> table_;  // a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace gedge
