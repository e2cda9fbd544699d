#include "gedge/codec/synthetic.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>

#include "codec/diagnostics.hpp"
#include "gedge/base/duration.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/base/quantity.hpp"
#include "gedge/base/split_mix.hpp"
#include "gedge/codec/latency.hpp"

namespace gedge {
namespace {

using codec::quote;

constexpr std::string_view kPrefix = "synthetic:";
constexpr std::string_view kOrigin = "--cluster";
constexpr std::size_t kTiers = 3;

struct Tier {
  std::string_view label, name;
};
constexpr std::array<Tier, kTiers> kTierNames{
    {{"edge", "edge"}, {"near-edge", "near"}, {"cloud", "cloud"}}};

struct Site {
  std::optional<std::size_t> nodes;
  std::optional<std::array<std::size_t, kTiers>> tiers;
  std::size_t zones = 2;
  std::int64_t cpu = 4000, memory = std::int64_t{8} << 30, pods = 110;
  std::array<std::int64_t, 4> rtt{200, 2000, 10000, 40000};
  std::uint64_t seed = 0;
};

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Site> read() {
    std::string_view rest = text_;
    if (is_synthetic(rest)) rest.remove_prefix(kPrefix.size());
    if (rest.empty()) return site_;
    std::vector<std::string_view> seen;
    for (const std::string_view part : parts_of(rest, ',')) {
      const std::string_view key = part.substr(0, part.find('='));
      if (key.size() == part.size()) return bad(part, "expected KEY=VALUE", "");
      if (std::find(seen.begin(), seen.end(), key) != seen.end())
        return bad(key, quote(key) + " is given twice", "");
      seen.push_back(key);
      GEDGE_TRY(set(key, part.substr(key.size() + 1)));
    }
    return site_;
  }

 private:
  Error bad(std::string_view part, std::string what, std::string hint) const {
    const auto column = static_cast<int>(part.data() - text_.data()) + 1;
    const int length = std::max(1, static_cast<int>(part.size()));
    return invalid_input(std::move(what),
                         {std::string(kOrigin), 1, column, std::string(text_), length},
                         std::move(hint));
  }

  Status set(std::string_view key, std::string_view value) {
    if (key == "nodes") return set_count(value, site_.nodes);
    if (key == "tiers") return set_tiers(value);
    if (key == "zones") {
      std::optional<std::size_t> zones;
      GEDGE_TRY(set_count(value, zones));
      if (*zones == 0) return bad(value, "a tier has at least one zone", "");
      site_.zones = *zones;
      return {};
    }
    if (key == "cpu") return set_amount(value, parse_milli(value), site_.cpu, "4 or 500m");
    if (key == "memory") return set_amount(value, parse_units(value), site_.memory, "8Gi");
    if (key == "pods") return set_amount(value, number<std::int64_t>(value), site_.pods, "110");
    if (key == "rtt") return set_rtt(value);
    if (key == "seed") {
      const auto seed = number<std::uint64_t>(value);
      if (!seed) return bad(value, quote(value) + " is no seed", "write a number from 0");
      site_.seed = *seed;
      return {};
    }
    const auto meant =
        nearest(key, {"nodes", "tiers", "zones", "cpu", "memory", "pods", "rtt", "seed"});
    return bad(key, "unknown key " + quote(key),
               meant ? "did you mean " + *meant + "?"
                     : "keys are nodes, tiers, zones, cpu, memory, pods, rtt and seed");
  }

  Status set_count(std::string_view value, std::optional<std::size_t>& out) const {
    const auto count = number<std::size_t>(value);
    if (!count) return bad(value, quote(value) + " is no number", "write a whole number");
    if (*count > kMaxRttNames)
      return bad(value, quote(value) + " is more than " + std::to_string(kMaxRttNames), "");
    out = *count;
    return {};
  }

  Status set_tiers(std::string_view value) {
    const auto parts = parts_of(value, '/');
    if (parts.size() > kTiers)
      return bad(value, "more than three tiers", "write EDGE/NEAR-EDGE/CLOUD, for example 2/2/2");
    std::array<std::size_t, kTiers> tiers{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::optional<std::size_t> count;
      GEDGE_TRY(set_count(parts[i], count));
      tiers[i] = *count;
    }
    site_.tiers = tiers;
    return {};
  }

  Status set_amount(std::string_view value, std::optional<std::int64_t> amount, std::int64_t& out,
                    const std::string& example) const {
    if (!amount || *amount < 0)
      return bad(value, quote(value) + " is no amount", "write for example " + example);
    out = *amount;
    return {};
  }

