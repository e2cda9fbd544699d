// mdoc.hpp - writes one manual page in mdoc(7), with everything escaped that roff would obey.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flags.hpp"

namespace gedge::cli {

class Mdoc {
 public:
  struct Item {
    std::string tag;   ///< plain text, or mdoc macros after a leading dot: ".Ev TERM"
    std::string text;  ///< plain text, `...` in bold
  };

  Mdoc(std::string_view name, int section, std::string_view summary);

  void synopsis(std::string_view invocation, std::string_view usage);
  void section(std::string_view title);
  /// Paragraphs separated by an empty line.
  void text(std::string_view text);
  void list(const std::vector<Item>& items);
  void example(std::string_view purpose, std::string_view commands);
  /// "gedge(1) gedge-plan(1)", sorted here.
  void see_also(std::string_view pages);
  std::string done() { return std::move(page_); }

  static std::string tag(const Flag& flag);

 private:
  void paragraph(std::string_view text);
  std::string page_;
  bool section_is_new_ = false;
};

}  // namespace gedge::cli
