#include "codec/source.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gedge::codec {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestExcerpt = 400;

// Bytes of the line break at the front as libyaml counts them: CR LF, CR, LF, NEL, LS, PS; else 0.
std::size_t yaml_break(std::string_view text) {
  if (text[0] == '\n') return 1;
  if (text[0] == '\r') return text.size() > 1 && text[1] == '\n' ? 2 : 1;
  if (text.substr(0, 2) == "\xC2\x85") return 2;
  if (text.substr(0, 2) != "\xE2\x80" || text.size() < 3) return 0;
  return text[2] == '\xA8' || text[2] == '\xA9' ? 3 : 0;
}

bool ends_yaml_break(std::string_view text, std::size_t end) {
  const auto is_before = [&](std::string_view bytes) {
    return text.substr(0, end).ends_with(bytes);
  };
  if (text[end - 1] == '\r') return end == text.size() || text[end] != '\n';
  return text[end - 1] == '\n' || is_before("\xC2\x85") || is_before("\xE2\x80\xA8") ||
         is_before("\xE2\x80\xA9");
}

bool begins_utf16(std::string_view text) {
  return text.size() >= 2 && (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF");
}

bool is_ascii(std::string_view text) {
  constexpr std::size_t kStep = 64;
  std::uint64_t high = 0;
  std::size_t at = 0;
  for (; at + kStep <= text.size(); at += kStep) {
    std::array<std::uint64_t, kStep / 8> words{};
    std::memcpy(words.data(), text.data() + at, kStep);
    for (const std::uint64_t word : words) high |= word;
  }
  for (; at < text.size(); ++at) high |= static_cast<unsigned char>(text[at]);
  return (high & 0x8080808080808080) == 0;
}

// The first byte that is not UTF-8; for messages, so a byte at a time.
std::size_t first_bad_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t most = std::min<std::size_t>(4, text.size() - at);
    std::size_t length = 1;
    while (length <= most && !simdjson::validate_utf8(text.data() + at, length)) ++length;
    if (length > most) break;
    at += length;
  }
  return at;
}

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text); }

Source::Source(std::string name, std::string_view bytes, std::uint32_t file, std::size_t padding)
    : name_(std::move(name)), bytes_(bytes), file_(file), padding_(padding) {
  if (bytes_.substr(0, 3) == kByteOrderMark) bytes_.remove_prefix(3);
}

bool Source::is_json() const {
  const std::size_t first = bytes_.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (bytes_[first] == '{' || bytes_[first] == '[');
}

bool Source::check_text(std::uint64_t max_bytes, Diagnostics& diagnostics) const {
  const auto refuse = [&](std::string what, std::size_t offset, std::string hint) {
    SourceSpan where{name_, 0, 0, "", 1};
    const Position at = at_offset(offset);
    where.line = static_cast<int>(at.line);
    where.column = static_cast<int>(at.column);
    diagnostics.add(invalid_input(std::move(what), std::move(where), std::move(hint)));
    return false;
  };
  if (bytes_.size() > max_bytes)
    return refuse("more than " + std::to_string(max_bytes) + " bytes", 0,
                  "raise the limit with `--max-input`");
  if (begins_utf16(bytes_)) return refuse("the text is UTF-16", 0, "save it as UTF-8");
  if (const std::size_t at = bytes_.find('\0'); at != std::string_view::npos)
    return refuse("the text has a NUL byte", at, "give a text, not a binary file");
  if (!simdjson::validate_utf8(bytes_))
    return refuse("the text is not UTF-8", first_bad_byte(bytes_), "save it as UTF-8");
  return true;
}

Position Source::at_offset(std::size_t offset) const {
  offset = std::min(offset, bytes_.size());
  const char* data = bytes_.data();
  while (newline_.offset > offset) {
    const void* before = ::memrchr(data, '\n', newline_.offset - 1);
    newline_.offset = before == nullptr
                          ? 0
                          : static_cast<std::size_t>(static_cast<const char*>(before) - data) + 1;
    newline_.seen = newline_.offset;
    --newline_.line;
  }
  while (newline_.seen < offset) {
    const void* next = std::memchr(data + newline_.seen, '\n', offset - newline_.seen);
    newline_.seen = offset;
    if (next == nullptr) break;
    newline_.offset = static_cast<std::size_t>(static_cast<const char*>(next) - data) + 1;
    newline_.seen = newline_.offset;
    ++newline_.line;
  }
  return {newline_.line, static_cast<std::uint32_t>(offset - newline_.offset + 1)};
}

void Source::pass_lines(std::size_t begin, std::size_t end, std::uint32_t lines,
                        std::size_t line_begin) const {
  if (newline_.seen != begin) return;
  newline_.seen = end;
  newline_.line += lines;
  if (lines > 0) newline_.offset = line_begin;
}

// Lines of ASCII without CR are the same for everybody, and quick to find.
bool Source::has_plain_lines() const {
  if (!plain_lines_) plain_lines_ = is_ascii(bytes_) && bytes_.find('\r') == std::string_view::npos;
  return *plain_lines_;
}

void Source::seek_line(std::size_t line) const {
  std::size_t at = yaml_.offset;
  while (yaml_.line > line + 1) {
    --at;
    if (at > 0 && !ends_yaml_break(bytes_, at)) continue;
    --yaml_.line;
    yaml_.offset = at;
  }
  while (yaml_.line < line + 1 && at < bytes_.size()) {
    const std::size_t length = yaml_break(bytes_.substr(at, 3));
    at += std::max<std::size_t>(1, length);
    if (length == 0) continue;
    ++yaml_.line;
    yaml_.offset = at;
  }
}

Position Source::at_mark(std::size_t line, std::size_t column) const {
  if (has_plain_lines())
    return {static_cast<std::uint32_t>(line) + 1, static_cast<std::uint32_t>(column) + 1};
  seek_line(line);
  std::size_t at = yaml_.offset;
  for (std::size_t i = 0; i < column && at < bytes_.size(); ++i) {
    ++at;
    while (at < bytes_.size() && (static_cast<unsigned char>(bytes_[at]) & 0xC0) == 0x80) ++at;
  }
  return at_offset(at);
}

SourceSpan Source::span(Position at, std::size_t length) const {
  SourceSpan where{name_, static_cast<int>(at.line), static_cast<int>(at.column), "", 1};
  if (newline_.line > at.line) newline_ = {};
  while (newline_.line < at.line) {
    const std::size_t next = bytes_.find('\n', newline_.offset);
    if (next == std::string_view::npos) return where;
    newline_ = {next + 1, newline_.line + 1, next + 1};
  }
  std::string_view line = bytes_.substr(newline_.offset, kLongestExcerpt + 2);
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.size() > kLongestExcerpt) return where;
  const std::size_t start = std::min<std::size_t>(at.column - 1, line.size());
  const std::size_t rest = std::max<std::size_t>(1, line.size() - start);
  where.length = static_cast<int>(std::clamp<std::size_t>(length, 1, rest));
  for (const char c : line) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    where.excerpt += !control ? c : c == '\t' ? ' ' : '?';
  }
  return where;
}

}  // namespace gedge::codec
