#include "gedge/latency/matrix.hpp"

#include <algorithm>

namespace gedge {
namespace {

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

}  // namespace

RttMatrix::RttMatrix(std::vector<std::string> names) : names_(std::move(names)) {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  cells_.assign(names_.size() * names_.size(), kUnmeasured);
  for (std::size_t i = 0; i < names_.size(); ++i) set(index_of(i), index_of(i), Rtt{0});
}

std::optional<NameIndex> RttMatrix::find(std::string_view name) const {
  const auto at = std::lower_bound(names_.begin(), names_.end(), name);
  if (at == names_.end() || *at != name) return std::nullopt;
  return index_of(static_cast<std::size_t>(at - names_.begin()));
}

// Square tiles: both of a pair stay in the cache while they are compared.
void RttMatrix::note_symmetry() {
  constexpr std::size_t kTile = 64;
  const std::size_t n = names_.size();
  for (std::size_t top = 0; top < n; top += kTile)
    for (std::size_t left = top; left < n; left += kTile)
      for (std::size_t row = top; row < std::min(top + kTile, n); ++row)
        for (std::size_t column = std::max(left, row); column < std::min(left + kTile, n); ++column)
          if (cells_[row * n + column] != cells_[column * n + row]) return;
  symmetric_ = true;
  find_bounds();
}

void RttMatrix::find_bounds() {
  constexpr std::size_t kStrip = 16, kStrips = 4;
  const std::size_t n = names_.size();
  const std::size_t count = (n + kStrip * kStrips - 1) / (kStrip * kStrips) * kStrips;
  // Strips behind the end: no cell is as small, none as large.
  strips_.assign(2 * n * count, 0);
  for (std::size_t row = 0; row < n; ++row) {
    const auto least = strips_.begin() + static_cast<std::ptrdiff_t>(2 * row * count);
    const auto most = least + static_cast<std::ptrdiff_t>(count);
    std::fill(least, most, coarse(kUnmeasured));
    const auto cells = cells_.begin() + static_cast<std::ptrdiff_t>(row * n);
    for (std::size_t first = 0; first < n; first += kStrip) {
      const auto [low, high] =
          std::minmax_element(cells + static_cast<std::ptrdiff_t>(first),
                              cells + static_cast<std::ptrdiff_t>(std::min(first + kStrip, n)));
      const auto strip = static_cast<std::ptrdiff_t>(first / kStrip);
      least[strip] = coarse(*low);
      most[strip] = coarse(*high);
    }
  }
}

void RttMatrix::merge(const RttMatrix& later) {
  std::vector<std::string> all = names_;
  all.insert(all.end(), later.names_.begin(), later.names_.end());
  RttMatrix merged(std::move(all));
  for (const RttMatrix* source : {static_cast<const RttMatrix*>(this), &later}) {
    std::vector<NameIndex> place;
    place.reserve(source->size());
    for (const std::string& name : source->names_) place.push_back(*merged.find(name));
    for (std::size_t from = 0; from < source->size(); ++from) {
      for (std::size_t to = 0; to < source->size(); ++to) {
        const Rtt rtt = source->at(index_of(from), index_of(to));
        const bool said = from == to ? rtt.us != 0 : true;
        if (said && rtt != kUnmeasured) merged.set(place[from], place[to], rtt);
      }
    }
  }
  merged.note_symmetry();
  *this = std::move(merged);
}

}  // namespace gedge
