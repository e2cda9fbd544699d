// codec/manifest_autoscaler.cpp - `gedge scale run` in a cluster. Rights are those of the requests
// of codec/scale_requests.cpp, verb by verb.
#include <string>
#include <utility>

#include "codec/manifest_parts.hpp"

namespace gedge::codec {
namespace {

constexpr std::uint16_t kPort = 8790;
constexpr int kAutoscalers = 2;
constexpr const char* kFolder = "/etc/gedge/autoscalers";

Component autoscaler(const ManifestOptions& options) {
  return {"gedge-autoscaler", "autoscaler", options.namespace_name};
}

Json rules(const ManifestOptions& options) {
  Json all = Json::array(
      {rule("", {"pods"}, {"list", "watch"}),
       rule("autoscaling", {"horizontalpodautoscalers"}, {"list", "watch"}),
       rule("apps", {"deployments/scale", "statefulsets/scale", "replicasets/scale"},
            {"get", "update"}),
       rule("", {"replicationcontrollers/scale"}, {"get", "update"}),
       rule("apps", {"deployments", "statefulsets", "replicasets"}, {"list"}),
       rule("", {"replicationcontrollers"}, {"list"}), rule("metrics.k8s.io", {"pods"}, {"list"}),
       rule("events.k8s.io", {"events"}, {"create", "patch"})});
  if (options.owns_objects)
    all.push_back(rule("autoscaling", {"horizontalpodautoscalers/status"}, {"patch"}));
  return all;
}

}  // namespace

void add_autoscaler(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = autoscaler(options);
  add_account(who, out);
  add_cluster_role(who, who.name, rules(options), out);
  add_role(who, who.name + "-lease",
           Json::array(
               {rule("coordination.k8s.io", {"leases"}, {"create"}),
                rule("coordination.k8s.io", {"leases"}, {"get", "update"}, {"gedge-autoscaler"})}),
           out);
  add_flow_schemas(who, options.flow_schema, true, out);
  if (options.rights_only) return;
  ContainerDraft draft;
  draft.image = options.image;
  draft.port = kPort;
  draft.arguments = {"scale",
                     "run",
                     "--leader-elect",
                     "--lease",
                     options.namespace_name + "/gedge-autoscaler",
                     "--listen",
                     "0.0.0.0:" + std::to_string(kPort)};
  if (options.owns_objects) {
    draft.arguments.emplace_back("--own-hpa");
  } else {
    draft.config_map = "gedge-autoscalers";
    draft.config_folder = kFolder;
    draft.arguments.insert(draft.arguments.end(), {"-f", kFolder});
  }
  if (!options.prometheus.empty())
    draft.arguments.insert(draft.arguments.end(), {"--prometheus", options.prometheus});
  for (std::string& argument : web_arguments()) draft.arguments.push_back(std::move(argument));
  Json deployment{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"metadata", who.meta()}};
  deployment["spec"] = {
      {"replicas", kAutoscalers},
      {"selector", {{"matchLabels", who.labels()}}},
      {"template", pod_template(who, draft, {{"priorityClassName", "system-cluster-critical"}})}};
  out.push_back(std::move(deployment));
  add_monitoring(who, kPort, options.has_monitors, out);
}

// Metrics are resources under whatever name somebody gave them.
void add_custom_metrics(const ManifestOptions& options, std::vector<Json>& out) {
  add_cluster_role(autoscaler(options), "gedge-custom-metrics",
                   Json::array({rule("custom.metrics.k8s.io", {"*"}, {"get"}),
                                rule("external.metrics.k8s.io", {"*"}, {"list"})}),
                   out);
}

}  // namespace gedge::codec
