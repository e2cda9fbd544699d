#include "codec/shared_parts.hpp"

#include <xxhash.h>

#include <algorithm>

namespace gedge::codec {

// A key whose values hardly ever come again is left alone for a while, and then longer.
bool SharedParts::worth_trying(std::string_view key) {
  if (!enabled_) return false;
  auto found = habits_.find(key);
  if (found == habits_.end()) {
    if (habits_.size() == kMaxKeys) return false;
    found = habits_.try_emplace(std::string(key)).first;
  }
  habit_ = &found->second;
  if (habit_->skip > 0) {
    --habit_->skip;
    return false;
  }
  if (habit_->tries < kSample) return true;
  if (habit_->hits >= kSample / 4) {
    *habit_ = {};
    return true;
  }
  const std::uint32_t pause = habit_->pause;
  *habit_ = {0, 0, pause, std::min(2 * pause, kLongestPause)};
  return false;
}

SharedPart* SharedParts::find(std::string_view bytes) {
  ++habit_->tries;
  hash_ = XXH3_64bits(bytes.data(), bytes.size());
  const auto found = parts_.find(hash_);
  SharedPart* part = found == parts_.end() ? nullptr : found->second.get();
  if (part == nullptr || !part->complete || part->element >= element_ || part->bytes != bytes) {
    settled_ = settled_ && habit_->is_hopeless();
    return nullptr;
  }
  ++habit_->hits;
  return part;
}

SharedPart* SharedParts::begin(std::string_view bytes) {
  seen_once_.resize(kSeen);
  std::uint64_t& seen = seen_once_[hash_ % kSeen];
  if (seen != hash_ || !has_room() || bytes.size() > kMaxBytes) {
    seen = hash_;
    return nullptr;
  }
  const auto [at, fresh] = parts_.try_emplace(hash_);
  if (!fresh) return nullptr;
  at->second = std::make_unique<SharedPart>();
  at->second->bytes = bytes;
  at->second->element = element_;
  return at->second.get();
}

void SharedParts::end(SharedPart& part) {
  part.complete = true;
  entries_ += part.tape.entries.size();
  part.tape.fingerprint = Cursor(part.tape, 0).fingerprint();
}

}  // namespace gedge::codec
