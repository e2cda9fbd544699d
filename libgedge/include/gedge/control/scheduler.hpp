// gedge/control/scheduler.hpp - which pod is tried when, and what becomes of it.
//
// A state machine without sockets, threads and clocks: what the API server says and the time go in,
// requests come out. Every pod of ours that waits for a place is in exactly one state, and every
// attempt ends in exactly one of bound, requeued with a reason, gone:
//
//              place          bind answered         said to be bound
//   active ------------> binding ---------> bound -----------------> (forgotten)
//     ^ |                  | | unknown
//     | | no node          | +---------> unclear --- read: bound -> bound, else -> backoff
//     | v                  v refused
//   unschedulable ----> backoff
//        woken by events, or after the flush
//
// Between its place and its bind a pod may be awaiting volumes: then the claims that waited for it
// are asked to be bound, and when they are, it is bound if its place is still one, else it backs
// off.
//
// Pods of a pod group are tried together, whichever of them woke; nobody goes for them. One whose
// bind was refused keeps its place for some attempts, so that no other comes between. A pod with
// scheduling gates does not wait for a place before they are gone.
//
// A place is held from the decision until the server says that the pod does not have it; also after
// the pod went, while a bind of it may still meet the next pod of its name.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/effect/overcommit.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "gedge/port/binding.hpp"

