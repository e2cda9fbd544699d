#include "gedge/codec/targets.hpp"

#include <algorithm>
#include <map>

#include "codec/diagnostics.hpp"
#include "codec/source.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = 253;  // of a DNS name, and of a node's
constexpr std::string_view kBlanks = " \t\r\v\f";

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kMostBytes && codec::is_utf8(text) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Result<NamedTarget> parse_target(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view address =
      equals == std::string_view::npos ? name : text.substr(equals + 1);
  if (!is_word(name) || !is_word(address))
    return invalid_input(codec::quote(text) + " is no node", {},
                         "write for example `edge-1` or `edge-1=10.0.0.7`");
  return NamedTarget{std::string(name),
                     std::string(equals == std::string_view::npos ? "" : address)};
}

TargetsReading read_targets(const InputFile& file) {
  TargetsReading reading;
  std::map<std::string, int, std::less<>> line_of;
  int line = 0;
  for (std::string_view rest = file.bytes; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view whole = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    ++line;
    const std::string_view text = trimmed(whole);
    if (text.empty()) continue;
    const SourceSpan where{file.name, line, static_cast<int>(text.data() - whole.data()) + 1,
                           std::string(whole.substr(0, 200)), static_cast<int>(text.size())};
    auto target = parse_target(text);
    if (!target) {
      reading.errors.push_back(std::move(target).error());
      reading.errors.back().where = where;
      continue;
    }
    const auto [earlier, is_new] = line_of.try_emplace(target->name, line);
    if (!is_new) {
      reading.errors.push_back(invalid_input(
          "'" + target->name + "' stands on line " + std::to_string(earlier->second) + " already",
          where));
      continue;
    }
    reading.targets.push_back(*std::move(target));
  }
  if (reading.targets.empty() && reading.errors.empty())
    reading.errors.push_back(
        invalid_input("no target in this file", {file.name, 0, 0, {}, 1},
                      "write one node a line, for example `edge-1` or `edge-1=10.0.0.7`"));
  if (!reading.errors.empty()) reading.targets.clear();
  return reading;
}

}  // namespace gedge
