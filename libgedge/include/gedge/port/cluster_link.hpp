// gedge/port/cluster_link.hpp - a cluster as a scheduler deals with it: what is so, as it becomes
// known, and the few things that are asked of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/effect/overcommit.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/port/binding.hpp"

namespace gedge {

/// Told of what a cluster says, in its order, in the thread that waits for it.
class ClusterListener {
 public:
  virtual ~ClusterListener() = default;
  /// Objects that came or changed, each whole.
  virtual void put(Facts objects) = 0;
  /// The same, of a list that was read from storage: it is never older than what was told before,
  /// but of a store that was put back.
  virtual void put_listed(Facts objects) { put(std::move(objects)); }
  /// `uid`: of the one that went; empty: whichever has the name.
  virtual void remove(FactKind kind, std::string_view namespace_name, std::string_view name,
                      std::string_view uid) = 0;
  /// These are all objects of their kind; each was put, now or before. Kinds without
  /// namespaces are named without one.
  virtual void keep_only(FactKind kind, std::vector<PodName> names) = 0;
  /// All round-trip times anew, of a cluster that carries them.
  virtual void measured(RttMatrix&& /*rtt*/) {}
  virtual void answer(std::uint64_t ticket, BindAnswer answer) = 0;
  virtual void answer(std::uint64_t ticket, const PodReading& reading) = 0;
  virtual void answer(std::uint64_t ticket, EvictAnswer answer) = 0;
  virtual void answer(std::uint64_t ticket, ClaimAnswer answer) = 0;
  /// The server has too much to do: what can wait is not to be asked for in so long.
  virtual void rest(Nanos /*how_long*/) {}
  /// Something went wrong that the link itself will try again, or an object that cannot be read.
  virtual void failed(const Error& error) = 0;
  /// Something that had failed works again: what fails from now on is news.
  virtual void recovered() {}
};

class ClusterLink {
 public:
  virtual ~ClusterLink() = default;

  // None of these waits.
  virtual void bind(const BindRequest& request) = 0;
  virtual void read(const ReadRequest& request) = 0;
  virtual void evict(const EvictRequest& request) = 0;
  virtual void claim(const ClaimRequest& request) = 0;
  // Best effort: nobody is told what became of these.
  virtual void nominate(const Nomination& nomination) = 0;
  virtual void tell(const Unschedulable& pod) = 0;
  virtual void tell(const Overcommit& node) = 0;
  virtual void tell(const Misplaced& pod) = 0;

  /// What was asked for with best effort and is still to be sent or answered.
  virtual std::size_t untold() const = 0;
  /// Everything was listed once since the link was made, and changes have been told since, but for
  /// the last minute, and all that others did before us: what was told so far is a whole cluster.
  /// Nor is in doubt whether that is still the same one.
  virtual bool is_synced() const = 0;
  /// Why is_synced() is false, where what it needs has failed for a while; null: it has not.
  virtual const Error* failing() const { return nullptr; }
  /// Somebody is about to decide: what has been silent for a minute is asked whether it still
  /// speaks, and is_synced() waits for that.
  virtual void refresh() {}
  /// No more writes will come: what was held for them is given away, untold() says when.
  /// `is_told_back`: of all binds and evictions it has been told since that they were done, so that
  /// whoever has heard as much knows them.
  virtual void leave(bool is_told_back) = 0;
  /// Hands over what has come; waits at most `most` for the first of it, and where much comes a
  /// moment for more. Errors: what no waiting mends.
  virtual Status wait(Nanos most, ClusterListener& listener) = 0;
  /// From any thread: wait() returns soon.
  virtual void wake() = 0;
};

}  // namespace gedge
