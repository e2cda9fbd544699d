#include "gedge/scale/site_scaler.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gedge/scale/growth.hpp"
#include "scale/site_demand.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMilli = 1'000;
constexpr std::uint32_t kHome = 0;

}  // namespace

std::string_view to_string(SiteStep step) {
  constexpr std::array<std::string_view, 6> kWords{"out", "up", "over", "back", "down", "in"};
  return kWords[static_cast<std::size_t>(step)];
}

SiteScaler::SiteScaler(SiteScalerOptions options, SiteRoom& room)
    : options_(std::move(options)), room_(room) {}

Result<SiteEffects> SiteScaler::decide(const SiteLook& look) {
  effects_.clear();
  const std::int64_t wanted = saturated_product(std::clamp(look.wanted, 0, options_.max), unit());
  if (options_.rules.choice == SiteChoice::kOrder)
    GEDGE_TRY(follow_order(wanted, look.now));
  else
    GEDGE_TRY(follow_demand(wanted, look));
  return std::exchange(effects_, {});
}

void SiteScaler::resume(std::vector<SiteReplica> replicas, std::optional<UnixSeconds> moved) {
  replicas_ = std::move(replicas);
  for (const SiteReplica& replica : replicas_) next_ = std::max(next_, replica.id + 1);
  moved_ = moved;
}

void SiteScaler::note_ready(std::uint32_t replica) {
  for (SiteReplica& known : replicas_)
    if (known.id == replica) known.ready = true;
}

std::int64_t SiteScaler::units_milli(const SiteReplica& replica) const {
  return saturated_product(kMilli, own(replica)) / unit();
}

// Of the sum, not the sum of what is rounded: three of 4/3 are four.
std::int64_t SiteScaler::units_milli(bool only_ready) const {
  return saturated_product(kMilli, sum(only_ready)) / unit();
}

std::int64_t SiteScaler::sum(bool only_ready) const {
  std::int64_t sum = 0;
  for (const SiteReplica& replica : replicas_)
    if (replica.ready || !only_ready) sum = saturated_sum(sum, own(replica));
  return sum;
}

std::vector<double> SiteScaler::units_by_site(bool only_ready) const {
  std::vector<double> units(options_.rules.order.size(), 0);
  for (const SiteReplica& replica : replicas_)
    if (replica.ready || !only_ready)
      units[replica.site] += static_cast<double>(units_milli(replica)) / kMilli;
  return units;
}

bool SiteScaler::may_use(std::uint32_t site) const {
  if (site == kHome || !options_.rules.budget_us) return true;
  const Rtt rtt = options_.rtts.at(kHome, site);
  return rtt != kUnmeasured && std::int64_t{rtt.us} <= *options_.rules.budget_us;
}

Status SiteScaler::follow_order(std::int64_t wanted, UnixSeconds now) {
  if (lacks_some(wanted)) return follow_want(wanted, now);
  if (options_.none_leaves) return {};
  go_back(wanted, now);
  if (count_far() > 0) GEDGE_TRY(bring_nearer(wanted, now));
  // Those that are far may be there for their number alone.
  if (count_far() > 0 && number() > options_.min) return {};
  GEDGE_TRY(go_down(wanted));
  go_in(wanted);
  return {};
}

Status SiteScaler::follow_want(std::int64_t wanted, UnixSeconds now) {
  GEDGE_TRY(go_out(wanted));
  const bool may = may_move(now, options_.rules.over_after_s);
  if (may) GEDGE_TRY(go_over(0, now));
  const std::int64_t lacking = std::max<std::int64_t>(options_.min - number(), 0);
  if (lacking == 0 || may) GEDGE_TRY(go_up(wanted - saturated_product(lacking, unit())));
  if (may) GEDGE_TRY(go_over(wanted, now));
  return lacking > 0 ? go_down(wanted) : Status{};
}

Status SiteScaler::go_out(std::int64_t wanted) {
  while (lacks_some(wanted)) {
    const auto held = put(kHome, SiteStep::kOut);
    if (!held) return held.error();
    if (!*held) break;
  }
  return {};
}

