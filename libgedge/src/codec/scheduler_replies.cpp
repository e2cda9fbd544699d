#include "gedge/codec/scheduler_replies.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "codec/metrics.hpp"
#include "codec/status_replies.hpp"

namespace gedge {
namespace {

using codec::Metrics;
using codec::text_reply;

HttpReply readiness(const SchedulerFacts& facts) {
  if (facts.is_synced) return text_reply(200, "ok");
  if (!facts.is_leading && facts.unsynced.empty())
    return text_reply(200, "ok, waits for the lease");
  std::string missing = "not listed yet, or not heard of for too long:";
  for (const std::string& path : facts.unsynced) missing += ' ' + path;
  return text_reply(503, facts.is_leading ? missing : missing + "; waits for the lease");
}

void add_counts(Metrics& metrics, const SchedulerFacts& facts) {
  const SchedulerCounts& counts = facts.counts;
  metrics.family("gedge_schedule_attempts_total", "counter", "Decisions about pods, by result.");
  metrics.sample("result=\"placed\"", std::to_string(counts.attempts - counts.unschedulable));
  metrics.sample("result=\"unschedulable\"", std::to_string(counts.unschedulable));
  metrics.family("gedge_binds_total", "counter", "Binds that were sent, by what came of them.");
  const std::array<std::pair<const char*, std::uint64_t>, 5> binds{
      {{"result=\"bound\"", counts.bound},
       {"result=\"unsent\"", counts.unsent},
       {"result=\"refused\"", counts.refused},
       {"result=\"gone\"", counts.gone},
       {"result=\"unclear\"", counts.unclear}}};
  for (const auto& [labels, value] : binds) metrics.sample(labels, std::to_string(value));
  metrics.durations("gedge_bind_duration_seconds",
                    "From when a bind was sent until its answer, whatever that was.",
                    facts.bind_times);
  metrics.count("gedge_preemptions_total",
                "Pods for which others were asked to go, once for each time.", counts.preemptions);
  metrics.count("gedge_preemption_victims_total", "Pods that were asked to go for these.",
                counts.victims);
  metrics.count("gedge_flushed_pods_total",
                "Pods that were tried again only because they had waited too long.",
                counts.flushed);
  metrics.count("gedge_overcommits_total",
                "Nodes that got more than they have, by other hands than this scheduler's.",
                counts.overcommits);
  metrics.family("gedge_repairs_total", "counter",
                 "Pods that were asked to leave such a node, by what came of it.");
  metrics.sample("result=\"asked\"", std::to_string(counts.repairs - counts.repairs_refused));
  metrics.sample("result=\"refused\"", std::to_string(counts.repairs_refused));
  metrics.count("gedge_replaced_pods_total",
                "Pods that were made anew under their name while they were being bound.",
                counts.replaced);
  metrics.count("gedge_misplaced_pods_total",
                "Pods that do not fit where they were bound: of those, or the node had changed.",
                counts.misplaced);
}

void add_queues(Metrics& metrics, const SchedulerFacts& facts) {
  metrics.family("gedge_pending_pods", "gauge", "Pods of this scheduler that wait, by queue.");
  const std::array<std::pair<const char*, std::uint64_t>, 6> queues{
      {{"queue=\"active\"", facts.active},
       {"queue=\"backoff\"", facts.backing_off},
       {"queue=\"unschedulable\"", facts.parked},
       {"queue=\"volumes\"", facts.awaiting},
       {"queue=\"binding\"", facts.binding},
       {"queue=\"unclear\"", facts.unclear}}};
  for (const auto& [labels, value] : queues) metrics.sample(labels, std::to_string(value));
  metrics.family("gedge_overcommitted_nodes", "gauge", "Of these, nodes that have too much now.");
  metrics.sample("", std::to_string(facts.overcommitted));
  metrics.family("gedge_known_objects", "gauge", "Objects of the cluster that are known, by kind.");
  metrics.sample("kind=\"node\"", std::to_string(facts.nodes));
  metrics.sample("kind=\"pod\"", std::to_string(facts.pods));
}

std::string metrics_text(const SchedulerFacts& facts) {
  Metrics metrics;
  metrics.family("gedge_synced", "gauge", "1: the whole cluster is known, as of the last minute.");
  metrics.sample("", facts.is_synced ? "1" : "0");
  metrics.family("gedge_leading", "gauge", "1: this process may write.");
  metrics.sample("", facts.is_leading ? "1" : "0");
  metrics.count("gedge_lease_seizures_total",
                "How often the Lease was taken from a holder whose time was not over.",
                facts.lease_seizures);
  metrics.family("gedge_paused", "gauge", "1: nobody answers binds, and few are sent.");
  metrics.sample("", facts.is_paused ? "1" : "0");
  metrics.family("gedge_profile_info", "gauge", "1: the profiles that decide now.");
  metrics.sample("fingerprint=\"" + facts.profile + "\"", "1");
  metrics.family("gedge_profile_reads_total", "counter",
                 "Profiles that were read while it ran, by what came of them.");
  metrics.sample("result=\"used\"", std::to_string(facts.profiles_used));
  metrics.sample("result=\"refused\"", std::to_string(facts.profiles_refused));
  add_counts(metrics, facts);
  add_queues(metrics, facts);
  metrics.count("gedge_state_rebuilds_total", "How often the state was made anew.", facts.rebuilds);
  metrics.count("gedge_api_lists_total", "Lists that were begun.", facts.lists);
  metrics.count("gedge_api_watches_total", "Watches that were begun.", facts.watches);
  metrics.count("gedge_api_objects_total", "Objects that were read.", facts.objects);
  metrics.count("gedge_api_unreadable_objects_total", "Objects that could not be read.",
                facts.unreadable);
  metrics.count("gedge_api_unknown_changes_total",
                "Changes of a type that is not known, which were left alone.",
                facts.unknown_changes);
  metrics.count("gedge_events_dropped_total", "Events that were not sent in time.",
                facts.events_dropped);
  return metrics.take();
}

}  // namespace

HttpReply scheduler_reply(const HttpRequest& request, const SchedulerFacts& facts) {
  return codec::status_reply(request, {facts.is_alive, readiness(facts),
                                       [&facts] { return metrics_text(facts); }, facts.any_host});
}

HttpReply scheduler_denial() {
  HttpReply reply = text_reply(401, "a token that is known is needed");
  reply.challenge = "Bearer";
  return reply;
}

HttpReply scheduler_refusal(HttpFault fault) {
  const codec::FaultText text = codec::fault_text(fault);
  return text_reply(text.status, text.text);
}

}  // namespace gedge
