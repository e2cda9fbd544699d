#include "codec/yaml_moulds.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace gedge::codec {
namespace {

// libyaml looks for the ':' of a key on 1,024 characters.
constexpr std::size_t kLongestText = 512;

enum ByteKind : std::uint8_t { kOther, kInQuotes, kWord };

// What may stand between quotes, and what of it in a plain word too.
constexpr std::array<ByteKind, 256> kKinds = [] {
  std::array<ByteKind, 256> kinds{};
  for (unsigned c = ' '; c < 0x7F; ++c) kinds[c] = kInQuotes;
  for (const char c : {'"', '\'', '\\'}) kinds[static_cast<unsigned char>(c)] = kOther;
  for (unsigned c = '0'; c <= '9'; ++c) kinds[c] = kWord;
  for (unsigned c = 'a'; c <= 'z'; ++c) kinds[c] = kinds[c - 0x20] = kWord;
  for (const char c : {'.', '_', '/', '-'}) kinds[static_cast<unsigned char>(c)] = kWord;
  return kinds;
}();

ByteKind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

bool is_letter(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z';
}

// A plain word that begins like one and is text; whatever else a word may be is short or begins
// with a digit or a dot.
bool is_text(std::string_view word) {
  constexpr std::size_t kLongestBool = 5;
  if (is_letter(word[0]) && word.size() > kLongestBool) return true;
  const bool has_beginning = is_letter(word[0]) || (word[0] >= '0' && word[0] <= '9');
  return has_beginning && classify_plain(word) == ScalarType::kText;
}

// The text at the front that may stand in a hole; empty where none may.
std::string_view text_at_front(std::string_view text, bool quoted) {
  const ByteKind least = quoted ? kInQuotes : kWord;
  std::size_t size = 0;
  const std::size_t most = std::min(text.size(), kLongestText + 1);
  while (size < most && kind_of(text[size]) >= least) ++size;
  if (size == 0 || size > kLongestText) return {};
  const std::string_view found = text.substr(0, size);
  return quoted || is_text(found) ? found : std::string_view();
}

bool is_quoted(const Tape& tape, std::uint32_t entry) { return tape.entries[entry].quoted != 0; }

// Bytes of which each is a character, in lines that everybody counts alike.
bool has_plain_bytes(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char c) { return c == '\n' || (c >= ' ' && c < 0x7F); });
}

std::vector<std::size_t> line_begins(std::string_view bytes) {
  std::vector<std::size_t> begins{0};
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1))
    begins.push_back(at + 1);
  return begins;
}

// Whether the text of an entry stands there as it is, and may be another one.
bool may_differ(std::string_view bytes, std::size_t at, const Tape& tape, std::uint32_t i) {
  const TapeEntry& entry = tape.entries[i];
  const bool quoted = entry.quoted != 0;
  if (quoted && (at == 0 || at >= bytes.size())) return false;
  const std::string_view text(entry.text, entry.length);
  if (text_at_front(bytes.substr(std::min(at, bytes.size())), quoted) != text || text.empty())
    return false;
  std::size_t behind = at + text.size();
  if (behind >= bytes.size()) return false;
  if (quoted) {
    const char quote = bytes[at - 1];
    if ((quote != '"' && quote != '\'') || bytes[behind++] != quote) return false;
  }
  return !is_key(tape, i) || (behind < bytes.size() && bytes[behind] == ':');
}

std::vector<Mould::Hole> texts_of(std::string_view bytes, std::uint32_t line, const Tape& tape) {
  const std::vector<std::size_t> begins = line_begins(bytes);
  std::vector<Mould::Hole> texts;
  for (std::uint32_t i = 0; i < tape.entries.size(); ++i) {
    const TapeEntry& entry = tape.entries[i];
    const std::size_t in_lines = entry.position - line;
    if (static_cast<Shape>(entry.shape) != Shape::kScalar || in_lines >= begins.size()) continue;
    const std::size_t at = begins[in_lines] + entry.column + (entry.quoted != 0 ? 1 : 0);
    if (!may_differ(bytes, at, tape, i)) continue;
    const auto begin = static_cast<std::uint32_t>(at);
    texts.push_back({begin, begin + entry.length, i});
  }
  return texts;
}

