#include "gedge/latency/centers.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "latency/center_radii.hpp"
#include "latency/larger_directions.hpp"

namespace gedge {
namespace {

using Names = std::vector<std::uint32_t>;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

void add(CentersCost& cost, Rtt rtt) {
  if (rtt == kUnmeasured) {
    ++cost.unreached;
    return;
  }
  cost.radius = std::max(cost.radius, rtt);
  cost.total_us += rtt.us;
}

bool is_better(const CentersCost& a, const CentersCost& b, CentersGoal goal) {
  if (goal == CentersGoal::kRadius)
    return std::tie(a.unreached, a.radius, a.total_us) <
           std::tie(b.unreached, b.radius, b.total_us);
  return std::tie(a.unreached, a.total_us, a.radius) < std::tie(b.unreached, b.total_us, b.radius);
}

/// A choice, and for each name its nearest and second nearest center.
class Choice {
 public:
  Choice(const RttMatrix& symmetric, CentersGoal goal) : matrix_(symmetric), goal_(goal) {}

  const Names& chosen() const { return chosen_; }
  bool has(std::uint32_t name) const { return is_chosen_[name]; }
  const CentersCost& cost() const { return cost_; }
  /// Number in chosen(), kNone where no center is measured. Of several, the first.
  std::uint32_t nearest(std::size_t name) const { return nearest_[name].center; }
  Rtt reach(std::size_t name) const { return nearest_[name].rtt; }

  /// In ascending order. Cost: O(chosen * N).
  void choose(Names chosen) {
    chosen_.clear();
    std::sort(chosen.begin(), chosen.end());
    is_chosen_.assign(matrix_.size(), false);
    nearest_.assign(matrix_.size(), {});
    second_.assign(matrix_.size(), kUnmeasured);
    for (const std::uint32_t name : chosen) add_center(name);
    count_cost();
  }

  /// One more, behind the others. Cost: O(N).
  void add(std::uint32_t name) {
    add_center(name);
    count_cost();
  }

  /// Exchanges a center against every name in turn where that helps; whether any did. Centers keep
  /// no order.
  bool sweep() {
    bool helped = false;
    for (std::uint32_t name = 0; name < matrix_.size(); ++name) {
      if (has(name)) continue;
      const std::uint32_t out = best_exchange(name);
      if (out == kNone) continue;
      replace(out, name);
      helped = true;
    }
    return helped;
  }

  Rtt rtt(std::uint32_t center, std::size_t name) const {
    return center == name ? Rtt{0} : matrix_.row(NameIndex{center})[name];
  }

 private:
  struct Nearest {
    Rtt rtt = kUnmeasured;
    std::uint32_t center = kNone;
  };
  /// Of the names of one center: with that center, and without it.
  struct Exchange {
    CentersCost kept, gone;
  };

  void add_center(std::uint32_t name) {
    const auto center = static_cast<std::uint32_t>(chosen_.size());
    chosen_.push_back(name);
    is_chosen_[name] = true;
    for (std::size_t i = 0; i < nearest_.size(); ++i) reach(center, i);
  }

  void reach(std::uint32_t center, std::size_t name) {
    const Rtt rtt = this->rtt(chosen_[center], name);
    Nearest& nearest = nearest_[name];
    if (rtt < nearest.rtt) {
      second_[name] = nearest.rtt;
      nearest = {rtt, center};
    } else {
      second_[name] = std::min(second_[name], rtt);
    }
  }

  // Only names that the old center was nearest to, or second nearest as far as one can tell, ask
  // all the others: about twice N / chosen.
  void replace(std::uint32_t center, std::uint32_t name) {
    const std::uint32_t old = std::exchange(chosen_[center], name);
    is_chosen_[old] = false;
    is_chosen_[name] = true;
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      const Rtt before = rtt(old, i);
      if (nearest_[i].center != center && (before == kUnmeasured || before > second_[i])) {
        reach(center, i);
        continue;
      }
      nearest_[i] = {};
      second_[i] = kUnmeasured;
      for (std::uint32_t other = 0; other < chosen_.size(); ++other) reach(other, i);
    }
    count_cost();
  }

  void count_cost() {
    cost_ = {};
    for (const Nearest& nearest : nearest_) gedge::add(cost_, nearest.rtt);
  }

  // Which center to give up for `name`, all at once (Whitaker 1983): only the names of that center
  // ask who is second. kNone: no exchange helps.
  std::uint32_t best_exchange(std::uint32_t name) {
    exchanges_.assign(chosen_.size() + 1, {});
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      const Rtt rtt = this->rtt(name, i);
      const std::uint32_t center = nearest_[i].center;
      Exchange& exchange = exchanges_[center == kNone ? chosen_.size() : center];
      gedge::add(exchange.kept, std::min(rtt, nearest_[i].rtt));
      gedge::add(exchange.gone, std::min(rtt, second_[i]));
    }
    CentersCost all;
    Rtt next_radius{0};  // of all but the center that has all.radius
    for (const Exchange& exchange : exchanges_) {
      all.unreached += exchange.kept.unreached;
      all.total_us += exchange.kept.total_us;
      next_radius = std::max(next_radius, std::min(all.radius, exchange.kept.radius));
      all.radius = std::max(all.radius, exchange.kept.radius);
    }
    CentersCost best = cost_;
    std::uint32_t out = kNone;
    for (std::uint32_t i = 0; i < chosen_.size(); ++i) {
      const auto& [kept, gone] = exchanges_[i];
      const Rtt others = kept.radius == all.radius ? next_radius : all.radius;
      const CentersCost cost{all.unreached - kept.unreached + gone.unreached,
                             std::max(others, gone.radius),
                             all.total_us - kept.total_us + gone.total_us};
      const bool tie = out != kNone && cost == best && chosen_[i] < chosen_[out];
      if (!tie && !is_better(cost, best, goal_)) continue;
      best = cost;
      out = i;
    }
    return out;
  }

