// The measured pairs make a graph. Each of its parts is completed alone: a model of all its links
// says what the other pairs are, and models that a fifth of the links was kept from say how wrong
// that is. These know less than the whole, so the bounds lie on the safe side.
#include "gedge/latency/complete.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "gedge/base/split_mix.hpp"
#include "latency/misses.hpp"
#include "latency/space_model.hpp"

namespace gedge {
namespace {

constexpr std::size_t kFolds = 5;
constexpr Estimate kNone{kUnmeasured, kUnmeasured, kUnmeasured};

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

/// A measured pair, a > b; logarithms of microseconds, alike if one direction was measured.
struct Pair {
  std::uint32_t a, b;
  double low, high;
  Link link() const { return {a, b, std::exp((low + high) / 2)}; }
};

/// Names that measured pairs link to each other.
struct Part {
  std::vector<std::uint32_t> names;
  std::vector<Pair> pairs;  // of places in `names`
};

double logarithm(Rtt rtt) { return std::log(std::max(rtt.us, 1U)); }

std::vector<Pair> measured_pairs(const RttMatrix& measured) {
  std::vector<Pair> pairs;
  for (std::uint32_t a = 0; a < measured.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      Rtt there = measured.at(NameIndex{a}, NameIndex{b});
      Rtt back = measured.at(NameIndex{b}, NameIndex{a});
      if (there == kUnmeasured && back == kUnmeasured) continue;
      if (there == kUnmeasured) there = back;
      if (back == kUnmeasured) back = there;
      pairs.push_back({a, b, logarithm(std::min(there, back)), logarithm(std::max(there, back))});
    }
  }
  return pairs;
}

std::vector<Part> parts_of(std::size_t names, const std::vector<Pair>& pairs) {
  std::vector<std::uint32_t> root(names);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&root](std::uint32_t name) {
    while (root[name] != name) name = root[name] = root[root[name]];
    return name;
  };
  for (const Pair& pair : pairs) {
    const std::uint32_t a = find(pair.a), b = find(pair.b);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of(names), place_of(names);
  for (std::uint32_t name = 0; name < names; ++name) {
    if (find(name) == name) {
      part_of[name] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    part_of[name] = part_of[find(name)];
    std::vector<std::uint32_t>& members = parts[part_of[name]].names;
    place_of[name] = static_cast<std::uint32_t>(members.size());
    members.push_back(name);
  }
  for (const Pair& pair : pairs)
    parts[part_of[pair.a]].pairs.push_back(
        {place_of[pair.a], place_of[pair.b], pair.low, pair.high});
  return parts;
}

std::vector<std::size_t> peer_counts(std::size_t names, std::span<const Pair> pairs) {
  std::vector<std::size_t> counts(names, 0);
  for (const Pair& pair : pairs) {
    ++counts[pair.a];
    ++counts[pair.b];
  }
  return counts;
}

SpaceModel model_of(const Part& part, std::span<const Pair> pairs, std::uint64_t seed) {
  std::vector<Link> links;
  links.reserve(pairs.size());
  for (const Pair& pair : pairs) links.push_back(pair.link());
  return {part.names.size(), std::move(links), seed};
}

/// What models of four fifths of the pairs say about the last fifth.
std::vector<Miss> misses_of(const Part& part, SplitMix& chance) {
  std::vector<std::size_t> order(part.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[chance.below(i)]);
  std::vector<std::size_t> fold_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) fold_of[order[i]] = i % kFolds;
  std::vector<Miss> misses;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<Pair> kept;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (fold_of[i] != fold) kept.push_back(part.pairs[i]);
    const std::vector<std::size_t> peers = peer_counts(part.names.size(), kept);
    SpaceModel model = model_of(part, kept, chance.next());
    std::size_t turned = part.names.size();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Pair& pair = part.pairs[i];
      // Who has no pair left lies anywhere; no estimate is made of such names either.
      if (fold_of[i] != fold || peers[pair.a] == 0 || peers[pair.b] == 0) continue;
      if (pair.a != turned) model.turn_to(turned = pair.a);
      const double estimate = std::log(model.rtt(pair.b));
      misses.push_back({pair.a, pair.b, estimate, pair.low - estimate, pair.high - estimate});
    }
  }
  return misses;
}

