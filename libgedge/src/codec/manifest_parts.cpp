#include "codec/manifest_parts.hpp"

#include <utility>

namespace gedge::codec {
namespace {

// Above 10000: no account of a node. The same in the group.
constexpr int kUser = 10532;
constexpr const char* kWebSecret = "gedge-web";
constexpr const char* kWebFolder = "/etc/gedge/web";
constexpr int kProbePeriod = 10, kProbeTimeout = 5, kProbeFailures = 6;

Json list(Words words) {
  Json all = Json::array();
  for (const std::string_view word : words) all.push_back(word);
  return all;
}

Json object(const char* version, const char* kind, Json meta) {
  return Json{{"apiVersion", version}, {"kind", kind}, {"metadata", std::move(meta)}};
}

Json binding(const char* kind, const Component& who, const std::string& role, Json meta) {
  const std::string of = std::string(kind) == "RoleBinding" ? "Role" : "ClusterRole";
  Json made = object("rbac.authorization.k8s.io/v1", kind, std::move(meta));
  made["roleRef"] = {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", of}, {"name", role}};
  made["subjects"] = Json::array(
      {{{"kind", "ServiceAccount"}, {"name", who.name}, {"namespace", who.namespace_name}}});
  return made;
}

Json probe(const ContainerDraft& draft, const char* path) {
  Json get{{"path", path}, {"port", draft.port}, {"scheme", draft.probe_scheme}};
  if (!draft.probe_host.empty()) get["host"] = draft.probe_host;
  return Json{{"httpGet", std::move(get)},
              {"periodSeconds", kProbePeriod},
              {"timeoutSeconds", kProbeTimeout},
              {"failureThreshold", kProbeFailures}};
}

Json container(const Component& who, const ContainerDraft& draft) {
  Json made{{"name", who.part}, {"image", draft.image}, {"args", draft.arguments}};
  if (!draft.env.empty()) made["env"] = draft.env;
  made["ports"] = Json::array({{{"name", "web"}, {"containerPort", draft.port}}});
  made["livenessProbe"] = probe(draft, "/livez");
  made["readinessProbe"] = probe(draft, "/readyz");
  made["resources"] = {{"requests", {{"cpu", draft.cpu}, {"memory", draft.memory}}},
                       {"limits", {{"memory", draft.memory_limit}}}};
  made["securityContext"] = {{"allowPrivilegeEscalation", false},
                             {"readOnlyRootFilesystem", true},
                             {"capabilities", {{"drop", Json::array({"ALL"})}}}};
  Json mounts = Json::array();
  if (draft.has_web_files)
    mounts.push_back({{"name", "web"}, {"mountPath", kWebFolder}, {"readOnly", true}});
  if (!draft.config_map.empty())
    mounts.push_back({{"name", "config"}, {"mountPath", draft.config_folder}, {"readOnly", true}});
  if (!mounts.empty()) made["volumeMounts"] = std::move(mounts);
  return made;
}

}  // namespace

Json rule(std::string_view group, Words resources, Words verbs, Words names) {
  Json made{{"apiGroups", Json::array({group})}, {"resources", list(resources)}};
  if (names.size() > 0) made["resourceNames"] = list(names);
  made["verbs"] = list(verbs);
  return made;
}

Json Component::labels() const {
  return Json{{"app.kubernetes.io/name", "gedge"}, {"app.kubernetes.io/component", part}};
}

Json Component::meta() const {
  return Json{{"name", name}, {"namespace", namespace_name}, {"labels", labels()}};
}

Json Component::cluster_meta() const { return Json{{"name", name}, {"labels", labels()}}; }

void add_account(const Component& who, std::vector<Json>& out) {
  out.push_back(object("v1", "ServiceAccount", who.meta()));
}

void add_cluster_role(const Component& who, const std::string& role, Json rules,
                      std::vector<Json>& out) {
  Json meta = who.cluster_meta();
  meta["name"] = role;
  Json made = object("rbac.authorization.k8s.io/v1", "ClusterRole", meta);
  made["rules"] = std::move(rules);
  out.push_back(std::move(made));
  out.push_back(binding("ClusterRoleBinding", who, role, std::move(meta)));
}

void add_role(const Component& who, const std::string& role, Json rules, std::vector<Json>& out,
              const std::string& space) {
  Json meta = who.meta();
  if (!space.empty()) meta["namespace"] = space;
  meta["name"] = role;
  Json made = object("rbac.authorization.k8s.io/v1", "Role", meta);
  made["rules"] = std::move(rules);
  out.push_back(std::move(made));
  out.push_back(binding("RoleBinding", who, role, std::move(meta)));
}

Json pod_spec(const Component& who, const ContainerDraft& draft, const Json& more) {
  Json spec{{"serviceAccountName", who.name}};
  spec["securityContext"] = {{"runAsNonRoot", true},
                             {"runAsUser", kUser},
                             {"runAsGroup", kUser},
                             {"fsGroup", kUser},
                             {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  spec["containers"] = Json::array({container(who, draft)});
  Json volumes = Json::array();
  if (draft.has_web_files)
    volumes.push_back(
        {{"name", "web"}, {"secret", {{"secretName", kWebSecret}, {"defaultMode", 0440}}}});
  if (!draft.config_map.empty())
    volumes.push_back({{"name", "config"}, {"configMap", {{"name", draft.config_map}}}});
  if (!volumes.empty()) spec["volumes"] = std::move(volumes);
  spec.update(more);
  return spec;
}

Json pod_template(const Component& who, const ContainerDraft& draft, const Json& more) {
  return Json{{"metadata", {{"labels", who.labels()}}}, {"spec", pod_spec(who, draft, more)}};
}

void add_monitoring(const Component& who, std::uint16_t port, bool has_monitor,
                    std::vector<Json>& out) {
  Json service = object("v1", "Service", who.meta());
  service["spec"] = {
      {"clusterIP", "None"},
      {"selector", who.labels()},
      {"ports", Json::array({{{"name", "web"}, {"port", port}, {"targetPort", "web"}}})}};
  out.push_back(std::move(service));
  if (!has_monitor) return;
  const auto key = [](const char* name) { return Json{{"name", kWebSecret}, {"key", name}}; };
  Json monitor = object("monitoring.coreos.com/v1", "ServiceMonitor", who.meta());
  const std::string host = who.name + "." + who.namespace_name + ".svc";
  monitor["spec"] = {
      {"selector", {{"matchLabels", who.labels()}}},
      {"endpoints",
       Json::array(
           {{{"port", "web"},
             {"scheme", "https"},
             {"authorization", {{"credentials", key("token")}}},
             {"tlsConfig", {{"ca", {{"secret", key("ca.crt")}}}, {"serverName", host}}}}})}};
  out.push_back(std::move(monitor));
}

std::vector<std::string> web_arguments() {
  const std::string folder = kWebFolder;
  return {"--tls-cert",        folder + "/tls.crt", "--tls-key",
          folder + "/tls.key", "--token-file",      folder + "/token"};
}

}  // namespace gedge::codec