// The bytes before each of the texts and behind the last.
std::string_view between(std::string_view bytes, const std::vector<Mould::Hole>& texts,
                         std::size_t i) {
  const std::size_t begin = i == 0 ? 0 : texts[i - 1].end;
  return bytes.substr(begin, i == texts.size() ? std::string_view::npos : texts[i].begin - begin);
}

std::string_view text_in(std::string_view bytes, const Mould::Hole& text) {
  return bytes.substr(text.begin, text.end - text.begin);
}

std::uint64_t hash_of(std::string_view bytes, const std::vector<Mould::Hole>& texts) {
  std::uint64_t hash = texts.size();
  for (std::size_t i = 0; i <= texts.size(); ++i) {
    const std::string_view part = between(bytes, texts, i);
    hash = XXH3_64bits_withSeed(part.data(), part.size(), hash);
  }
  return hash;
}

}  // namespace

std::uint32_t Mould::present_column(const TapeEntry& entry) const {
  std::uint32_t column = entry.column;
  for (const Hole& hole : holes) {
    const TapeEntry& other = tape.entries[hole.entry];
    if (other.position != entry.position || other.column >= entry.column) continue;
    column += other.length - (hole.end - hole.begin);
  }
  return column;
}

Mould* YamlMoulds::fit(std::size_t at, std::uint32_t line, std::size_t& end) {
  if (known_.empty()) return nullptr;
  const std::size_t first = known_[last_].next;
  for (std::size_t i = 0; i < std::min(known_.size(), kMaxTries); ++i) {
    const std::size_t number = (first + i) % known_.size();
    Mould& mould = *known_[number].mould;
    if (!matches(mould, at, end)) continue;
    put_in(mould, at, line);
    if (!come_once(mould.tape, known_[number].own_keys)) return nullptr;
    known_[last_].next = number;
    last_ = number;
    return &mould;
  }
  return nullptr;
}

bool YamlMoulds::matches(const Mould& mould, std::size_t at, std::size_t& end) {
  for (std::size_t i = 0; i <= mould.holes.size(); ++i) {
    const std::string_view part = between(mould.bytes, mould.holes, i);
    if (text_.compare(at, part.size(), part) != 0) return false;
    at += part.size();
    if (i == mould.holes.size()) break;
    const bool quoted = is_quoted(mould.tape, mould.holes[i].entry);
    found_[i] = text_at_front(text_.substr(at), quoted);
    if (found_[i].empty()) return false;
    at += found_[i].size();
  }
  end = at;
  return at == text_.size() || text_.substr(at, kBeginning.size()) == kBeginning;
}

void YamlMoulds::put_in(Mould& mould, std::size_t at, std::uint32_t line) {
  mould.now = static_cast<std::uint32_t>(at);
  mould.now_line = line;
  for (std::size_t i = 0; i < mould.holes.size(); ++i) {
    TapeEntry& entry = mould.tape.entries[mould.holes[i].entry];
    entry.text = found_[i].data();
    entry.length = static_cast<std::uint32_t>(found_[i].size());
  }
}

std::vector<YamlMoulds::OwnKey> YamlMoulds::own_keys_of(const Mould& mould) {
  const std::vector<TapeEntry>& entries = mould.tape.entries;
  std::vector<OwnKey> keys;
  for (const Mould::Hole& hole : mould.holes) {
    if (!is_key(mould.tape, hole.entry)) continue;
    std::uint32_t map = hole.entry - 1;
    while (static_cast<Shape>(entries[map].shape) != Shape::kMap || entries[map].next <= hole.entry)
      --map;
    keys.push_back({map, hole.entry});
  }
  return keys;
}

