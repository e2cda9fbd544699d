#include "term/diagnostics.hpp"

#include <algorithm>
#include <map>

#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kShownOfAKind = 3;
constexpr std::size_t kExcerptWidth = 76;  // columns of source text beside the line number
constexpr std::size_t kContextBefore =
    30;  // bytes kept before the caret of a line that is too long
constexpr std::size_t kContextBytes = 200;  // bytes looked at after it
constexpr std::string_view kProgram = "gedge";

std::string place_of(const SourceSpan& where) {
  std::string place = where.origin.empty() ? std::string(kProgram) : escape_controls(where.origin);
  if (where.line > 0) {
    place += ':' + std::to_string(where.line);
    if (where.column > 0) place += ':' + std::to_string(where.column);
  }
  return place;
}

struct Excerpt {
  std::string text;    // escaped, at most kExcerptWidth columns
  std::string carets;  // blanks, then ^ under the span
};

// A line of a megabyte is cut to the surroundings of the span; cuts are marked "..".
Excerpt excerpt_of(const SourceSpan& where) {
  const std::string_view line = where.excerpt;
  const std::size_t column =
      std::min(static_cast<std::size_t>(std::max(where.column, 1)) - 1, line.size());
  const std::size_t length = static_cast<std::size_t>(std::max(where.length, 1));
  std::size_t start = 0;
  if (display_width(escape_controls(line.substr(0, column + 1))) > kExcerptWidth)
    start = column > kContextBefore ? column - kContextBefore : 0;
  const auto is_continuation = [&](std::size_t i) {
    return (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
  };
  while (start < column && is_continuation(start)) ++start;

  const std::string before =
      (start > 0 ? ".." : "") + escape_controls(line.substr(start, column - start));
  const std::string marked = escape_controls(line.substr(column, std::min(length, kContextBytes)));
  const std::size_t rest_at = std::min(line.size(), column + length);
  Excerpt excerpt;
  excerpt.text = before + marked + escape_controls(line.substr(rest_at, kContextBytes));
  const std::size_t indent = display_width(before);
  std::size_t under = std::max<std::size_t>(display_width(marked), 1);
  excerpt.text = cut_end(excerpt.text, kExcerptWidth);
  while (!excerpt.text.empty() && excerpt.text.back() == ' ') excerpt.text.pop_back();
  under = std::min(under, std::max<std::size_t>(kExcerptWidth, indent + 1) - indent);
  excerpt.carets = std::string(indent, ' ') + std::string(under, '^');
  return excerpt;
}

void print_excerpt(Stream& err, const SourceSpan& where) {
  if (where.line <= 0 || where.excerpt.empty()) return;
  const std::string number = std::to_string(where.line);
  const std::size_t width = std::max<std::size_t>(number.size(), 5);
  const Excerpt excerpt = excerpt_of(where);
  err.line(std::string(width - number.size(), ' ') + number + " | " + excerpt.text);
  if (where.column > 0)
    err.line(std::string(width, ' ') + " | " + err.style().paint(Ink::kBad, excerpt.carets));
}

// The text with names and numbers taken out: what remains is the cause.
std::string kind_of(std::string_view what) {
  std::string kind;
  bool quoted = false;
  for (const char c : what) {
    if (c == '\'')
      quoted = !quoted;
    else if (!quoted && (c < '0' || c > '9'))
      kind += c;
  }
  return kind;
}

// Calls show(item) for the first of each kind and tells `err` about the rest.
template <typename Item, typename KindOf, typename Show>
void print_folded(Stream& err, const std::vector<Item>& items, bool fold, KindOf kind_of_item,
                  Show show) {
  std::map<std::string, std::size_t> total, seen;
  for (const Item& item : items) ++total[kind_of_item(item)];
  for (const Item& item : items) {
    const std::string kind = kind_of_item(item);
    const std::size_t count = ++seen[kind];
    const std::size_t all = total[kind];
    // A fourth that is also the last takes no more room than saying that there is one.
    if (!fold || count <= kShownOfAKind || all == kShownOfAKind + 1)
      show(item);
    else if (count == kShownOfAKind + 1)
      err.line(err.style().paint(
          Ink::kDim, "... and " + std::to_string(all - kShownOfAKind) + " more of this kind"));
  }
}

}  // namespace

void print_error(Stream& err, const Error& error) {
  err.line(place_of(error.where) + ": " + err.style().paint(Ink::kBad, "error:") + ' ' +
           escape_controls(error.what));
  print_excerpt(err, error.where);
  if (!error.hint.empty())
    err.line("  " + err.style().paint(Ink::kDim, "fix:") + ' ' + escape_controls(error.hint));
}

void print_errors(Stream& err, const Errors& errors, bool fold) {
  print_folded(
      err, errors, fold, [](const Error& e) { return kind_of(e.what); },
      [&](const Error& e) { print_error(err, e); });
}

void print_warnings(Stream& err, const std::vector<Warning>& warnings, bool fold) {
  print_folded(
      err, warnings, fold, [](const Warning& w) { return w.code; },
      [&](const Warning& w) {
        err.line(place_of(w.where) + ": " + err.style().paint(Ink::kWarn, "warning:") + ' ' +
                 escape_controls(w.message));
      });
}

}  // namespace gedge::cli
