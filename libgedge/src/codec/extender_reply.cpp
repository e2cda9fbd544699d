// codec/extender_reply.cpp - what an extender replies to kube-scheduler.
#include <utility>

#include "codec/document_sink.hpp"
#include "codec/metrics.hpp"
#include "codec/status_replies.hpp"
#include "gedge/codec/extender.hpp"

namespace gedge {
namespace {

using codec::Json;
using codec::Metrics;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpReply json_reply(unsigned status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.content_type = "application/json";
  reply.body = std::move(body);
  return reply;
}

std::string metrics_text(const ExtenderFacts& facts) {
  const ExtenderCounts& counts = facts.counts;
  Metrics metrics;
  metrics.family("gedge_synced", "gauge", "1: the whole cluster is known.");
  metrics.sample("", facts.is_synced ? "1" : "0");
  metrics.family("gedge_extender_calls_total", "counter", "Calls that were understood, by verb.");
  metrics.sample("verb=\"filter\"", std::to_string(counts.filters));
  metrics.sample("verb=\"prioritize\"", std::to_string(counts.prioritizes));
  metrics.sample("verb=\"preempt\"", std::to_string(counts.preempts));
  metrics.count("gedge_extender_refused_pods_total", "Pods that no node was named for.",
                counts.refused);
  metrics.count("gedge_extender_narrowed_pods_total",
                "Pods that one node was named for, since others depend on it.", counts.narrowed);
  metrics.family("gedge_binds_total", "counter",
                 "Binds that were asked for, by what came of them.");
  metrics.sample("result=\"bound\"", std::to_string(counts.bound));
  metrics.sample("result=\"refused\"", std::to_string(counts.not_bound));
  metrics.count("gedge_extender_bad_requests_total", "Requests that were not understood.",
                facts.refused_requests);
  metrics.family("gedge_extender_held_places", "gauge",
                 "Places held for pods that were not seen there yet.");
  metrics.sample("", std::to_string(facts.held));
  metrics.family("gedge_known_objects", "gauge", "Objects of the cluster that are known, by kind.");
  metrics.sample("kind=\"node\"", std::to_string(facts.nodes));
  metrics.sample("kind=\"pod\"", std::to_string(facts.pods));
  metrics.count("gedge_state_rebuilds_total", "How often the state was made anew.", facts.rebuilds);
  return metrics.take();
}

HttpReply readiness(const ExtenderFacts& facts) {
  if (facts.is_synced) return codec::text_reply(200, "ok");
  std::string missing = "not listed yet:";
  for (const std::string& path : facts.unsynced) missing += ' ' + path;
  return codec::text_reply(503, missing);
}

}  // namespace

// Objects of nodes are as they came: they are put between what is made here.
HttpReply filter_reply(const ExtenderCall& call, const std::vector<NodeVerdict>& verdicts) {
  Json failed = Json::object(), unresolvable = Json::object(), names = Json::array();
  std::string objects;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].passes) {
      if (call.by_name)
        names.push_back(call.nodes[i]);
      else
        objects.append(objects.empty() ? "" : ",").append(call.node_objects[i]);
    } else if (!verdicts[i].why.empty()) {
      failed[call.nodes[i]] = verdicts[i].why;
      if (verdicts[i].is_unresolvable) unresolvable[call.nodes[i]] = verdicts[i].why;
    }
  }
  std::string body =
      call.by_name ? R"({"Nodes":null,"NodeNames":)" + text_of(names)
                   : R"({"Nodes":{"metadata":{},"items":[)" + objects + R"(]},"NodeNames":null)";
  body += R"(,"FailedNodes":)" + text_of(failed);
  body += R"(,"FailedAndUnresolvableNodes":)" + text_of(unresolvable) + R"(,"Error":""})";
  return json_reply(200, std::move(body));
}

HttpReply prioritize_reply(const ExtenderCall& call, const std::vector<int>& scores) {
  Json list = Json::array();
  for (std::size_t i = 0; i < scores.size(); ++i)
    list.push_back({{"Host", call.nodes[i]}, {"Score", scores[i]}});
  return json_reply(200, text_of(list));
}

HttpReply preempt_reply(const ExtenderCall& call, const std::vector<bool>& may) {
  Json nodes = Json::object();
  for (std::size_t i = 0; i < may.size(); ++i) {
    if (!may[i]) continue;
    Json pods = Json::array();
    for (const std::string& uid : call.victims[i].uids) pods.push_back({{"UID", uid}});
    nodes[call.victims[i].node] = {{"Pods", std::move(pods)},
                                   {"NumPDBViolations", call.budget_violations[i]}};
  }
  return json_reply(200, text_of(Json{{"NodeNameToMetaVictims", std::move(nodes)}}));
}

HttpReply bind_reply(const std::string& error) {
  return json_reply(200, text_of(Json{{"Error", error}}));
}

// The replies to these two have no room for words.
HttpReply extender_failure(ExtenderVerb verb, const std::string& error) {
  const bool is_silent = verb == ExtenderVerb::kPrioritize || verb == ExtenderVerb::kPreempt;
  return json_reply(is_silent ? 503 : 200, text_of(Json{{"Error", error}}));
}

HttpReply extender_refusal(HttpFault fault) {
  const codec::FaultText text = codec::fault_text(fault);
  return json_reply(text.status, text_of(Json{{"Error", text.text}}));
}

HttpReply extender_status_reply(const HttpRequest& request, const ExtenderFacts& facts) {
  return codec::status_reply(
      request, {facts.is_alive, readiness(facts), [&facts] { return metrics_text(facts); }});
}

}  // namespace gedge
