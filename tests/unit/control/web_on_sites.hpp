// web_on_sites.hpp - an autoscaler of two workloads, each on a site, for tests of the scaler.
#pragma once

#include "gedge/base/nanos.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge {

inline constexpr Nanos kSecond{1'000'000'000};

/// web at home and web-far elsewhere, shop's, by what Prometheus says: 100 of `load` each, at once.
inline Autoscaler web_on_sites() {
  Autoscaler autoscaler;
  autoscaler.name = "web";
  autoscaler.namespace_name = "shop";
  autoscaler.api_version = kShortAutoscaler;
  autoscaler.target = {"apps/v1", "Deployment", "web"};
  autoscaler.max = 10;
  autoscaler.behavior.emplace();
  autoscaler.behavior->up.policies = {{PolicyUnit::kPodCount, 100, 1}};
  autoscaler.behavior->down.window_s = 0;
  MetricSpec& metric = autoscaler.metrics.emplace_back();
  metric.kind = MetricKind::kExternal;
  metric.is_query = true;
  metric.name = "load";
  metric.target = TargetKind::kAverageValue;
  metric.amount = 100'000;
  SiteRules& sites = autoscaler.sites.emplace();
  sites.order = {"home", "far"};
  sites.workloads = {"", "web-far"};
  return autoscaler;
}

}  // namespace gedge
