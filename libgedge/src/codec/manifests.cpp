// codec/manifests.cpp - what each mode needs: an account, its rights, and what runs with them.
//
// Rights are those of the requests of drive/api_cluster.cpp, verb by verb. Nothing may read
// secrets or create pods.
#include "gedge/codec/manifests.hpp"

#include <algorithm>
#include <utility>

#include "codec/manifest_parts.hpp"

namespace gedge {
namespace {

using codec::Component;
using codec::ContainerDraft;
using codec::Json;
using codec::rule;

constexpr std::uint16_t kSchedulerPort = 8788, kExtenderPort = 8789, kAgentPort = 8787;
constexpr int kSchedulers = 2;

Component component(const ManifestOptions& options, const std::string& part) {
  return {"gedge-" + part, part, options.namespace_name};
}

// What a cluster is followed by.
Json reading_rules(codec::Words verbs) {
  return Json::array({rule("",
                           {"nodes", "pods", "namespaces", "services", "replicationcontrollers",
                            "persistentvolumes", "persistentvolumeclaims"},
                           verbs),
                      rule("apps", {"replicasets", "statefulsets"}, verbs),
                      rule("policy", {"poddisruptionbudgets"}, verbs),
                      rule("storage.k8s.io", {"storageclasses"}, verbs),
                      rule("scheduling.x-k8s.io", {"podgroups"}, verbs),
                      rule("gedge.io", {"nodelatencies"}, verbs)});
}

// What a cluster is listed by once: admission is done here then, so what it reads is read too.
Json listing_rules() {
  Json rules = reading_rules({"list"});
  rules.push_back(rule("", {"limitranges"}, {"list"}));
  rules.push_back(rule("batch", {"jobs"}, {"list"}));
  rules.push_back(rule("scheduling.k8s.io", {"priorityclasses"}, {"list"}));
  rules.push_back(rule("node.k8s.io", {"runtimeclasses"}, {"list"}));
  return rules;
}

// Where the one config map lies that round-trip times may be in: wherever gedge runs.
constexpr const char* kLatencySpace = "gedge-system";

void add_latency(const Component& who, codec::Words verbs, std::vector<Json>& out) {
  codec::add_role(who, who.name + "-latency",
                  Json::array({rule("", {"configmaps"}, verbs, {"gedge-latency"})}), out,
                  kLatencySpace);
}

void add_reading(const Component& who, Json rules, codec::Words verbs, std::vector<Json>& out) {
  codec::add_account(who, out);
  codec::add_cluster_role(who, who.name, std::move(rules), out);
  add_latency(who, verbs, out);
}

void add_scheduler(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "scheduler");
  Json rules = reading_rules({"list", "watch"});
  rules.push_back(rule("", {"pods"}, {"get"}));  // where no answer says whether one was bound
  rules.push_back(rule("", {"pods/binding"}, {"create"}));
  rules.push_back(rule("", {"pods/status"}, {"patch"}));
  rules.push_back(rule("events.k8s.io", {"events"}, {"create", "patch"}));
  add_reading(who, std::move(rules), {"list", "watch"}, out);
  // A right to create cannot be limited by name: so it is one of this namespace alone.
  codec::add_role(who, who.name + "-lease",
                  Json::array({rule("coordination.k8s.io", {"leases"}, {"create"}),
                               rule("coordination.k8s.io", {"leases"}, {"get", "update"},
                                    {"gedge-scheduler"})}),
                  out);
  codec::add_flow_schemas(who, options.flow_schema, true, out);
  if (options.rights_only) return;
  ContainerDraft draft;
  draft.image = options.image;
  draft.port = kSchedulerPort;
  draft.arguments = {"schedule",
                     "--watch",
                     "--leader-elect",
                     "--lease",
                     options.namespace_name + "/gedge-scheduler",
                     "--scheduler-name",
                     options.scheduler_name,
                     "--listen",
                     "0.0.0.0:" + std::to_string(kSchedulerPort)};
  for (std::string& argument : codec::web_arguments())
    draft.arguments.push_back(std::move(argument));
  Json deployment{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"metadata", who.meta()}};
  deployment["spec"] = {
      {"replicas", kSchedulers},
      {"selector", {{"matchLabels", who.labels()}}},
      {"template",
       codec::pod_template(who, draft, {{"priorityClassName", "system-cluster-critical"}})}};
  out.push_back(std::move(deployment));
  codec::add_monitoring(who, kSchedulerPort, options.has_monitors, out);
}

