// Source: k8s.io/kube-scheduler/config/v1beta1 to v1, types_pluginargs.go.
#include "codec/profile_args.hpp"

#include <array>
#include <limits>
#include <string>

#include "codec/fields.hpp"
#include "codec/profile_fields.hpp"
#include "codec/selectors.hpp"

namespace gedge::codec {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
using Words = std::vector<std::string>;

/// Every args object may say its own type.
Words with_type(Words words) {
  words.insert(words.end(), {"apiVersion", "kind"});
  return words;
}

void read_weighted(Cursor list, std::vector<WeightedResource>& out) {
  list.items([&](Cursor item) {
    WeightedResource resource;
    strict_fields(item, {"name", "weight"}, [&](std::string_view key, Cursor value) {
      if (key == "name") read_text(value, resource.name);
      if (key == "weight")
        if (const auto weight = value.integer(0, kMost); weight && *weight > 0)
          resource.weight = *weight;
    });
    out.push_back(std::move(resource));
  });
}

void read_shape(Cursor list, std::vector<std::pair<std::int64_t, std::int64_t>>& out) {
  list.items([&](Cursor item) {
    std::pair<std::int64_t, std::int64_t> point{0, 0};
    strict_fields(item, {"utilization", "score"}, [&](std::string_view key, Cursor value) {
      (key == "score" ? point.second : point.first) = value.integer(-kMost, kMost).value_or(0);
    });
    out.push_back(point);
  });
}

void read_strategy(Cursor map, PolicyArgs& out) {
  strict_fields(map, {"type", "resources", "requestedToCapacityRatio"},
                [&](std::string_view key, Cursor value) {
                  if (key == "type") read_text(value, out.strategy);
                  if (key == "resources") read_weighted(value, out.resources);
                  if (key == "requestedToCapacityRatio")
                    strict_fields(value, {"shape"}, [&](std::string_view, Cursor shape) {
                      read_shape(shape, out.shape);
                    });
                });
}

void read_fit(Cursor args, PolicyArgs& out) {
  strict_fields(args, with_type({"ignoredResources", "ignoredResourceGroups", "scoringStrategy"}),
                [&](std::string_view key, Cursor value) {
                  if (key == "ignoredResources") read_texts(value, out.ignored_resources);
                  if (key == "ignoredResourceGroups")
                    read_texts(value, out.ignored_resource_groups);
                  if (key == "scoringStrategy") read_strategy(value, out);
                });
}

void read_resources_only(Cursor args, PolicyArgs& out) {
  strict_fields(args, with_type({"resources"}), [&](std::string_view key, Cursor value) {
    if (key == "resources") read_weighted(value, out.resources);
  });
}

void read_ratio(Cursor args, PolicyArgs& out) {
  strict_fields(args, with_type({"shape", "resources"}), [&](std::string_view key, Cursor value) {
    if (key == "shape") read_shape(value, out.shape);
    if (key == "resources") read_weighted(value, out.resources);
  });
}

void read_added_affinity(Cursor args, PolicyArgs& out) {
  const Words parts{"requiredDuringSchedulingIgnoredDuringExecution",
                    "preferredDuringSchedulingIgnoredDuringExecution"};
  strict_fields(args, with_type({"addedAffinity"}), [&](std::string_view key, Cursor value) {
    if (key != "addedAffinity") return;
    check_fields(value, parts);
    PodSpec spec;
    read_node_affinity(value, spec);
    out.added_required_terms = std::move(spec.required_node_terms);
    out.added_preferred_terms = std::move(spec.preferred_node_terms);
  });
}

void read_pod_affinity_args(Cursor args, PolicyArgs& out) {
  strict_fields(args, with_type({"hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"}),
                [&](std::string_view key, Cursor value) {
                  if (key == "hardPodAffinityWeight")
                    if (const auto weight = value.integer(-kMost, kMost))
                      out.hard_pod_affinity_weight = *weight;
                  if (key == "ignorePreferredTermsOfExistingPods")
                    read_bool(value, out.ignore_preferred_terms_of_existing_pods);
                });
}

void read_spread_args(Cursor args, PolicyArgs& out) {
  strict_fields(args, with_type({"defaultConstraints", "defaultingType"}),
                [&](std::string_view key, Cursor value) {
                  if (key == "defaultConstraints") out.default_spread = read_spread(value);
                  if (key != "defaultingType") return;
                  const auto type = value.text();
                  if (type && *type != "List" && *type != "System")
                    value.fail("unknown defaultingType " + quote(*type), "write List or System");
                  out.list_defaulting = type && *type == "List";
                });
}

void read_volume_binding(Cursor args, PolicyArgs&) {
  check_fields(args, with_type({"bindTimeoutSeconds", "shape"}));
}

void read_preemption(Cursor args, PolicyArgs&) {
  check_fields(args, with_type({"minCandidateNodesPercentage", "minCandidateNodesAbsolute"}));
}

void read_none(Cursor args, PolicyArgs&) { check_fields(args, with_type({})); }

struct ArgsOf {
  std::string_view plugin;
  void (*read)(Cursor, PolicyArgs&);
};

constexpr std::array<ArgsOf, 10> kArgs{{{"NodeResourcesFit", read_fit},
                                        {"NodeResourcesBalancedAllocation", read_resources_only},
                                        {"NodeResourcesLeastAllocated", read_resources_only},
                                        {"NodeResourcesMostAllocated", read_resources_only},
                                        {"RequestedToCapacityRatio", read_ratio},
                                        {"NodeAffinity", read_added_affinity},
                                        {"InterPodAffinity", read_pod_affinity_args},
                                        {"PodTopologySpread", read_spread_args},
                                        {"VolumeBinding", read_volume_binding},
                                        {"DefaultPreemption", read_preemption}}};

}  // namespace

void read_policy_args(std::string_view plugin, Cursor args, PolicyArgs& out) {
  for (const ArgsOf& known : kArgs)
    if (known.plugin == plugin) return known.read(args, out);
  for (const PolicyInfo& info : policy_catalogue())
    if (info.name == plugin) return read_none(args, out);
}

}  // namespace gedge::codec
