#include "codec/agent_documents.hpp"

#include <algorithm>

#include "codec/document_sink.hpp"
#include "codec/pair_text.hpp"
#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

constexpr std::uint32_t kMicrosInMilli = 1'000;

bool is_peer(const TargetReport& report, const AgentFacts& facts) {
  return report.target.kind == AgentTargetKind::kNode && report.target.name != facts.node;
}

// Whole seconds: rather too early than too late.
UnixSeconds date_of(Nanos moment, const AgentFacts& facts) {
  return facts.date - std::chrono::ceil<std::chrono::seconds>(facts.now - moment).count();
}

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json host_result(const std::string& ip) { return {{"HostIP", ip}, {"PodIP", ip}}; }

Json host(const std::string& ip, const std::string& name) {
  return {{"hostIP", ip}, {"podIP", ip}, {"podName", name}};
}

Json pod_result(const TargetReport& report, const AgentFacts& facts) {
  Json result = host_result(to_text(report.target.address));
  result["OK"] = report.rtt.measured();
  if (report.answered_at)
    result["PingTime"] = format_timestamp(date_of(*report.answered_at, facts));
  if (report.rtt.measured()) {
    // Whole milliseconds, rounded up: Goldpinger leaves a 0 out, and nothing takes no time.
    result["response-time-ms"] = (report.rtt.p95.us + kMicrosInMilli - 1) / kMicrosInMilli;
    result["status-code"] = 200;
  } else {
    result["error"] = report.asked ? "no answer" : "not asked yet";
  }
  return result;
}

Json pod_results(const AgentFacts& facts) {
  Json results = Json::object();
  for (const TargetReport& report : facts.targets)
    if (is_peer(report, facts)) results[report.target.name] = pod_result(report, facts);
  return results;
}

}  // namespace

std::string goldpinger_check(const AgentFacts& facts) {
  return text_of({{"podResults", pod_results(facts)}, {"probeResults", Json::object()}});
}

std::string goldpinger_check_all(const AgentFacts& facts) {
  Json hosts = Json::array();
  Json own = Json::object();
  if (!facts.address.empty()) {  // readers know hosts by their addresses
    hosts.push_back(host(facts.address, facts.node));
    own = host_result(facts.address);
  }
  std::size_t healthy = hosts.size();
  for (const TargetReport& report : facts.targets) {
    if (!is_peer(report, facts)) continue;
    hosts.push_back(host(to_text(report.target.address), report.target.name));
    if (report.rtt.measured()) ++healthy;
  }
  own["OK"] = true;
  own["response"] = {{"podResults", pod_results(facts)}};
  const std::size_t count = hosts.size();
  return text_of({{"OK", healthy == count},
                  {"hosts", std::move(hosts)},
                  {"hosts-healthy", healthy},
                  {"hosts-number", count},
                  {"probeResults", Json::object()},
                  {"responses", {{facts.node, std::move(own)}}}});
}

std::string agent_matrix(const AgentFacts& facts) {
  std::vector<std::string> names{facts.node};
  std::vector<const TargetReport*> asked;
  for (const TargetReport& report : facts.targets) {
    if (!is_peer(report, facts)) continue;
    names.push_back(report.target.name);
    if (report.asked) asked.push_back(&report);
  }
  std::sort(names.begin(), names.end());
  return write_document(TextFormat::kJson, [&](DocumentSink& sink) {
    put_head(sink, "LatencyMatrix");
    sink.field("nodes", Json(names));
    sink.stream("pairs", asked.size(), [&](std::size_t i, ValueSink& value) {
      const TargetReport& report = *asked[i];
      PairStats stats = stats_of(NameIndex{}, NameIndex{}, report.rtt);
      if (report.answered_at) stats.measured_at = date_of(*report.answered_at, facts);
      put_pair(value, {facts.node, report.target.name}, stats, facts.method);
    });
  });
}

}  // namespace gedge::codec
