// command.hpp - what a subcommand is: its page of text, its flags, and what it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "exit.hpp"
#include "flags.hpp"
#include "io.hpp"

namespace gedge::cli {

struct Example {
  std::string_view command, purpose;
};

/// What help, manual and completion say beyond the flags. Plain text; `...` in backquotes is what
/// users type.
struct Page {
  std::string_view name;         ///< "plan", "config view"
  std::string_view summary;      ///< imperative, no full stop
  std::string_view usage;        ///< after the name: "-f FILE... [--cluster SOURCE]"
  std::string_view description;  ///< paragraphs, separated by an empty line
  std::string_view output;       ///< what stdout carries, for the manual
  std::span<const Example> examples;
  std::string_view yes;            ///< what exit code 0 means here
  std::string_view no = {};        ///< what 1 means; empty: never
  bool reads_input = true;         ///< may exit with 3 and 4
  std::string_view see_also = {};  ///< other pages, separated by a blank: "gedge-explain(1)"
  std::string_view partly = {};    ///< what 5 means here; empty: never
  std::string_view stale = {};     ///< what 6 means here; empty: never
};

/// The headings of `gedge help`.
enum class Group : std::uint8_t { kLook, kInspect, kLatency, kPin, kWork, kAbout, kHidden };

using Run = std::function<Exit(Io&)>;

struct Command {
  const Page* page = nullptr;
  Group group = Group::kHidden;
  /// Registers the flags and returns what is to be done once they are parsed.
  Run (*add)(FlagSet&) = nullptr;

  std::string_view name() const { return page->name; }
};

/// Every command, hidden ones too, in the order of help.
std::span<const Command> commands();
/// Null where there is no such command.
const Command* find_command(std::string_view name);

/// "matrix" of "matrix show"; all of a name of one word.
constexpr std::string_view first_word(std::string_view name) {
  return name.substr(0, name.find(' '));
}
/// "show" of "matrix show"; empty for a name of one word.
constexpr std::string_view second_word(std::string_view name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string_view::npos ? std::string_view{} : name.substr(blank + 1);
}
/// What the commands that begin with this word have in common; empty where none has two words.
std::string_view family_summary(std::string_view first);

}  // namespace gedge::cli
