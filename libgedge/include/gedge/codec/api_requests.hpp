// gedge/codec/api_requests.hpp - what is asked of a Kubernetes API server, and its answers, as the
// bytes that they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"
#include "gedge/control/leader_election.hpp"
#include "gedge/control/reflector.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/binding.hpp"

namespace gedge::codec {

/// A list or a watch of `path` ("/api/v1/pods"), of objects that pass `field_selector` only. Lists
/// are consistent reads, `page_size` objects a page.
ApiRequest collection_request(std::string_view path, std::string_view field_selector,
                              const ReflectorCall& call, std::uint32_t page_size);

/// GET of the server's version.
ApiRequest version_request();
/// The minor version in its answer: 20 for "1.20+". Errors: why there is none, kInvalidInput for
/// what is no Kubernetes.
Result<int> server_minor(const ApiAnswer& answer);

/// POST of a Binding to the pod; never again before a read, unless the answer says that nothing was
/// done.
ApiRequest bind_request(const BindRequest& bind);
/// GET of the pod from storage.
ApiRequest read_request(const ReadRequest& read);
/// Of servers of this minor version or later, a pod that goes for another one is told so first.
constexpr int kTellsVictims = 26;
/// PATCH of the pod's condition DisruptionTarget, to False where it stays after all; if it still
/// has its UID. `scheduler`: for whose pod it goes; `now`: since when.
ApiRequest victim_request(const EvictRequest& evict, bool stays, std::string_view scheduler,
                          UnixSeconds now);
/// DELETE of the pod, if it still has its UID; of a repair POST of an Eviction, which its
/// disruption budgets may forbid. `minor`: of the server's version.
ApiRequest evict_request(const EvictRequest& evict, int minor);
/// PATCH of the volume's claimRef, if it has none, or of the claim's annotation selected-node.
ApiRequest claim_request(const ClaimRequest& claim);
/// What an answer to it means.
ClaimAnswer claim_answer(const ApiAnswer& answer);
/// PATCH of the pod's nominatedNodeName.
ApiRequest nomination_request(const Nomination& nomination);
/// PATCH of the pod's condition PodScheduled to False; `now`: since when, unless it is so again.
ApiRequest condition_request(const Unschedulable& pod, UnixSeconds now);

/// PATCH of an object: members of `body`, JSON, replace its own; null takes one away. `collection`:
/// of names that were checked.
ApiRequest merge_patch_request(std::string_view collection, std::string_view name,
                               std::string body);

/// GET, POST or PUT of a Lease of coordination.k8s.io/v1.
ApiRequest lease_request(const LeaseCall& call, std::string_view namespace_name,
                         std::string_view name);
/// A Lease in an answer. Errors: it holds none.
Result<Lease> read_lease(const ApiAnswer& answer);

/// An Event of events.k8s.io/v1.
struct ApiEvent {
  std::string kind = "Pod";
  PodName about;  ///< a node has no namespace
  SharedText uid;
  bool is_warning = false;
  std::string reason, action;      ///< "Scheduled", "Binding"
  std::string note;                ///< cut to 1,024 bytes
  std::string api_version = "v1";  ///< of the kind
};
/// Who reports events.
struct EventReporter {
  std::string controller;    ///< the scheduler's name
  std::string instance;      ///< of this process
  std::uint64_t unique = 0;  ///< another one for each event
};
ApiRequest event_request(const ApiEvent& event, const EventReporter& reporter, UnixSeconds now);
/// It happened again: PATCH of the one that was reported under the number `first`, of the same
/// object.
ApiRequest event_again_request(const ApiEvent& event, std::uint64_t first, std::uint64_t times,
                               UnixSeconds now);

/// To be added to the target of a write: the server gives up when we do.
std::string timeout_query(Nanos timeout);

/// The object is not there. A 404 of what stands between, or of a server that is starting, does not
/// say so.
bool is_missing(const ApiAnswer& answer);

/// What an answer to bind_request() means.
BindAnswer bind_answer(const ApiAnswer& answer);
/// What an answer to evict_request() means.
EvictAnswer evict_answer(const ApiAnswer& answer);
/// What an answer to read_request() means.
PodReading pod_reading(const ApiAnswer& answer);

/// Why a server did not do as it was asked: the message of its Status, else the first of what it
/// sent. For messages, with control characters as they came, but without credentials.
Error refusal(const ApiAnswer& answer, std::string_view what);
/// The first 200 bytes, for messages in the same way.
std::string begin_of_answer(std::string_view body);

}  // namespace gedge::codec
