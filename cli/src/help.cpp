#include "help.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gedge::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMaxIndent = 30;  // a longer synopsis gets a line of its own

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// Words for wrapping; what stands in brackets stays together.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  std::size_t open = 0;
  bool new_piece = true;
  for (const char c : text) {
    if (c == ' ' && open == 0) {
      new_piece = true;
      continue;
    }
    if (new_piece) pieces.emplace_back();
    new_piece = false;
    pieces.back() += c;
    if (c == '[') ++open;
    if (c == ']') --open;
  }
  return pieces;
}

// `column` is where the text begins; every further line begins after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent) {
  std::string lines;
  for (const std::string& piece : pieces_of(text)) {
    if (!lines.empty() && column + 1 + piece.size() > kColumns) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!lines.empty()) {
      lines += ' ';
      ++column;
    }
    lines += piece;
    column += piece.size();
  }
  return lines;
}

std::string with_fallback(const std::string& line, const std::string& fallback) {
  if (fallback.empty()) return line + '\n';
  const std::string shown = '[' + fallback + ']';
  const std::size_t gap =
      line.size() + shown.size() + 1 < kColumns ? kColumns - 1 - shown.size() - line.size() : 1;
  return line + std::string(gap, ' ') + shown + '\n';
}

std::string flag_lines(const FlagSet& set) {
  Flag help{.name = "help", .letter = 'h', .help = "Print this page"};
  std::vector<const Flag*> flags;
  for (const Flag& flag : set.flags()) flags.push_back(&flag);
  if (!flags.empty()) help.heading = flags.back()->heading;
  flags.push_back(&help);

  std::size_t indent = 0;
  for (const Flag* flag : flags) {
    const std::size_t width = flag_synopsis(*flag).size() + 4;
    if (width <= kMaxIndent) indent = std::max(indent, width);
  }
  std::string text;
  const std::string* heading = nullptr;
  for (const Flag* flag : flags) {
    if (heading == nullptr || *heading != flag->heading) {
      text += '\n' + (flag->heading.empty() ? "" : flag->heading + ":\n");
      heading = &flag->heading;
    }
    const std::string synopsis = "  " + flag_synopsis(*flag);
    std::string line = synopsis.size() + 2 <= indent ? padded(synopsis, indent) : synopsis + "  ";
    text += with_fallback(line + flag->help, flag->fallback);
  }
  return text;
}

std::string exit_line(const Page& page) {
  std::string text = "Exit status: 0 " + std::string(page.yes);
  if (!page.no.empty()) text += ", 1 " + std::string(page.no);
  text += ", 2 wrong usage";
  if (page.reads_input) text += ", 3 bad input, 4 refused by the system";
  if (!page.partly.empty()) text += ", 5 " + std::string(page.partly);
  if (!page.stale.empty()) text += ", 6 " + std::string(page.stale);
  std::string manual(page.name);
  std::replace(manual.begin(), manual.end(), ' ', '-');
  return text + ". See gedge-" + manual + "(1).";
}

}  // namespace

std::string flag_synopsis(const Flag& flag) {
  std::string text;
  if (flag.operand) return flag.name;
  text = flag.letter != 0 ? std::string{'-', flag.letter, ',', ' '} : "    ";
  text += "--" + flag.name;
  if (!flag.value.empty()) text += ' ' + flag.value;
  return text;
}

std::string help_overview(std::string_view program) {
  constexpr std::array<std::pair<Group, std::string_view>, 6> kHeadings{
      {{Group::kLook, "Decide and explain:"},
       {Group::kInspect, "Look at rules and inputs:"},
       {Group::kLatency, "Look at latency:"},
       {Group::kPin, "Pin to CPUs:"},
       {Group::kWork, "Work in a cluster:"},
       {Group::kAbout, "About gedge:"}}};
  std::size_t indent = 0;
  for (const Command& command : commands())
    if (command.group != Group::kHidden) indent = std::max(indent, command.name().size() + 4);

  std::string text =
      "Put every pod inside its latency budget, and prove it.\n\nUsage: " + std::string(program) +
      " COMMAND [FLAG]...\n";
  for (const auto& [group, heading] : kHeadings) {
    text += '\n' + std::string(heading) + '\n';
    for (const Command& command : commands())
      if (command.group == group)
        text += padded("  " + std::string(command.name()), indent) +
                std::string(command.page->summary) + '\n';
  }
  const std::string name(program);
  return text + "\nExample:\n  " + name +
         " plan --cluster synthetic:nodes=6,tiers=2/2/2 -f app.yaml\n\n`" + name +
         " COMMAND --help` explains one command. See gedge(1).\n";
}

std::string help_family(std::string_view word, std::string_view program) {
  const auto is_of_it = [&](const Command& command) {
    return command.name().starts_with(std::string(word) + ' ');
  };
  std::size_t indent = 0;
  for (const Command& command : commands())
    if (is_of_it(command)) indent = std::max(indent, command.name().size() + 4);
  std::string rows;
  for (const Command& command : commands())
    if (is_of_it(command))
      rows += padded("  " + std::string(command.name()), indent) +
              std::string(command.page->summary) + '\n';
  if (rows.empty()) return rows;
  const std::string name = std::string(program) + ' ' + std::string(word);
  return "Usage: " + name + " COMMAND [FLAG]...\n\n" + rows + "\n`" + name +
         " COMMAND --help` explains one command.\n";
}

std::string help_page(const Command& command, const FlagSet& flags, std::string_view program) {
  const Page& page = *command.page;
  const std::string invocation = std::string(program) + ' ' + std::string(page.name);
  std::string text = std::string(page.summary) + ".\n\n";
  std::string usage = "Usage: " + invocation;
  if (!page.usage.empty()) usage += ' ';
  text += usage + wrapped(page.usage, usage.size(), usage.size()) + '\n';
  text += flag_lines(flags);
  text += page.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const Example& example : page.examples) text += "  " + std::string(example.command) + '\n';
  return text + '\n' + wrapped(exit_line(page), 0, 0) + '\n';
}

}  // namespace gedge::cli
