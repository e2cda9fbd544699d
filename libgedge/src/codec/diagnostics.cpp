#include "codec/diagnostics.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace gedge::codec {
namespace {

bool before(const SourceSpan& a, const SourceSpan& b) {
  return std::tie(a.origin, a.line, a.column) < std::tie(b.origin, b.line, b.column);
}

constexpr std::size_t kQuoted = 80;

void append_hex(std::string& out, unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\x";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

// Length of the well-formed UTF-8 sequence at the front, 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  return length;
}

// Marks that turn the direction of text around, and C1 control characters.
bool is_hidden(std::string_view mark) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(mark[i]); };
  if (mark.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (mark.size() != 3 || byte(0) != 0xE2) return false;
  if (byte(1) == 0x80)
    return (byte(2) >= 0x8B && byte(2) <= 0x8F) || (byte(2) >= 0xA8 && byte(2) <= 0xAE);
  return byte(1) == 0x81 && byte(2) >= 0xA0 && byte(2) <= 0xAF;
}

// Length of the character at the front if a terminal may see it; else 0.
std::size_t printable(std::string_view text) {
  const std::size_t length = sequence(text);
  const auto lead = static_cast<unsigned char>(text[0]);
  if (length == 1 && (lead < 0x20 || lead == 0x7F)) return 0;
  return length > 1 && is_hidden(text.substr(0, length)) ? 0 : length;
}

}  // namespace

void Diagnostics::add(Error error) {
  if (errors_.size() < kMaxErrors)
    errors_.push_back(std::move(error));
  else
    ++dropped_;
}

void Diagnostics::warn(std::string code, std::string message, SourceSpan where) {
  warnings_.push_back({std::move(code), std::move(message), std::move(where)});
}

void Diagnostics::rewind(const Mark& mark) {
  errors_.resize(std::min(mark.errors, errors_.size()));
  warnings_.resize(std::min(mark.warnings, warnings_.size()));
  dropped_ = mark.dropped;
}

std::string Diagnostics::take_back(const Mark& mark) {
  if (errors_.size() <= mark.errors) return {};
  Error& error = errors_[mark.errors];
  std::string first = std::move(error.what);
  if (!error.hint.empty()) first += "; " + error.hint;
  rewind(mark);
  return first;
}

Errors Diagnostics::take_errors() {
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const Error& a, const Error& b) { return before(a.where, b.where); });
  if (is_full())
    errors_.push_back(
        invalid_input("reading stopped after " + std::to_string(kMaxErrors) + " errors"));
  dropped_ = 0;
  return std::exchange(errors_, {});
}

std::vector<Warning> Diagnostics::take_warnings() {
  std::stable_sort(warnings_.begin(), warnings_.end(), [](const Warning& a, const Warning& b) {
    return std::tie(a.code, a.message) < std::tie(b.code, b.message);
  });
  return std::exchange(warnings_, {});
}

std::string quote(std::string_view text) {
  std::string out = "'";
  std::size_t at = 0;
  while (at < text.size() && at < kQuoted) {
    const std::size_t length = printable(text.substr(at));
    if (length == 0)
      append_hex(out, static_cast<unsigned char>(text[at]));
    else
      out += text.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  if (at < text.size()) out += "...";
  return out += "'";
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = printable(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace gedge::codec
