#include "gedge/control/leader_election.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gedge {
namespace {

constexpr std::int64_t kNanosInSecond = 1'000'000'000, kNanosInMilli = 1'000'000;
constexpr std::int64_t kGivenAway = 1;  // second that it lasts
constexpr Nanos kLeastTimeout{kNanosInSecond};
// A Lease has no room for more: who has written that many by hand keeps nobody from it.
constexpr std::int64_t kMostTransitions = std::numeric_limits<std::int32_t>::max();
constexpr int kMostTimes = 10;  // a Lease that says more than ten of our durations is mistaken

std::string text_of(Nanos time) { return std::to_string(time.count() / kNanosInMilli) + " ms"; }

bool is_given_away(const Lease& lease) {
  return lease.holder.empty() && lease.duration_seconds == kGivenAway;
}

// Of a holder's time, what is not over for it whatever runs fast or slow: it gives up after as much
// (10 s of 15 s, see LeaderElectionOptions), and who has waited by a clock that is half as fast
// again has waited for as much of ours.
Nanos not_over(Nanos said) { return said * 2 / 3; }

}  // namespace

Status LeaderElectionOptions::check() const {
  const std::string usual = "leave them as they are: 15 s, 10 s and 2 s";
  if (retry <= Nanos{0})
    return invalid_input("between two tries of a lease must be some time", {}, usual);
  if (duration.count() % kNanosInSecond != 0)
    return invalid_input("a lease lasts whole seconds, and not " + text_of(duration), {}, usual);
  if (duration <= renew_deadline)
    return invalid_input("a lease of " + text_of(duration) +
                             " does not last longer than its renewal may take, " +
                             text_of(renew_deadline),
                         {}, usual);
  if (renew_deadline * 5 <= retry * 6)
    return invalid_input("a renewal that may take " + text_of(renew_deadline) +
                             " has no time for two tries, " + text_of(retry) +
                             " and up to a fifth more apart",
                         {}, usual);
  return {};
}

LeaderElection::LeaderElection(std::string identity, std::uint64_t seed,
                               const LeaderElectionOptions& options)
    : identity_(std::move(identity)), random_(seed), options_(options) {}

std::optional<Nanos> LeaderElection::next() const {
  if (state_ == State::kLost || state_ == State::kReleased) return std::nullopt;
  if (state_ != State::kLeading) return is_under_way_ ? std::nullopt : std::optional<Nanos>(until_);
  return is_under_way_ ? deadline() : std::min(until_, deadline());
}

// As client-go: one that hangs leaves time for another, which another connection may carry.
Nanos LeaderElection::timeout(Nanos now) const {
  const Nanos most = std::max(options_.renew_deadline / 2, kLeastTimeout);
  return state_ == State::kLeading ? std::min(most, deadline() - now) : most;
}

LeaseCall LeaderElection::write_call(UnixSeconds date) const {
  LeaseCall call;
  call.kind = seen_.version.empty() ? LeaseCall::Kind::kCreate : LeaseCall::Kind::kUpdate;
  call.lease = seen_;
  if (state_ == State::kReleasing) {
    call.lease.holder.clear();
    call.lease.duration_seconds = kGivenAway;
    call.lease.given_away = seen_.transitions;
    call.lease.heard = heard_;
  } else {
    call.lease.heard.clear();
    if (seen_.holder != identity_) {
      call.lease.acquired = date;
      const bool counts = !seen_.version.empty() && seen_.transitions < kMostTransitions;
      call.lease.transitions += counts ? 1 : 0;
      // Whoever gave it away may not have said so.
      if (is_given_away(seen_))
        call.lease.given_away = std::max(call.lease.given_away, seen_.transitions);
    }
    call.lease.holder = identity_;
    call.lease.duration_seconds = options_.duration.count() / kNanosInSecond;
  }
  call.lease.renewed = date;
  return call;
}

std::optional<LeaseCall> LeaderElection::advance(Nanos now, UnixSeconds date) {
  if (is_lost(now)) state_ = State::kLost;
  if (state_ == State::kLost || state_ == State::kReleased || is_under_way_ || now < until_)
    return std::nullopt;
  is_under_way_ = true;
  begun_ = now;
  LeaseCall call;
  if (!reads_next_) {
    call = write_call(date);
    written_ = call.lease;
  }
  call.timeout = timeout(now);
  return call;
}

