// Metrics of the agent: base units, `_total` on counters, no label that a stranger can choose.
#include <array>
#include <utility>

#include "codec/agent_documents.hpp"
#include "codec/metrics.hpp"

namespace gedge::codec {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

// Six digits behind the point.
std::string millionths(std::uint64_t value) {
  const std::string digits = std::to_string(value % kMillion);
  return std::to_string(value / kMillion) + '.' + std::string(6 - digits.size(), '0') + digits;
}

std::string labels_of(const AgentTarget& target) {
  return "to=\"" + escaped_label(target.name) + "\",kind=\"" +
         (target.kind == AgentTargetKind::kNode ? "node" : "cluster") + '"';
}

/// One sample of each target for which `value` has one.
template <typename Value>
void per_target(Metrics& metrics, const AgentFacts& facts, Value value) {
  for (const TargetReport& report : facts.targets)
    if (const std::string text = value(report); !text.empty())
      metrics.sample(labels_of(report.target), text);
}

void add_times(Metrics& metrics, const AgentFacts& facts) {
  metrics.family("gedge_rtt_seconds", "gauge",
                 "Round-trip time to a target, quantiles of the latest answers.");
  for (const TargetReport& report : facts.targets) {
    const RttSummary& rtt = report.rtt;
    if (!rtt.measured()) continue;
    for (const auto& [quantile, value] :
         {std::pair{"0.5", rtt.p50}, {"0.95", rtt.p95}, {"0.99", rtt.p99}})
      metrics.sample(labels_of(report.target) + ",quantile=\"" + quantile + '"',
                     millionths(value.us));
  }
  metrics.family("gedge_rtt_jitter_seconds", "gauge", "rttvar of the latest answers.");
  per_target(metrics, facts, [](const TargetReport& report) {
    return report.rtt.measured() ? millionths(report.rtt.jitter.us) : std::string();
  });
  metrics.family("gedge_loss_ratio", "gauge", "Share of the latest probes without an answer.");
  per_target(metrics, facts, [](const TargetReport& report) {
    return report.rtt.probes > 0 ? millionths(report.rtt.loss_ppm) : std::string();
  });
  metrics.family("gedge_answer_age_seconds", "gauge",
                 "Time since the probe of the latest answer left.");
  per_target(metrics, facts, [&facts](const TargetReport& report) {
    if (!report.answered_at) return std::string();
    const auto age = std::chrono::duration_cast<Micros>(facts.now - *report.answered_at).count();
    return millionths(age < 0 ? 0 : static_cast<std::uint64_t>(age));
  });
}

}  // namespace

std::string agent_metrics(const AgentFacts& facts) {
  Metrics metrics;
  metrics.family("gedge_agent_info", "gauge", "Which node this is, and how it measures.");
  metrics.sample(
      "node=\"" + escaped_label(facts.node) + "\",method=\"" + escaped_label(facts.method) + '"',
      "1");
  metrics.family("gedge_agent_start_time_seconds", "gauge", "When the agent began.");
  metrics.sample("", std::to_string(facts.started));
  add_times(metrics, facts);
  metrics.family("gedge_probes_total", "counter", "Probes that were answered or lost.");
  per_target(metrics, facts,
             [](const TargetReport& report) { return std::to_string(report.probes); });
  metrics.family("gedge_probes_lost_total", "counter", "Probes without an answer in time.");
  per_target(metrics, facts,
             [](const TargetReport& report) { return std::to_string(report.lost); });
  metrics.count("gedge_rounds_total", "Rounds of probes that are over.", facts.rounds);
  metrics.family("gedge_odd_replies_total", "counter", "Answers that were not counted.");
  for (const auto& [why, count] : {std::pair{"duplicate", facts.odd.duplicate},
                                   {"late", facts.odd.late},
                                   {"foreign", facts.odd.foreign},
                                   {"impossible", facts.odd.impossible}})
    metrics.sample(std::string("why=\"") + why + '"', std::to_string(count));
  metrics.count("gedge_http_connections_total", "Connections that were served.",
                facts.http.connections);
  metrics.count("gedge_http_turned_away_total", "Connections over the bounds.",
                facts.http.turned_away);
  metrics.count("gedge_http_requests_total", "Requests that were answered.", facts.http.requests);
  metrics.count("gedge_http_refused_total", "What was no request.", facts.http.faults);
  metrics.count("gedge_http_denied_total", "Requests without a token that is known.", facts.denied);
  metrics.count("gedge_tls_handshakes_failed_total", "Connections that never came to a request.",
                facts.http.handshakes_failed);
  if (!facts.certificate_end) return metrics.take();
  metrics.family("gedge_certificate_end_time_seconds", "gauge", "When the certificate ends.");
  metrics.sample("", std::to_string(*facts.certificate_end));
  return metrics.take();
}

}  // namespace gedge::codec
