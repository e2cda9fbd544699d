#include "codec/canonical_hash.hpp"

#include <xxhash.h>

#include <algorithm>

namespace gedge::codec {

struct CanonicalHash::State {
  State() : xxh(XXH3_createState()) { XXH3_128bits_reset(xxh); }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  XXH3_state_t* xxh;
};

CanonicalHash::CanonicalHash() : state_(std::make_unique<State>()) {}
CanonicalHash::~CanonicalHash() = default;

void CanonicalHash::bytes(const void* data, std::size_t size) {
  XXH3_128bits_update(state_->xxh, data, size);
}

void CanonicalHash::text(std::string_view value) {
  number(static_cast<std::int64_t>(value.size()));
  bytes(value.data(), value.size());
}

void CanonicalHash::number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  std::array<unsigned char, 8> little{};
  for (std::size_t i = 0; i < little.size(); ++i)
    little[i] = static_cast<unsigned char>(bits >> (8 * i));
  bytes(little.data(), little.size());
}

void CanonicalHash::digest(const Digest& value) {
  number(static_cast<std::int64_t>(value.high));
  number(static_cast<std::int64_t>(value.low));
}

void CanonicalHash::unordered(std::vector<Digest> values) {
  std::sort(values.begin(), values.end());
  number(static_cast<std::int64_t>(values.size()));
  for (const Digest& value : values) digest(value);
}

Digest CanonicalHash::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace gedge::codec
