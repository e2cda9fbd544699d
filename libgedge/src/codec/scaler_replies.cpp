#include "gedge/codec/scaler_replies.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "codec/metrics.hpp"
#include "codec/status_replies.hpp"

namespace gedge {
namespace {

using codec::Metrics;
using codec::text_reply;

HttpReply readiness(const ScalerFacts& facts) {
  if (facts.is_synced) return text_reply(200, "ok");
  if (!facts.is_leading) return text_reply(200, "ok, waits for the lease");
  std::string missing = "not listed yet:";
  for (const std::string& path : facts.unsynced) missing += ' ' + path;
  return text_reply(503, missing);
}

void add_gauge(Metrics& metrics, std::string_view name, std::string_view help,
               std::uint64_t value) {
  metrics.family(name, "gauge", help);
  metrics.sample("", std::to_string(value));
}

void add_sources(Metrics& metrics, std::string_view name, std::string_view help,
                 const std::array<std::uint64_t, kMetricSources>& counts) {
  constexpr std::array<const char*, kMetricSources> kLabels{
      "source=\"metrics.k8s.io\"", "source=\"custom.metrics.k8s.io/pods\"",
      "source=\"custom.metrics.k8s.io\"", "source=\"external.metrics.k8s.io\"",
      "source=\"prometheus\""};
  metrics.family(name, "counter", help);
  for (std::size_t i = 0; i < kMetricSources; ++i)
    metrics.sample(kLabels[i], std::to_string(counts[i]));
}

std::string metrics_text(const ScalerFacts& facts) {
  const ScalerCounts& counts = facts.counts;
  Metrics metrics;
  add_gauge(metrics, "gedge_synced", "1: all pods and autoscalers are known.",
            facts.is_synced ? 1 : 0);
  add_gauge(metrics, "gedge_leading", "1: this process may write.", facts.is_leading ? 1 : 0);
  metrics.count("gedge_lease_seizures_total",
                "How often the Lease was taken from a holder whose time was not over.",
                facts.lease_seizures);
  add_gauge(metrics, "gedge_autoscalers", "Autoscalers that are looked at.", facts.autoscalers);
  add_gauge(metrics, "gedge_frozen_autoscalers",
            "Of these, those that lack a metric: nothing is scaled down.", facts.frozen);
  metrics.count("gedge_scale_looks_total", "Looks at one autoscaler.", counts.looks);
  metrics.count("gedge_scale_reactions_total",
                "Looks at a namespace because a query said something else.", counts.reactions);
  metrics.family("gedge_rescales_total", "counter",
                 "Changes of replicas that were sent, by what came of them.");
  const std::array<std::pair<const char*, std::uint64_t>, 4> rescales{
      {{"result=\"up\"", counts.ups},
       {"result=\"down\"", counts.downs},
       {"result=\"conflict\"", counts.conflicts},
       {"result=\"failed\"", counts.not_rescaled}}};
  for (const auto& [labels, value] : rescales) metrics.sample(labels, std::to_string(value));
  add_sources(metrics, "gedge_metric_reads_total", "Values that were asked for.", counts.reads);
  add_sources(metrics, "gedge_failed_metric_reads_total", "Of these, those that nobody gave.",
              counts.failed_reads);
  metrics.count("gedge_api_lists_total", "Lists that were begun.", facts.lists);
  metrics.count("gedge_api_watches_total", "Watches that were begun.", facts.watches);
  metrics.count("gedge_api_objects_total", "Objects that were read.", facts.objects);
  metrics.count("gedge_api_unreadable_objects_total", "Objects that could not be read.",
                facts.unreadable);
  metrics.count("gedge_events_dropped_total", "Events and statuses that were not sent in time.",
                facts.events_dropped);
  return metrics.take();
}

}  // namespace

HttpReply scaler_reply(const HttpRequest& request, const ScalerFacts& facts) {
  return codec::status_reply(request, {facts.is_alive, readiness(facts),
                                       [&facts] { return metrics_text(facts); }, facts.any_host});
}

}  // namespace gedge