// One step each, round after round, so that no replica grows far beyond the others.
Status SiteScaler::go_up(std::int64_t wanted) {
  if (options_.base <= 0 || options_.keeps_size || options_.none_grows) return {};
  if (options_.home > 0) return go_up_as_one(wanted, most());
  std::vector<bool> refused(replicas_.size(), false);
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      if (sum(false) >= wanted) return {};
      SiteReplica& replica = replicas_[i];
      const std::int64_t amount = larger(replica);
      if (refused[i] || replica.site != kHome || amount <= replica.amount) continue;
      const auto held = resize(replica, amount, SiteStep::kUp);
      if (!held) return held.error();
      refused[i] = !*held;
      grows = grows || *held;
    }
  }
  return {};
}

// No further than to `most`, all replicas together.
Status SiteScaler::go_up_as_one(std::int64_t wanted, std::int64_t most) {
  const std::size_t here = replicas_.size() - count_far();
  while (here > 0 && sum(false) < wanted) {
    const std::int64_t after = larger({0, kHome, options_.home, false});
    if (after <= options_.home) return {};
    const std::int64_t more =
        saturated_product(static_cast<std::int64_t>(here), after - options_.home);
    if (saturated_sum(sum(false), more) > most) return {};
    const auto held = resize_home(after, SiteStep::kUp);
    if (!held) return held.error();
    if (!*held) return {};
  }
  return {};
}

// All of them or none.
Result<bool> SiteScaler::resize_home(std::int64_t amount, SiteStep step) {
  const std::vector<SiteReplica> before = replicas_;
  const std::size_t said = effects_.size();
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    if (replicas_[i].site != kHome) continue;
    if (step == SiteStep::kDown && replicas_[i].amount <= amount) continue;
    const auto held = resize(replicas_[i], amount, step);
    if (!held) return held.error();
    if (!*held) {
      GEDGE_TRY(restore(before, said));
      return false;
    }
  }
  options_.home = amount;
  return true;
}

Status SiteScaler::restore(const std::vector<SiteReplica>& before, std::size_t said) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (replicas_[i].amount == before[i].amount) continue;
    const auto held = room_.resize(before[i].id, before[i].amount);
    if (!held) return held.error();
  }
  replicas_ = before;
  effects_.resize(said);
  return {};
}

Status SiteScaler::go_over(std::int64_t wanted, UnixSeconds now) {
  for (std::uint32_t site = 1; site < options_.rules.order.size(); ++site)
    while (may_use(site) && lacks_some(wanted)) {
      const auto held = put(site, SiteStep::kOver);
      if (!held) return held.error();
      if (!*held) break;
      moved_ = now;
    }
  return {};
}

// What must be far because there was no room nearer, and now there is some.
Status SiteScaler::bring_nearer(std::int64_t wanted, UnixSeconds now) {
  if (!may_move(now, options_.rules.return_after_s)) return {};
  const auto far = static_cast<std::int64_t>(count_far());
  // Of whom nothing nearer stands in for yet.
  const std::int64_t by_size = saturated_product(far, unit()) - (sum(false) - wanted);
  const std::int64_t by_number = far - (number() - options_.min);
  std::int64_t open =
      std::max(by_size, saturated_product(std::max<std::int64_t>(by_number, 0), unit()));
  for (std::uint32_t site = kHome; site < farthest(); ++site) {
    if (site != kHome && !may_move(now, options_.rules.over_after_s)) return {};
    while (open > 0 && site < farthest() && may_use(site)) {
      const std::size_t before = replicas_.size();
      const auto comes = take_in_turn(site, wanted);
      if (!comes) return comes.error();
      if (!*comes) break;
      const bool swaps = replicas_.size() <= before;
      if (swaps || site != kHome) moved_ = now;
      open -= own(replicas_.back());
      if (swaps) return {};
    }
  }
  return open > 0 ? grow_instead(wanted, now) : Status{};
}

// One comes, and before it as many that are farther leave as `max` makes necessary.
Result<bool> SiteScaler::take_in_turn(std::uint32_t site, std::int64_t wanted) {
  const std::int64_t comes = size_on(site);
  const std::int64_t above = std::max<std::int64_t>(saturated_sum(sum(false), comes) - most(), 0);
  const std::int64_t leave = in_units(above), leaving = saturated_product(leave, unit());
  if (leave > static_cast<std::int64_t>(count_far(site))) return false;
  if (leave > 0 && sum(false) - leaving + comes < wanted) return false;
  if (leave > 0 && number() - leave + 1 < options_.min) return false;
  auto held = hold(site, leaving);
  if (!held || !*held) return held;
  for (std::int64_t i = 0; i < leave; ++i) take(*last_on(farthest()), SiteStep::kBack);
  come(site, site == kHome ? SiteStep::kOut : SiteStep::kOver);
  return true;
}

