// codec/canonical_hash.hpp - a running XXH3 of 128 bits over values with their lengths,
// little-endian everywhere.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace gedge::codec {

struct Digest {
  std::uint64_t high = 0, low = 0;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

class CanonicalHash {
 public:
  CanonicalHash();
  ~CanonicalHash();
  CanonicalHash(const CanonicalHash&) = delete;
  CanonicalHash& operator=(const CanonicalHash&) = delete;

  void text(std::string_view value);
  void number(std::int64_t value);
  void flag(bool value) { number(value ? 1 : 0); }
  void digest(const Digest& value);
  /// A list whose order does not count.
  void unordered(std::vector<Digest> values);
  Digest finish() const;

 private:
  void bytes(const void* data, std::size_t size);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gedge::codec
