#include "gedge/codec/workload_sample.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "gedge/codec/load.hpp"
#include "gedge/codec/resize_requests.hpp"
#include "gedge/codec/scale_requests.hpp"

namespace gedge::codec {
namespace {

const ObjectName kWeb{"apps/v1", "Deployment", "web"};

ApiAnswer answer(unsigned status, std::string body) {
  ApiAnswer made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

std::string deployment(const std::string& kind, int replicas) {
  return R"({"apiVersion":"apps/v1","kind":")" + kind +
         R"(","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"9"},)"
         R"("spec":{"replicas":)" +
         std::to_string(replicas) +
         R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":)"
         R"({"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}},)"
         R"("status":{"replicas":3}})";
}

TEST_CASE("workload sample: one replica under another name, whatever it has now") {
  const auto request = workload_request(kWeb, "shop");
  REQUIRE(request);
  CHECK(request->target == "/apis/apps/v1/namespaces/shop/deployments/web");
  const auto sample = sample_of(answer(200, deployment("Deployment", 0)), kWeb, "probe");
  REQUIRE(sample);
  FactsLoader loader;
  loader.add_manifests({"sample", *sample});
  const LoadResult loaded = loader.finish();
  REQUIRE(loaded.loaded);
  REQUIRE(loaded.loaded->facts.pods.size() == 1);
  const Pod& pod = loaded.loaded->facts.pods.front();
  CHECK(pod.namespace_name == "shop");
  CHECK(pod.workload_name == "probe");
  CHECK(pod.bound_node.empty());
}

TEST_CASE("workload sample: what is none is not taken for one") {
  CHECK_FALSE(workload_request({"batch/v1", "Job", "web"}, "shop"));
  CHECK_FALSE(workload_request({"example.org/v1", "Deployment", "web"}, "shop"));
  for (const auto& [status, body] : std::initializer_list<std::pair<unsigned, std::string>>{
           {404, R"({"message":"not found"})"},
           {200, "<html>"},
           {200, "[]"},
           {200, "{}"},
           {200, deployment("StatefulSet", 1)},
           {200, R"({"kind":"Deployment","spec":[]})"}})
    CHECK_FALSE(sample_of(answer(status, body), kWeb, "probe"));
}

TEST_CASE("workload list: what the scale of each says") {
  const auto request = workloads_request({"extensions/v1beta1", "Deployment", ""}, "shop", 500);
  REQUIRE(request);
  CHECK(request->target == "/apis/apps/v1/namespaces/shop/deployments?limit=500");
  CHECK(workloads_request({"v1", "ReplicationController", ""}, "a b", 16)->target ==
        "/api/v1/namespaces/a%20b/replicationcontrollers?limit=16");
  CHECK_FALSE(workloads_request({"example.org/v1", "Gadget", ""}, "shop", 16));
  const std::string whole = deployment("Deployment", 4);
  std::string fresh = whole, strange = whole;
  fresh.replace(fresh.find("web"), 3, "new");
  fresh.replace(fresh.find(R"({"replicas":3})"), 14, "{}");
  strange.replace(strange.find("web"), 3, "old");
  strange.replace(strange.find(R"("9")"), 3, R"("")");
  const auto scales =
      workloads_reading(answer(200, R"({"kind":"DeploymentList","apiVersion":"apps/v1","items":[)" +
                                        whole + "," + fresh + "," + strange + "]}"),
                        kWeb);
  REQUIRE(scales);
  REQUIRE(scales->size() == 2);
  const ScaleReading alone = scale_reading(
      answer(200, R"({"kind":"Scale","metadata":{"name":"web","namespace":"shop","uid":"u",)"
                  R"("resourceVersion":"9"},"spec":{"replicas":4},"status":{"replicas":3,)"
                  R"("selector":"app=web"}})"),
      kWeb);
  const ScaleTarget& web = scales->back();
  CHECK(web.namespace_name == alone.scale.namespace_name);
  CHECK(web.kind == alone.scale.kind);
  CHECK(web.name == alone.scale.name);
  CHECK(web.spec_replicas == alone.scale.spec_replicas);
  CHECK(web.status_replicas == alone.scale.status_replicas);
  CHECK(to_string(web.selector) == to_string(alone.scale.selector));
  CHECK(web.has_selector == alone.scale.has_selector);
  CHECK(web.uid == alone.scale.uid);
  CHECK(web.version == alone.scale.version);
  CHECK(web.made_of.containers.empty());
  CHECK(scales->front().spec_replicas == 4);
  CHECK(scales->front().status_replicas == 0);  // a scale of a new one says so, too
  CHECK_FALSE(workloads_reading(answer(403, "{}"), kWeb));
}

