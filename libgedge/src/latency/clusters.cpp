#include "gedge/latency/clusters.hpp"

#include <algorithm>
#include <limits>

#include "latency/near_rows.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

}  // namespace

Clusters clusters_of(std::vector<std::uint32_t> cluster_of, std::uint32_t count) {
  Clusters out;
  out.members.reserve(count);
  std::vector<std::uint32_t> number_of(count, kNone);
  for (std::size_t i = 0; i < cluster_of.size(); ++i) {
    std::uint32_t& number = number_of[cluster_of[i]];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(out.members.size());
      out.members.emplace_back();
    }
    cluster_of[i] = number;
    out.members[number].push_back(index_of(i));
  }
  out.cluster_of = std::move(cluster_of);
  return out;
}

RadiusLoss radius_loss(const RttMatrix& matrix, Rtt limit, const Clusters& clusters) {
  const NearRows near(matrix, limit);
  RadiusLoss out;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const auto around = static_cast<std::uint32_t>(count_bits(near.row(i)));
    const auto with =
        static_cast<std::uint32_t>(clusters.members[clusters.cluster_of[i]].size() - 1);
    out.near += around;
    out.kept += with;
    if (i > 0 && around - with <= most) continue;
    most = around - with;
    out.worst = index_of(i);
    out.worst_near = around;
    out.worst_kept = with;
  }
  out.near /= 2;
  out.kept /= 2;
  return out;
}

std::vector<Rtt> largest_between(const RttMatrix& matrix, const Clusters& clusters) {
  const std::size_t count = clusters.size();
  std::vector<Rtt> out(count * count, Rtt{0});
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = i + 1; j < matrix.size(); ++j) {
      const std::size_t a = clusters.cluster_of[i], b = clusters.cluster_of[j];
      if (a == b) continue;
      Rtt& largest = out[std::min(a, b) * count + std::max(a, b)];
      largest = std::max(largest, matrix.between(index_of(i), index_of(j)));
    }
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b) out[a * count + b] = out[b * count + a];
  return out;
}

}  // namespace gedge
