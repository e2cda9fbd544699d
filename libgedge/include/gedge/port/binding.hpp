// gedge/port/binding.hpp - what is asked of a cluster about one pod, and what it may answer.
#pragma once

#include <cstdint>
#include <string>

#include "gedge/base/shared_text.hpp"
#include "gedge/model/fact_name.hpp"

namespace gedge {

/// A bind to be sent. `ticket` names it in the answer.
struct BindRequest {
  std::uint64_t ticket = 0;
  PodName pod;
  SharedText uid, node;
};

/// A pod to be read from the server's storage, not from a cache.
struct ReadRequest {
  std::uint64_t ticket = 0;
  PodName pod;
};

enum class BindAnswer : std::uint8_t {
  kBound,
  kGone,      ///< the server knows no such pod
  kConflict,  ///< it has a node already, or another UID
  kRefused,   ///< the server did not do it: forbidden, invalid, too many requests
  kNotSent,   ///< the server is not there, or cannot be asked: it did nothing
  kUnknown,   ///< nobody knows: a time-out, a broken connection, an error of the server
};

/// What the server's storage says of a pod.
struct PodReading {
  enum class Kind : std::uint8_t { kFound, kMissing, kUnreadable } kind = Kind::kUnreadable;
  SharedText uid, node;      ///< kFound; `node` is empty where it has none
  bool is_finished = false;  ///< kFound; it takes no place any more
};

/// A pod that is to go: so that another one gets its place, or because its node has too much.
/// `ticket` names it in the answer.
struct EvictRequest {
  std::uint64_t ticket = 0;
  PodName pod;
  SharedText uid;
  PodName by;       ///< for whom; nobody, where its node has too much
  SharedText node;  ///< that both mean
  /// What its node has too much of, "4200m of 4 cpu". Empty: it goes for another one.
  std::string too_much = {};
  bool within_budgets = false;  ///< it goes only if its disruption budgets allow it

  bool is_repair() const { return !too_much.empty(); }
};

enum class EvictAnswer : std::uint8_t {
  kGoing,    ///< or gone, or another one by now
  kFailed,   ///< it may be there still
  kRefused,  ///< it stays: the server does not let us, and will say so again
};

/// A pod that was bound where it does not fit: a server takes a bind for whoever has the name, and
/// to whatever its node has become meanwhile.
struct Misplaced {
  PodName pod;
  SharedText uid, node;
};

/// A claim that waited for its first pod, which has a place now. `ticket` names it in the answer.
struct ClaimRequest {
  std::uint64_t ticket = 0;
  PodName claim;
  SharedText uid;     ///< of the claim
  SharedText volume;  ///< that it is to be bound to; empty: one is to be made for `node`
  SharedText node;
  bool is_annotated = false;  ///< the volume has annotations
};

enum class ClaimAnswer : std::uint8_t {
  kAsked,    ///< the cluster has it in writing
  kRefused,  ///< the volume is another's, or the claim is gone
  kUnknown,
};

/// A pod for which others had to go is promised a node.
struct Nomination {
  PodName pod;
  SharedText uid, node;  ///< `node` empty: the promise is taken back
};

/// What a pod that waits should be told: kube-scheduler's condition PodScheduled=False.
struct Unschedulable {
  PodName pod;
  SharedText uid, message;
  bool is_again = false;  ///< it was told before: it waits since then
};

}  // namespace gedge
