// gedge/scale/users.hpp - from where replicas are asked, and how far it is to those that answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

/// RTTs between sites, also within one: rtt(from, to) = cells[from * n + to], `from` being those
/// who ask.
class SiteRtts {
 public:
  SiteRtts() = default;
  /// `cells` [N * N].
  SiteRtts(std::size_t sites, std::vector<Rtt> cells);

  std::size_t size() const { return sites_; }
  Rtt at(std::size_t from, std::size_t to) const { return cells_[from * sites_ + to]; }
  /// Every pair was measured.
  bool is_whole() const;
  /// Pairs of (from, to), nearest first; ties by from, then to.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& nearest_first() const {
    return nearest_first_;
  }

 private:
  std::size_t sites_ = 0;
  std::vector<Rtt> cells_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> nearest_first_;
};

/// Demand that travels so far.
struct UserFlow {
  Rtt rtt;
  double milli = 0;
};

/// Whoever asks is answered by the nearest replicas that have room: near pairs of sites come before
/// far ones. Shapes: `demand` [N] by where it comes from, `room` [N] by where replicas are, both in
/// thousandths. Where there is more demand than room, every replica takes more in proportion; where
/// there is no room at all the RTT is kUnmeasured. Cost: O(N * N).
std::vector<UserFlow> route(const SiteRtts& rtts, std::span<const double> demand,
                            std::span<const double> room);

/// What placements are compared by: first who is beyond the budget, then how far all travel.
struct UserCost {
  double beyond = 0;    ///< thousandths of demand
  double distance = 0;  ///< thousandths of demand times microseconds
};
UserCost cost_of(const std::vector<UserFlow>& flows, std::optional<std::int64_t> budget_us);
/// Strictly less, by more than what rounding may have done.
bool is_less(const UserCost& a, const UserCost& b);
/// `a` is so much less than `b` that it is worth a move: `share` of it, or of `demand` beyond the
/// budget.
bool is_worth(const UserCost& a, const UserCost& b, double share, double demand);

/// RTTs over time, each weighted with demand and seconds.
class UserRtts {
 public:
  void add(const std::vector<UserFlow>& flows, std::int64_t seconds);
  bool empty() const { return weights_.empty(); }
  /// The RTT within which such a share of the demand is answered: 0.95. Nothing was added: 0.
  Rtt quantile(double share) const;
  /// kUnmeasured where any is.
  Rtt mean() const;
  double share_beyond(std::int64_t budget_us) const;

 private:
  std::map<Rtt, double> weights_;
};

}  // namespace gedge