void add_preemption(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "scheduler");
  codec::add_cluster_role(who, "gedge-preemption", Json::array({rule("", {"pods"}, {"delete"})}),
                          out);
}

void add_volumes(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "scheduler");
  codec::add_cluster_role(
      who, "gedge-volumes",
      Json::array({rule("", {"persistentvolumeclaims", "persistentvolumes"}, {"patch"})}), out);
}

void add_repair(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "scheduler");
  codec::add_cluster_role(who, "gedge-repair",
                          Json::array({rule("", {"pods/eviction"}, {"create"})}), out);
}

// What goes into the configuration of kube-scheduler.
std::string extender_configuration(const ManifestOptions& options) {
  Json extender{{"urlPrefix", "http://127.0.0.1:" + std::to_string(kExtenderPort)},
                {"filterVerb", "filter"},
                {"prioritizeVerb", "prioritize"},
                {"preemptVerb", "preempt"}};
  if (options.extender_binds) extender["bindVerb"] = "bind";
  extender["weight"] = 1;
  extender["nodeCacheCapable"] = true;
  return codec::write_document(TextFormat::kYaml, [&](codec::DocumentSink& sink) {
    sink.field("percentageOfNodesToScore", 100);
    sink.field("extenders", Json::array({extender}));
  });
}

// On the network of the machine: kube-scheduler reaches it by 127.0.0.1, and nobody else does.
void add_extender(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "extender");
  Json rules = reading_rules({"list", "watch"});
  if (options.extender_binds) {
    rules.push_back(rule("", {"pods"}, {"get"}));
    rules.push_back(rule("", {"pods/binding"}, {"create"}));
  }
  add_reading(who, std::move(rules), {"list", "watch"}, out);
  codec::add_flow_schemas(who, options.flow_schema, false, out);
  if (options.rights_only) return;
  ContainerDraft draft;
  draft.image = options.image;
  draft.port = kExtenderPort;
  draft.probe_scheme = "HTTP";
  draft.probe_host = "127.0.0.1";
  draft.has_web_files = false;
  draft.arguments = {"extender", "--listen", "127.0.0.1:" + std::to_string(kExtenderPort)};
  if (options.extender_binds) draft.arguments.emplace_back("--bind");
  const Json any{{"operator", "Exists"}, {"effect", "NoSchedule"}};
  const Json more{{"hostNetwork", true},
                  {"dnsPolicy", "ClusterFirstWithHostNet"},
                  {"priorityClassName", "system-node-critical"},
                  {"nodeSelector", {{"node-role.kubernetes.io/control-plane", ""}}},
                  {"tolerations", Json::array({any})}};
  Json daemons{{"apiVersion", "apps/v1"}, {"kind", "DaemonSet"}, {"metadata", who.meta()}};
  daemons["spec"] = {{"selector", {{"matchLabels", who.labels()}}},
                     {"template", codec::pod_template(who, draft, more)}};
  out.push_back(std::move(daemons));
  Json config{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", who.meta()}};
  config["data"] = {{"kube-scheduler.yaml", extender_configuration(options)}};
  out.push_back(std::move(config));
}

void add_prober(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "prober");
  codec::add_account(who, out);
  if (options.rights_only) return;
  ContainerDraft draft;
  draft.image = options.image;
  draft.port = kAgentPort;
  draft.cpu = "20m";
  draft.memory = "32Mi";
  draft.memory_limit = "128Mi";
  draft.arguments = {"agent",
                     "--peers",
                     "dns:" + who.name + "." + who.namespace_name + ".svc",
                     "--method",
                     "udp",
                     "--node",
                     "$(NODE_NAME)",
                     "--address",
                     "$(POD_IP)",
                     "--listen",
                     "0.0.0.0:" + std::to_string(kAgentPort)};
  for (std::string& argument : codec::web_arguments())
    draft.arguments.push_back(std::move(argument));
  const auto field = [](const char* name, const char* path) {
    return Json{{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
  };
  draft.env = Json::array({field("NODE_NAME", "spec.nodeName"), field("POD_IP", "status.podIP")});
  const Json more{{"automountServiceAccountToken", false},
                  {"tolerations", Json::array({{{"operator", "Exists"}}})}};
  Json daemons{{"apiVersion", "apps/v1"}, {"kind", "DaemonSet"}, {"metadata", who.meta()}};
  daemons["spec"] = {{"selector", {{"matchLabels", who.labels()}}},
                     {"template", codec::pod_template(who, draft, more)}};
  out.push_back(std::move(daemons));
  codec::add_monitoring(who, kAgentPort, options.has_monitors, out);
}

// Labels of nodes and templates of workloads; a right to patch cannot be limited to these members.
void add_hint(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "hint");
  Json rules = listing_rules();
  rules.push_back(rule("", {"nodes"}, {"patch"}));
  rules.push_back(
      rule("apps", {"deployments", "statefulsets", "daemonsets", "replicasets"}, {"patch"}));
  add_reading(who, std::move(rules), {"list"}, out);
}

