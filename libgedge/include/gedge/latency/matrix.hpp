// gedge/latency/matrix.hpp - round-trip times between named places, both directions kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

enum class NameIndex : std::uint32_t {};
constexpr std::uint32_t raw(NameIndex i) { return static_cast<std::uint32_t>(i); }

/// Square matrix over sorted unique names: rtt(from, to) = cells[from * n + to], 4 bytes a pair.
///
/// What a budget is compared with is `between`: the larger of the two directions. RTT is a round
/// trip, so where only one direction was measured that one stands for the pair; where none was,
/// kUnmeasured. The diagonal is 0 unless a reader set it (RTT inside a zone, with --rtt-by).
class RttMatrix {
 public:
  RttMatrix() = default;
  /// All pairs unmeasured, diagonal 0. `names` need not be sorted; duplicates collapse.
  explicit RttMatrix(std::vector<std::string> names);

  std::size_t size() const { return names_.size(); }
  bool empty() const { return names_.empty(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& name(NameIndex i) const { return names_[raw(i)]; }
  std::optional<NameIndex> find(std::string_view name) const;

  Rtt at(NameIndex from, NameIndex to) const { return cells_[cell(from, to)]; }
  void set(NameIndex from, NameIndex to, Rtt rtt) {
    cells_[cell(from, to)] = rtt;
    symmetric_ = false;
  }

  /// Finds out whether both directions of every pair are equal, and if so the bounds of each row;
  /// whoever filled the matrix calls it once. `between` reads one row then. Cost: O(N * N), less
  /// where a pair differs early.
  void note_symmetry();
  /// True if that was found, and nothing was set since.
  bool symmetric() const { return symmetric_; }

  /// The least and the largest of 64 cells of a row; kUnmeasured counts as the largest of all.
  struct Bounds {
    Rtt least = kUnmeasured, most{0};
  };
  /// Of a symmetric matrix: bounds of cells 64 * i to 64 * i + 63, [N / 64, rounded up].
  std::span<const Bounds> bounds(NameIndex from) const {
    const std::size_t blocks = (names_.size() + 63) / 64;
    return std::span(bounds_).subspan(raw(from) * blocks, blocks);
  }

  /// From one name to all, [N].
  std::span<const Rtt> row(NameIndex from) const {
    return {cells_.data() + cell(from, NameIndex{0}), names_.size()};
  }

  Rtt between(NameIndex a, NameIndex b) const {
    const Rtt there = at(a, b);
    if (symmetric_) return there;
    const Rtt back = at(b, a);
    if (there == kUnmeasured) return back;
    if (back == kUnmeasured) return there;
    return there < back ? back : there;
  }

  /// Adds names (rows and columns unmeasured) and takes every measured pair of `later`; later wins.
  /// A 0 on the diagonal of `later` is the default and replaces nothing. Cost: O(N * N).
  void merge(const RttMatrix& later);

 private:
  std::size_t cell(NameIndex from, NameIndex to) const {
    return raw(from) * names_.size() + raw(to);
  }
  std::vector<std::string> names_;  // [N], sorted, unique
  std::vector<Rtt> cells_;          // [N*N], row-major, row = from
  bool symmetric_ = false;
  std::vector<Bounds> bounds_;  // [N][blocks], true while symmetric_
};

}  // namespace gedge