Rtt rounded(double us) {
  return Rtt{static_cast<std::uint32_t>(std::clamp(us, 0.0, static_cast<double>(kMaxRtt.us)))};
}

Estimate estimate_of(double us, const MissModel::Factors& factors) {
  return {rounded(std::round(us)), rounded(std::floor(us * factors.lower)),
          rounded(std::ceil(us * factors.upper))};
}

/// False if there are too few pairs to state bounds.
bool complete_part(const Part& part, const RttMatrix& measured, double miss, SplitMix& chance,
                   Completion& completion) {
  const auto least = std::max(kLeastPairs, static_cast<std::size_t>(std::ceil(1 / miss)));
  if (part.pairs.size() < least) return false;
  SpaceModel model = model_of(part, part.pairs, chance.next());
  std::vector<Miss> misses = misses_of(part, chance);
  if (misses.size() < least) return false;
  MissModel bounds(std::move(misses), model.near(), miss);
  const std::vector<std::size_t> peers = peer_counts(part.names.size(), part.pairs);
  for (std::size_t a = 0; a < part.names.size(); ++a) {
    if (peers[a] < kLeastPeers) continue;
    model.turn_to(a);
    bounds.turn_to(a);
    for (std::size_t b = 0; b < a; ++b) {
      const NameIndex from{part.names[a]}, to{part.names[b]};
      if (peers[b] < kLeastPeers || measured.between(from, to) != kUnmeasured) continue;
      const double us = model.rtt(b);
      completion.set(from, to, estimate_of(us, bounds.factors(b, us)));
    }
  }
  return true;
}

}  // namespace

Completion::Completion(std::size_t names)
    : names_(names), pairs_(names < 2 ? 0 : names * (names - 1) / 2, kNone) {}

std::size_t Completion::place(NameIndex a, NameIndex b) const {
  const std::size_t high = std::max(raw(a), raw(b)), low = std::min(raw(a), raw(b));
  return high * (high - 1) / 2 + low;
}

std::optional<Estimate> Completion::between(NameIndex a, NameIndex b) const {
  if (a == b) return std::nullopt;
  const Estimate& estimate = pairs_[place(a, b)];
  if (estimate.rtt == kUnmeasured) return std::nullopt;
  return estimate;
}

std::size_t Completion::count() const {
  return static_cast<std::size_t>(std::count_if(
      pairs_.begin(), pairs_.end(), [](const Estimate& e) { return e.rtt != kUnmeasured; }));
}

void Completion::set(NameIndex a, NameIndex b, const Estimate& estimate) {
  pairs_[place(a, b)] = estimate;
}

void Completion::reset(NameIndex a, NameIndex b) { pairs_[place(a, b)] = kNone; }

RttMatrix Completion::for_budgets(const RttMatrix& measured) const {
  RttMatrix bounds = measured;
  for (std::size_t a = 0; a < names_; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto estimate = between(index_of(a), index_of(b));
      if (!estimate) continue;
      bounds.set(index_of(a), index_of(b), estimate->upper);
      bounds.set(index_of(b), index_of(a), estimate->upper);
    }
  }
  bounds.note_symmetry();
  return bounds;
}

Result<Completion> complete(const RttMatrix& measured, const CompletionOptions& options) {
  if (!(options.miss > 0 && options.miss < 0.5))
    return invalid_input("the share of pairs beyond a bound must lie between 0 and 0.5");
  const std::vector<Pair> pairs = measured_pairs(measured);
  Completion completion(measured.size());
  SplitMix chance(options.seed);
  bool any = false;
  for (const Part& part : parts_of(measured.size(), pairs))
    any = complete_part(part, measured, options.miss, chance, completion) || any;
  if (!any)
    return invalid_input(
        "too few measured pairs to state bounds of estimates: " + std::to_string(pairs.size()), {},
        "measure at least " + std::to_string(kLeastPairs) + " pairs, about 16 for each node");
  return completion;
}

}  // namespace gedge
