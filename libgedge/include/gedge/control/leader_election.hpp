// gedge/control/leader_election.hpp - at most one of several processes writes: the one that holds
// the Lease.
//
// A state machine without sockets and clocks, as client-go's leaderelection, but that who waits
// looks twice as often. Whether another holder's time is over is judged by the time since the Lease
// was last seen to change, never by the dates in it. Of its own time the beginning of the last
// renewal counts, not its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/base/split_mix.hpp"
#include "gedge/port/lease.hpp"

namespace gedge {

struct LeaderElectionOptions {
  Nanos duration{15'000'000'000};  ///< that others wait for since the last change
  Nanos renew_deadline{10'000'000'000};
  /// Between two renewals. Who waits looks after 0.5 to 1.1 of it.
  Nanos retry{2'000'000'000};

  /// As client-go. Errors: kInvalidInput where duration <= renew_deadline, renew_deadline <= 1.2 *
  /// retry (which is spread by so much), retry <= 0, or a duration that a Lease cannot say.
  Status check() const;
};

/// A call that is to be made about the Lease.
struct LeaseCall {
  enum class Kind : std::uint8_t { kRead, kCreate, kUpdate } kind = Kind::kRead;
  Lease lease;       ///< to be written
  Nanos timeout{0};  ///< an answer that comes later is of no use
};

class LeaderElection {
 public:
  /// `identity`: of this process alone. `seed`: of jitter.
  LeaderElection(std::string identity, std::uint64_t seed,
                 const LeaderElectionOptions& options = {});

  /// The call to be made now; whoever takes it says what became of it. `date` stands in the Lease.
  std::optional<LeaseCall> advance(Nanos now, UnixSeconds date);
  /// When advance() or lost() will say something new; empty: only an answer can change that.
  std::optional<Nanos> next() const;

  /// What a read found; empty: there is no Lease.
  void take_read(std::optional<Lease> lease, Nanos now);
  /// The Lease was written, and has this version now.
  void take_written(std::string version, Nanos now);
  /// Somebody else wrote it first.
  void take_conflict(Nanos now);
  /// Nothing came of the call, or nobody knows.
  void take_failure(Nanos now);

  /// Until then this process may write, if it leads; later than that it must not.
  Nanos deadline() const { return renewed_ + options_.renew_deadline; }
  bool is_leading(Nanos now) const { return state_ == State::kLeading && now < deadline(); }
  /// When a write that is sent now must be over: one that ends later could meet what the next
  /// leader does. Empty: none may be sent.
  std::optional<Nanos> writes_until(Nanos now) const {
    if (!is_leading(now)) return std::nullopt;
    return deadline();
  }
  /// It has led, and does not any more: there is no way back but a new process.
  bool is_lost(Nanos now) const {
    return state_ == State::kLost || (state_ == State::kLeading && now >= deadline());
  }
  /// Who holds it, as far as was seen.
  const std::string& holder() const { return seen_.holder; }
  /// How often the Lease was seen to be taken from a holder that had not given it away, within two
  /// thirds of the time that this one said, since it was last written: not by who waits for its
  /// end. Who looks for the first time knows of no holder before. Two others that hand it over
  /// between two looks, and say nothing of it (`Lease::given_away`), are taken for one that did not
  /// wait; and so is everybody after this machine stood still without its clock.
  std::uint64_t seizures() const { return seizures_; }
  /// From whom it was taken last; empty: from nobody.
  const std::string& robbed() const { return robbed_; }

  /// From when on nobody else can have written, where this process leads: what is listed later has
  /// all that others did. It may still be to come: who had a Lease that somebody has removed, or
  /// emptied by hand, knows that by its next renewal only.
  Nanos alone_from() const { return alone_from_; }
  /// What the holder that gave the Lease away had heard; empty: there was none, or it did not say.
  const HeardVersions& handed_over() const { return handed_over_; }

  /// Gives the Lease away; the next call does so, if it leads or a write under way may have made it
  /// lead. `heard` is said in it.
  void release(HeardVersions heard = {});
  /// After release(): it is still to be written.
  bool is_releasing() const { return state_ == State::kReleasing; }

 private:
  enum class State : std::uint8_t { kFollowing, kLeading, kReleasing, kReleased, kLost };
  Nanos timeout(Nanos now) const;
  LeaseCall write_call(UnixSeconds date) const;
  Nanos said(const Lease& lease) const;
  Nanos patience() const;
  void look_who_writes(const Lease& before, Nanos now);
  void look_who_took_it(const Lease& before, Nanos now);
  Nanos pause();

  std::string identity_;
  SplitMix random_;
  LeaderElectionOptions options_;
  State state_ = State::kFollowing;
  bool is_under_way_ = false;
  bool reads_next_ = true;
  Lease seen_, written_;
  Nanos seen_at_{0};  // when it was last seen to change
  bool was_seen_ = false;
  std::optional<Nanos> written_after_;  // then `seen_` was not yet; empty: nobody knows
  Nanos looked_{0};                     // when the last read began
  std::uint64_t seizures_ = 0;
  std::string robbed_;
  Nanos alone_from_{0};
  HeardVersions heard_, handed_over_;
  Nanos until_{0};    // no call before
  Nanos begun_{0};    // of the call under way
  Nanos renewed_{0};  // when the last renewal that succeeded began
};

}  // namespace gedge
