#include "mdoc.hpp"

#include <algorithm>
#include <sstream>

namespace gedge::cli {
namespace {

// The date of the pages, not of the day they were made: the same source gives the same bytes.
constexpr std::string_view kDate = "November 21, 2026";
constexpr std::size_t kLineLength = 78;

// Inside text and arguments; `...` becomes bold.
std::string escaped(std::string_view text) {
  std::string out;
  bool bold = false;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '`')
      out += (bold = !bold) ? "\\fB" : "\\fR";
    else if (c == '-' && bold)
      out += "\\-";
    else if (c == '"')
      out += "\\(dq";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '^')
      out += "\\(ha";
    else
      out += c;
  }
  return out;
}

// Words that a macro line would take for macros or punctuation.
std::string argument(std::string_view word) {
  const bool looks_like_macro =
      word.size() <= 3 && !word.empty() && word[0] >= 'A' && word[0] <= 'Z';
  const bool punctuation = word == "." || word == "," || word == "|" || word == "(" ||
                           word == ")" || word == "[" || word == "]";
  return (looks_like_macro || punctuation ? "\\&" : "") + escaped(word);
}

}  // namespace

Mdoc::Mdoc(std::string_view name, int section, std::string_view summary) {
  std::string title(name);
  std::transform(title.begin(), title.end(), title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::string lower(summary);
  if (!lower.empty() && lower[0] >= 'A' && lower[0] <= 'Z')
    lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
  page_ = ".\\\" Made by gedge from its table of commands; do not edit.\n.Dd " +
          std::string(kDate) + "\n.Dt " + title + ' ' + std::to_string(section) +
          "\n.Os\n.Sh NAME\n.Nm " + std::string(name) + "\n.Nd " + escaped(lower) + '\n';
}

void Mdoc::section(std::string_view title) {
  page_ += ".Sh " + std::string(title) + '\n';
  section_is_new_ = true;
}

// One .Op or .Ar a word of the usage: "-f FILE... [--seed N]" keeps its brackets.
void Mdoc::synopsis(std::string_view invocation, std::string_view usage) {
  section("SYNOPSIS");
  page_ += ".Nm " + std::string(invocation) + '\n';
  std::istringstream words{std::string(usage)};
  std::string word, group;
  while (words >> word) {
    group += group.empty() ? word : ' ' + word;
    const auto opened =
        std::count(group.begin(), group.end(), '[') > std::count(group.begin(), group.end(), ']');
    if (opened) continue;
    std::string line;
    for (const char c : group) line += c == '-' ? std::string("\\-") : std::string(1, c);
    page_ += (line[0] == '.' ? "\\&" : "") + line + (line.back() == '.' ? "\\&\n" : "\n");
    group.clear();
  }
}

void Mdoc::paragraph(std::string_view text) {
  std::string line;
  std::istringstream words{std::string(text)};
  std::string word;
  const auto flush = [&] {
    if (line.empty()) return;
    page_ += (line[0] == '.' || line[0] == '\'' ? "\\&" : "") + line + '\n';
    line.clear();
  };
  // roff sees the end of a sentence by the end of the line.
  std::istringstream pieces{escaped(text)};
  while (pieces >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > kLineLength) flush();
    line += line.empty() ? word : ' ' + word;
    if (word.back() == '.' && word.size() > 1) flush();
  }
  flush();
}

void Mdoc::text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (!section_is_new_) page_ += ".Pp\n";
    section_is_new_ = false;
    paragraph(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void Mdoc::list(const std::vector<Item>& items) {
  page_ += ".Bl -tag -width Ds\n";
  for (const Item& item : items) {
    page_ += ".It " + (item.tag.starts_with('.') ? item.tag.substr(1) : argument(item.tag)) + '\n';
    paragraph(item.text);
  }
  page_ += ".El\n";
  section_is_new_ = false;
}

void Mdoc::example(std::string_view purpose, std::string_view commands) {
  text(purpose);
  page_ += ".Bd -literal -offset indent\n";
  std::istringstream lines{escaped(commands)};
  for (std::string line; std::getline(lines, line);)
    page_ += (line.starts_with('.') ? "\\&" : "") + line + '\n';
  page_ += ".Ed\n";
}

void Mdoc::see_also(std::string_view pages) {
  std::vector<std::string> names;
  std::istringstream words{std::string(pages)};
  for (std::string word; words >> word;) names.push_back(word);
  // By section, then by name, as mandoc wants them.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const char left = a[a.size() - 2], right = b[b.size() - 2];
    return left != right ? left < right : a < b;
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  section("SEE ALSO");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const std::size_t open = name.find('(');
    page_ += ".Xr " + name.substr(0, open) + ' ' + name[open + 1] +
             (i + 1 < names.size() ? " ,\n" : "\n");
  }
}

std::string Mdoc::tag(const Flag& flag) {
  if (flag.operand) return ".Ar " + argument(flag.name);
  std::string text = ".";
  const std::string value = flag.value.empty() ? "" : " Ar " + argument(flag.value);
  if (flag.letter != 0) text += std::string("Fl ") + flag.letter + " , ";
  return text + "Fl Fl " + flag.name + value;
}

}  // namespace gedge::cli
