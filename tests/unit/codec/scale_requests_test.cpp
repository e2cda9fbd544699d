#include "gedge/codec/scale_requests.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace gedge::codec {
namespace {

const ObjectName kWeb{"apps/v1", "Deployment", "web"};

ApiAnswer answer(unsigned status, std::string body) {
  ApiAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

MetricRead read_of(MetricSource source, std::string metric) {
  MetricRead read;
  read.source = source;
  read.namespace_name = "shop";
  read.metric = std::move(metric);
  return read;
}

std::string scale(const std::string& spec, const std::string& status) {
  return R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web",)"
         R"("namespace":"shop","uid":"u1","resourceVersion":"7"},"spec":)" +
         spec + R"(,"status":)" + status + "}";
}

TEST_CASE("scale requests: the subresource of the workload, read and written with its version") {
  const auto kind = kind_name(kWeb);
  REQUIRE(kind);
  CHECK(scale_request({1, "shop", kWeb}, *kind).target ==
        "/apis/apps/v1/namespaces/shop/deployments/web/scale");
  const auto old = kind_name({"extensions/v1beta1", "Deployment", "web"});
  REQUIRE(old);
  CHECK(old->group == "apps");
  CHECK(kind_name({"v1", "ReplicationController", "rc"})->group.empty());
  CHECK_FALSE(kind_name({"example.com/v1", "Deployment", "web"}));
  const ApiRequest write = scale_write_request({1, "shop", kWeb, 5, "u1", "7"}, *kind);
  CHECK(write.verb == ApiVerb::kPut);
  CHECK(write.body == R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web",)"
                      R"("namespace":"shop","uid":"u1","resourceVersion":"7"},)"
                      R"("spec":{"replicas":5}})");
}

TEST_CASE("scale requests: what a scale says, and what is none") {
  const ScaleReading read = scale_reading(
      answer(200, scale(R"({"replicas":3})", R"({"replicas":2,"selector":"app=web"})")), kWeb);
  REQUIRE(read.kind == ScaleReading::Kind::kFound);
  CHECK(read.scale.spec_replicas == 3);
  CHECK(read.scale.status_replicas == 2);
  CHECK(read.scale.version == "7");
  CHECK(read.scale.uid == "u1");
  CHECK(read.scale.has_selector);
  const ScaleReading none = scale_reading(answer(200, scale("{}", "{}")), kWeb);
  REQUIRE(none.kind == ScaleReading::Kind::kFound);
  CHECK(none.scale.spec_replicas == 0);
  CHECK_FALSE(none.scale.has_selector);
  for (const char* spec : {R"({"replicas":-1})", R"({"replicas":"3"})", R"({"replicas":1.5})",
                           R"({"replicas":4294967296})", R"({"replicas":null})"})
    CHECK(scale_reading(answer(200, scale(spec, "{}")), kWeb).kind ==
          ScaleReading::Kind::kUnreadable);
  CHECK(scale_reading(answer(200, scale("{}", R"({"selector":"a in"})")), kWeb).kind ==
        ScaleReading::Kind::kUnreadable);
  CHECK(scale_reading(answer(200, "[]"), kWeb).kind == ScaleReading::Kind::kUnreadable);
  CHECK(scale_reading(answer(404, ""), kWeb).kind == ScaleReading::Kind::kMissing);
  CHECK(scale_reading(answer(403, ""), kWeb).kind == ScaleReading::Kind::kUnreadable);
  ObjectName other = kWeb;
  other.name = "other";
  CHECK(scale_reading(answer(200, scale("{}", "{}")), other).kind ==
        ScaleReading::Kind::kUnreadable);
}

TEST_CASE("scale requests: what became of a write") {
  CHECK(scale_answer(answer(200, "")) == ScaleAnswer::kDone);
  CHECK(scale_answer(answer(409, "")) == ScaleAnswer::kConflict);
  CHECK(scale_answer(answer(404, "")) == ScaleAnswer::kGone);
  CHECK(scale_answer(answer(403, "")) == ScaleAnswer::kRefused);
  CHECK(scale_answer(answer(500, "")) == ScaleAnswer::kUnknown);
  CHECK(scale_answer(ApiAnswer()) == ScaleAnswer::kUnknown);
  ApiAnswer unsent;
  unsent.was_not_sent = true;
  CHECK(scale_answer(unsent) == ScaleAnswer::kNotSent);
}

TEST_CASE("scale requests: where each metric is asked") {
  MetricRead usage = read_of(MetricSource::kUsage, "");
  CHECK(metric_request(usage, {}).target == "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods");
  usage.pods = "app=web";
  CHECK(metric_request(usage, {}).target ==
        "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb");
  MetricRead pods = read_of(MetricSource::kOfPods, "rps");
  pods.pods = "app=web";
  pods.selector = "verb=get";
  CHECK(metric_request(pods, {}).target ==
        "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/pods/*/rps?labelSelector=app%3Dweb"
        "&metricLabelSelector=verb%3Dget");
  MetricRead object = read_of(MetricSource::kObject, "rps");
  object.object = {"networking.k8s.io/v1", "Ingress", "front"};
  CHECK(metric_request(object, {"networking.k8s.io", "v1", "ingresses"}).target ==
        "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/ingresses.networking.k8s.io/front/"
        "rps");
  object.object = {"v1", "Namespace", "shop"};
  CHECK(metric_request(object, *kind_name(object.object)).target ==
        "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/metrics/rps");
  MetricRead external = read_of(MetricSource::kExternal, "queue/../x");
  CHECK(metric_request(external, {}).target ==
        "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue%2F..%2Fx");
  CHECK(query_request(read_of(MetricSource::kQuery, "a b&c")).target ==
        "/api/v1/query?query=a%20b%26c&timeout=5s");
}

TEST_CASE("scale requests: values of the metrics APIs") {
  const MetricRead usage = read_of(MetricSource::kUsage, "");
  const auto list = [](const std::string& cpu) {
    return R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},)"
           R"("items":[{"metadata":{"name":"a","namespace":"shop"},)"
           R"("timestamp":"2026-11-22T10:00:00Z","window":"30s","containers":[{"name":"c",)"
           R"("usage":{"cpu":")" +
           cpu + R"("}}]}]})";
  };
  const MetricReading read = metric_reading(answer(200, list("250000000n")), usage);
  REQUIRE(read.is_read);
  REQUIRE(read.values.usage.size() == 1);
  CHECK(read.values.usage.front().containers.front().milli.front().second == 250);
  for (const char* amount : {"-1", "NaN", "much"})
    CHECK_FALSE(metric_reading(answer(200, list(amount)), usage).is_read);
  const MetricReading absent = metric_reading(answer(503, "no endpoints"), usage);
  CHECK_FALSE(absent.is_read);
  CHECK(absent.why.find("metrics.k8s.io") != std::string::npos);
  CHECK_FALSE(metric_reading(answer(200, "<html>"), usage).is_read);
  CHECK_FALSE(metric_reading(ApiAnswer(), usage).is_read);
}

