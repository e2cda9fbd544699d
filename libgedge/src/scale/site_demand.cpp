// scale/site_demand.cpp - replicas where those who ask are, or spread evenly.
//
// Greedy, one replica after the other: the cost is that of a flow over the nearest pairs of sites,
// and with few sites every change can be tried.
#include "scale/site_demand.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr double kWorth = 0.05;    // of the cost, for a move
constexpr std::size_t kParts = 4;  // one of them may move at once

}  // namespace

SiteScaler::Demand::Demand(const SiteScalerOptions& options, const SiteLook& look)
    : options_(options),
      demand_(look.demand.begin(), look.demand.end()),
      of_one_(look.target_milli * options.rules.full_percent / 100) {
  demand_.resize(options.rules.order.size(), 0);
  if (look.demand.empty() && !demand_.empty()) demand_.front() = 1;
  for (const double milli : demand_) sum_ += milli;
}

UserCost SiteScaler::Demand::cost(std::span<const double> units) const {
  if (options_.rules.choice == SiteChoice::kSpread) {
    // Squares are least where all are alike.
    UserCost cost;
    for (const double count : units) cost.distance += count * count;
    return cost;
  }
  std::vector<double> room(units.begin(), units.end());
  for (double& amount : room) amount *= of_one_;
  return cost_of(route(options_.rtts, demand_, room), options_.rules.budget_us);
}

std::vector<std::uint32_t> SiteScaler::Demand::best_first(const std::vector<double>& units) const {
  std::vector<std::pair<UserCost, std::uint32_t>> costs;
  for (std::uint32_t site = 0; site < units.size(); ++site) {
    std::vector<double> then = units;
    then[site] += 1;
    costs.emplace_back(cost(then), site);
  }
  std::stable_sort(costs.begin(), costs.end(),
                   [](const auto& a, const auto& b) { return is_less(a.first, b.first); });
  std::vector<std::uint32_t> sites;
  for (const auto& [cost, site] : costs) sites.push_back(site);
  return sites;
}

std::optional<std::uint32_t> SiteScaler::Demand::least_lost(
    const std::vector<double>& units) const {
  std::optional<std::uint32_t> least;
  UserCost lowest;
  for (std::uint32_t site = 0; site < units.size(); ++site) {
    if (units[site] < 1) continue;
    std::vector<double> then = units;
    then[site] -= 1;
    const UserCost without = cost(then);
    if (least && is_less(lowest, without)) continue;
    least = site;
    lowest = without;
  }
  return least;
}

Status SiteScaler::follow_demand(std::int64_t wanted, const SiteLook& look) {
  const Demand demand(options_, look);
  GEDGE_TRY(grow_by(demand, wanted));
  const bool waits = options_.rules.choice == SiteChoice::kDemand;
  while (sum(false) - unit() >= wanted) {
    const auto site = demand.least_lost(units_by_site(false));
    if (!site) break;
    const std::size_t leaves = *last_on(*site);
    if (waits && !is_spare(replicas_[leaves], wanted)) break;
    take(leaves, SiteStep::kIn);
  }
  // Whoever waits for the last move to be over does not begin another one.
  const bool is_over = sum(false) - unit() < wanted;
  return waits && is_over ? move_by(demand, look.now) : Status{};
}

Status SiteScaler::grow_by(const Demand& demand, std::int64_t wanted) {
  bool has_room = true;
  while (has_room && sum(false) < wanted) {
    has_room = false;
    for (const std::uint32_t site : demand.best_first(units_by_site(false))) {
      const auto held = put(site, SiteStep::kOut);
      if (!held) return held.error();
      has_room = *held;
      if (has_room) break;
    }
  }
  return {};
}

Status SiteScaler::move_by(const Demand& demand, UnixSeconds now) {
  if (!may_move(now, options_.rules.return_after_s)) return {};
  const std::size_t most = (replicas_.size() + kParts - 1) / kParts;
  for (std::size_t i = 0; i < most; ++i) {
    const auto moved = move_one(demand);
    if (!moved) return moved.error();
    if (!*moved) break;
    moved_ = now;
  }
  return {};
}

// The best move that there is room for; false where none is worth it.
Result<bool> SiteScaler::move_one(const Demand& demand) {
  const std::vector<double> units = units_by_site(false);
  const UserCost now = demand.cost(units);
  struct Move {
    UserCost cost;
    std::uint32_t from, to;
  };
  std::vector<Move> moves;
  for (std::uint32_t from = 0; from < units.size(); ++from)
    for (std::uint32_t to = 0; to < units.size(); ++to) {
      if (from == to || units[from] < 1) continue;
      std::vector<double> then = units;
      then[from] -= 1;
      then[to] += 1;
      const UserCost cost = demand.cost(then);
      if (is_worth(cost, now, kWorth, demand.sum())) moves.push_back({cost, from, to});
    }
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move& a, const Move& b) { return is_less(a.cost, b.cost); });
  for (const Move& move : moves) {
    const auto held = room_.add(next_, move.to);
    if (!held) return held.error();
    if (!*held) continue;
    take(*last_on(move.from), SiteStep::kIn);
    come(move.to, SiteStep::kOut);
    return true;
  }
  return false;
}

}  // namespace gedge
