// gedge/codec/extender.hpp - the extender protocol of kube-scheduler, version 1.
//
//   POST          asks                                         reply
//   /filter       Pod; Nodes, or NodeNames where the           the same nodes or names, of those
//                 scheduler has nodeCacheCapable               that pass; FailedNodes,
//                                                              FailedAndUnresolvableNodes, Error
//   /prioritize   the same                                     [{Host, Score}], 0..10
//   /preempt      Pod; NodeNameToVictims or                    NodeNameToMetaVictims
//                 NodeNameToMetaVictims
//   /bind         PodName, PodNamespace, PodUID, Node          Error
//
// Names of members are capitalised; those of the pod and the nodes are Kubernetes' own. Nodes are
// handed back byte for byte. What is asked wrongly gets a status from 400 and {"Error": why}: of
// replies, kube-scheduler reads those of status 200 only. GET /livez, /readyz, /metrics as other
// daemons.
//
// Source: k8s.io/kube-scheduler extender/v1, pkg/scheduler/extender.go. Before 1.21 there was no
// FailedAndUnresolvableNodes, so such nodes are in FailedNodes as well; since then it has
// precedence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gedge/control/extender.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge {

enum class ExtenderVerb : std::uint8_t { kFilter, kPrioritize, kPreempt, kBind };

/// Lives as long as the body of its request.
struct ExtenderCall {
  ExtenderVerb verb = ExtenderVerb::kFilter;
  Facts pod;                                    ///< the one pod; none of a bind
  std::vector<std::string> nodes;               ///< names, in their order
  bool by_name = false;                         ///< nothing but the names was sent
  std::vector<std::string_view> node_objects;   ///< [nodes], JSON; none of them by name
  std::vector<NodeVictims> victims;             ///< of a preemption
  std::vector<std::int64_t> budget_violations;  ///< [victims], to be handed back
  PodName pod_name;                             ///< of a bind, as what follows
  std::string uid, node;
};

/// The call, or the reply that says what is wrong with it. `compat`: of reading pods. Requests of
/// other sites' pages, and to a Host that is neither an address nor localhost, are refused.
std::variant<ExtenderCall, HttpReply> read_extender_call(const HttpRequest& request, Compat compat);
/// Whether the path is one of the verbs'.
bool is_extender_call(const HttpRequest& request);
/// Facts of nodes that came with a call. Errors: those of reading them.
Result<Facts> read_extender_nodes(std::span<const std::string_view> objects, Compat compat);

HttpReply filter_reply(const ExtenderCall& call, const std::vector<NodeVerdict>& verdicts);
HttpReply prioritize_reply(const ExtenderCall& call, const std::vector<int>& scores);
HttpReply preempt_reply(const ExtenderCall& call, const std::vector<bool>& may);
/// `error` empty: it is bound.
HttpReply bind_reply(const std::string& error);
/// A call that was understood and cannot be answered; status 200 where the protocol has a member
/// for that.
HttpReply extender_failure(ExtenderVerb verb, const std::string& error);
/// The reply where no request came to be.
HttpReply extender_refusal(HttpFault fault);

/// What /livez, /readyz and /metrics say.
struct ExtenderFacts {
  bool is_alive = true, is_synced = true;
  std::vector<std::string> unsynced;
  ExtenderCounts counts;
  std::uint64_t held = 0, nodes = 0, pods = 0, rebuilds = 0;
  std::uint64_t refused_requests = 0;  ///< with a status from 400
};
HttpReply extender_status_reply(const HttpRequest& request, const ExtenderFacts& facts);

}  // namespace gedge
