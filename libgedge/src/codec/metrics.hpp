// codec/metrics.hpp - the text that Prometheus reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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
  std::string take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

}  // namespace gedge::codec
