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

CanonicalHash::CanonicalHash() = default;
CanonicalHash::~CanonicalHash() = default;

void CanonicalHash::hash_gathered() {
  if (!state_) state_ = std::make_unique<State>();
  XXH3_128bits_update(state_->xxh, gathered_.data(), gathered_.size());
  gathered_.clear();
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

Digest CanonicalHash::finish() {
  XXH128_hash_t hash{};
  if (state_) {
    hash_gathered();
    hash = XXH3_128bits_digest(state_->xxh);
    state_.reset();
  } else {
    hash = XXH3_128bits(gathered_.data(), gathered_.size());
    gathered_.clear();
  }
  return {hash.high64, hash.low64};
}

}  // namespace gedge::codec
