#include "codec/moulds.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "codec/plain_text.hpp"

namespace gedge::codec {
namespace {

std::uint32_t begin_of(const Mould& mould, std::size_t segment) {
  return segment == 0 ? 0 : mould.holes[segment - 1].end;
}

// Where a segment ends; the last one does so with the element.
std::uint32_t end_of(const Mould& mould, std::size_t segment) {
  return segment < mould.holes.size() ? mould.holes[segment].begin
                                      : static_cast<std::uint32_t>(mould.bytes.size());
}

// The bytes between two holes.
std::string_view segment_of(const Mould& mould, std::size_t segment) {
  const std::uint32_t begin = begin_of(mould, segment);
  return mould.bytes.substr(begin, end_of(mould, segment) - begin);
}

std::uint64_t hash_of(const Mould& mould) {
  std::uint64_t hash = mould.holes.size();
  for (std::size_t i = 0; i <= mould.holes.size(); ++i) {
    const std::string_view segment = segment_of(mould, i);
    hash = XXH3_64bits_withSeed(segment.data(), segment.size(), hash);
  }
  return hash;
}

}  // namespace

std::vector<Mould::Hole> holes_of(const Tape& tape) {
  const std::vector<TapeEntry>& entries = tape.entries;
  const char* const source = tape.source->bytes().data();
  const std::uint32_t begin = entries[0].position;
  std::vector<Mould::Hole> holes;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const TapeEntry& entry = entries[i];
    const bool is_text = static_cast<Shape>(entry.shape) == Shape::kScalar && entry.quoted != 0;
    if (!is_text || is_key(tape, i) || entry.text != source + entry.position + 1) continue;
    const std::uint32_t first = entry.position + 1 - begin;
    holes.push_back({first, first + entry.length, i});
  }
  return holes;
}

std::uint32_t Mould::present(std::uint32_t position) const {
  const std::uint32_t from_begin = position - begin;
  std::uint32_t shift = now;
  for (const Open& one : open) {
    if (one.hole.end > from_begin) break;
    shift = one.now_end - one.hole.end;
  }
  return from_begin + shift;
}

Fingerprint Mould::fingerprint() {
  if (!fingerprints) {
    std::vector<std::uint32_t> entries;
    for (const Open& one : open) entries.push_back(one.hole.entry);
    fingerprints = std::make_unique<MouldFingerprint>(tape, entries);
  }
  return fingerprints->present(tape);
}

Mould* Moulds::fit(std::size_t at, std::size_t& end) {
  if (moulds_.empty()) return nullptr;
  Mould* mould = last_ != nullptr && last_->next != nullptr ? last_->next : moulds_[0].get();
  std::size_t segment = 0, from = 0;
  end = at;
  found_closed_ = false;
  for (int tries = 0; mould != nullptr && tries < kMaxTries; ++tries) {
    const std::size_t before = segment;
    // What was found for another mould may be in holes that are closed in this one.
    found_closed_ = found_closed_ || before > 0;
    if (matches(*mould, segment, end)) {
      if (last_ != nullptr) last_->next = mould;
      last_ = mould;
      if (found_closed_) open_what_differs(*mould, at);
      put_in(*mould, at);
      return mould;
    }
    if (segment != before) from = 0;
    mould = other_than(*mould, segment, from);
  }
  return nullptr;
}

// From a segment on, which begins at `at`; both move on to the first that differs.
bool Moulds::matches(const Mould& mould, std::size_t& segment, std::size_t& at) {
  const std::vector<Mould::Hole>& holes = mould.holes;
  const auto is_before = [](const Mould::Open& one, std::size_t i) { return one.number < i; };
  auto next = std::lower_bound(mould.open.begin(), mould.open.end(), segment, is_before);
  for (;; ++segment) {
    while (next != mould.open.end() && next->number < segment) ++next;
    const std::size_t open = next == mould.open.end() ? holes.size() : next->number;
    const std::uint32_t begin = begin_of(mould, segment);
    const std::string_view bytes = mould.bytes.substr(begin, end_of(mould, open) - begin);
    const std::size_t equal = skip_equal(at, bytes);
    const auto shift = static_cast<std::uint32_t>(at - begin);
    // Content is equal where the quote behind it is.
    for (; segment < open && holes[segment].end < begin + equal; ++segment)
      ends_[segment] = shift + holes[segment].end;
    at = shift + begin_of(mould, segment);
    const std::size_t behind = shift + end_of(mould, segment);
    if (shift + begin + equal < behind) return false;
    if (segment == holes.size()) {
      at = behind;
      return true;
    }
    found_closed_ = found_closed_ || segment != open;
    const char* const end = end_of_plain(text_.data() + behind, text_.data() + text_.size());
    if (end == nullptr) return false;
    at = static_cast<std::size_t>(end - text_.data());
    ends_[segment] = static_cast<std::uint32_t>(at);
  }
}

