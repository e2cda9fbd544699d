// gedge/base/nearest.hpp - the known word that somebody probably meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gedge {

/// Letters to insert, delete, replace or swap with a neighbour to turn `a` into `b`; case counts
/// half as much as a letter. Twice that number is returned, to stay whole. Cost: O(|a| * |b|).
/// Source: optimal string alignment distance (Damerau 1964), restricted form.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate most like `word`; empty if none is close or `word` is longer than 128 bytes.
/// Close: at most three letters differ, at most a third of the shorter word (one always may), and
/// no digit. Ties: the first candidate.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// For the hint of an error: "did you mean web?", else "there is cam, db, ..." with at most eight.
/// Empty without candidates.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace gedge