  Status set_rtt(std::string_view value) {
    const auto parts = parts_of(value, '/');
    if (parts.size() != site_.rtt.size())
      return bad(value, "expected four RTTs",
                 "write ZONE/TIER/NEAR-EDGE/CLOUD, for example 0.2ms/2ms/10ms/40ms");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto us = parse_duration(parts[i], Rounding::kUp);
      if (!us || *us < 0)
        return bad(parts[i], quote(parts[i]) + " is no RTT", "write a number with us, ms or s");
      if (*us > kMaxRtt.us / 2) return bad(parts[i], quote(parts[i]) + " is over 35 minutes", "");
      site_.rtt[i] = *us;
    }
    return {};
  }

  std::string_view text_;
  Site site_;
};

struct Spot {
  std::size_t tier = 0, zone = 0;
};

std::int64_t base_rtt(const Site& site, const Spot& a, const Spot& b) {
  if (a.tier == b.tier) return site.rtt[a.zone == b.zone ? 0 : 1];
  return site.rtt[std::max(a.tier, b.tier) == 1 ? 2 : 3];
}

Rtt pair_rtt(const Site& site, const Spot& a, const Spot& b, std::size_t i, std::size_t j) {
  std::int64_t us = base_rtt(site, a, b);
  if (site.seed != 0) {
    const std::uint64_t drawn =
        split_mix(split_mix(split_mix(site.seed) ^ std::min(i, j)) ^ std::max(i, j));
    us = (us * (900 + static_cast<std::int64_t>(drawn % 201)) + 999) / 1000;
  }
  return Rtt{static_cast<std::uint32_t>(us)};
}

Node make_node(const Site& site, std::size_t tier, std::size_t number_in_tier, std::size_t zone) {
  const Tier& names = kTierNames[tier];
  Node node;
  node.name = std::string(names.name) + "-" + std::to_string(number_in_tier);
  node.labels.set("gedge.io/tier", names.label);
  node.labels.set("kubernetes.io/hostname", node.name);
  // The kubelet still sets the beta names, and old manifests still select by them.
  for (const std::string_view prefix : {"kubernetes.io/", "beta.kubernetes.io/"}) {
    node.labels.set(std::string(prefix) + "arch", "amd64");
    node.labels.set(std::string(prefix) + "os", "linux");
  }
  if (names.label == "cloud") node.labels.set("kubernetes.io/role", "cloud");
  node.labels.set("topology.kubernetes.io/zone",
                  std::string(names.name) + "-zone-" + std::to_string(zone));
  node.allocatable.set(kCpu, site.cpu);
  node.allocatable.set(kMemory, site.memory);
  node.allocatable.set(kPods, site.pods);
  node.addresses = {node.name};
  return node;
}

std::array<std::size_t, kTiers> shares(std::size_t nodes) {
  std::array<std::size_t, kTiers> tiers{};
  for (std::size_t i = 0; i < kTiers; ++i) tiers[i] = (nodes + kTiers - 1 - i) / kTiers;
  return tiers;
}

SyntheticSite build(const Site& site, const std::array<std::size_t, kTiers>& tiers) {
  SyntheticSite built;
  std::vector<Spot> spots;
  std::vector<std::string> names;
  for (std::size_t tier = 0; tier < kTiers; ++tier)
    for (std::size_t k = 0; k < tiers[tier]; ++k) {
      spots.push_back({tier, k % site.zones + 1});
      built.nodes.push_back(make_node(site, tier, k + 1, spots.back().zone));
      names.push_back(built.nodes.back().name);
    }
  built.rtt = RttMatrix(names);
  std::vector<NameIndex> place;
  place.reserve(names.size());
  for (const std::string& name : names) place.push_back(*built.rtt.find(name));
  for (std::size_t i = 0; i < spots.size(); ++i)
    for (std::size_t j = 0; j < spots.size(); ++j)
      if (i != j) built.rtt.set(place[i], place[j], pair_rtt(site, spots[i], spots[j], i, j));
  built.rtt.note_symmetry();
  return built;
}

}  // namespace

bool is_synthetic(std::string_view text) { return text.starts_with(kPrefix); }

Result<SyntheticSite> read_synthetic(std::string_view text) {
  const auto site = Reader(text).read();
  if (!site) return site.error();
  const auto tiers = site->tiers.value_or(shares(site->nodes.value_or(6)));
  const std::size_t count = std::accumulate(tiers.begin(), tiers.end(), std::size_t{0});
  std::string wrong;
  if (site->nodes && *site->nodes != count)
    wrong =
        "nodes=" + std::to_string(*site->nodes) + ", but the tiers have " + std::to_string(count);
  if (count == 0) wrong = "a site without nodes";
  if (count > kMaxRttNames) wrong = "more than " + std::to_string(kMaxRttNames) + " nodes";
  if (!wrong.empty())
    return invalid_input(std::move(wrong), {std::string(kOrigin), 1, 1, std::string(text), 1});
  return build(*site, tiers);
}

}  // namespace gedge
