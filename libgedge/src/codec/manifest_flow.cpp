// codec/manifest_flow.cpp - what a server does first when more is asked of it than it can do.
#include "codec/manifest_parts.hpp"

namespace gedge::codec {
namespace {

// As those of kube-scheduler and of whoever elects a leader in kube-system.
constexpr int kWorkPrecedence = 800, kLeasePrecedence = 200;
constexpr const char *kWorkLevel = "workload-high", *kLeaseLevel = "leader-election";

Json words(const char* only) { return Json::array({only}); }

Json resource_rule(const char* group, const char* resource) {
  return Json{{"apiGroups", words(group)},
              {"resources", words(resource)},
              {"verbs", words("*")},
              {"namespaces", words("*")}};
}

Json schema(const Component& who, const std::string& version, const std::string& name,
            int precedence, const char* level, Json rules) {
  rules["subjects"] =
      Json::array({{{"kind", "ServiceAccount"},
                    {"serviceAccount", {{"name", who.name}, {"namespace", who.namespace_name}}}}});
  Json meta = who.cluster_meta();
  meta["name"] = name;
  Json object{{"apiVersion", "flowcontrol.apiserver.k8s.io/" + version},
              {"kind", "FlowSchema"},
              {"metadata", std::move(meta)}};
  object["spec"] = {{"priorityLevelConfiguration", {{"name", level}}},
                    {"matchingPrecedence", precedence},
                    {"distinguisherMethod", {{"type", "ByUser"}}},
                    {"rules", Json::array({std::move(rules)})}};
  return object;
}

}  // namespace

void add_flow_schemas(const Component& who, const std::string& version, bool elects,
                      std::vector<Json>& out) {
  if (version.empty()) return;
  if (elects)
    out.push_back(
        schema(who, version, who.name + "-leases", kLeasePrecedence, kLeaseLevel,
               {{"resourceRules", Json::array({resource_rule("coordination.k8s.io", "leases")})}}));
  Json all = resource_rule("*", "*");
  all["clusterScope"] = true;
  out.push_back(schema(who, version, who.name, kWorkPrecedence, kWorkLevel,
                       {{"resourceRules", Json::array({std::move(all)})},
                        {"nonResourceRules", Json::array({{{"nonResourceURLs", words("*")},
                                                           {"verbs", words("*")}}})}}));
}

}  // namespace gedge::codec
