// codec/canonical_hash.hpp - a running XXH3 of 128 bits over values with their lengths,
// little-endian everywhere.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gedge::codec {

struct Digest {
  std::uint64_t high = 0, low = 0;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Values are gathered, and hashed many at a time.
class CanonicalHash {
 public:
  CanonicalHash();
  ~CanonicalHash();
  CanonicalHash(const CanonicalHash&) = delete;
  CanonicalHash& operator=(const CanonicalHash&) = delete;

  void text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes(value);
  }
  void number(std::int64_t value) {
    const auto bits = in_order(static_cast<std::uint64_t>(value));
    bytes({reinterpret_cast<const char*>(&bits), sizeof bits});
  }
  void flag(bool value) { number(value ? 1 : 0); }
  void digest(const Digest& value);
  /// A list whose order does not count.
  void unordered(std::vector<Digest> values);
  void bytes(std::string_view value) {
    gathered_.append(value);
    if (gathered_.size() >= kMost) hash_gathered();
  }
  /// Of all values since the last one; begins anew.
  Digest finish();

 private:
  static constexpr std::size_t kMost = 16 * 1024;

  static std::uint64_t in_order(std::uint64_t value) {
    return std::endian::native == std::endian::big ? __builtin_bswap64(value) : value;
  }
  void hash_gathered();

  struct State;
  std::unique_ptr<State> state_;  // null while everything is gathered
  std::string gathered_;
};

}  // namespace gedge::codec
