#include "gedge/codec/resize_requests.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

#include "codec/request_parts.hpp"
#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/autoscaling.hpp"

namespace gedge::codec {
namespace {

namespace dom = simdjson::dom;

constexpr unsigned kOk = 200;

bool may_be_patched(dom::element resource) {
  dom::array verbs;
  if (resource["verbs"].get_array().get(verbs)) return false;
  for (const dom::element verb : verbs) {
    std::string_view name;
    if (!verb.get_string().get(name) && name == "patch") return true;
  }
  return false;
}

// By name: a strategic merge leaves all else of a container as it is.
Json container_json(const ContainerResize& container) {
  Json requests = Json::object(), limits = Json::object();
  for (const ResourceResize& one : container.resources) {
    requests[one.resource] = resource_text(one.resource, one.request);
    if (one.limit) limits[one.resource] = resource_text(one.resource, *one.limit);
    if (one.drops_limit) limits[one.resource] = Json();
  }
  Json resources{{"requests", std::move(requests)}};
  if (!limits.empty()) resources["limits"] = std::move(limits);
  return Json{{"name", container.name}, {"resources", std::move(resources)}};
}

Json spec_json(const ObjectResize& resize) {
  Json spec = Json::object();
  for (const ContainerResize& container : resize.containers) {
    Json& list = spec[container.is_sidecar ? "initContainers" : "containers"];
    if (list.is_null()) list = Json::array();
    list.push_back(container_json(container));
  }
  return spec;
}

std::string path_of(const ObjectResize& resize) {
  const KindName kind = kind_name({"", resize.kind, ""}).value_or(KindName{});
  return (kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + kind.version +
         "/namespaces/" + encoded(resize.namespace_name) + "/" + kind.plural + "/" +
         encoded(resize.name);
}

}  // namespace

Result<bool> resizes_pods(const ApiAnswer& answer) {
  if (answer.status != kOk) return refusal(answer, "no kinds of v1");
  dom::parser parser;
  dom::element document;
  dom::array resources;
  if (parser.parse(answer.body).get(document) || document["resources"].get_array().get(resources))
    return invalid_input("what the server calls kinds are none");
  for (const dom::element resource : resources) {
    std::string_view name;
    if (!resource["name"].get_string().get(name) && name == "pods/resize")
      return may_be_patched(resource);
  }
  return false;
}

ApiRequest limits_request(const std::string& namespace_name) {
  return get_request("/api/v1/namespaces/" + encoded(namespace_name) + "/limitranges");
}

Result<std::vector<ContainerLimits>> read_limits(const ApiAnswer& answer) {
  if (answer.status != kOk) return refusal(answer, "cannot read LimitRanges");
  ScaleLoader loader;
  loader.add({"GET limitranges", answer.body});
  ScaleLoadResult loaded = loader.finish();
  if (!loaded.facts) return std::move(loaded.errors.front());
  return std::move(loaded.facts->limits);
}

ApiRequest resize_request(const ObjectResize& resize, ResizeWay way) {
  Json body{{"metadata", {{"uid", resize.uid}, {"resourceVersion", resize.version}}}};
  if (resize.grown) {
    Json note = resize.grown->empty() ? Json() : Json(*resize.grown);
    body["metadata"]["annotations"][kGrownAnnotation] = std::move(note);
  }
  const bool is_pod = way == ResizeWay::kInPlace;
  if (is_pod)
    body["spec"] = spec_json(resize);
  else
    body["spec"]["template"]["spec"] = spec_json(resize);
  return write_request(ApiVerb::kPatch, ApiLane::kWrite,
                       path_of(resize) + (is_pod ? "/resize" : ""), body,
                       "application/strategic-merge-patch+json");
}

}  // namespace gedge::codec
