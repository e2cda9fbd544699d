// completion.cpp - the script for bash, and what all three scripts are made from.
#include "completion.hpp"

#include "term/text.hpp"

namespace gedge::cli {
namespace {

std::string_view first_word(std::string_view name) { return name.substr(0, name.find(' ')); }

std::string spellings(const Flag& flag, std::string_view separator) {
  return (flag.letter != 0 ? std::string{'-', flag.letter} + std::string(separator) : "") + "--" +
         flag.name;
}

// How the script calls what a value may be: fixed words, "@files", "@pods".
std::string bash_values(const Flag& flag) {
  std::string values = join_words(flag.words, " ", " ");
  if (flag.live == Live::kNothing) return values;
  if (flag.live == Live::kFiles) return values + "@files";
  if (flag.live == Live::kProfiles) return "@profiles @files";
  return '@' + std::string(live_kind(flag.live));
}

std::string bash_command(const Described& described) {
  std::string flags, valued, cases, operands;
  for (const Flag& flag : described.flags) {
    if (flag.operand) {
      operands += (operands.empty() ? "'" : " '") + bash_values(flag) + '\'';
      continue;
    }
    flags += ' ' + spellings(flag, " ");
    if (flag.value.empty()) continue;
    valued += ' ' + spellings(flag, " ");
    cases += "        " + spellings(flag, " | ") + ") values='" + bash_values(flag) + "' ;;\n";
  }
  std::string text = "    " + std::string(first_word(described.command->name())) + ")\n";
  text += "      flags='" + flags.substr(1) + "'\n";
  if (!valued.empty()) text += "      valued='" + valued.substr(1) + "'\n";
  if (!operands.empty()) text += "      operands=(" + operands + ")\n";
  if (!cases.empty()) text += "      case $prev in\n" + cases + "      esac\n";
  return text + "      ;;\n";
}

constexpr std::string_view kBashHead =
    R"sh(# bash completion of gedge, written by `gedge completion bash`

# Offers values: words, @files, or a kind of live words that only gedge knows.
_gedge_offer() {
  local value words
  for value in $1; do
    case $value in
      @files)
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$cur"))
        ;;
      @*)
        words=$(gedge __complete "${value#@}" "${COMP_WORDS[@]:1}" 2>/dev/null)
        COMPREPLY+=($(compgen -W "$words" -- "$cur"))
        ;;
      *) COMPREPLY+=($(compgen -W "$value" -- "$cur")) ;;
    esac
  done
}

# Sets flags, valued, operands for a command, and values if $prev is one of its flags with a value.
_gedge_describe() {
  case $1 in
)sh";

constexpr std::string_view kBashTail = R"sh(  esac
}

_gedge() {
  local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command= flags= valued= values=none operands=() i at=0
  COMPREPLY=()
  # --flag=value arrives as three words
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] && continue
    command=${COMP_WORDS[i]}
    break
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$_gedge_commands --help --version" -- "$cur"))
    return
  fi
  _gedge_describe "$command"
  if [[ $values != none ]]; then
    _gedge_offer "$values"
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    for ((i++; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} != -* ]]; then
        ((at++))
      elif [[ " $valued " == *" ${COMP_WORDS[i]} "* ]]; then
        [[ ${COMP_WORDS[i + 1]:-} == = ]] && ((i++))
        ((i++))
      fi
    done
    _gedge_offer "${operands[at]:-}"
  fi
}

complete -F _gedge gedge
)sh";

}  // namespace

std::string_view live_kind(Live live) {
  switch (live) {
    case Live::kProfiles:
      return "profiles";
    case Live::kPolicies:
      return "policies";
    case Live::kPods:
      return "pods";
    case Live::kNodes:
      return "nodes";
    case Live::kCommands:
      return "commands";
    case Live::kSubcommands:
      return "subcommands";
    case Live::kNothing:
    case Live::kFiles:
      break;
  }
  return "";
}  // namespace gedge::cli

std::vector<Described> described_commands() {
  std::vector<Described> all;
  for (const Command& command : commands()) {
    if (command.group == Group::kHidden) continue;
    FlagSet set;
    static_cast<void>(command.add(set));
    Described described{&command, set.flags()};
    // The second word of a command is an operand that can be only one thing.
    const std::string_view first = first_word(command.name());
    if (first != command.name()) {
      Flag word{.name = "COMMAND", .help = "The command", .operand = true};
      word.words = {std::string(command.name().substr(first.size() + 1))};
      described.flags.insert(described.flags.begin(), word);
    }
    described.flags.push_back({.name = "help", .letter = 'h', .help = "Explain the command"});
    all.push_back(std::move(described));
  }
  return all;
}

std::string bash_completion() {
  std::string text(kBashHead), names;
  for (const Described& described : described_commands()) {
    text += bash_command(described);
    names += ' ' + std::string(first_word(described.command->name()));
  }
  text += kBashTail;
  return text + "_gedge_commands='" + names.substr(1) + "'\n";
}

}  // namespace gedge::cli
