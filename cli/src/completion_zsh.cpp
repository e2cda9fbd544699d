#include "completion.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

// Brackets, colons and quotes mean something inside a specification of _arguments.
std::string zsh_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'')
      escaped += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      escaped += std::string{'\\', c};
    else
      escaped += c;
  }
  return escaped;
}

std::string zsh_action(const Flag& flag) {
  if (!flag.words.empty()) return "(" + join_words(flag.words, " ", " ") + ")";
  if (flag.live == Live::kFiles) return "_files";
  if (flag.live == Live::kProfiles) return "{_gedge_live profiles; _files}";
  if (flag.live != Live::kNothing) return "{_gedge_live " + std::string(live_kind(flag.live)) + "}";
  return " ";
}

// A value may stand in the same word: "-ojson" (+) and "--output=json" (=).
std::string zsh_flag(const Flag& flag) {
  const bool valued = !flag.value.empty();
  const std::string name = "--" + flag.name, letter{'-', flag.letter};
  const std::string long_form = name + (valued ? "=" : ""),
                    short_form = letter + (valued ? "+" : "");
  std::string tail = '[' + zsh_escaped(flag.help) + ']';
  if (valued) tail += ':' + zsh_escaped(flag.value) + ':' + zsh_action(flag);
  if (flag.letter == 0) return (flag.repeats ? "'*" : "'") + long_form + tail + "'";
  const std::string others = flag.repeats ? "*" : '(' + letter + ' ' + name + ')';
  return "'" + others + "'{" + short_form + ',' + long_form + "}'" + tail + "'";
}

std::string zsh_command(const Described& described) {
  const std::string_view name = described.command->name();
  std::string text = "    '" + std::string(name) + "')\n      _arguments -s -S";
  std::size_t operand = 0;
  for (const Flag& flag : described.flags) {
    text += " \\\n        ";
    if (!flag.operand)
      text += zsh_flag(flag);
    else
      text += (flag.repeats ? "'*" : "'" + std::to_string(++operand)) + ':' +
              zsh_escaped(flag.name) + ':' + zsh_action(flag) + "'";
  }
  return text + "\n      ;;\n";
}

std::string zsh_described(std::string_view word, std::string_view summary) {
  return "'" + std::string(word) + ':' + zsh_escaped(summary) + "'\n";
}

// The first word of a family: what may follow it.
std::string zsh_family(const Opening& opening) {
  std::string text = "    " + std::string(opening.word) + ")\n      family=(\n";
  for (const Command* command : opening.family)
    text += "        " + zsh_described(second_word(command->name()), command->page->summary);
  return text + "      )\n      ;;\n";
}

}  // namespace

std::string zsh_completion() {
  std::string text = R"sh(#compdef gedge
# zsh completion of gedge, written by `gedge completion zsh`

_gedge_live() {
  local -a found
  found=(${(f)"$(gedge __complete $1 "${_gedge_words[@]}" 2>/dev/null)"})
  compadd -a found
}

_gedge() {
  local -a _gedge_words commands family
  _gedge_words=("${(@)words[2,-1]}")
  commands=(
)sh";
  std::string families, cases;
  for (const Opening& opening : openings()) {
    text += "    " + zsh_described(opening.word, opening.summary);
    if (!opening.family.empty()) families += zsh_family(opening);
  }
  for (const Described& described : described_commands()) cases += zsh_command(described);
  return text + R"sh(  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=${words[2]}
  shift words
  ((CURRENT--))
  case $command in
)sh" + families +
         R"sh(  esac
  if (($#family)); then
    if ((CURRENT == 2)); then
      _describe command family
      return
    fi
    command+=" ${words[2]}"
    shift words
    ((CURRENT--))
  fi
  case $command in
)sh" + cases +
         R"sh(  esac
}

_gedge "$@"
)sh";
}

}  // namespace gedge::cli