bool YamlMoulds::come_once(const Tape& tape, const std::vector<OwnKey>& keys) {
  const std::vector<TapeEntry>& entries = tape.entries;
  const auto text = [&](std::uint32_t at) {
    return std::string_view(entries[at].text, entries[at].length);
  };
  for (const OwnKey& own : keys)
    for (std::uint32_t at = own.map + 1; at < entries[own.map].next; at = entries[at + 1].next)
      if (at != own.key && text(at) == text(own.key)) return false;
  return true;
}

// Which texts have to be holes so that both documents fit, beside those that are; false where
// other bytes differ.
bool YamlMoulds::open_texts(const Pattern& earlier, const Pattern& pattern,
                            std::vector<bool>& is_open) {
  if (earlier.texts.size() != pattern.texts.size()) return false;
  is_open.resize(pattern.texts.size());
  for (std::size_t i = 0; i <= pattern.texts.size(); ++i) {
    if (between(earlier.bytes, earlier.texts, i) != between(pattern.bytes, pattern.texts, i))
      return false;
    if (i == pattern.texts.size()) break;
    if (text_in(earlier.bytes, earlier.texts[i]) != text_in(pattern.bytes, pattern.texts[i]))
      is_open[i] = true;
  }
  return true;
}

bool YamlMoulds::learn(std::string_view bytes, std::uint32_t line, Tape& tape) {
  const bool is_document = bytes.size() > kBeginning.size() && bytes.size() <= kMaxBytes &&
                           bytes.substr(0, kBeginning.size()) == kBeginning &&
                           bytes.back() == '\n' && has_plain_bytes(bytes);
  if (!is_document) return false;
  Pattern pattern{0, bytes, texts_of(bytes, line, tape)};
  pattern.hash = hash_of(bytes, pattern.texts);
  std::vector<bool> is_open;
  if (const auto same = by_hash_.find(pattern.hash); same != by_hash_.end()) {
    Known& known = known_[same->second];
    is_open = known.is_open;
    if (!open_texts(known.pattern, pattern, is_open)) return false;
    if (is_open == known.is_open) {
      known_[last_].next = same->second;
      return false;
    }
    return make(std::move(pattern), std::move(is_open), line, tape, same->second);
  }
  Pattern& seen = seen_once_[pattern.hash % seen_once_.size()];
  if (seen.hash != pattern.hash || !open_texts(seen, pattern, is_open)) {
    seen = std::move(pattern);
    return false;
  }
  return make(std::move(pattern), std::move(is_open), line, tape, known_.size());
}

bool YamlMoulds::make(Pattern pattern, std::vector<bool> is_open, std::uint32_t line, Tape& tape,
                      std::size_t where) {
  const auto holes = static_cast<std::size_t>(std::count(is_open.begin(), is_open.end(), true));
  const bool is_new = where == known_.size();
  if (holes > kMaxHoles || (is_new && known_.size() == kMaxMoulds) ||
      entries_ + tape.entries.size() > kMaxEntries)
    return false;
  entries_ += tape.entries.size();
  auto mould = std::make_unique<Mould>();
  mould->number = count_++;
  mould->bytes = pattern.bytes;
  mould->line = line;
  mould->lines =
      static_cast<std::uint32_t>(std::count(pattern.bytes.begin(), pattern.bytes.end(), '\n'));
  for (std::size_t i = 0; i < is_open.size(); ++i) {
    if (!is_open[i]) continue;
    mould->open.push_back({pattern.texts[i], static_cast<std::uint32_t>(mould->holes.size()), 0});
    mould->holes.push_back(pattern.texts[i]);
  }
  std::swap(mould->tape, tape);
  mould->tape.mould = mould.get();
  std::vector<OwnKey> own_keys = own_keys_of(*mould);
  by_hash_[pattern.hash] = where;
  if (is_new) known_.emplace_back();
  known_[last_].next = where;
  last_ = where;
  known_[where] = {std::move(mould), std::move(pattern), std::move(is_open), std::move(own_keys),
                   where};
  return true;
}

}  // namespace gedge::codec
