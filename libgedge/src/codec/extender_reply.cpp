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
  std::string missing = "not listed yet, or not heard of for too long:";
  for (const std::string& path : facts.unsynced) missing += ' ' + path;
  return codec::text_reply(503, missing);
}

}  // namespace

// Objects of nodes are as they came: they are put between what is made here. No tree is built of
// what may be thousands of members.
HttpReply filter_reply(const ExtenderCall& call, const std::vector<NodeVerdict>& verdicts) {
  std::string passing, failed, unresolvable, why, quoted_why;
  const auto add = [](std::string& list, std::string_view name, std::string_view value) {
    if (!list.empty()) list += ',';
    list.append(name);
    if (!value.empty()) list.append(":").append(value);
  };
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const NodeVerdict& verdict = verdicts[i];
    if (verdict.passes) {
      add(passing, call.by_name ? text_of(call.nodes[i]) : std::string(call.node_objects[i]), {});
      continue;
    }
    if (verdict.why.empty()) continue;
    if (verdict.why != why) quoted_why = text_of(why = verdict.why);  // mostly the same
    const std::string name = text_of(call.nodes[i]);
    add(failed, name, quoted_why);
    if (verdict.is_unresolvable) add(unresolvable, name, quoted_why);
  }
  std::string body =
      call.by_name ? R"({"Nodes":null,"NodeNames":[)" + passing + ']'
                   : R"({"Nodes":{"metadata":{},"items":[)" + passing + R"(]},"NodeNames":null)";
  body += R"(,"FailedNodes":{)" + failed + R"(},"FailedAndUnresolvableNodes":{)" + unresolvable +
          R"(},"Error":""})";
  return json_reply(200, std::move(body));
}

HttpReply prioritize_reply(const ExtenderCall& call, const std::vector<int>& scores) {
  std::string body = "[";
  for (std::size_t i = 0; i < scores.size(); ++i) {
    body.append(i == 0 ? R"({"Host":)" : R"(,{"Host":)").append(text_of(call.nodes[i]));
    body.append(R"(,"Score":)").append(std::to_string(scores[i])).append("}");
  }
  return json_reply(200, body + "]");
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
