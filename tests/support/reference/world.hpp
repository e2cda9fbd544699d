// support/reference/world.hpp - the site as a reference planner sees it: objects in lists, nothing
// precomputed but the labels and the requests of a pod.
//
// The reference is written from the specification and Kubernetes' documented behaviour, never from
// the engine. It uses the value types of base, model, latency and effect, and plain loops over
// objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"

namespace gedge::reference {

/// One pod at one moment: where it is, if anywhere.
struct Seat {
  const Pod* pod = nullptr;
  const PodSpec* spec = nullptr;
  Labels labels;               ///< template and own
  const Node* node = nullptr;  ///< null: not placed
  std::size_t turn = 0;        ///< when it took its place: 0 for bound pods, then as the plan goes
  bool pending = false;        ///< one of those that a plan places
  Resources requests,
      nonzero;  ///< requests_of and nonzero_requests_of, because they are asked for so often
};

/// A claim that waited for its first consumer, and what a placed pod got for it.
struct TakenClaim {
  const PersistentVolumeClaim* claim = nullptr;
  const PersistentVolume* volume = nullptr;  ///< null: one is being provisioned
  const Node* node = nullptr;
};

/// Everything that a decision may look at. Cheap to change: placing a pod sets its `node`.
struct World {
  const Facts* facts = nullptr;
  const RttMatrix* rtt = nullptr;
  std::string rtt_by;
  Compat compat = Compat::k1_36;
  std::vector<Seat> seats;  ///< parallel to facts->pods
  std::vector<TakenClaim> taken;

  bool is_1_20() const { return compat == Compat::k1_20; }
  const Node* find_node(std::string_view name) const;
  const Namespace* find_namespace(std::string_view name) const;
  /// Seats on `node`, in no meaningful order.
  std::vector<const Seat*> on(const Node& node) const;
};

/// Bound pods sit on their node unless they have ended or the node does not exist.
World make_world(const Facts& facts, const RttMatrix& rtt, std::string rtt_by, Compat compat);

/// What the pod of `seat`, which has its node now, gets for its waiting claims.
void take_volumes(World& world, const Seat& seat);
/// Takes a pod from its node, and back what it alone got for its claims.
void lift(World& world, Seat& seat);

/// A seat that a delay budget can name: its pod object exists and is not over.
bool is_alive(const Seat& seat);

/// What one pod asks for: by resource name, overhead included.
Resources requests_of(const PodSpec& spec, Compat compat);
/// The same with 100m and 200 MiB for containers that ask for no cpu or memory.
Resources nonzero_requests_of(const PodSpec& spec, Compat compat);
/// nonzero_requests_of for the pod being scored: 1.20 adds overhead cpu in whole cores to the
/// thousandths.
Resources incoming_requests_of(const PodSpec& spec, Compat compat);

bool tolerates(const PodSpec& spec, const Taint& taint);
/// nodeSelector and required node affinity.
bool matches_node_affinity(const PodSpec& spec, const Node& node);

}  // namespace gedge::reference
