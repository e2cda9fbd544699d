// gedge/effect/reason.hpp - why a node was rejected, as data; words come later.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

/// "No", and "no, and evicting pods would not help".
enum class Verdict : std::uint8_t { kUnschedulable, kUnresolvable };

enum class Reason : std::uint8_t {
  kNodeUnschedulable,
  kNodeName,
  kUntoleratedTaint,  // subject: "KEY: VALUE"
  kNodeAffinity,      // subject: ""; kAddedAffinity where the profile's terms reject
  kPorts,             // subject: "8080/TCP"
  kTooManyPods,       // measured, limit: pods
  kInsufficient,  // subject: resource name; measured: what would be requested; limit: allocatable
  kSpreadLabelMissing,    // subject: topology key
  kSpread,                // subject: topology key; measured: skew; limit: maxSkew
  kPodAffinity,           // subject: topology key
  kPodAntiAffinity,       // subject: topology key
  kExistingAntiAffinity,  // subject: namespace/pod that objects
  kVolumeZone,            // subject: volume
  kVolumeNodeAffinity,    // subject: volume
  kClaimMissing,          // subject: claim
  kClaimUnbound,          // subject: claim; immediate binding, but not bound yet
  kClaimTerminating,      // subject: claim
  kClaimNotOwned,         // subject: claim; the pod's ephemeral volume was not made for it
  kNoVolume,              // subject: claim; no volume could be bound on this node
  kVolumeMissing,         // subject: volume; the claim is bound to it, but it does not exist
  kOverBudget,            // subject: from; measured, limit: microseconds
  kUnmeasuredRtt,         // subject: from; limit: microseconds
  kUnknownPeer,           // subject: from
  kPeerNotPlaced,         // subject: from
  kBreaksBudget,          // subject: namespace/pod whose budget towards this pod would break
  kGpuCard,   // subject: resource; measured: largest free share of one card; limit: share asked for
  kGpuModel,  // subject: the models asked for
  kNotCloud,  // not a cloud node, and the pod has no delay budget
  kModule,    // subject: text of a policy module
};

/// Subject of kNodeAffinity where not the pod but the profile (addedAffinity) demands the terms.
inline constexpr std::string_view kAddedAffinity = "addedAffinity";

enum class Unit : std::uint8_t { kNone, kMilliCpu, kBytes, kCount, kMicros, kThousandths };
/// "milliCpu", "bytes", "count", "us", "thousandths"; "" for kNone.
std::string_view to_string(Unit unit);

/// `measured` or `limit` that does not apply.
inline constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

struct Evidence {
  Reason reason = Reason::kModule;
  Verdict verdict = Verdict::kUnschedulable;
  std::int64_t measured = kNoNumber;
  std::int64_t limit = kNoNumber;
  Unit unit = Unit::kNone;
  std::string subject = {};
};

/// The texts kube-scheduler of that version would count for this evidence, in its order; most
/// reasons give one, InterPodAffinity under 1.20 gives two.
std::vector<std::string> reason_texts(const Evidence& evidence, Compat compat);

/// Receives the evidence while a filter runs. Filters get null where nobody listens; then they must
/// not spend time on evidence.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// At least one call for each row that the running filter clears; several where it has several
  /// reasons.
  virtual void reject(NodeIndex node, Evidence evidence) = 0;
};

}  // namespace gedge
