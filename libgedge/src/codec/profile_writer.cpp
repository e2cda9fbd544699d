// Profiles back to KubeSchedulerConfiguration: "disabled *", then every plugin by name.
#include <map>

#include "codec/document_sink.hpp"
#include "codec/write_terms.hpp"
#include "gedge/codec/profile.hpp"

namespace gedge {
namespace {

using codec::Json;
using codec::node_term;

Json added_affinity(const PolicyArgs& args) {
  Json json = Json::object();
  if (!args.added_required_terms.empty()) {
    Json terms = Json::array();
    for (const NodeSelectorTerm& term : args.added_required_terms) terms.push_back(node_term(term));
    json["requiredDuringSchedulingIgnoredDuringExecution"] =
        Json{{"nodeSelectorTerms", std::move(terms)}};
  }
  for (const PreferredNodeTerm& term : args.added_preferred_terms)
    json["preferredDuringSchedulingIgnoredDuringExecution"].push_back(
        Json{{"weight", term.weight}, {"preference", node_term(term.term)}});
  return json;
}

Json resources(const std::vector<WeightedResource>& list) {
  Json all = Json::array();
  for (const WeightedResource& r : list)
    all.push_back(Json{{"name", r.name}, {"weight", r.weight}});
  return all;
}

Json shape(const std::vector<std::pair<std::int64_t, std::int64_t>>& points) {
  Json all = Json::array();
  for (const auto& [utilization, score] : points)
    all.push_back(Json{{"utilization", utilization}, {"score", score}});
  return all;
}

Json fit_args(const PolicyArgs& args) {
  Json json = Json::object(), strategy = Json::object();
  if (!args.ignored_resources.empty()) json["ignoredResources"] = args.ignored_resources;
  if (!args.ignored_resource_groups.empty())
    json["ignoredResourceGroups"] = args.ignored_resource_groups;
  if (!args.strategy.empty()) strategy["type"] = args.strategy;
  if (!args.resources.empty()) strategy["resources"] = resources(args.resources);
  if (!args.shape.empty())
    strategy["requestedToCapacityRatio"] = Json{{"shape", shape(args.shape)}};
  if (!strategy.empty()) json["scoringStrategy"] = std::move(strategy);
  return json;
}

Json spread_args(const PolicyArgs& args) {
  Json json = Json::object();
  for (const TopologySpread& spread : args.default_spread)
    json["defaultConstraints"].push_back(
        Json{{"maxSkew", spread.max_skew},
             {"topologyKey", spread.topology_key},
             {"whenUnsatisfiable", spread.hard ? "DoNotSchedule" : "ScheduleAnyway"}});
  if (args.list_defaulting) json["defaultingType"] = "List";
  return json;
}

/// What differs from the defaults; an empty map if nothing does.
Json policy_args(const std::string& policy, const PolicyArgs& args) {
  if (policy == "NodeResourcesFit") return fit_args(args);
  if (policy == "PodTopologySpread") return spread_args(args);
  Json json = Json::object();
  if (policy == "NodeAffinity") {
    Json added = added_affinity(args);
    if (!added.empty()) json["addedAffinity"] = std::move(added);
  } else if (policy == "InterPodAffinity") {
    if (args.hard_pod_affinity_weight != 1)
      json["hardPodAffinityWeight"] = args.hard_pod_affinity_weight;
    if (args.ignore_preferred_terms_of_existing_pods)
      json["ignorePreferredTermsOfExistingPods"] = true;
  } else {
    if (!args.shape.empty()) json["shape"] = shape(args.shape);
    if (!args.resources.empty()) json["resources"] = resources(args.resources);
  }
  return json;
}

Json plugin_set(const std::vector<ProfileEntry>& entries, bool weights,
                const std::vector<std::string>& more) {
  Json json{{"disabled", Json::array({Json{{"name", "*"}}})}, {"enabled", Json::array()}};
  for (const ProfileEntry& entry : entries) {
    Json plugin{{"name", entry.policy}};
    if (weights) plugin["weight"] = entry.weight;
    json["enabled"].push_back(std::move(plugin));
  }
  for (const std::string& name : more) json["enabled"].push_back(Json{{"name", name}});
  return json;
}

Json profile_json(const Profile& profile) {
  Json json{{"schedulerName", profile.scheduler_name}};
  if (profile.spread_ties) json["tieBreak"] = "spread";
  if (profile.evicts_overcommit) json["overcommit"] = "evict";
  if (profile.keeps_budgets) json["disruptionBudgets"] = "keep";
  json["plugins"] = Json{{"filter", plugin_set(profile.filters, false, profile.unchecked)},
                         {"score", plugin_set(profile.scores, true, {})}};
  if (!profile.preempts)
    json["plugins"]["postFilter"]["disabled"] = Json::array({Json{{"name", "*"}}});
  std::map<std::string, Json> all_args;
  for (const auto* entries : {&profile.filters, &profile.scores})
    for (const ProfileEntry& entry : *entries)
      if (Json args = policy_args(entry.policy, entry.args); !args.empty())
        all_args[entry.policy] = std::move(args);
  for (auto& [policy, args] : all_args)
    json["pluginConfig"].push_back(Json{{"name", policy}, {"args", std::move(args)}});
  return json;
}

}  // namespace

std::string write_profiles(const std::vector<Profile>& profiles, TextFormat format) {
  return codec::write_document(format, [&](codec::DocumentSink& sink) {
    sink.field("apiVersion", "kubescheduler.config.k8s.io/v1");
    sink.field("kind", "KubeSchedulerConfiguration");
    Json all = Json::array();
    for (const Profile& profile : profiles) all.push_back(profile_json(profile));
    sink.field("profiles", all);
  });
}

}  // namespace gedge
