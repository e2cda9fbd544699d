#include "integration/equivalence/random_profile.hpp"

#include <string>

namespace gedge::test {
namespace {

using Strings = std::vector<std::string>;

std::vector<WeightedResource> random_resources(Dice& dice) {
  std::vector<WeightedResource> out;
  for (const std::string& name : dice.some(
           Strings{"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "example.com/fpga"},
           1 + dice.below(4)))
    out.push_back({name, dice.between(1, 5)});
  return out;
}

std::vector<std::pair<std::int64_t, std::int64_t>> random_shape(Dice& dice) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  std::int64_t at = dice.between(0, 30);
  while (at <= 100) {
    out.emplace_back(at, dice.between(0, 10));
    at += dice.between(10, 60);
  }
  return out;
}

TopologySpread default_constraint(Dice& dice, const std::string& key, Compat) {
  TopologySpread out;
  out.topology_key = key;
  out.max_skew = static_cast<std::int32_t>(dice.between(1, 3));
  out.hard = dice.chance(30);
  return out;
}

void set_spread(Dice& dice, Compat compat, PolicyArgs& args) {
  args.list_defaulting = dice.chance(40);
  if (!args.list_defaulting) return;
  const Strings keys{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"};
  for (const std::string& key : dice.some(keys, dice.below(3)))
    args.default_spread.push_back(default_constraint(dice, key, compat));
}

NodeSelectorTerm added_term(Dice& dice) {
  NodeSelectorTerm out;
  if (dice.chance(50))
    out.expressions.push_back({"disk", SelectorOp::kNotIn, {"hdd"}});
  else
    out.expressions.push_back({"rack", SelectorOp::kIn, {"k1", "k2", "k3"}});
  return out;
}

/// Arguments that filter and score of one name share, as a KubeSchedulerConfiguration has them.
PolicyArgs random_args(Dice& dice, const std::string& policy, Compat compat) {
  PolicyArgs args;
  const bool old = compat == Compat::k1_20;
  if (policy == "NodeResourcesFit") {
    if (dice.chance(30)) args.ignored_resources = {"example.com/fpga"};
    if (dice.chance(20)) args.ignored_resource_groups = {"nvidia.com"};
    if (!old)
      args.strategy = dice.pick<std::string>(
          {"", "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"});
  }
  const bool ratio =
      policy == "RequestedToCapacityRatio" || args.strategy == "RequestedToCapacityRatio";
  if (ratio) args.shape = random_shape(dice);
  const bool resources = policy.find("Allocated") != std::string::npos || ratio ||
                         policy == "NodeResourcesFit" ||
                         (policy == "NodeResourcesBalancedAllocation" && !old);
  if (resources && dice.chance(50)) args.resources = random_resources(dice);
  if (policy == "InterPodAffinity") {
    args.hard_pod_affinity_weight = dice.pick<std::int64_t>({0, 1, 1, 10, 100});
    args.ignore_preferred_terms_of_existing_pods = !old && dice.chance(15);
  }
  if (policy == "NodeAffinity" && dice.chance(25)) {
    if (dice.chance(40)) args.added_required_terms.push_back(added_term(dice));
    args.added_preferred_terms.push_back(
        {static_cast<std::int32_t>(dice.between(1, 50)), added_term(dice)});
  }
  if (policy == "PodTopologySpread") set_spread(dice, compat, args);
  return args;
}

PolicyArgs args_for(Dice& dice, const Profile& profile, const std::string& policy) {
  for (const ProfileEntry& entry : profile.filters)
    if (entry.policy == policy) return entry.args;
  return random_args(dice, policy, profile.compat);
}

/// Every filter in the order of the edge profile, those that it lacks at the end; a few scores with
/// random weights.
Profile mixture(Dice& dice, Compat compat) {
  Profile out = builtin_profile("edge", compat).operator*();
  out.name = "mixture";
  out.scores.clear();
  Strings filters;
  for (const ProfileEntry& entry : out.filters) filters.push_back(entry.policy);
  out.filters.clear();
  Strings scores;
  const bool loud = dice.chance(20);  // scores without normalisation drown all others
  for (const PolicyInfo& info : policy_catalogue()) {
    if (compat == Compat::k1_20 ? !info.in_1_20 : !info.in_1_36) continue;
    const bool only_filter = compat == Compat::k1_20 && info.name == "NodeResourcesFit";
    const bool drowned = info.range.find("not normalised") != std::string_view::npos && !loud;
    if (info.score && !only_filter && !drowned) scores.emplace_back(info.name);
  }
  for (const std::string& name : filters)
    out.filters.push_back({name, 1, random_args(dice, name, compat)});
  for (const std::string& name : dice.some(scores, 1 + dice.below(4)))
    out.scores.push_back({name, dice.between(1, 10), args_for(dice, out, name)});
  return out;
}

}  // namespace

Profile make_random_profile(Dice& dice, Compat compat) {
  if (dice.chance(65)) return mixture(dice, compat);
  const auto names = builtin_profile_names();
  return builtin_profile(dice.pick(std::vector<std::string>(names.begin(), names.end())), compat)
      .
      operator*();
}

}  // namespace gedge::test