TEST_CASE("workload list: a template that says nonsense of budgets hides nobody's replicas") {
  std::string item = deployment("Deployment", 4);
  item.replace(item.find(R"({"labels":)"), 1,
               R"({"annotations":{"gedge.io/delay-budget":"nonsense"},)");
  const ScaleReading whole = workload_reading(answer(200, item), kWeb);
  CHECK(whole.kind == ScaleReading::Kind::kUnreadable);
  const auto scales = workloads_reading(
      answer(200, R"({"kind":"DeploymentList","apiVersion":"apps/v1","items":[)" + item + "]}"),
      kWeb);
  REQUIRE(scales);
  REQUIRE(scales->size() == 1);
  CHECK(scales->front().spec_replicas == 4);
}

TEST_CASE("workload list: those of a ReplicationController, whose selector is a map") {
  const auto scales = workloads_reading(
      answer(200,
             R"({"kind":"ReplicationControllerList","apiVersion":"v1","items":[{"metadata":{)"
             R"("name":"old","namespace":"shop","uid":"u","resourceVersion":"7"},"spec":{)"
             R"("replicas":2,"selector":{"app":"old","tier":"a"}},"status":{"replicas":1}}]})"),
      {"v1", "ReplicationController", "old"});
  REQUIRE(scales);
  REQUIRE(scales->size() == 1);
  CHECK(to_string(scales->front().selector) == "app=old,tier=a");
  CHECK(scales->front().spec_replicas == 2);
  CHECK(scales->front().status_replicas == 1);
}

TEST_CASE("deletion cost: one annotation of the pod that is meant") {
  const ApiRequest request = cost_request({"shop", "web-0", "u", -20'000});
  CHECK(request.verb == ApiVerb::kPatch);
  CHECK(request.target == "/api/v1/namespaces/shop/pods/web-0");
  CHECK(request.body ==
        R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-20000"},)"
        R"("uid":"u"}})");
}

TEST_CASE("resize: a server says whether pods are resized where they run") {
  const auto can = [](const std::string& resources) {
    return resizes_pods(answer(200, R"({"resources":[)" + resources + "]}"));
  };
  CHECK(*can(R"({"name":"pods"},{"name":"pods/resize","verbs":["get","patch"]})"));
  CHECK_FALSE(*can(R"({"name":"pods/resize","verbs":["get"]})"));
  CHECK_FALSE(*can(R"({"name":"pods/resize"})"));
  CHECK_FALSE(*can(R"({"name":"pods"})"));
  CHECK_FALSE(resizes_pods(answer(503, "")));
  CHECK_FALSE(resizes_pods(answer(200, "{}")));
}

TEST_CASE("resize: a sidecar is an init container, and amounts are Kubernetes' own") {
  ObjectResize resize;
  resize.kind = "StatefulSet";
  resize.namespace_name = "shop";
  resize.name = "db";
  resize.uid = "u";
  resize.version = "7";
  resize.containers.push_back({"side", true, {{"memory", 1, 2, 1'048'576, 2'097'153}}});
  const ApiRequest request = resize_request(resize, ResizeWay::kTemplate);
  CHECK(request.target == "/apis/apps/v1/namespaces/shop/statefulsets/db");
  CHECK(request.content_type == "application/strategic-merge-patch+json");
  CHECK(request.body.find(R"("initContainers":[{"name":"side","resources":{"requests":)"
                          R"({"memory":"1Mi"},"limits":{"memory":"2097153"}}}])") !=
        std::string::npos);
}

TEST_CASE("resize: what a workload was declared with goes along, and goes again") {
  ObjectResize resize;
  resize.kind = "Deployment";
  resize.namespace_name = "shop";
  resize.name = "web";
  resize.uid = "u";
  resize.version = "7";
  resize.grown = "now=2";
  resize.containers.push_back({"c", false, {{"cpu", 1'000, {}, 2'000, 4'000}}});
  CHECK(resize_request(resize, ResizeWay::kTemplate)
            .body.find(R"("annotations":{"gedge.io/grown":"now=2"})") != std::string::npos);
  resize.grown = "";
  resize.containers.front().resources.front() = {"cpu", 2'000, 4'000, 1'000, {}, true};
  CHECK(resize_request(resize, ResizeWay::kTemplate).body ==
        R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":{"gedge.io/grown":null}},)"
        R"("spec":{"template":{"spec":{"containers":[{"name":"c","resources":{"requests":)"
        R"({"cpu":"1"},"limits":{"cpu":null}}}]}}}})");
}

TEST_CASE("limits: those of a namespace, as its LimitRanges say") {
  CHECK(limits_request("shop").target == "/api/v1/namespaces/shop/limitranges");
  const auto limits = read_limits(
      answer(200, R"({"kind":"LimitRangeList","apiVersion":"v1","metadata":{},"items":[{)"
                  R"("metadata":{"name":"l","namespace":"shop"},"spec":{"limits":[{)"
                  R"("type":"Container","max":{"cpu":"2"}}]}}]})"));
  REQUIRE(limits);
  REQUIRE(limits->size() == 1);
  CHECK(limits->front().most.amount("cpu") == 2'000);
  CHECK_FALSE(read_limits(answer(403, R"({"message":"no"})")));
  CHECK_FALSE(read_limits(answer(200, "<html>")));
}

}  // namespace
}  // namespace gedge::codec