// Objects that are applied are created where there is none.
void add_publish(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "publish");
  codec::add_account(who, out);
  codec::add_cluster_role(
      who, who.name,
      Json::array({rule("", {"nodes"}, {"list"}),
                   rule("gedge.io", {"nodelatencies"}, {"list", "create", "patch"})}),
      out);
}

void add_reader(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "reader");
  add_reading(who, listing_rules(), {"list"}, out);
}

// Costs of pods are annotations; a right to patch cannot be limited to them.
void add_sites(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "autoscaler");
  Json rules = listing_rules();
  rules.push_back(rule("apps", {"deployments", "statefulsets", "replicasets"}, {"get"}));
  rules.push_back(rule("", {"replicationcontrollers"}, {"get"}));
  rules.push_back(rule("", {"pods"}, {"patch"}));
  codec::add_cluster_role(who, "gedge-autoscaler-sites", std::move(rules), out);
  add_latency(who, {"list"}, out);
}

// A right to patch a workload cannot be limited to its template.
void add_growth(const ManifestOptions& options, std::vector<Json>& out) {
  const Component who = component(options, "autoscaler");
  codec::add_cluster_role(who, "gedge-autoscaler-growth",
                          Json::array({rule("apps", {"deployments", "statefulsets"}, {"patch"}),
                                       rule("", {"pods/resize"}, {"patch"})}),
                          out);
}

Json space(const std::string& name) {
  return Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

std::vector<Json> objects(const ManifestOptions& options) {
  std::vector<Json> all;
  all.push_back(space(options.namespace_name));
  for (const InstallMode mode : options.modes) {
    switch (mode) {
      case InstallMode::kScheduler:
        add_scheduler(options, all);
        break;
      case InstallMode::kPreemption:
        add_preemption(options, all);
        break;
      case InstallMode::kVolumes:
        add_volumes(options, all);
        break;
      case InstallMode::kRepair:
        add_repair(options, all);
        break;
      case InstallMode::kExtender:
        add_extender(options, all);
        break;
      case InstallMode::kProber:
        add_prober(options, all);
        break;
      case InstallMode::kHint:
        add_hint(options, all);
        break;
      case InstallMode::kPublish:
        add_publish(options, all);
        break;
      case InstallMode::kReader:
        add_reader(options, all);
        break;
      case InstallMode::kAutoscaler:
        codec::add_autoscaler(options, all);
        break;
      case InstallMode::kCustomMetrics:
        codec::add_custom_metrics(options, all);
        break;
      case InstallMode::kSites:
        add_sites(options, all);
        break;
      case InstallMode::kGrowth:
        add_growth(options, all);
        break;
    }
  }
  const bool has_another = std::any_of(all.begin() + 1, all.end(), [&](const Json& object) {
    return object["metadata"].value("namespace", options.namespace_name) != options.namespace_name;
  });
  if (has_another) all.insert(all.begin() + 1, space(kLatencySpace));
  return all;
}

}  // namespace

std::string write_manifests(const ManifestOptions& options, TextFormat format) {
  const std::vector<Json> all = objects(options);
  if (format == TextFormat::kJson)
    return codec::write_document(format, [&](codec::DocumentSink& sink) {
      sink.field("apiVersion", "v1");
      sink.field("kind", "List");
      sink.list("items", all.size(), [&](std::size_t i) { return all[i]; });
    });
  std::string text;
  for (const Json& object : all) {
    if (!text.empty()) text += "---\n";
    text += codec::write_document(format, [&](codec::DocumentSink& sink) {
      for (const auto& [key, value] : object.items()) sink.field(key, value);
    });
  }
  return text;
}

}  // namespace gedge
