// support/random_matrix.hpp - small matrices with ties, gaps, zeros and two directions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gedge/latency/matrix.hpp"
#include "support/dice.hpp"

namespace gedge::test {

struct MatrixShape {
  std::size_t size = 0;
  std::int64_t largest = 9;  // us
  std::size_t gaps = 0;      // percent of directions that are unmeasured
  bool is_symmetric = false;
};

inline RttMatrix random_matrix(Dice& dice, const MatrixShape& shape) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shape.size; ++i) {
    const std::string digits = std::to_string(i);
    names.push_back("node-" + std::string(5 - digits.size(), '0') + digits);
  }
  RttMatrix matrix(std::move(names));
  const auto any = [&] {
    if (dice.chance(shape.gaps)) return kUnmeasured;
    return Rtt{static_cast<std::uint32_t>(dice.between(0, shape.largest))};
  };
  for (std::uint32_t i = 0; i < shape.size; ++i)
    for (std::uint32_t j = 0; j < i; ++j) {
      const Rtt there = any();
      matrix.set(NameIndex{i}, NameIndex{j}, there);
      matrix.set(NameIndex{j}, NameIndex{i}, shape.is_symmetric ? there : any());
    }
  matrix.note_symmetry();
  return matrix;
}

/// Sites on a line, so that there are cliques: RTT is distance with some noise, and gaps.
inline RttMatrix line_of_sites(Dice& dice, const MatrixShape& shape) {
  RttMatrix matrix = random_matrix(dice, shape);
  std::vector<std::int64_t> place;
  for (std::size_t i = 0; i < shape.size; ++i) place.push_back(dice.between(0, shape.largest));
  for (std::uint32_t i = 0; i < shape.size; ++i)
    for (std::uint32_t j = 0; j < i; ++j) {
      const std::int64_t far = place[i] < place[j] ? place[j] - place[i] : place[i] - place[j];
      const Rtt rtt{static_cast<std::uint32_t>(far + dice.between(0, 1))};
      if (matrix.at(NameIndex{i}, NameIndex{j}) != kUnmeasured)
        matrix.set(NameIndex{i}, NameIndex{j}, rtt);
      if (matrix.at(NameIndex{j}, NameIndex{i}) != kUnmeasured)
        matrix.set(
            NameIndex{j}, NameIndex{i},
            shape.is_symmetric ? rtt : Rtt{rtt.us + static_cast<std::uint32_t>(dice.below(2))});
    }
  matrix.note_symmetry();
  return matrix;
}

/// Shapes of every kind in turn.
inline RttMatrix any_matrix(Dice& dice, std::size_t most_names) {
  MatrixShape shape;
  shape.size = dice.below(most_names + 1);
  shape.largest = dice.between(1, 30);
  shape.gaps = dice.chance(50) ? 0 : dice.below(60);
  shape.is_symmetric = dice.chance(40);
  return dice.chance(50) ? random_matrix(dice, shape) : line_of_sites(dice, shape);
}

}  // namespace gedge::test
