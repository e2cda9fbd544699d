// command.hpp - what a subcommand is: its page of text, its flags, and what it does.
#pragma once

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
};

/// The headings of `gedge help`.
enum class Group : std::uint8_t { kLook, kInspect, kAbout, kHidden };

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

}  // namespace gedge::cli
