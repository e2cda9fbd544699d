// What Kubernetes accepts as a label: apimachinery util/validation, IsQualifiedName and
// IsValidLabelValue.
#include <algorithm>
#include <limits>

#include "gedge/model/selector.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kMaxPrefix = 253;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), is_name_char);
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > kMaxPrefix) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name(text);
  return is_dns_subdomain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) { return text.empty() || is_name(text); }

std::optional<std::int64_t> parse_label_integer(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;  // kept negative: int64 reaches further there
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return std::nullopt;
    if (__builtin_sub_overflow(value, std::int64_t{c - '0'}, &value)) return std::nullopt;
  }
  if (negative) return value;
  if (value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  return -value;
}

}  // namespace gedge