  const RttMatrix& matrix_;
  CentersGoal goal_;
  Names chosen_;
  std::vector<bool> is_chosen_;      // [N]
  std::vector<Nearest> nearest_;     // [N]
  std::vector<Rtt> second_;          // [N]
  std::vector<Exchange> exchanges_;  // by center; names without one last
  CentersCost cost_;
};

// The best single one.
std::uint32_t first_center(const RttMatrix& symmetric, CentersGoal goal) {
  const Choice choice(symmetric, goal);
  CentersCost best;
  std::uint32_t first = 0;
  for (std::uint32_t name = 0; name < symmetric.size(); ++name) {
    CentersCost cost;
    for (std::size_t i = 0; i < symmetric.size(); ++i) add(cost, choice.rtt(name, i));
    if (name > 0 && !is_better(cost, best, goal)) continue;
    best = cost;
    first = name;
  }
  return first;
}

// Then whoever is farthest from all so far; unmeasured is farther than anything.
Names farthest_first(const RttMatrix& symmetric, std::uint32_t count, CentersGoal goal) {
  const Choice choice(symmetric, goal);
  Names chosen{first_center(symmetric, goal)};
  std::vector<Rtt> nearest(symmetric.size(), kUnmeasured);
  std::vector<bool> is_chosen(symmetric.size());
  while (true) {
    is_chosen[chosen.back()] = true;
    if (chosen.size() == count) return chosen;
    std::uint32_t farthest = kNone;
    for (std::uint32_t i = 0; i < nearest.size(); ++i) {
      nearest[i] = std::min(nearest[i], choice.rtt(chosen.back(), i));
      if (is_chosen[i]) continue;
      if (farthest == kNone || nearest[i] > nearest[farthest]) farthest = i;
    }
    chosen.push_back(farthest);
  }
}

// Covers may need fewer than there are: the others are farthest first too.
void fill_up(const RttMatrix& symmetric, std::uint32_t count, Choice& choice) {
  while (choice.chosen().size() < count) {
    std::uint32_t farthest = kNone;
    for (std::uint32_t i = 0; i < symmetric.size(); ++i) {
      if (choice.has(i)) continue;
      if (farthest == kNone || choice.reach(i) > choice.reach(farthest)) farthest = i;
    }
    choice.add(farthest);
  }
}

Centers centers_of(const RttMatrix& symmetric, std::uint32_t count, CentersGoal goal) {
  Choice choice(symmetric, goal);
  choice.choose(farthest_first(symmetric, count, goal));
  if (goal == CentersGoal::kRadius) {
    Names covering =
        smaller_radius(symmetric, {count, choice.cost().unreached, choice.cost().radius});
    if (!covering.empty()) {
      choice.choose(std::move(covering));
      fill_up(symmetric, count, choice);
    }
  }
  Centers out;
  out.is_settled = false;
  for (int i = 0; i < kMostSweeps && !out.is_settled; ++i) out.is_settled = !choice.sweep();
  choice.choose(choice.chosen());
  for (const std::uint32_t name : choice.chosen()) out.chosen.push_back(NameIndex{name});
  for (std::size_t i = 0; i < symmetric.size(); ++i) {
    const std::uint32_t center = choice.nearest(i);
    out.center_of.push_back(center == kNone ? kNoCenter : out.chosen[center]);
  }
  out.cost = choice.cost();
  out.radius_at_least = radius_at_least(symmetric, {count, out.cost.unreached, out.cost.radius});
  return out;
}

}  // namespace

Centers find_centers(const RttMatrix& matrix, std::uint32_t count, CentersGoal goal) {
  if (matrix.empty()) return {};
  const auto most = static_cast<std::uint32_t>(matrix.size());
  const std::uint32_t wanted = std::clamp<std::uint32_t>(count, 1, most);
  if (matrix.symmetric()) return centers_of(matrix, wanted, goal);
  RttMatrix symmetric = larger_directions(matrix);
  symmetric.note_symmetry();
  return centers_of(symmetric, wanted, goal);
}

CentersCost cost_of(const RttMatrix& matrix, const std::vector<NameIndex>& chosen) {
  CentersCost cost;
  for (std::uint32_t i = 0; i < matrix.size(); ++i) {
    Rtt nearest = kUnmeasured;
    for (const NameIndex center : chosen)
      nearest = std::min(nearest, raw(center) == i ? Rtt{0} : matrix.between(center, NameIndex{i}));
    add(cost, nearest);
  }
  return cost;
}

}  // namespace gedge