// Larger ones at home, if they can stand in for a far one.
Status SiteScaler::grow_instead(std::int64_t wanted, UnixSeconds now) {
  if (number() <= options_.min) return {};
  const std::vector<SiteReplica> before = replicas_;
  const std::size_t said = effects_.size();
  const std::int64_t home = options_.home;
  const auto stands_in = grow_to_stand_in(wanted, now);
  if (!stands_in) return stands_in.error();
  if (*stands_in) return {};
  options_.home = home;
  return restore(before, said);
}

// At `max`, those leave at once that are not needed then.
Result<bool> SiteScaler::grow_to_stand_in(std::int64_t wanted, UnixSeconds now) {
  const std::int64_t enough = saturated_sum(wanted, unit());
  if (options_.home == 0 || options_.base <= 0 || options_.keeps_size || options_.none_grows) {
    GEDGE_TRY(go_up(enough));
    return sum(false) >= enough;
  }
  const auto far = static_cast<std::int64_t>(count_far());
  for (std::int64_t aim = enough;; aim = saturated_sum(sum(false), 1)) {
    GEDGE_TRY(go_up_as_one(aim, saturated_sum(most(), saturated_product(far, unit()))));
    if (sum(false) < aim) return false;
    const std::int64_t leave = in_units(std::max<std::int64_t>(sum(false) - most(), 0));
    if (number() - leave < options_.min) return false;
    if (leave > far || sum(false) - saturated_product(leave, unit()) < wanted) continue;
    for (std::int64_t i = 0; i < leave; ++i) take(*last_on(farthest()), SiteStep::kBack);
    if (leave > 0) moved_ = now;
    return true;
  }
}

void SiteScaler::go_back(std::int64_t wanted, UnixSeconds now) {
  if (!may_move(now, options_.rules.return_after_s)) return;
  while (count_far() > 0) {
    const std::size_t leaves = *last_on(farthest());
    if (!is_spare(replicas_[leaves], wanted)) break;
    take(leaves, SiteStep::kBack);
    moved_ = now;
  }
}

Status SiteScaler::go_down(std::int64_t wanted) {
  if (options_.base <= 0 || options_.keeps_size) return {};
  if (options_.home > 0) return go_down_as_one(wanted);
  for (;;) {
    SiteReplica* largest = nullptr;
    for (SiteReplica& replica : replicas_)
      if (replica.amount > least() && (!largest || replica.amount >= largest->amount))
        largest = &replica;
    if (!largest) return {};
    const std::int64_t amount = smaller(*largest);
    if (sum(false) - (largest->amount - amount) < wanted) return {};
    const auto held = resize(*largest, amount, SiteStep::kDown);
    if (!held) return held.error();
    if (!*held) return {};
  }
}

Status SiteScaler::go_down_as_one(std::int64_t wanted) {
  for (;;) {
    const SiteReplica one{0, kHome, options_.home, false};
    if (one.amount <= least()) return {};
    const std::int64_t after = smaller(one);
    std::int64_t lost = 0;
    for (const SiteReplica& replica : replicas_)
      if (replica.site == kHome && replica.amount > after)
        lost = saturated_sum(lost, replica.amount - after);
    if (sum(false) - lost < wanted) return {};
    const auto held = resize_home(after, SiteStep::kDown);
    if (!held) return held.error();
    if (!*held) return {};
  }
}

// Those that are larger shrink before any leaves, if they may.
void SiteScaler::go_in(std::int64_t wanted) {
  const auto is_grown = [this](const SiteReplica& replica) { return replica.amount > least(); };
  if (!options_.keeps_size && std::any_of(replicas_.begin(), replicas_.end(), is_grown)) return;
  for (;;) {
    const auto leaves = last_on(kHome);
    if (!leaves || number() <= options_.min) return;
    if (sum(false) - own(replicas_[*leaves]) < wanted) return;
    take(*leaves, SiteStep::kIn);
  }
}