std::string said(const std::string& type, const std::string& result) {
  return R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result + "}}";
}

TEST_CASE("scale requests: what Prometheus says is added up, and what is no amount is nothing") {
  const MetricRead query = read_of(MetricSource::kQuery, "up");
  const MetricReading two = query_reading(
      answer(200, said("vector", R"([{"metric":{"at":"far"},"value":[1795341600.7,"1.5"]},)"
                                 R"({"metric":{},"value":[1795341600.7,"2e3"]}])")),
      query);
  REQUIRE(two.is_read);
  REQUIRE(two.values.external.size() == 2);
  CHECK(two.values.external[0].sample.milli == 1'500);
  CHECK(two.values.external[0].sample.at == 1'795'341'600);
  REQUIRE(two.values.external[0].labels.find("at") != nullptr);
  CHECK(*two.values.external[0].labels.find("at") == "far");
  CHECK(two.values.external[1].labels.find("at") == nullptr);
  CHECK(two.values.external[1].sample.milli == 2'000'000);
  const MetricReading one =
      query_reading(answer(200, said("scalar", R"([1795341600,"7"])")), query);
  REQUIRE(one.is_read);
  CHECK(one.values.external.front().sample.milli == 7'000);
  const MetricReading none = query_reading(answer(200, said("vector", "[]")), query);
  CHECK(none.is_read);
  CHECK(none.values.external.empty());
  for (const char* value : {"NaN", "+Inf", "-Inf", "-1", "1e300", "", "1 ", "0x10"}) {
    CAPTURE(value);
    const MetricReading bad = query_reading(
        answer(200, said("scalar", "[1795341600,\"" + std::string(value) + "\"]")), query);
    CHECK_FALSE(bad.is_read);
    CHECK(bad.values.external.empty());
  }
  for (const char* body :
       {"", "{}", "[]", R"({"status":"error","error":"parse error"})",
        R"({"status":"success","data":{"resultType":"matrix","result":[]}})",
        R"({"status":"success","data":{"resultType":"vector","result":[{"value":[1]}]}})",
        R"({"status":"success","data":{"resultType":"scalar","result":[1,2]}})"}) {
    CAPTURE(body);
    CHECK_FALSE(query_reading(answer(200, body), query).is_read);
  }
  CHECK_FALSE(query_reading(answer(503, ""), query).is_read);
  const char* const slip = R"({"status":"error","errorType":"bad_data","error":"1:4: unclosed"})";
  CHECK(query_reading(answer(400, slip), query).why ==
        "cannot read Prometheus: the server says 400: 1:4: unclosed");
}

TEST_CASE("scale requests: a kind that has another name in paths") {
  const ObjectName crd{"example.com/v1", "Fleet", "a"};
  CHECK(kinds_request(crd.api_version).target == "/apis/example.com/v1");
  const auto found = read_kind_name(
      answer(200, R"({"resources":[{"name":"fleets/scale","kind":"Scale"},)"
                  R"({"name":"fleets/status","kind":"Fleet"},{"name":"fleets","kind":"Fleet"}]})"),
      crd);
  REQUIRE(found);
  CHECK(found->plural == "fleets");
  CHECK(found->group == "example.com");
  CHECK_FALSE(read_kind_name(answer(200, R"({"resources":[]})"), crd));
  CHECK_FALSE(read_kind_name(answer(404, ""), crd));
}

TEST_CASE("scale requests: the newest version of autoscaling that is known") {
  const auto group = [](std::initializer_list<std::string> versions) {
    std::string list;
    for (const std::string& version : versions)
      list += (list.empty() ? "" : ",") + (R"({"groupVersion":"autoscaling/)" + version + "\"}");
    return autoscaling_version(answer(200, R"({"kind":"APIGroup","versions":[)" + list + "]}"));
  };
  CHECK(autoscaling_request().target == "/apis/autoscaling");
  CHECK(*group({"v1", "v2beta2", "v2beta1", "v2"}) == "autoscaling/v2");
  CHECK(*group({"v1", "v2beta2", "v2beta1"}) == "autoscaling/v2beta2");
  CHECK(*group({"v2beta1", "v1"}) == "autoscaling/v1");
  CHECK(group({"v2beta1"}).error().code == Errc::kNotFound);
  CHECK(group({}).error().code == Errc::kNotFound);
  CHECK(autoscaling_version(answer(404, "")).error().code == Errc::kNotFound);
  CHECK(autoscaling_version(answer(403, "")).error().code == Errc::kDenied);
  CHECK(autoscaling_version(answer(200, "[]")).error().code == Errc::kInvalidInput);
}

ScaleReport rescaled() {
  ScaleReport report;
  report.autoscaler.namespace_name = "shop";
  report.autoscaler.name = "web";
  report.autoscaler.generation = 2;
  MetricSpec cpu;
  cpu.name = "cpu";
  report.autoscaler.metrics.push_back(cpu);
  report.decision.step = ScaleStep::kComputed;
  report.decision.current = 2;
  report.decision.replicas = 3;
  report.decision.deciding = 0;
  MetricAnswer& answer = report.decision.metrics.emplace_back();
  answer.utilization = 90;
  answer.average_milli = 450;
  report.outcome = ScaleReport::Outcome::kRescaled;
  report.rescaled_at = 1'795'341'600;
  report.conditions.emplace_back(
      ScaleCondition{ScaleConditionType::kAbleToScale, true, ScaleReason::kSucceededRescale},
      1'795'341'600);
  return report;
}

TEST_CASE("scale requests: a status as the controller writes it") {
  const ScaleReport report = rescaled();
  const ApiRequest request = status_request(report, "autoscaling/v2beta2");
  CHECK(request.target ==
        "/apis/autoscaling/v2beta2/namespaces/shop/horizontalpodautoscalers/web/status");
  CHECK(request.verb == ApiVerb::kPatch);
  CHECK(request.body ==
        R"({"status":{"observedGeneration":2,"lastScaleTime":"2026-11-22T10:00:00Z",)"
        R"("currentReplicas":2,"desiredReplicas":3,"currentMetrics":[{"type":"Resource",)"
        R"("resource":{"name":"cpu","current":{"averageUtilization":90,"averageValue":"450m"}}}],)"
        R"("conditions":[{"type":"AbleToScale","status":"True",)"
        R"("lastTransitionTime":"2026-11-22T10:00:00Z","reason":"SucceededRescale",)"
        R"("message":"the HPA controller was able to update the target scale to 3"}]}})");
  CHECK(status_request(report, "autoscaling/v2").target.find("/apis/autoscaling/v2/") == 0);
}

TEST_CASE("scale requests: a status of autoscaling/v1 has each kind of metric in an annotation") {
  ScaleReport report = rescaled();
  for (const MetricKind kind : {MetricKind::kContainerResource, MetricKind::kPodMetric,
                                MetricKind::kObject, MetricKind::kExternal}) {
    MetricSpec& metric = report.autoscaler.metrics.emplace_back();
    metric.kind = kind;
    metric.name = "m";
    metric.container = "c";
    metric.object = {"v1", "Service", "front"};
    metric.selector.emplace().requirements.push_back({"app", SelectorOp::kEquals, {"web"}});
    report.decision.metrics.emplace_back().average_milli = 1'000;
  }
  const ApiRequest old = status_request(report, "autoscaling/v1");
  CHECK(old.target == "/apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers/web/status");
  const auto body = nlohmann::json::parse(old.body);
  CHECK(body["status"] ==
        nlohmann::json::parse(R"({"observedGeneration":2,"lastScaleTime":"2026-11-22T10:00:00Z",)"
                              R"("currentReplicas":2,"desiredReplicas":3,)"
                              R"("currentCPUUtilizationPercentage":90})"));
  const auto& notes = body["metadata"]["annotations"];
  const auto note = [&notes](const std::string& name) {
    return nlohmann::json::parse(
        notes["autoscaling.alpha.kubernetes.io/" + name].get<std::string>());
  };
  CHECK(note("conditions")[0]["reason"] == "SucceededRescale");
  CHECK(note("current-metrics") ==
        nlohmann::json::parse(
            R"([{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":90,)"
            R"("currentAverageValue":"450m"}},{"type":"ContainerResource","containerResource":)"
            R"({"name":"m","container":"c","currentAverageValue":"1"}},{"type":"Pods","pods":)"
            R"({"metricName":"m","selector":{"matchLabels":{"app":"web"}},)"
            R"("currentAverageValue":"1"}},{"type":"Object","object":{"metricName":"m","target":)"
            R"({"apiVersion":"v1","kind":"Service","name":"front"},"averageValue":"1",)"
            R"("selector":{"matchLabels":{"app":"web"}}}},{"type":"External","external":)"
            R"({"metricName":"m","metricSelector":{"matchLabels":{"app":"web"}},)"
            R"("currentAverageValue":"1"}}])"));
}

}  // namespace
}  // namespace gedge::codec