Nanos LeaderElection::said(const Lease& lease) const {
  const std::int64_t most = kMostTimes * options_.duration.count() / kNanosInSecond;
  return Nanos{std::clamp<std::int64_t>(lease.duration_seconds, 0, most) * kNanosInSecond};
}

// Never shorter than our own, whatever somebody wrote into it.
Nanos LeaderElection::patience() const {
  return seen_.holder.empty() ? Nanos{0} : std::max(options_.duration, said(seen_));
}

// Our own write, of which nobody knew whether it was done, changes nothing: it was made of the
// Lease that was seen before. One that is given away lasts a second, as client-go has it.
void LeaderElection::look_who_writes(const Lease& before, Nanos now) {
  if (seen_.holder == identity_) return;
  const bool was_there = was_seen_ && !before.version.empty();
  const bool is_given = is_given_away(seen_);
  const bool is_free = is_given || (seen_.version.empty() && !was_there);
  alone_from_ = is_free ? now : now + std::max(patience(), options_.duration);
  handed_over_ = is_given ? seen_.heard : HeardVersions();
}

// A holder that waited has seen the Lease unchanged for as long as it said, and so for as long
// after it was last written. Where it was given away meanwhile, it says so, whoever has it by now:
// by one that had it before, or it would keep us from ever seeing another one.
void LeaderElection::look_who_took_it(const Lease& before, Nanos now) {
  const bool is_said =
      seen_.given_away >= before.transitions && seen_.given_away < seen_.transitions;
  if (before.holder.empty() || seen_.holder == before.holder) return;
  if (is_said || is_given_away(seen_)) return;
  if (!written_after_ || now >= *written_after_ + not_over(said(before))) return;
  ++seizures_;
  robbed_ = before.holder;
}

void LeaderElection::take_read(std::optional<Lease> lease, Nanos now) {
  is_under_way_ = false;
  const Lease before = std::exchange(seen_, std::move(lease).value_or(Lease()));
  if (!was_seen_ || before.version != seen_.version) {
    look_who_writes(before, now);
    look_who_took_it(before, now);
    if (was_seen_) written_after_ = looked_;
    seen_at_ = now;
  }
  looked_ = begun_;
  was_seen_ = true;
  const bool is_ours = seen_.holder == identity_;
  if (state_ == State::kLeading && !is_ours) {
    state_ = State::kLost;
    return;
  }
  if (state_ == State::kReleasing && !is_ours) {
    state_ = State::kReleased;
    return;
  }
  if (is_ours || seen_.version.empty() || now >= seen_at_ + patience()) {
    reads_next_ = false;
    until_ = now;
    return;
  }
  until_ = std::min(now + pause(), seen_at_ + patience());
}

// Of who waits, between two looks: 0.5 to 1.1 of `retry`, half of what client-go takes, so that
// what a leader gave back is seen within little more than `retry`.
Nanos LeaderElection::pause() {
  const Nanos least = options_.retry / 2;
  const double jitter = 1.2 * random_.even() * static_cast<double>(least.count());
  return least + Nanos{static_cast<std::int64_t>(jitter)};
}

void LeaderElection::take_written(std::string version, Nanos now) {
  is_under_way_ = false;
  seen_ = written_;
  seen_.version = std::move(version);
  seen_at_ = now;
  written_after_ = looked_ = begun_;
  if (state_ == State::kReleasing && seen_.holder.empty()) {
    state_ = State::kReleased;
    return;
  }
  renewed_ = begun_;
  until_ = state_ == State::kReleasing ? now : begun_ + options_.retry;
  if (state_ == State::kFollowing) state_ = State::kLeading;
}

void LeaderElection::take_conflict(Nanos now) {
  is_under_way_ = false;
  reads_next_ = true;
  until_ = now;
}

void LeaderElection::take_failure(Nanos now) {
  is_under_way_ = false;
  if (state_ == State::kReleasing) {
    state_ = State::kReleased;  // it will run out
    return;
  }
  reads_next_ = true;  // it may have been done
  until_ = std::max(now, begun_ + (state_ == State::kFollowing ? pause() : options_.retry));
}

void LeaderElection::release(HeardVersions heard) {
  if (state_ != State::kFollowing && state_ != State::kLeading) return;
  heard_ = std::move(heard);
  const bool may_be_ours = is_under_way_ && !reads_next_;
  if (state_ == State::kFollowing && may_be_ours) renewed_ = begun_;
  state_ = state_ == State::kLeading || may_be_ours ? State::kReleasing : State::kReleased;
  until_ = Nanos{0};
}

}  // namespace gedge