std::vector<std::int32_t> SiteScaler::deletion_costs(const SiteLook& look) const {
  std::vector<std::int32_t> costs(replicas_.size(), 0);
  const auto sites = static_cast<std::int32_t>(options_.rules.order.size());
  if (options_.rules.choice == SiteChoice::kOrder) {
    // The same for all of a site: it never changes while a pod lives.
    for (std::size_t i = 0; i < costs.size(); ++i)
      costs[i] = 100 * (sites - static_cast<std::int32_t>(replicas_[i].site));
    return costs;
  }
  const Demand demand(options_, look);
  std::vector<double> units = units_by_site(false);
  std::vector<bool> gone(replicas_.size(), false);
  for (std::int32_t turn = 0;; ++turn) {
    const auto site = demand.least_lost(units);
    if (!site) return costs;
    std::optional<std::size_t> leaves;
    for (std::size_t i = 0; i < replicas_.size(); ++i)
      if (!gone[i] && replicas_[i].site == *site &&
          (!leaves || replicas_[i].ready <= replicas_[*leaves].ready))
        leaves = i;
    if (!leaves) return costs;
    gone[*leaves] = true;
    costs[*leaves] = turn;
    units[*site] -= 1;
  }
}

// Farther than that site.
std::size_t SiteScaler::count_far(std::uint32_t beyond) const {
  return static_cast<std::size_t>(
      std::count_if(replicas_.begin(), replicas_.end(),
                    [&](const SiteReplica& replica) { return replica.site > beyond; }));
}

std::uint32_t SiteScaler::farthest() const {
  std::uint32_t farthest = kHome;
  for (const SiteReplica& replica : replicas_) farthest = std::max(farthest, replica.site);
  return farthest;
}

// There are enough without it; if it is ready, also of those that are.
bool SiteScaler::is_spare(const SiteReplica& replica, std::int64_t wanted) const {
  return number() > options_.min && sum(false) - own(replica) >= wanted &&
         (!replica.ready || sum(true) - own(replica) >= wanted);
}

std::int64_t SiteScaler::larger(const SiteReplica& replica) const {
  return std::min(std::max(saturated_sum(replica.amount, options_.rules.up.step), least()),
                  options_.rules.up.most);
}

std::int64_t SiteScaler::smaller(const SiteReplica& replica) const {
  return std::max(step_below(replica.amount, options_.base, options_.rules.up.step), least());
}

std::int64_t SiteScaler::size_on(std::uint32_t site) const {
  if (site != kHome || options_.home == 0) return unit();
  return comes_declared(options_) ? unit() : options_.home;
}

// Those that are not ready leave first, then the newest.
std::optional<std::size_t> SiteScaler::last_on(std::uint32_t site) const {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < replicas_.size(); ++i)
    if (replicas_[i].site == site && (!last || replicas_[i].ready <= replicas_[*last].ready))
      last = i;
  return last;
}

Result<bool> SiteScaler::put(std::uint32_t site, SiteStep step) {
  auto held = hold(site);
  if (held && *held) come(site, step);
  return held;
}

// Who comes is as large as the others there, or not at all. `leaving`: what is there no more then.
Result<bool> SiteScaler::hold(std::uint32_t site, std::int64_t leaving) {
  const std::int64_t then = saturated_sum(sum(false) - leaving, size_on(site));
  if (options_.home > 0 && then > most() && number() >= options_.min) return false;
  auto held = room_.add(next_, site);
  if (!held || !*held || size_on(site) <= unit()) return held;
  held = room_.resize(next_, size_on(site));
  if (!held || !*held) room_.remove(next_);
  return held;
}

// Where the room holds a place for it already.
void SiteScaler::come(std::uint32_t site, SiteStep step) {
  const std::int64_t amount = options_.base > 0 ? size_on(site) : 0;
  replicas_.push_back({next_, site, amount, false});
  effects_.push_back({step, next_, site, amount});
  ++next_;
}

Result<bool> SiteScaler::resize(SiteReplica& replica, std::int64_t amount, SiteStep step) {
  auto held = room_.resize(replica.id, amount);
  if (!held || !*held) return held;
  replica.amount = amount;
  effects_.push_back({step, replica.id, replica.site, amount});
  return true;
}

void SiteScaler::take(std::size_t at, SiteStep step) {
  const SiteReplica gone = replicas_[at];
  room_.remove(gone.id);
  effects_.push_back({step, gone.id, gone.site, gone.amount});
  replicas_.erase(replicas_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace gedge
