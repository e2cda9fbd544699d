#include "completion.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + '\'';
}

// What a value may be, as arguments of `complete`.
std::string fish_values(const Flag& flag) {
  if (!flag.words.empty()) return " -x -a " + fish_quoted(join_words(flag.words, " ", " "));
  const std::string live = "(__gedge_live " + std::string(live_kind(flag.live)) + ")";
  if (flag.live == Live::kFiles) return " -r -F";
  if (flag.live == Live::kProfiles) return " -r -F -a " + fish_quoted(live);
  if (flag.live != Live::kNothing) return " -x -a " + fish_quoted(live);
  return " -x";
}

std::string fish_seen(std::string_view words) {
  return "__fish_seen_subcommand_from " + std::string(words);
}

// The first words, and the second ones where there are any.
std::string fish_opening(const Opening& opening) {
  const std::string first(opening.word);
  std::string text = "\ncomplete -c gedge -n __fish_use_subcommand -f -a " + first + " -d " +
                     fish_quoted(opening.summary) + '\n';
  std::string seconds;
  for (const Command* command : opening.family)
    seconds += ' ' + std::string(second_word(command->name()));
  for (const Command* command : opening.family)
    text += "complete -c gedge -n '" + fish_seen(first) + "; and not " +
            fish_seen(seconds.substr(1)) + "' -f -a " + std::string(second_word(command->name())) +
            " -d " + fish_quoted(command->page->summary) + '\n';
  return text;
}

std::string fish_command(const Described& described) {
  const std::string_view name = described.command->name();
  const std::string_view second = second_word(name);
  const std::string seen = "complete -c gedge -n '" + fish_seen(first_word(name)) +
                           (second.empty() ? "" : "; and " + fish_seen(second)) + "'";
  std::string text = "\n";
  std::string operands;
  bool files = false;
  for (const Flag& flag : described.flags) {
    if (flag.operand) {
      files = files || flag.live == Live::kFiles;
      if (flag.live != Live::kFiles) operands += seen + fish_values(flag) + '\n';
      continue;
    }
    text += seen + (flag.letter != 0 ? std::string(" -s ") + flag.letter : "") + " -l " + flag.name;
    text += (flag.value.empty() ? "" : fish_values(flag)) + " -d " + fish_quoted(flag.help) + '\n';
  }
  if (!files) text += seen + " -f\n";
  return text + operands;
}

}  // namespace

std::string fish_completion() {
  std::string text = R"sh(# fish completion of gedge, written by `gedge completion fish`

function __gedge_live
    gedge __complete $argv[1] (commandline -opc)[2..-1] 2>/dev/null
end

complete -c gedge -n __fish_use_subcommand -f
complete -c gedge -n __fish_use_subcommand -s h -l help -d 'Explain gedge'
complete -c gedge -n __fish_use_subcommand -l version -d 'Print the version of gedge'
)sh";
  for (const Opening& opening : openings()) text += fish_opening(opening);
  for (const Described& described : described_commands()) text += fish_command(described);
  return text;
}

}  // namespace gedge::cli
