#include "gedge/codec/workload_sample.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "codec/request_parts.hpp"
#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/autoscaling.hpp"
#include "gedge/codec/scale_requests.hpp"

namespace gedge::codec {
namespace {

constexpr unsigned kOk = 200, kNotFound = 404;
constexpr std::array<std::string_view, 4> kKinds{"Deployment", "StatefulSet", "ReplicaSet",
                                                 "ReplicationController"};

// Of all workloads of that kind in the namespace.
Result<std::string> path_of(const ObjectName& workload, const std::string& space) {
  if (!makes_pods(workload))
    return invalid_input("nobody knows what pods a " + workload.kind + " makes");
  const auto kind = kind_name(workload);
  return (kind->group.empty() ? "/api/" : "/apis/" + kind->group + "/") + kind->version +
         "/namespaces/" + encoded(space) + "/" + kind->plural;
}

}  // namespace

bool makes_pods(const ObjectName& kind) {
  return kind_name(kind) && std::find(kKinds.begin(), kKinds.end(), kind.kind) != kKinds.end();
}

Result<ApiRequest> workload_request(const ObjectName& workload, const std::string& namespace_name) {
  auto path = path_of(workload, namespace_name);
  if (!path) return std::move(path).error();
  return get_request(*path + "/" + encoded(workload.name));
}

Result<ApiRequest> workloads_request(const ObjectName& kind, const std::string& namespace_name,
                                     std::size_t most) {
  auto path = path_of(kind, namespace_name);
  if (!path) return std::move(path).error();
  return get_request(*path + "?limit=" + std::to_string(most));
}

Result<std::vector<ScaleTarget>> workloads_reading(const ApiAnswer& answer,
                                                   const ObjectName& kind) {
  if (answer.status != kOk) return refusal(answer, "cannot list " + kind.kind);
  ScaleLoadOptions options;
  options.keep_versions = true;
  ScaleLoader loader(options);
  loader.add({kind.kind, answer.body, answer.body.capacity() - answer.body.size()});
  ScaleLoadResult loaded = loader.finish();
  if (!loaded.facts) return std::move(loaded.errors.front());
  std::vector<ScaleTarget> scales = std::move(loaded.facts->targets);
  std::erase_if(
      scales, [&](const ScaleTarget& one) { return one.kind != kind.kind || one.version.empty(); });
  return scales;
}

ScaleReading workload_reading(const ApiAnswer& answer, const ObjectName& workload) {
  ScaleReading reading;
  const std::string name = workload.kind + " " + workload.name;
  if (answer.status != kOk) {
    if (answer.status == kNotFound) reading.kind = ScaleReading::Kind::kMissing;
    reading.why = refusal(answer, "cannot read " + name).what;
    return reading;
  }
  ScaleLoadOptions options;
  options.keep_objects = true;
  ScaleLoader loader(options);
  loader.add({name, answer.body});
  ScaleLoadResult loaded = loader.finish();
  const bool is_it = loaded.facts && loaded.facts->targets.size() == 1 &&
                     loaded.facts->targets.front().kind == workload.kind &&
                     loaded.facts->targets.front().name == workload.name &&
                     !loaded.facts->targets.front().version.empty();
  if (!is_it) {
    reading.why = "what the server calls " + name + " is none";
    return reading;
  }
  reading.kind = ScaleReading::Kind::kFound;
  reading.scale = std::move(loaded.facts->targets.front());
  return reading;
}

Result<std::string> sample_of(const ApiAnswer& answer, const ObjectName& workload,
                              const std::string& name) {
  if (answer.status != kOk)
    return refusal(answer, "cannot read " + workload.kind + " " + workload.name);
  const Json read = Json::parse(answer.body, nullptr, false);
  const bool is_it = read.is_object() && read.value("kind", Json()) == workload.kind &&
                     read.contains("spec") && read["spec"].is_object();
  if (!is_it) return invalid_input("what the server calls " + workload.name + " is none");
  Json sample{{"apiVersion", read.value("apiVersion", Json())},
              {"kind", workload.kind},
              {"metadata", {{"name", name}}},
              {"spec", read["spec"]}};
  if (read.contains("metadata") && read["metadata"].contains("namespace"))
    sample["metadata"]["namespace"] = read["metadata"]["namespace"];
  sample["spec"]["replicas"] = 1;
  return text_of(sample);
}

ApiRequest cost_request(const PodCost& cost) {
  Json metadata{
      {"annotations", {{"controller.kubernetes.io/pod-deletion-cost", std::to_string(cost.cost)}}}};
  if (!cost.uid.empty()) metadata["uid"] = cost.uid;
  return merge_patch_request("/api/v1/namespaces/" + encoded(cost.namespace_name) + "/pods",
                             cost.name, text_of(Json{{"metadata", std::move(metadata)}}));
}

}  // namespace gedge::codec
