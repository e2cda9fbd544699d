#include "codec/http_target.hpp"

#include <algorithm>
#include <charconv>

#include "codec/source.hpp"

namespace gedge::codec {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      if (at + 2 >= text.size()) return std::nullopt;
      unsigned value = 0;
      const char* const begin = text.data() + at + 1;
      const auto [end, failed] = std::from_chars(begin, begin + 2, value, 16);
      if (failed != std::errc{} || end != begin + 2) return std::nullopt;
      c = static_cast<char>(value);
      at += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (is_control(c)) return std::nullopt;
    out += c;
  }
  if (!is_utf8(out)) return std::nullopt;
  return out;
}

// Calls use(part) for what stands between separators; stops and is false where use() is.
template <typename Use>
bool split(std::string_view text, char separator, Use use) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!use(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool add_parameter(std::string_view text, HttpTarget& target) {
  if (text.empty()) return true;
  const std::size_t equals = text.find('=');
  const auto name = decode(text.substr(0, equals), true);
  const auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                      : decode(text.substr(equals + 1), true);
  if (!name || !value || target.find(*name)) return false;
  target.query.emplace_back(*name, *value);
  return true;
}

}  // namespace

std::optional<std::string_view> HttpTarget::find(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [name](const auto& pair) { return pair.first == name; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

std::optional<HttpTarget> parse_http_target(std::string_view text) {
  if (!text.starts_with('/') || text.find('#') != std::string_view::npos) return std::nullopt;
  HttpTarget target;
  const std::size_t question = text.find('?');
  const bool path = split(text.substr(1, question - 1), '/', [&](std::string_view part) {
    auto segment = decode(part, false);
    if (!segment) return false;
    target.path.push_back(*std::move(segment));
    return true;
  });
  if (!path) return std::nullopt;
  if (question == std::string_view::npos) return target;
  const bool query = split(text.substr(question + 1), '&',
                           [&](std::string_view part) { return add_parameter(part, target); });
  if (!query) return std::nullopt;
  return target;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_own_host(std::string_view host, std::string_view name) {
  if (host.empty() || host.starts_with('[')) return true;
  const std::string asked = lower_case(host.substr(0, host.rfind(':')));
  return asked.find_first_not_of("0123456789.") == std::string::npos || asked == "localhost" ||
         asked == lower_case(name);
}

}  // namespace gedge::codec
