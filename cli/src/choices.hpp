// choices.hpp - flags that take one of a few words, each of which means a value.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flags.hpp"

namespace gedge::cli {

template <typename T, std::size_t N>
using Words = std::array<std::pair<std::string_view, T>, N>;

/// For a flag that has only these words: FlagSet refuses others. Both must outlive the flags.
template <typename T, std::size_t N>
FlagSet::Take word_into(const Words<T, N>& words, T& target) {
  return [&words, &target](const std::string& text) {
    for (const auto& [word, value] : words)
      if (word == text) target = value;
    return Status{};
  };
}

/// The words, as they are.
template <typename T, std::size_t N>
std::vector<std::string> list_of(const Words<T, N>& words) {
  std::vector<std::string> list;
  for (const auto& [word, value] : words) list.emplace_back(word);
  return list;
}

}  // namespace gedge::cli
