// codec/metrics.hpp - the text that Prometheus reads.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "gedge/base/durations.hpp"

namespace gedge::codec {

/// As the value of a label is written between quotes.
inline std::string escaped_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

class Metrics {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
    text_.append(name).append(" ").append(type).append("\n");
  }
  void sample(std::string_view labels, std::string_view value) {
    text_ += name_;
    if (!labels.empty()) text_.append("{").append(labels).append("}");
    text_.append(" ").append(value).append("\n");
  }
  void count(std::string_view name, std::string_view help, std::uint64_t value) {
    family(name, "counter", help);
    sample("", std::to_string(value));
  }
  /// A histogram, of seconds.
  void durations(std::string_view name, std::string_view help, const Durations& took) {
    family(name, "histogram", help);
    const std::string family_name = name_;
    name_ = family_name + "_bucket";
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < took.counts.size(); ++i) {
      const bool is_last = i == Durations::kBounds.size();
      sum += took.counts[i];
      sample("le=\"" + (is_last ? "+Inf" : seconds(Durations::kBounds[i])) + '"',
             std::to_string(sum));
    }
    name_ = family_name + "_sum";
    sample("", seconds(took.sum));
    name_ = family_name + "_count";
    sample("", std::to_string(sum));
  }
  std::string take() { return std::move(text_); }

 private:
  static std::string seconds(Nanos time) {
    std::array<char, 32> digits{};
    const double value = static_cast<double>(time.count()) / 1e9;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
  }

  std::string name_, text_;
};

}  // namespace gedge::codec
