// gedge/latency/prober.hpp - which probe is sent when, and what a reply or its absence means.
//
// A state machine without sockets and clock. Whoever drives it sends what due() hands out, says
// when the kernel sent and received (sent, reply), and comes back at next().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/latency/deadline_wheel.hpp"
#include "gedge/latency/rtt_samples.hpp"

namespace gedge {

struct ProbePlan {
  std::uint32_t count = 10;      ///< probes a target, at least 1
  Nanos interval{100'000'000};   ///< between two probes to one target; 0: as fast as it goes
  Nanos timeout{1'000'000'000};  ///< an answer that takes longer is a lost one
  Nanos gap{0};                  ///< between two probes to whomever, on average; 0: no bound
};

/// What is put on the wire. The cookie is all that an answer must bring back: it names the probe,
/// and nobody can make one up who does not know the key.
struct Probe {
  std::uint32_t target = 0;
  std::uint64_t cookie = 0;
};

enum class Reply : std::uint8_t {
  kCounted,     ///< the first answer, in time
  kDuplicate,   ///< its probe was answered before
  kLate,        ///< its probe already counts as lost
  kForeign,     ///< no probe of ours, or one to somebody else
  kImpossible,  ///< came before its probe was sent: a clock was set meanwhile
};

/// Answers that were not counted, by why.
struct OddReplies {
  std::uint64_t duplicate = 0, late = 0, foreign = 0, impossible = 0;

  OddReplies& operator+=(const OddReplies& more) {
    duplicate += more.duplicate;
    late += more.late;
    foreign += more.foreign;
    impossible += more.impossible;
    return *this;
  }
};

class Prober {
 public:
  /// First probes are spread over one interval, so that many targets do not answer at once.
  /// `key` should be unpredictable wherever others may send answers too.
  Prober(const ProbePlan& plan, std::uint32_t targets, std::uint64_t key, Nanos start);

  /// Probes to send now, at most `out.size()`; returns how many. They count as sent at `now` until
  /// sent() knows better. Of `now`, here and below: it never goes back.
  /// Cost: O(1) a probe, no allocation once as many were under way as there are at most.
  std::size_t due(Nanos now, std::span<Probe> out);

  /// The moment when the probe really left. Ignored once it is settled.
  void sent(std::uint64_t cookie, Nanos at);
  /// All of them left by then, whoever kept them waiting; their timeouts begin there. What they
  /// take is still counted from the moment before, and so may be too long, but never too short.
  void departed_by(std::span<const Probe> probes, Nanos at);
  /// It never left: it counts as lost at once.
  void refused(std::uint64_t cookie);
  /// An answer that `target` sent, received `at`. Only kCounted changes any sample.
  Reply reply(std::uint32_t target, std::uint64_t cookie, Nanos at);
  /// Probes without an answer for longer than the timeout count as lost. Answers that were received
  /// before `now` must be handed in before.
  void expire(Nanos now);

  /// When due() or expire() will have something to do; empty once all is settled.
  std::optional<Nanos> next() const;
  bool done() const { return settled_ == total_; }

  std::uint64_t total() const { return total_; }      ///< probes of the whole plan
  std::uint64_t settled() const { return settled_; }  ///< answered or lost
  std::uint32_t under_way() const { return under_way_; }
  const OddReplies& odd_replies() const { return odd_; }
  const RttSamples& samples(std::uint32_t target) const { return targets_[target].samples; }

  /// No more probes are under way at once: 16 MiB, and far beyond what any network answers.
  static constexpr std::uint32_t kMaxUnderWay = 1U << 20;

 private:
  // kForgotten: a probe from before the ring grew, which had no room for it any more.
  enum class State : std::uint8_t { kForgotten, kUnderWay, kAnswered, kLost };
  struct Record {
    Nanos latest_departure() const { return sent + std::chrono::milliseconds{grace_ms}; }
    Nanos sent{0};
    std::uint32_t target = 0;
    std::uint16_t grace_ms = 0;  // it may have left so much later
    State state = State::kForgotten;
  };
  struct Target {
    std::uint32_t left = 0;
    RttSamples samples;
  };

  std::uint64_t cookie_of(std::uint64_t serial) const;
  std::uint64_t serial_of(std::uint64_t cookie) const;
  Record* find(std::uint64_t cookie);
  Record& record(std::uint64_t serial) { return records_[serial & (records_.size() - 1)]; }
  const Record& record(std::uint64_t serial) const {
    return records_[serial & (records_.size() - 1)];
  }
  bool make_room();
  void settle(Record& record, State state);
  void reschedule(std::uint32_t target, Nanos now);

  ProbePlan plan_;
  std::uint64_t key_;
  DeadlineWheel wheel_;
  std::vector<Target> targets_;
  std::vector<Nanos> due_of_;    // [targets], when the next probe should leave
  std::vector<Record> records_;  // a ring, by serial number; a power of two
  std::uint64_t first_ = 0;      // the oldest serial number that may be under way
  std::uint64_t next_ = 0;       // the next serial number
  Nanos gate_;                   // no probe leaves before
  std::uint64_t total_, settled_ = 0;
  std::uint32_t under_way_ = 0;
  OddReplies odd_;
};

}  // namespace gedge