// How many bytes from `at` on are these.
std::size_t Moulds::skip_equal(std::size_t at, std::string_view bytes) const {
  const std::string_view text = text_.substr(at, bytes.size());
  if (text == bytes) return bytes.size();
  std::size_t equal = 0;
  for (; equal + sizeof(std::uint64_t) <= text.size(); equal += sizeof(std::uint64_t))
    if (std::memcmp(text.data() + equal, bytes.data() + equal, sizeof(std::uint64_t)) != 0) break;
  while (equal < text.size() && text[equal] == bytes[equal]) ++equal;
  return equal;
}

// By the ends that were found for an element that begins at `at`.
void Moulds::open_what_differs(Mould& mould, std::size_t at) const {
  std::vector<Mould::Open> open;
  auto next = mould.open.begin();
  std::size_t begin = at;  // of a segment
  for (std::uint32_t i = 0; i < mould.holes.size(); begin = ends_[i++]) {
    const Mould::Hole& hole = mould.holes[i];
    const std::size_t content = begin + segment_of(mould, i).size();
    const bool is_open = next != mould.open.end() && next->number == i;
    if (is_open) ++next;
    if (is_open || text_.substr(content, ends_[i] - content) !=
                       mould.bytes.substr(hole.begin, hole.end - hole.begin))
      open.push_back({hole, i, 0});
  }
  if (open.size() == mould.open.size()) return;
  mould.open = std::move(open);
  mould.fingerprints.reset();
}

// A mould that begins as the one that failed and goes on differently.
Mould* Moulds::other_than(const Mould& failed, std::size_t segment, std::size_t& from) const {
  for (; from < moulds_.size(); ++from) {
    Mould& other = *moulds_[from];
    if (other.prefixes.size() <= segment || other.prefixes[segment] == failed.prefixes[segment])
      continue;
    if (segment == 0 || other.prefixes[segment - 1] == failed.prefixes[segment - 1]) {
      ++from;
      return &other;
    }
  }
  return nullptr;
}

void Moulds::put_in(Mould& mould, std::size_t at) {
  mould.now = static_cast<std::uint32_t>(at);
  std::uint32_t shift = mould.now;
  const char* const source = mould.tape.source->bytes().data();
  for (Mould::Open& one : mould.open) {
    one.now_end = ends_[one.number];
    const std::uint32_t begin = one.hole.begin + shift;
    TapeEntry& entry = mould.tape.entries[one.hole.entry];
    entry.text = source + begin;
    entry.length = one.now_end - begin;
    shift = one.now_end - one.hole.end;
  }
}

bool Moulds::learn(std::string_view bytes, Tape& tape) {
  if (bytes.size() > kMaxBytes || moulds_.size() == kMaxMoulds ||
      entries_ + tape.entries.size() > kMaxEntries)
    return false;
  auto mould = std::make_unique<Mould>();
  mould->bytes = bytes;
  mould->holes = holes_of(tape);
  if (mould->holes.size() > kMaxHoles) return false;
  const std::uint64_t hash = hash_of(*mould);
  seen_once_.resize(kSeen);
  if (std::uint64_t& seen = seen_once_[hash % kSeen]; seen != hash) {
    seen = hash;
    return false;
  }
  mould->number = count_++;
  mould->begin = tape.entries[0].position;
  mould->prefixes = prefixes_of(*mould);
  mould->lines = static_cast<std::uint32_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  if (mould->lines > 0)
    mould->last_line = static_cast<std::uint32_t>(mould->begin + bytes.rfind('\n') + 1);
  entries_ += tape.entries.size();
  std::swap(mould->tape, tape);
  mould->tape.mould = mould.get();
  if (last_ != nullptr) last_->next = mould.get();
  last_ = mould.get();
  moulds_.push_back(std::move(mould));
  return true;
}

std::vector<std::uint32_t> Moulds::prefixes_of(const Mould& mould) const {
  std::vector<std::uint32_t> prefixes(mould.holes.size() + 1, mould.number);
  for (const auto& other : moulds_) {
    const std::size_t common = std::min(prefixes.size(), other->prefixes.size());
    for (std::size_t i = 0; i < common; ++i) {
      const bool both_end = (i == mould.holes.size()) == (i == other->holes.size());
      if (!both_end || segment_of(mould, i) != segment_of(*other, i)) break;
      prefixes[i] = other->prefixes[i];
    }
  }
  return prefixes;
}

void Moulds::clear() {
  moulds_.clear();
  last_ = nullptr;
  entries_ = 0;
}

}  // namespace gedge::codec
