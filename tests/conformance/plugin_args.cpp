#include "conformance/plugin_args.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace gedge::test {
namespace {

using nlohmann::json;

json list_in(const json& object, const char* key) { return object.value(key, json::array()); }

NodeSelectorTerm read_term(const json& object) {
  static const std::map<std::string, SelectorOp> kOperators{
      {"In", SelectorOp::kIn},         {"NotIn", SelectorOp::kNotIn},
      {"Exists", SelectorOp::kExists}, {"DoesNotExist", SelectorOp::kDoesNotExist},
      {"Gt", SelectorOp::kGt},         {"Lt", SelectorOp::kLt}};
  std::vector<Requirement> requirements;
  for (const json& expression : list_in(object, "matchExpressions"))
    requirements.push_back({expression.at("key"), kOperators.at(expression.at("operator")),
                            expression.value("values", std::vector<std::string>{})});
  const auto selector = make_selector(std::move(requirements));
  REQUIRE(selector);
  NodeSelectorTerm term;
  term.expressions = selector->requirements;
  return term;
}

}  // namespace

PolicyArgs read_plugin_args(const json& object) {
  PolicyArgs args;
  for (const json& resource : list_in(object, "resources"))
    args.resources.push_back({resource.at("name"), resource.value("weight", std::int64_t{0})});
  for (const json& point : list_in(object, "shape"))
    args.shape.emplace_back(point.value("utilization", std::int64_t{0}),
                            point.value("score", std::int64_t{0}));
  args.hard_pod_affinity_weight =
      object.value("hardPodAffinityWeight", args.hard_pod_affinity_weight);
  const json added = object.value("addedAffinity", json::object());
  for (const json& preferred : list_in(added, "preferredDuringSchedulingIgnoredDuringExecution"))
    args.added_preferred_terms.push_back(
        {preferred.at("weight"), read_term(preferred.at("preference"))});
  args.list_defaulting = object.value("defaultingType", "") == "List";
  for (const json& constraint : list_in(object, "defaultConstraints")) {
    TopologySpread spread;
    spread.max_skew = constraint.at("maxSkew");
    spread.topology_key = constraint.at("topologyKey");
    spread.hard = constraint.at("whenUnsatisfiable") == "DoNotSchedule";
    args.default_spread.push_back(std::move(spread));
  }
  return args;
}

}  // namespace gedge::test