namespace gedge {

struct SchedulerOptions {
  Nanos initial_backoff{1'000'000'000}, max_backoff{10'000'000'000};
  Nanos flush_after{300'000'000'000};   ///< a pod that no event woke is tried again
  Nanos refused_pause{60'000'000'000};  ///< before the server is asked anew whether others may go
  /// Sent and not answered: so many at first, and one more with each answer up to the most. A
  /// server that has much to do at once answers everybody late: after a start the first of eight
  /// was seen 10 ms later than the first of two. One that asks for a rest gets half as many.
  std::size_t first_binds = 2, max_binds = 100;
  // In a turn: of an advance() that may do more, next() says that it is to be called again soon.
  std::size_t most_tried = 1'000;         ///< pods, but whole groups of them
  std::size_t most_searches = 8;          ///< for who would have to go: 50 ms on 5,000 nodes
  bool preempts = true;                   ///< less important pods go for those that fit nowhere
  Nanos volumes_within{600'000'000'000};  ///< for claims to be bound, as VolumeBinding upstream
  /// Nothing will be done: binds are asked for at once, and what they would have done is so.
  bool is_dry_run = false;
  Nanos first_pause{500'000'000}, max_pause{4'000'000'000};     ///< of binds that nobody answers
  Nanos first_reread{200'000'000}, max_reread{30'000'000'000};  ///< of pods that cannot be read
  // Of a node that somebody else overfilled, where the profile says `overcommit: evict`.
  Nanos first_repair{5'000'000'000}, max_repair{300'000'000'000};  ///< after a refusal
  Nanos repair_within{30'000'000'000};  ///< for one that was asked to go to be gone
  std::size_t repairs_per_hour = 60;
};

/// Counted since the beginning.
struct SchedulerCounts {
  std::uint64_t attempts = 0, bound = 0, unschedulable = 0, gone = 0;
  std::uint64_t refused = 0, unsent = 0, unclear = 0;  ///< binds
  std::uint64_t awaited = 0, provided = 0;  ///< attempts that led to volumes; binds after these
  std::uint64_t retried = 0;                ///< binds of a place that was held
  std::uint64_t preemptions = 0, victims = 0;
  std::uint64_t flushed = 0;  ///< woken by the flush: an event that should have woken it did not
  std::uint64_t overcommits = 0;      ///< nodes that got more than they have
  std::uint64_t repairs = 0;          ///< pods that were asked to leave such a node
  std::uint64_t repairs_refused = 0;  ///< of these; by a disruption budget, or the server
  std::uint64_t replaced = 0;  ///< pods that were made anew under their name while being bound
  /// Of these, and of those whose node changed; they do not fit where they were bound.
  std::uint64_t misplaced = 0;
};

class Scheduler {
 public:
  Scheduler(LiveCluster cluster, std::vector<std::string> scheduler_names,
            SchedulerOptions options);

  /// Objects that came or changed, each whole. A pod with another UID than before is a new one.
  void put(Facts objects);
  /// As a list has them, which is never old: also a pod that has lost its node, as a server may say
  /// whose storage was restored.
  void put_listed(Facts objects);
  /// `uid`: of the one that went; a pod that has another one is not meant. Empty: any.
  void remove(FactKind kind, std::string_view namespace_name, std::string_view name,
              std::string_view uid = {});
  /// These are all objects of their kind that there are: the others are gone.
  void keep_only(FactKind kind, std::vector<PodName> names);
  void put(RttMatrix rtt);
  /// From now on these decide; pods that have a place keep it. Errors: kInvalidInput where they
  /// serve other schedulerNames than those before; as Engine::make. Those before stay then.
  Status use(std::vector<Profile> profiles);
  void answer(std::uint64_t ticket, BindAnswer answer, Nanos now);
  void answer(std::uint64_t ticket, const PodReading& reading, Nanos now);
  /// A pod that was asked to go is going, or could not be asked.
  void answer(std::uint64_t ticket, EvictAnswer answer, Nanos now);
  void answer(std::uint64_t ticket, ClaimAnswer answer, Nanos now);

  /// What is known is too old to decide by: until that is over nobody is placed, bound, or asked to
  /// go. What was sent is settled meanwhile.
  void hold_back(bool is_held_back) { is_held_back_ = is_held_back; }
  /// The server asked for it: before that moment no bind is sent, and no pod read once more.
  void rest(Nanos until);
  /// Pods of whose binds nobody knows are read, as far as it is time for it. For who does not
  /// advance() any more.
  void read_again(Nanos now);
  /// Tries what may be tried: only called by who may write. Errors: as LiveCluster::place.
  Status advance(Nanos now);
  /// When advance() will have something to do; empty where only events can change that.
  std::optional<Nanos> next() const;

  // What is to be done since the last call, oldest first.
  std::vector<BindRequest> take_binds() { return std::exchange(binds_, {}); }
  std::vector<ReadRequest> take_reads() { return std::exchange(reads_, {}); }
  std::vector<EvictRequest> take_evictions() { return std::exchange(evictions_, {}); }
  std::vector<ClaimRequest> take_claims() { return std::exchange(claims_, {}); }
  std::vector<Nomination> take_nominations() { return std::exchange(nominations_, {}); }
  std::vector<Unschedulable> take_unschedulable() { return std::exchange(unschedulable_, {}); }
  /// Nodes to which somebody else sent more than they have; each once, until that is over.
  std::vector<Overcommit> take_overcommits() { return std::exchange(overcommits_, {}); }
  std::vector<Misplaced> take_misplaced() { return std::exchange(misplaced_, {}); }

  const LiveCluster& cluster() const { return cluster_; }
  const SchedulerCounts& counts() const { return counts_; }
  /// Pods of ours in each state.
  std::size_t active() const { return size(State::kActive); }
  std::size_t backing_off() const { return size(State::kBackoff); }
  std::size_t parked() const { return size(State::kUnschedulable); }
  std::size_t binding() const { return size(State::kBinding); }
  std::size_t unclear() const { return size(State::kUnclear); }
  std::size_t awaiting() const { return size(State::kAwaiting); }  ///< volumes
  std::size_t bound() const { return size(State::kBound); }        ///< acknowledged, not yet seen
  /// Pods of ours that the server has not said to have a place.
  std::size_t unplaced() const { return entries_.size() - bound(); }
  /// Of the parked ones: nobody has looked yet who could go for them.
  std::size_t unsearched() const { return to_search_.size(); }
  /// Nodes that have too much, as far as somebody else sent it there.
  std::size_t overcommitted() const { return overcommitted_.size(); }
  /// Nobody answers binds: now and then one is sent, to see whether that is over.
  bool is_paused() const { return pauses_ > 0; }
  /// Binds that were sent and not answered.
  std::size_t in_flight() const { return flights_.size(); }
  /// Binds, reads, evictions and claims whose answers it waits for; not evictions that are repairs.
  std::size_t asked() const { return tickets_.size(); }
  /// Pods of ours that are tried, read or given up at some moment.
  std::size_t timed() const { return timers_.size(); }

 private:
  enum class State : std::uint8_t {
    kActive,
    kBackoff,
    kUnschedulable,
    kBinding,
    kUnclear,
    kBound,
    kAwaiting,
  };
  static constexpr std::size_t kStates = 7;
  static bool waits(State state) {
    return state == State::kActive || state == State::kBackoff || state == State::kUnschedulable;
  }
  /// A bind of it is under way, or was done: whoever has its name may have its place.
  static bool may_have_place(State state) {
    return state == State::kBinding || state == State::kUnclear || state == State::kBound;
  }
  std::size_t size(State state) const { return sizes_[static_cast<std::size_t>(state)]; }

  using Key = std::string;
  static Key key_of(const PodName& pod) { return pod.namespace_name + "/" + pod.name; }
  using Rank = std::tuple<std::int64_t, std::int64_t, Key>;  // -priority, created, name
  struct Entry {
    PodName name;
    SharedText uid, node, message;
    Key group;  // "namespace/name" of the pod group that it says it is in; else empty
    State state = State::kActive;
    bool holds = false;       // kBackoff: its place is still held
    bool is_owed = false;     // nobody came to search for it after its last attempt
    bool is_going = false;    // it was seen to be deleted, and is there still
    bool is_gone = false;     // but its bind may yet bind, or have bound, the next one of its name
    bool is_counted = false;  // as bound
    bool is_shaken = false;   // its node has changed since its bind was sent, or may have
    bool is_next = false;     // of its name: a bind of the one before may bind, or have bound, it
    std::uint8_t helps = 0;   // kUnschedulable: any of Help
    std::uint32_t attempts = 0, rereads = 0;
    std::uint64_t reading = 0;  // kUnclear: ticket of the read that is under way
    Nanos tried{0}, until{0};   // `until`: in timers_
    Nanos told{0};              // `message`
    Nanos search_from{0};       // before that nobody is asked to go for it
    Rank rank;
  };
  /// A bind that was sent and not answered; the server may still act on it.
  struct Flight {
    std::uint64_t ticket = 0;
    SharedText node;
  };
  /// What was told of a pod, before the cluster had it.
  struct Told {
    PodName name;
    SharedText uid, node, message;
    Key group;
    std::int64_t priority = 0, created = 0;
    std::optional<SpecIndex> spec;  // what the same pod had before
    bool is_ours = false, waits = false;
  };

  /// Of a node that has too much.
  struct Repair {
    std::uint64_t ticket = 0;  // of the eviction that is under way
    PodName victim;            // the last that was asked to go
    SharedText uid;
    Nanos until{0};               // nobody else is asked before, unless that one is gone
    std::uint32_t refusals = 0;   // in a row
    std::set<SharedText> passed;  // UIDs of those that were not let go
  };

  /// A pod, after one of its attempts.
  struct Search {
    Key pod;
    std::uint32_t attempts = 0;
  };
  /// Pods with a common template and priority.
  using PodKind = std::tuple<SharedText, SpecIndex, std::int64_t>;

  Told told(const Pod& pod, const PodSpec& spec) const;
  bool is_old(const Pod& pod) const;
  void note_help(const Facts& objects);
  void shake(std::string_view node);
  void note_help(const Pod& now, const PodSpec& spec);
  void take_in(Facts objects, bool is_listed);
  void meet(const Told& pod);
  void meet_next(const Told& pod, Entry& entry);
  void note_next(const Told& pod, const Entry& entry);
  void try_edited(const PodName& pod);
  void doubt(const Told& listed);
  void leave(const PodName& pod);
  void await_end(Entry& entry);
  void settle_gone(Entry& entry);
  void settle_flight(const Key& key);
  void count_bound(Entry& entry);
  void release(const PodName& pod);
  void drop(const Key& key);
  void enter_state(Entry& entry, State state, Nanos until = Nanos{0});
  void leave_state(Entry& entry);
  void back_off(Entry& entry, Nanos now);
  void park(Entry& entry, Nanos now);
  void wake(Nanos now);
  void ask(Entry& entry);
  void settle(Entry& entry, BindAnswer answer, Nanos now);
  void try_later(Entry& entry, Nanos now);
  Status try_again(Entry& entry);
  void heed(BindAnswer answer, Nanos now);
  std::size_t most_binds() const { return std::min(allowed_binds_, options_.max_binds); }
  std::size_t room(Nanos now) const;
  /// No bind may be sent, also not one of a place that is held.
  bool is_silenced(Nanos now) const {
    return is_held_back_ || now < rest_until_ || (is_paused() && room(now) == 0);
  }
  Status run_timers(Nanos now);
  Result<std::vector<PodName>> next_to_try(std::size_t most);
  void join(Entry& entry, const Key& group);
  void take(const Decision& decision, Nanos now);
  void send_bind(Entry& entry);
  void await_volumes(Entry& entry, Nanos now);
  void give_up_volumes(Entry& entry, Nanos now);
  Status bind_provided(Nanos now);
  Status look_for_overcommits();
  Status look_for_misplaced();
  Status repair_overcommits(Nanos now);
  Status repair(const Overcommit& node, Repair& repair, Nanos now);
  bool may_leave(const Pod& pod, const PodSpec& spec, const Repair& repair) const;
  void settle_repair(Repair& repair, EvictAnswer answer, Nanos now);
  Status try_to_place(const std::vector<PodName>& pods, Nanos now);
  void want_search(Entry& entry, Nanos now);
  std::optional<PodKind> kind_of(const PodName& name) const;
  Status search_victims(Nanos now);
  Status preempt_for(const PodName& pod);
  Nanos backoff_of(const Entry& entry) const;

  LiveCluster cluster_;
  std::vector<std::string> names_;
  SchedulerOptions options_;
  std::unordered_map<Key, Entry> entries_;          // only looked up
  std::set<Rank> active_;                           // kActive
  std::set<std::pair<Nanos, Key>> timers_;          // kBackoff, kUnschedulable, kUnclear
  std::map<std::uint8_t, std::set<Key>> parked_;    // kUnschedulable, by what helps them
  std::set<Key> awaiting_;                          // kAwaiting
  std::map<Key, std::set<Key>> groups_;             // pods of entries_, by pod group
  std::unordered_map<Key, Flight> flights_;         // only looked up
  std::unordered_map<std::uint64_t, Key> tickets_;  // of binds and reads; only looked up
  std::deque<Search> to_search_;
  std::size_t searches_ = 0;                          // of this turn
  std::set<std::pair<PodKind, std::uint64_t>> vain_;  // of this turn, since as many rebuilds
  std::array<std::size_t, kStates> sizes_{};
  std::uint64_t last_ticket_ = 0;
  std::uint8_t helped_ = 0;       // since the last advance
  bool has_new_volumes_ = false;  // since the last advance, or a node less
  std::vector<BindRequest> binds_;
  std::vector<ReadRequest> reads_;
  std::vector<EvictRequest> evictions_;
  std::vector<ClaimRequest> claims_;
  std::vector<Nomination> nominations_;
  std::vector<Unschedulable> unschedulable_;
  std::vector<Overcommit> overcommits_;
  std::vector<Misplaced> misplaced_;
  bool is_held_back_ = false;
  std::size_t allowed_binds_;                  // before the most of the options
  std::uint32_t unanswered_ = 0, pauses_ = 0;  // in a row
  Nanos paused_until_{0}, rest_until_{0};
  std::set<SharedText> came_to_;      // nodes that got a pod since the last advance, not by us
  std::vector<Misplaced> next_ones_;  // since the last advance; nobody has looked whether they fit
  std::map<SharedText, Overcommit> overcommitted_;
  std::map<SharedText, Repair> repairs_;  // by node
  std::deque<Nanos> repaired_at_;         // of the last hour
  std::optional<Nanos> repair_at_;        // when somebody may be asked next
  SchedulerCounts counts_;
};

}  // namespace gedge
