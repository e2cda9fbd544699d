// gedge/control/agent.hpp - one node's view of its peers: who is probed when, and what is known.
//
// A state machine without sockets, threads and clocks. Whoever drives it sends what due() hands
// out, hands in what comes back, and comes again at next(). It probes in rounds: each target gets
// the same few probes, spread so that the bound on bandwidth holds, and rounds never overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/split_mix.hpp"
#include "gedge/base/units.hpp"
#include "gedge/latency/prober.hpp"
#include "gedge/latency/rtt_samples.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge {

enum class AgentTargetKind : std::uint8_t {
  kNode,     ///< a peer: another node of this cluster
  kCluster,  ///< the address by which another cluster is reached
};

/// The only places that an agent ever probes.
struct AgentTarget {
  AgentTargetKind kind = AgentTargetKind::kNode;
  std::string name;
  IpAddress address;
  std::string host = {};  ///< what requests and certificates call it; empty: its address

  friend bool operator==(const AgentTarget&, const AgentTarget&) = default;
};

struct AgentOptions {
  Nanos period{10'000'000'000};       ///< from the begin of a round to that of the next
  std::uint32_t jitter_percent = 10;  ///< of the period: how much later a round may begin
  std::uint32_t probes = 3;           ///< a target and round, 1 to kKept
  Nanos interval{200'000'000};        ///< between two probes to one target
  Nanos timeout{1'000'000'000};       ///< an answer that takes longer is a lost one
  /// Bytes on the wire a probe, headers included, and how many a second leave at most.
  std::uint32_t probe_bytes = 98, bytes_per_second = 100'000;
  /// What is older is not known any more. 0: than six rounds, each as long as the period, or as a
  /// round takes where that is longer.
  Nanos max_age{0};

  /// Outcomes kept of each target, the latest: a kilobyte.
  static constexpr std::uint32_t kKept = 64;
};

/// What is known of one target.
struct TargetReport {
  AgentTarget target;
  RttSummary rtt;                      ///< of the latest outcomes, none older than the greatest age
  std::vector<Rtt> recent;             ///< the answers among them, oldest first
  std::optional<Nanos> answered_at;    ///< when the last probe with an answer left, however old
  std::uint64_t probes = 0, lost = 0;  ///< since it became a target; of its rounds that are over
  bool asked = false;                  ///< a round is over for it
};

class Agent {
 public:
  /// `seed` decides all jitter, and the keys of cookies: it should be unpredictable wherever others
  /// may send answers too.
  Agent(const AgentOptions& options, std::uint64_t seed) : options_(options), dice_(seed) {}

  /// Who is probed from now on, in this order: probes and answers name targets by their place.
  /// A target that was there before, with the same address, keeps what is known of it. The round
  /// under way, if any, is given up. The next one begins up to a jitter after `now`, so that agents
  /// that start together do not probe together.
  void set_targets(std::vector<AgentTarget> targets, Nanos now);
  const std::vector<AgentTarget>& targets() const { return targets_; }
  /// Until set_targets(), no target that is missing in `next` is probed or reported any more, even
  /// if a later `next` has it; what it was asked in the round under way counts for nothing. Returns
  /// how many targets are still probed.
  std::size_t keep_only(const std::vector<AgentTarget>& next);
  /// Whether a round is under way: one that set_targets() would give up.
  bool under_way() const { return round_.has_value(); }

  // As of Prober, whose contract holds: `now` never goes back.
  std::size_t due(Nanos now, std::span<Probe> out);
  void sent(std::uint64_t cookie, Nanos at);
  void refused(std::uint64_t cookie);
  Reply reply(std::uint32_t target, std::uint64_t cookie, Nanos at);
  void expire(Nanos now);
  /// When due() or expire() will have something to do; empty without targets.
  std::optional<Nanos> next() const;

  /// Rounds that are over.
  std::uint64_t rounds() const { return rounds_; }
  /// Answers that were not counted.
  const OddReplies& odd_replies() const { return odd_; }
  /// By kind and name. A target is known as soon as all its probes of a round are answered, or the
  /// round is over. Cost: O(targets * kept).
  std::vector<TargetReport> report(Nanos now) const;

 private:
  struct Outcome {
    Nanos at{0};            // when its probe left; of a lost one, when its round was over
    Rtt rtt = kUnmeasured;  // kUnmeasured: lost
  };
  struct History {
    std::vector<Outcome> ring;  // the latest kKept, `next` is the oldest once it is full
    std::size_t next = 0;
    std::optional<Nanos> answered_at;
    std::uint64_t probes = 0, lost = 0;
  };

  void begin_round(Nanos now);
  void end_round();
  void answered(std::uint32_t target, Nanos at);
  void keep_round(std::uint32_t target);
  static void keep(History& history, Outcome outcome);
  Nanos max_age() const;
  Nanos next_begin() const;
  Nanos jitter();

  AgentOptions options_;
  SplitMix dice_;
  std::vector<AgentTarget> targets_;
  std::vector<History> histories_;  // [targets]
  std::vector<bool> left_out_;      // [targets], of keep_only()
  std::optional<Prober> round_;
  std::vector<std::vector<Nanos>> left_at_;  // [targets], the probes of this round with an answer
  Nanos round_began_{0}, round_took_{0}, next_round_{0};
  Nanos latest_{0};  // the last moment that anybody spoke of
  Nanos gate_{0};    // rounds share the bound on bandwidth: no probe leaves before
  std::uint64_t rounds_ = 0;
  OddReplies odd_;
};

}  // namespace gedge
