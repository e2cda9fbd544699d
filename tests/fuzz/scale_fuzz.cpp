// What API servers, metrics APIs and Prometheus say to an autoscaler: no crash, no hang, and where
// something is read, no amount below zero.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/autoscaling.hpp"
#include "gedge/codec/scale_requests.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

void check(const gedge::MetricReading& reading) {
  require(reading.is_read || !reading.why.empty());
  require(reading.is_read || reading.values.external.empty());
  for (const gedge::ExternalMetric& value : reading.values.external)
    require(value.sample.milli >= 0);
  for (const gedge::ObjectMetric& value : reading.values.objects) require(value.sample.milli >= 0);
  for (const gedge::PodUsage& usage : reading.values.usage)
    for (const auto& container : usage.containers)
      for (const auto& [resource, milli] : container.milli) require(milli >= 0);
}

void check_declared(const std::string& text) {
  gedge::ScaleLoader loader;
  loader.add({"in", text});
  const gedge::ScaleLoadResult result = loader.finish();
  require(result.facts.has_value() == result.errors.empty());
  if (!result.facts) return;
  for (const gedge::Autoscaler& one : result.facts->autoscalers) {
    require(one.min >= 0 && one.max >= 1 && one.min <= one.max);
    require(!one.metrics.empty());
    for (const gedge::MetricSpec& metric : one.metrics) require(metric.amount > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gedge::ApiAnswer answer;
  answer.status = 200;
  answer.body.assign(reinterpret_cast<const char*>(data), size);
  const gedge::ObjectName web{"apps/v1", "Deployment", "web"};
  const gedge::ScaleReading scale = gedge::codec::scale_reading(answer, web);
  if (scale.kind == gedge::ScaleReading::Kind::kFound)
    require(scale.scale.spec_replicas >= 0 && scale.scale.status_replicas >= 0);
  else
    require(!scale.why.empty());
  gedge::MetricRead read;
  read.namespace_name = "shop";
  check(gedge::codec::metric_reading(answer, read));
  read.source = gedge::MetricSource::kQuery;
  check(gedge::codec::query_reading(answer, read));
  static_cast<void>(gedge::codec::read_kind_name(answer, web));
  check_declared(answer.body);
  return 0;
}
