#include "gedge/codec/ip_text.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace gedge {
namespace {

constexpr std::size_t kGroups = 8;

struct ZeroRun {
  std::size_t begin = kGroups, length = 0;
};

// The longest run of at least two groups of zeros, the first of several.
ZeroRun longest_zeros(const std::array<std::uint16_t, kGroups>& groups) {
  ZeroRun best;
  for (std::size_t i = 0; i < kGroups; ++i) {
    std::size_t end = i;
    while (end < kGroups && groups[end] == 0) ++end;
    if (end - i > 1 && end - i > best.length) best = {i, end - i};
  }
  return best;
}

void append_hex(std::string& text, std::uint16_t group) {
  std::array<char, 4> digits;
  const auto [end, failed] = std::to_chars(digits.data(), digits.data() + digits.size(), group, 16);
  text.append(digits.data(), end);
}

}  // namespace

std::string to_text(const IpAddress& address) {
  std::string text;
  if (!address.is_v6) {
    for (std::size_t i = 0; i < 4; ++i)
      text += (i > 0 ? "." : "") + std::to_string(unsigned{address.bytes[i]});
    return text;
  }
  std::array<std::uint16_t, kGroups> groups;
  for (std::size_t i = 0; i < kGroups; ++i)
    groups[i] =
        static_cast<std::uint16_t>(unsigned{address.bytes[2 * i]} << 8 | address.bytes[2 * i + 1]);
  const ZeroRun zeros = longest_zeros(groups);
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == zeros.begin) {
      text += "::";
      i += zeros.length - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    append_hex(text, groups[i]);
  }
  return text;
}

std::string to_text_with_port(const IpAddress& address) {
  const std::string port = ':' + std::to_string(address.port);
  return address.is_v6 ? '[' + to_text(address) + ']' + port : to_text(address) + port;
}

}  // namespace gedge
