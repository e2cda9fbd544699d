#include "codec/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace gedge::codec {
namespace {

constexpr const char* kCutOff = "close it; the text may be cut off";

std::size_t digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(at, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<std::uint32_t>(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      value = value * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
    else
      return std::nullopt;
  }
  return value;
}

char* append_utf8(char* out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { *out++ = static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
  return out;
}

char simple_escape(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '/':
      return '/';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

// The code point of a \u escape whose 'u' is at `at`; moves `at` behind it.
std::optional<std::uint32_t> code_point(std::string_view text, std::size_t& at) {
  const auto first = hex4(text, at + 1);
  if (!first || (*first >= 0xDC00 && *first < 0xE000)) return std::nullopt;
  at += 5;
  if (*first < 0xD800 || *first >= 0xE000) return first;
  if (text.substr(at, 2) != "\\u") return std::nullopt;
  const auto second = hex4(text, at + 2);
  if (!second || *second < 0xDC00 || *second >= 0xE000) return std::nullopt;
  at += 6;
  return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

// The offset behind the closing quote, or what is wrong.
std::size_t skip_string(std::string_view text, std::size_t open, JsonBreak& broken) {
  for (std::size_t at = open + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') {
      ++at;
    } else if (static_cast<unsigned char>(text[at]) < 0x20) {
      broken = {at, text[at] == '\n' ? "a line ends inside a string"
                                     : "a control character inside a string"};
      return at;
    }
  }
  broken = {open, "this string is never closed", kCutOff};
  return text.size();
}

bool is_special(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Whether one of eight bytes is: below 0x20, or zero once what is sought is taken away by xor. A
// borrow makes others look so, but only beside one that is.
bool has_special(const char* bytes) {
  constexpr std::uint64_t each = 0x0101010101010101, top = 0x80 * each;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const auto below = [&](std::uint64_t x, std::uint64_t bound) { return (x - bound * each) & ~x; };
  return ((below(word, 0x20) | below(word ^ ('"' * each), 1) | below(word ^ ('\\' * each), 1)) &
          top) != 0;
}

std::string_view::iterator find_special(std::string_view::iterator at,
                                        std::string_view::iterator end) {
  constexpr std::ptrdiff_t kWord = sizeof(std::uint64_t);
  while (end - at >= kWord && !has_special(&*at)) at += kWord;
  return std::find_if(at, end, is_special);
}

}  // namespace

bool is_json_number(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t whole = digits(text, at);
  if (whole == at || (text[at] == '0' && whole > at + 1)) return false;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits(text, at + 1);
    if (fraction == at + 1) return false;
    at = fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits(text, at);
    if (exponent == at) return false;
    at = exponent;
  }
  return at == text.size();
}

bool json_unescape(std::string_view text, TextArena& arena, std::string_view& out,
                   std::size_t& bad) {
  char* const start = arena.allocate(text.size());  // escapes only ever shrink
  char* end = start;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      *end++ = text[at++];
      continue;
    }
    bad = at++;
    if (at == text.size()) return false;
    if (const char plain = simple_escape(text[at]); plain != '\0') {
      *end++ = plain;
      ++at;
      continue;
    }
    if (text[at] != 'u') return false;
    const auto code = code_point(text, at);
    if (!code) return false;
    end = append_utf8(end, *code);
  }
  out = {start, static_cast<std::size_t>(end - start)};
  return true;
}

JsonBreak find_json_break(std::string_view text) {
  JsonBreak broken;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size() && broken.what.empty();) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at, broken);
      continue;
    }
    const bool opening = c == '{' || c == '[';
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (open.empty() && !opening && !space) return {at, "text after the end of the JSON value"};
    if (opening) open.push_back(at);
    if (c == '}' || c == ']') {
      if (text[open.back()] != (c == '}' ? '{' : '['))
        return {at, std::string("'") + c + "' does not close the '" + text[open.back()] +
                        "' before it"};
      open.pop_back();
    }
    ++at;
  }
  if (broken.what.empty() && !open.empty())
    broken = {open.back(), std::string("this '") + text[open.back()] + "' is never closed",
              kCutOff};
  return broken;
}

void append_json_text(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += '"';
  for (auto at = text.begin(); at != text.end(); ++at) {
    const auto special = find_special(at, text.end());
    out.append(at, special);
    at = special;
    if (at == text.end()) break;
    const auto byte = static_cast<unsigned char>(*at);
    if (byte >= 0x20) {
      out += '\\';
      out += *at;
    } else {
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  out += '"';
}

}  // namespace gedge::codec
