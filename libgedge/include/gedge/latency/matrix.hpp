// gedge/latency/matrix.hpp - round-trip times between named places, both directions kept.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  /// Of sorted unique names; takes their cells, [N * N], as they are.
  RttMatrix(std::vector<std::string> names, std::vector<Rtt> cells)
      : names_(std::move(names)), cells_(std::move(cells)) {}

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

  /// Finds out whether both directions of every pair are equal, and if so the bounds of each row,
  /// a sixteenth of what the cells take; whoever filled the matrix calls it once. `between` reads
  /// one row then. Cost: O(N * N), less where a pair differs early.
  void note_symmetry();
  /// True if that was found, and nothing was set since.
  bool symmetric() const { return symmetric_; }

  /// Bounds of 16 cells each, as coarse() has them: what is coarsely less is less. kUnmeasured
  /// counts as the largest of all.
  struct Strips {
    std::span<const std::uint16_t> least, most;  // [4 * blocks of 64]
  };
  /// A monotone function: eight significant bits.
  static constexpr std::uint16_t coarse(Rtt rtt) {
    if (rtt.us < 256) return static_cast<std::uint16_t>(rtt.us);
    const auto beyond = static_cast<std::uint32_t>(std::bit_width(rtt.us)) - 8;
    return static_cast<std::uint16_t>(128 * beyond + (rtt.us >> beyond));
  }
  /// The least RTT that is coarsely that.
  static constexpr Rtt least_of(std::uint16_t coarse) {
    if (coarse < 256) return Rtt{coarse};
    const std::uint32_t beyond = coarse / 128U - 1;
    return Rtt{(coarse - 128U * beyond) << beyond};
  }
  /// Of a symmetric matrix.
  Strips strips(NameIndex from) const {
    const std::size_t count = 4 * ((names_.size() + 63) / 64);
    const auto row = std::span(strips_).subspan(2 * raw(from) * count, 2 * count);
    return {row.first(count), row.last(count)};
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
  void find_bounds();

  std::vector<std::string> names_;  // [N], sorted, unique
  std::vector<Rtt> cells_;          // [N*N], row-major, row = from
  bool symmetric_ = false;
  std::vector<std::uint16_t> strips_;  // [N][2][4 * blocks], true while symmetric_
};

}  // namespace gedge
