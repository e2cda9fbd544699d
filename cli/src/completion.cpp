// completion.cpp - the script for bash, and what all three scripts are made from.
#include "completion.hpp"

#include <algorithm>

#include "term/text.hpp"

namespace gedge::cli {
namespace {

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
  std::string flags, valued, cases, operands, rest;
  for (const Flag& flag : described.flags) {
    if (flag.operand) {
      if (flag.repeats) rest = bash_values(flag);
      operands += (operands.empty() ? "'" : " '") + bash_values(flag) + '\'';
      continue;
    }
    flags += ' ' + spellings(flag, " ");
    if (flag.value.empty()) continue;
    valued += ' ' + spellings(flag, " ");
    cases += "        " + spellings(flag, " | ") + ") values='" + bash_values(flag) + "' ;;\n";
  }
  std::string text = "    '" + std::string(described.command->name()) + "')\n";
  text += "      flags='" + flags.substr(1) + "'\n";
  if (!valued.empty()) text += "      valued='" + valued.substr(1) + "'\n";
  if (!operands.empty()) text += "      operands=(" + operands + ")\n";
  if (!rest.empty()) text += "      rest='" + rest + "'\n";
  if (!cases.empty()) text += "      case $prev in\n" + cases + "      esac\n";
  return text + "      ;;\n";
}

// The first word of a family: what may follow it.
std::string bash_family(const Opening& opening) {
  std::string words;
  for (const Command* command : opening.family)
    words += (words.empty() ? "" : " ") + std::string(second_word(command->name()));
  return "    '" + std::string(opening.word) + "')\n      operands=('" + words + "')\n      ;;\n";
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

# Sets flags, valued, operands and rest (further operands) for a command, and values if $prev is one
# of its flags with a value.
_gedge_describe() {
  case $1 in
)sh";

constexpr std::string_view kBashTail = R"sh(  esac
}

_gedge() {
  local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command= flags= valued= values=none operands=() rest= i at=0
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
  if [[ " $_gedge_families " == *" $command "* ]] && ((i + 1 < COMP_CWORD)); then
    ((i++))
    command+=" ${COMP_WORDS[i]}"
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
    _gedge_offer "${operands[at]:-$rest}"
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
    case Live::kAutoscalers:
      return "autoscalers";
    case Live::kWorkloads:
      return "workloads";
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
    described.flags.push_back({.name = "help", .letter = 'h', .help = "Explain the command"});
    all.push_back(std::move(described));
  }
  return all;
}

std::vector<Opening> openings() {
  std::vector<Opening> all;
  for (const Command& command : commands()) {
    if (command.group == Group::kHidden) continue;
    const std::string_view first = first_word(command.name());
    const bool alone = first == command.name();
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const Opening& opening) { return opening.word == first; });
    Opening& opening = known != all.end()
                           ? *known
                           : all.emplace_back(Opening{
                                 first, alone ? command.page->summary : family_summary(first), {}});
    if (!alone) opening.family.push_back(&command);
  }
  return all;
}

std::string bash_completion() {
  std::string text(kBashHead), names, families;
  for (const Described& described : described_commands()) text += bash_command(described);
  for (const Opening& opening : openings()) {
    names += ' ' + std::string(opening.word);
    if (opening.family.empty()) continue;
    text += bash_family(opening);
    families += ' ' + std::string(opening.word);
  }
  text += kBashTail;
  return text + "_gedge_commands='" + names.substr(1) + "'\n_gedge_families='" +
         families.substr(1) + "'\n";
}

}  // namespace gedge::cli
