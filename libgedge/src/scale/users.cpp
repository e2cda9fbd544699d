#include "gedge/scale/users.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gedge {
namespace {

constexpr double kRounding = 1e-9;  // of what is compared

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

bool is_smaller(double a, double b) { return a < b - kRounding * std::max(std::abs(b), 1.0); }

}  // namespace

SiteRtts::SiteRtts(std::size_t sites, std::vector<Rtt> cells)
    : sites_(sites), cells_(std::move(cells)) {
  for (std::uint32_t from = 0; from < sites; ++from)
    for (std::uint32_t to = 0; to < sites; ++to) nearest_first_.emplace_back(from, to);
  std::sort(nearest_first_.begin(), nearest_first_.end(), [this](const auto& a, const auto& b) {
    return std::tuple(at(a.first, a.second), a) < std::tuple(at(b.first, b.second), b);
  });
}

bool SiteRtts::is_whole() const {
  return std::find(cells_.begin(), cells_.end(), kUnmeasured) == cells_.end();
}

std::vector<UserFlow> route(const SiteRtts& rtts, std::span<const double> demand,
                            std::span<const double> room) {
  std::vector<UserFlow> flows;
  std::vector<double> wanted(demand.begin(), demand.end()), left(room.begin(), room.end());
  const double all = sum_of(demand), most = sum_of(room);
  if (all <= 0) return flows;
  if (most <= 0) return {{kUnmeasured, all}};
  if (all > most)
    for (double& amount : left) amount *= all / most;
  for (const auto& [from, to] : rtts.nearest_first()) {
    const double milli = std::min(wanted[from], left[to]);
    if (milli <= 0) continue;
    wanted[from] -= milli;
    left[to] -= milli;
    flows.push_back({rtts.at(from, to), milli});
  }
  return flows;
}

UserCost cost_of(const std::vector<UserFlow>& flows, std::optional<std::int64_t> budget_us) {
  UserCost cost;
  for (const UserFlow& flow : flows) {
    if (budget_us && std::int64_t{flow.rtt.us} > *budget_us) cost.beyond += flow.milli;
    cost.distance += flow.milli * flow.rtt.us;
  }
  return cost;
}

bool is_less(const UserCost& a, const UserCost& b) {
  if (is_smaller(a.beyond, b.beyond)) return true;
  return !is_smaller(b.beyond, a.beyond) && is_smaller(a.distance, b.distance);
}

bool is_worth(const UserCost& a, const UserCost& b, double share, double demand) {
  if (is_smaller(a.beyond, b.beyond - share * demand)) return true;
  return !is_smaller(b.beyond, a.beyond) && is_smaller(a.distance, b.distance * (1 - share));
}

void UserRtts::add(const std::vector<UserFlow>& flows, std::int64_t seconds) {
  if (seconds <= 0) return;
  for (const UserFlow& flow : flows)
    weights_[flow.rtt] += flow.milli * static_cast<double>(seconds);
}

Rtt UserRtts::quantile(double share) const {
  double all = 0, below = 0;
  for (const auto& [rtt, weight] : weights_) all += weight;
  for (const auto& [rtt, weight] : weights_) {
    below += weight;
    if (below >= share * all * (1 - kRounding)) return rtt;
  }
  return weights_.empty() ? Rtt{} : weights_.rbegin()->first;
}

Rtt UserRtts::mean() const {
  double all = 0, sum = 0;
  for (const auto& [rtt, weight] : weights_) {
    if (rtt == kUnmeasured) return kUnmeasured;
    all += weight;
    sum += weight * rtt.us;
  }
  return {all > 0 ? static_cast<std::uint32_t>(sum / all) : 0};
}

double UserRtts::share_beyond(std::int64_t budget_us) const {
  double all = 0, beyond = 0;
  for (const auto& [rtt, weight] : weights_) {
    all += weight;
    if (std::int64_t{rtt.us} > budget_us) beyond += weight;
  }
  return all > 0 ? beyond / all : 0;
}

}  // namespace gedge
