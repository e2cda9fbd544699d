// gedge/sim/cluster_link.hpp - a scheduler's connection to a simulated cluster, as good or as bad
// as is asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "gedge/base/split_mix.hpp"
#include "gedge/model/scenario.hpp"
#include "gedge/port/cluster_link.hpp"
#include "gedge/port/pace.hpp"
#include "gedge/sim/world.hpp"

namespace gedge {

/// Sees everything that goes over a link; told before the scheduler is.
class SimWitness {
 public:
  virtual ~SimWitness() = default;
  virtual void sent(const BindRequest& bind) = 0;
  /// The server did what it was asked. `uid`: of the pod that had the name then.
  virtual void done(const BindRequest& bind, const SharedText& uid, BindAnswer answer) = 0;
  virtual void answered(const BindRequest& bind, BindAnswer answer) = 0;
  virtual void answered(const ReadRequest& read, const PodReading& reading) = 0;
  virtual void told(const ClusterEvent& event) = 0;
  virtual void listed(const Facts& all) = 0;
  /// From now on nothing is told, until everything is listed.
  virtual void broke() = 0;
};

struct SimLinkOptions {
  ScenarioTiming timing;
  ScenarioFaults faults;
  std::uint64_t seed = 0;
  SimWitness* witness = nullptr;  ///< outlives the link
};

class SimLink final : public ClusterLink {
 public:
  /// Counts time from `begin` of `pace` on: that moment is 0 in the world. Both outlive the link;
  /// a world has one link at a time, and a later one has the `begin` of the first.
  SimLink(SimWorld& world, Pace& pace, const SimLinkOptions& options, Nanos begin = Nanos{0});
  /// What was sent may still be done, as after the death of a client.
  ~SimLink() override;

  void bind(const BindRequest& request) override;
  void read(const ReadRequest& request) override;
  void evict(const EvictRequest& request) override;
  void claim(const ClaimRequest& request) override;
  void nominate(const Nomination& nomination) override { world_.nominate(nomination); }
  void tell(const Unschedulable& pod) override;
  void tell(const Overcommit&) override {}
  void tell(const Misplaced&) override {}
  std::size_t untold() const override { return 0; }
  bool is_synced() const override;
  void leave(bool /*is_told_back*/) override {}
  /// Errors too: those of acts in the world.
  Status wait(Nanos most, ClusterListener& listener) override;
  void wake() override { pace_.wake(); }

  /// From now on nothing goes wrong.
  void calm_down();
  /// The client died: a fault that whoever runs it has to see to. False from then on.
  bool wants_restart() { return std::exchange(wants_restart_, false); }
  /// Requests that are not answered.
  std::size_t under_way() const { return requests_.size() + answers_.size(); }
  /// The scheduler knows all that happened, and what became of all that it asked for.
  bool has_told_all() const;
  /// Things that went wrong; what was only late does not count.
  std::uint64_t faults() const { return faults_; }

 private:
  struct Message {
    BindRequest bind;
    std::optional<ReadRequest> read;    // a read, or
    std::optional<EvictRequest> evict;  // an eviction, or
    std::optional<ClaimRequest> claim;  // of a volume, else a bind
    bool is_lost = false;               // before it is done
    bool is_mute = false;               // done, but nobody is told
    Nanos answered_after{0};
  };
  using Deliver = std::function<void(ClusterListener&)>;

  bool chance(std::uint32_t parts_per_million);
  Nanos up_to(Nanos most);
  Nanos now() const { return Nanos(pace_.now()) - begin_; }
  std::optional<Nanos> next() const;
  Status run(Nanos now);
  void act(const Message& message, Nanos now);
  void watch(Nanos now);
  bool is_still_there(std::size_t version) const;
  void tell_event(std::size_t version, Nanos at);
  void list(Nanos at);
  bool deliver(Nanos now, ClusterListener& listener);

  SimWorld& world_;
  Pace& pace_;
  SimLinkOptions options_;
  Nanos begin_;
  SplitMix dice_;
  std::multimap<Nanos, Message> requests_;  // by arrival
  std::multimap<Nanos, Deliver> answers_;
  std::deque<std::pair<Nanos, Deliver>> told_;  // of the watch, in order
  std::size_t seen_ = 0;                        // version up to which told_ tells
  std::uint64_t rtt_seen_ = 0;
  std::optional<Nanos> list_at_ = Nanos{0};  // the watch is broken until then
  std::optional<Nanos> broken_at_;           // and since then
  bool is_listed_ = false, wants_restart_ = false;
  std::uint64_t faults_ = 0;
};

}  // namespace gedge
