#include "gedge/scale/site_split.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gedge {
namespace {

constexpr std::uint32_t kHome = 0;

// Of one at home.
std::int64_t size_of(const SiteScalerOptions& options, const SiteCount& site, std::int32_t at) {
  if (options.home == 0) return options.base;
  if (site.sizes.empty()) return options.home;
  if (at < static_cast<std::int32_t>(site.sizes.size()))
    return site.sizes[static_cast<std::size_t>(at)];
  return comes_declared(options) ? options.base : options.home;
}

// Those at home that are smaller grow to what the others have, if all of them can: false where each
// stays as it is. Who is to grow is not as large yet, so others do not leave for it.
Result<bool> even_out(const SiteScalerOptions& options, std::vector<SiteReplica>& known,
                      SiteRoom& room) {
  std::int64_t least = options.home, largest = options.home;
  for (const SiteReplica& replica : known) {
    if (replica.site != kHome) continue;
    least = std::min(least, replica.amount);
    largest = std::max(largest, replica.amount);
  }
  if (options.home == 0 || options.keeps_size || least == largest) return true;
  // The room does not say which of its pods are those.
  bool may = !options.none_grows || least >= options.home;
  for (const SiteReplica& replica : known) {
    if (!may || replica.site != kHome) continue;
    const auto held = room.resize(replica.id, options.home);
    if (!held) return held.error();
    may = *held;
  }
  for (SiteReplica& replica : known) {
    if (replica.site != kHome) continue;
    replica.ready = replica.ready && (!may || replica.amount >= options.home);
    replica.amount = may ? options.home : std::min(replica.amount, options.home);
    if (may) continue;
    const auto held = room.resize(replica.id, replica.amount);
    if (!held) return held.error();
  }
  return may;
}

/// Of one site: who is asked for, and how many are beyond that.
struct Asked {
  std::int32_t count = 0, beyond = 0;
};

// One more than can stay, however many somebody has written: where he stays, so do all beyond him.
std::vector<Asked> ask_for(std::span<const SiteCount> sites, std::int64_t most_to_stay) {
  std::vector<Asked> asked;
  for (const SiteCount& site : sites) {
    const auto count =
        static_cast<std::int32_t>(std::min<std::int64_t>(site.replicas, most_to_stay + 1));
    asked.push_back({count, site.replicas - count});
  }
  return asked;
}

void keep_beyond(const std::vector<Asked>& asked, bool none_leaves,
                 std::vector<std::int32_t>& replicas) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (std::size_t site = 0; site < asked.size(); ++site)
    if (none_leaves || replicas[site] >= asked[site].count)
      replicas[site] = static_cast<std::int32_t>(
          std::min(std::int64_t{replicas[site]} + asked[site].beyond, kMost));
}

// What those would have for whom there is no place.
std::int64_t waiting(const SiteScaler& scaler, const std::vector<std::int32_t>& unplaced) {
  std::int64_t sum = 0;
  for (std::uint32_t site = 0; site < unplaced.size(); ++site)
    sum = saturated_sum(sum, saturated_product(unplaced[site], scaler.size_on(site)));
  return sum;
}

}  // namespace

std::vector<ObjectName> site_workloads(const Autoscaler& autoscaler) {
  std::vector<ObjectName> workloads{autoscaler.target};
  if (!autoscaler.sites) return workloads;
  const std::vector<std::string>& names = autoscaler.sites->workloads;
  for (std::size_t site = 1; site < names.size(); ++site) {
    workloads.push_back(autoscaler.target);
    workloads.back().name = names[site];
  }
  return workloads;
}

bool needs_split(const SiteRules& rules, std::span<const SiteCount> sites, std::int32_t wanted,
                 std::optional<UnixSeconds> moved, UnixSeconds now) {
  std::int64_t there = 0, far = 0;
  bool is_settled = true;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    there += sites[site].replicas;
    far += site > 0 ? sites[site].replicas : 0;
    is_settled = is_settled && sites[site].ready >= sites[site].replicas;
  }
  if (there != wanted || !is_settled) return true;
  const bool may_return = !moved || now - *moved >= rules.return_after_s;
  if (rules.choice == SiteChoice::kDemand) return there > 0 && may_return;
  return far > 0 && may_return && rules.choice == SiteChoice::kOrder;
}

Result<SiteSplit> split_replicas(SiteScalerOptions options, std::span<const SiteCount> sites,
                                 const SiteLook& look, std::optional<UnixSeconds> moved,
                                 SiteRoom& room) {
  const std::int64_t unit = std::max<std::int64_t>(options.base, 1);
  const std::int64_t most = saturated_product(options.max, unit);
  const std::int64_t wanted = saturated_product(std::clamp(look.wanted, 0, options.max), unit);
  const bool none_leaves = options.none_leaves;
  const bool keeps_order = options.rules.choice == SiteChoice::kOrder;
  const std::int64_t fewest = keeps_order ? options.min : 0;
  const std::vector<Asked> asked = ask_for(sites, std::max(wanted / unit, fewest));
  std::vector<SiteReplica> known;
  std::vector<std::int32_t> unplaced(sites.size(), 0);
  std::uint32_t next = 0;
  for (std::uint32_t site = 0; site < sites.size(); ++site)
    for (std::int32_t i = 0; i < asked[site].count; ++i, ++next) {
      const auto held = room.add(next, site);
      if (!held) return held.error();
      const bool is_ready = i < sites[site].ready;
      if (*held)
        known.push_back({next, site,
                         site == kHome ? size_of(options, sites[site], i) : options.base,
                         is_ready});
      else
        ++unplaced[site];
    }
  const auto evens_out = even_out(options, known, room);
  if (!evens_out) return evens_out.error();
  SiteScaler scaler(std::move(options), room);
  scaler.resume(std::move(known), moved);
  const std::int64_t before = saturated_sum(scaler.sum(false), waiting(scaler, unplaced));
  auto effects = scaler.decide(look);
  if (!effects) return std::move(effects).error();
  SiteSplit split;
  split.replicas.resize(sites.size(), 0);
  for (const SiteReplica& replica : scaler.replicas()) ++split.replicas[replica.site];
  const std::int64_t there = scaler.sum(false);
  const std::int64_t open = std::max<std::int64_t>(wanted - there, 0);
  auto number = static_cast<std::int64_t>(scaler.replicas().size());
  split.without_place = static_cast<std::int32_t>(
      std::max(std::min((open + unit - 1) / unit, std::max<std::int64_t>(most - there, 0) / unit),
               fewest - number));
  split.home = scaler.size_at_home();
  split.evens_out = *evens_out;
  std::int64_t waits = none_leaves ? std::max(wanted, before) - there : open;
  for (std::uint32_t site = 0; site < sites.size(); ++site)
    for (; (waits > 0 || number < fewest) && unplaced[site] > 0; --unplaced[site], ++number) {
      waits -= scaler.size_on(site);
      ++split.replicas[site];
    }
  keep_beyond(asked, none_leaves, split.replicas);
  split.moved = scaler.last_move();
  split.effects = *std::move(effects);
  return split;
}

std::optional<std::int32_t> deletion_cost(Rtt from_home) {
  if (from_home == kUnmeasured) return std::nullopt;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(-std::min(std::int64_t{from_home.us}, kMost));
}

}  // namespace gedge
