// completion.hpp - what the shells are told about gedge: every command, every flag, and where live
// words come from.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace gedge::cli {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The word that `gedge __complete` knows a kind by: "pods"; empty where nothing live is offered.
std::string_view live_kind(Live live);

/// A command that users see, with its flags and --help.
struct Described {
  const Command* command;
  std::vector<Flag> flags;  ///< operands too
};
std::vector<Described> described_commands();

/// The first words of commands, each once, in the order of help.
struct Opening {
  std::string_view word, summary;
  std::vector<const Command*> family;  ///< commands of two words; empty: the word is the command
};
std::vector<Opening> openings();

/// What may stand in place of the last word of a line.
struct LineCompletion {
  std::string partial;             ///< what of it is there already
  std::string prefix;              ///< goes before every word: "--output="
  std::vector<std::string> words;  ///< whatever they begin with
  std::string_view live;           ///< a kind for `gedge __complete` besides; may be empty
  bool files = false;              ///< names of files fit too
};
/// `line` is what follows the program's name; the last word may be empty.
LineCompletion complete_line(const std::vector<std::string>& line);

}  // namespace gedge::cli
