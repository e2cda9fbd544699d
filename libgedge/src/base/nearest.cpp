#include "gedge/base/nearest.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr std::size_t kLetter = 2, kCase = 1;  // what one change costs
constexpr std::size_t kMaxWord = 128;          // longer words are no typing slips
constexpr std::size_t kMaxSlip = 3 * kLetter;  // more of them make another word, however long

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t replacement(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? kCase : kLetter;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "1.30" is neither "1.20" nor "1.36", and "edge-7" is not "edge-1": a number means what it says.
bool same_digits(std::string_view a, std::string_view b) {
  std::string_view::iterator i = a.begin(), j = b.begin();
  for (;;) {
    i = std::find_if(i, a.end(), is_digit);
    j = std::find_if(j, b.end(), is_digit);
    if (i == a.end() || j == b.end()) return i == a.end() && j == b.end();
    if (*i++ != *j++) return false;
  }
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes: before_last, last, row.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j * kLetter;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i * kLetter;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {last[j] + kLetter, row[j - 1] + kLetter, last[j - 1] + replacement(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + kLetter);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kMaxWord) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t allowed = std::clamp(shorter * kLetter / 3, kLetter, kMaxSlip);
    const std::size_t gap = longer - shorter;
    if (candidate == word || candidate.empty() || gap * kLetter > allowed) continue;
    if (!same_digits(word, candidate)) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > allowed || distance >= longer * kLetter) continue;
    if (best != nullptr && distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMostNamed = 8;
  if (const auto meant = nearest(word, candidates)) return "did you mean " + *meant + "?";
  std::string text;
  for (std::size_t i = 0; i < candidates.size() && i < kMostNamed; ++i)
    text.append(i == 0 ? "there is " : ", ").append(candidates[i]);
  return candidates.size() > kMostNamed ? text + ", ..." : text;
}

}  // namespace gedge
