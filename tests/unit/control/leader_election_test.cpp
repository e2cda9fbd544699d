#include "gedge/control/leader_election.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

namespace gedge {
namespace {

constexpr Nanos kSecond{1'000'000'000};

Lease held_by(const std::string& holder, const std::string& version,
              std::int64_t duration_seconds = 15) {
  Lease lease;
  lease.holder = holder;
  lease.version = version;
  lease.duration_seconds = duration_seconds;
  return lease;
}

/// One that leads since second 100, by a call that began then.
LeaderElection leading() {
  LeaderElection election("me", 1);
  election.advance(100 * kSecond, 0);
  election.take_read(std::nullopt, 100 * kSecond);
  election.advance(100 * kSecond, 0);
  election.take_written("1", 101 * kSecond);
  REQUIRE(election.is_leading(101 * kSecond));
  return election;
}

TEST_CASE("leader election: a Lease that is not there is created, and held") {
  LeaderElection election("me", 1);
  REQUIRE(election.advance(Nanos{0}, 7)->kind == LeaseCall::Kind::kRead);
  CHECK_FALSE(election.advance(Nanos{0}, 7));  // one call at a time
  election.take_read(std::nullopt, Nanos{0});
  const auto call = election.advance(Nanos{0}, 7);
  REQUIRE(call);
  CHECK(call->kind == LeaseCall::Kind::kCreate);
  CHECK(call->lease.holder == "me");
  CHECK(call->lease.duration_seconds == 15);
  CHECK(call->lease.acquired == 7);
  CHECK(call->lease.transitions == 0);
  CHECK_FALSE(election.is_leading(Nanos{0}));
  election.take_written("5", 3 * kSecond);
  CHECK(election.is_leading(9 * kSecond));
  CHECK_FALSE(election.is_leading(10 * kSecond));  // counted from the beginning of the call
}

TEST_CASE("leader election: a write ends when the lease does, and only who leads sends one") {
  LeaderElection election("me", 1);
  CHECK_FALSE(election.writes_until(Nanos{0}));
  LeaderElection leads = leading();  // a renewal that began at 100 s lasts 10 s
  CHECK(leads.writes_until(101 * kSecond) == 110 * kSecond);
  CHECK(leads.writes_until(110 * kSecond - Nanos{1}) == 110 * kSecond);
  CHECK_FALSE(leads.writes_until(110 * kSecond));
  leads.release();
  CHECK_FALSE(leads.writes_until(101 * kSecond));
}

TEST_CASE("leader election: another holder is waited out by what was seen, whatever it says") {
  for (const std::int64_t said : {std::int64_t{15}, std::int64_t{0}, std::int64_t{-5}}) {
    LeaderElection election("me", 1);
    election.advance(100 * kSecond, 0);
    election.take_read(held_by("other", "1", said), 100 * kSecond);
    while (*election.next() < 115 * kSecond) {
      const Nanos at = *election.next();
      const auto call = election.advance(at, 0);
      REQUIRE(call);
      REQUIRE(call->kind == LeaseCall::Kind::kRead);
      election.take_read(held_by("other", "1", said), at);
      const Nanos wait = *election.next() - at;
      if (at + wait < 115 * kSecond) CHECK(wait >= kSecond);
      CHECK(wait <= Nanos{2'200'000'000});
    }
    const Nanos at = *election.next();
    REQUIRE(election.advance(at, 0)->kind == LeaseCall::Kind::kRead);
    election.take_read(held_by("other", "1", said), at);
    const auto call = election.advance(at, 0);
    REQUIRE(call);
    CHECK(call->kind == LeaseCall::Kind::kUpdate);
    CHECK(call->lease.version == "1");
    CHECK(call->lease.transitions == 1);
  }
}

TEST_CASE("leader election: a holder that renews is never waited out") {
  LeaderElection election("me", 1);
  Nanos at{0};
  for (int i = 0; i < 100; ++i) {
    const auto call = election.advance(at, 0);
    REQUIRE(call);
    REQUIRE(call->kind == LeaseCall::Kind::kRead);
    election.take_read(held_by("other", std::to_string(i)), at);
    at = *election.next();
  }
}

TEST_CASE("leader election: a Lease that says years lasts ten times ours at most") {
  LeaderElection election("me", 1);
  election.advance(Nanos{0}, 0);
  election.take_read(held_by("other", "1", std::int64_t{1} << 31), Nanos{0});
  election.advance(149 * kSecond, 0);
  election.take_read(held_by("other", "1", std::int64_t{1} << 31), 149 * kSecond);
  CHECK(election.advance(160 * kSecond, 0)->kind == LeaseCall::Kind::kRead);
  election.take_read(held_by("other", "1", std::int64_t{1} << 31), 160 * kSecond);
  CHECK(election.advance(160 * kSecond, 0)->kind == LeaseCall::Kind::kUpdate);
}

TEST_CASE("leader election: a Lease that was given away is taken at once") {
  LeaderElection election("me", 1);
  election.advance(Nanos{0}, 0);
  election.take_read(held_by("", "4", 1), Nanos{0});
  CHECK(election.advance(Nanos{0}, 0)->kind == LeaseCall::Kind::kUpdate);
}

TEST_CASE("leader election: losing the race is normal") {
  LeaderElection election("me", 1);
  election.advance(Nanos{0}, 0);
  election.take_read(std::nullopt, Nanos{0});
  election.advance(Nanos{0}, 0);
  election.take_conflict(kSecond);
  CHECK_FALSE(election.is_lost(kSecond));
  CHECK(election.advance(kSecond, 0)->kind == LeaseCall::Kind::kRead);
}

TEST_CASE("leader election: renews every retry period, and keeps what it wrote") {
  LeaderElection election = leading();
  CHECK_FALSE(election.advance(101 * kSecond, 0));
  CHECK(*election.next() == 102 * kSecond);
  const auto call = election.advance(102 * kSecond, 9);
  REQUIRE(call);
  CHECK(call->kind == LeaseCall::Kind::kUpdate);
  CHECK(call->lease.version == "1");
  CHECK(call->lease.transitions == 0);
  CHECK(call->lease.renewed == 9);
  CHECK(call->timeout == 5 * kSecond);
  election.take_written("2", 103 * kSecond);
  CHECK(election.deadline() == 112 * kSecond);
}

TEST_CASE("leader election: without a renewal in time it is lost, for good") {
  LeaderElection election = leading();
  election.advance(102 * kSecond, 0);
  CHECK(*election.next() == 110 * kSecond);
  CHECK_FALSE(election.is_lost(Nanos{109'999'999'999}));
  CHECK(election.is_lost(110 * kSecond));
  CHECK_FALSE(election.advance(110 * kSecond, 0));
  election.take_written("2", 111 * kSecond);
  CHECK(election.is_lost(111 * kSecond));
  CHECK_FALSE(election.next());
}

TEST_CASE("leader election: a renewal of which nobody knows is read, then made again") {
  LeaderElection election = leading();
  election.advance(102 * kSecond, 0);
  election.take_failure(103 * kSecond);
  CHECK(election.advance(104 * kSecond, 0)->kind == LeaseCall::Kind::kRead);
  election.take_read(held_by("me", "2"), 104 * kSecond);  // it was done
  CHECK(election.deadline() == 110 * kSecond);            // a read renews nothing
  const auto call = election.advance(104 * kSecond, 0);
  REQUIRE(call->kind == LeaseCall::Kind::kUpdate);
  CHECK(call->lease.version == "2");
  election.take_written("3", 105 * kSecond);
  CHECK(election.deadline() == 114 * kSecond);
}

TEST_CASE("leader election: a call that hangs leaves time for another before the lease is lost") {
  LeaderElection follower("me", 1);
  CHECK(follower.advance(Nanos{0}, 0)->timeout == 5 * kSecond);
  LeaderElection election = leading();
  CHECK(election.advance(102 * kSecond, 0)->timeout == 5 * kSecond);
  election.take_failure(107 * kSecond);
  const auto read = election.advance(107 * kSecond, 0);
  REQUIRE(read);
  CHECK(read->kind == LeaseCall::Kind::kRead);
  CHECK(read->timeout == 3 * kSecond);  // what is left of the deadline
  election.take_read(held_by("me", "1"), 108 * kSecond);
  const auto write = election.advance(108 * kSecond, 0);
  REQUIRE(write);
  CHECK(write->timeout == 2 * kSecond);
  election.take_written("2", Nanos{108'500'000'000});
  CHECK(election.deadline() == 118 * kSecond);
  LeaderElectionOptions hasty;
  hasty.renew_deadline = Nanos{1'500'000'000};
  hasty.retry = kSecond;
  CHECK(LeaderElection("me", 1, hasty).advance(Nanos{0}, 0)->timeout == kSecond);
}

TEST_CASE("leader election: another holder in our Lease means that it is lost") {
  LeaderElection election = leading();
  election.advance(102 * kSecond, 0);
  election.take_conflict(103 * kSecond);
  election.advance(103 * kSecond, 0);
  election.take_read(held_by("thief", "2"), 103 * kSecond);
  CHECK(election.is_lost(103 * kSecond));
  CHECK(election.holder() == "thief");
}

TEST_CASE("leader election: released by an empty holder, once nothing is under way") {
  LeaderElection election = leading();
  election.advance(102 * kSecond, 0);
  election.release();
  CHECK(election.is_releasing());
  CHECK_FALSE(election.is_leading(102 * kSecond));
  CHECK_FALSE(election.advance(102 * kSecond, 0));
  election.take_written("2", 103 * kSecond);  // the renewal that was under way
  CHECK(election.is_releasing());
  const auto call = election.advance(103 * kSecond, 0);
  REQUIRE(call);
  CHECK(call->lease.holder.empty());
  CHECK(call->lease.duration_seconds == 1);
  CHECK(call->lease.version == "2");
  election.take_written("3", 104 * kSecond);
  CHECK_FALSE(election.is_releasing());
  CHECK_FALSE(election.advance(200 * kSecond, 0));
}

/// Looks at the Lease, and is told that.
void look(LeaderElection& election, const std::optional<Lease>& lease, Nanos now) {
  REQUIRE(election.advance(now, 0));
  election.take_read(lease, now);
}

TEST_CASE("leader election: others cannot write when what they hold has run out") {
  LeaderElection election("me", 1);
  look(election, held_by("other", "1"), 100 * kSecond);
  CHECK(election.alone_from() == 115 * kSecond);
  look(election, held_by("other", "2", 60), 105 * kSecond);
  CHECK(election.alone_from() == 165 * kSecond);
  look(election, held_by("other", "3", 5), 108 * kSecond);
  CHECK(election.alone_from() == 123 * kSecond);
  look(election, held_by("other", "3", 5), 123 * kSecond);  // and it is taken
  CHECK(election.alone_from() == 123 * kSecond);
  REQUIRE(election.advance(123 * kSecond, 0)->kind == LeaseCall::Kind::kUpdate);
  SUBCASE("by an answer") { election.take_written("4", 124 * kSecond); }
  SUBCASE("by an answer that was lost") {
    election.take_failure(124 * kSecond);
    look(election, held_by("me", "4"), 126 * kSecond);
    REQUIRE(election.advance(126 * kSecond, 0)->kind == LeaseCall::Kind::kUpdate);
    election.take_written("5", 126 * kSecond);
  }
  REQUIRE(election.is_leading(126 * kSecond));
  CHECK(election.alone_from() == 123 * kSecond);
}

TEST_CASE("leader election: what runs out is looked at when it does, and not up to 2.2 s later") {
  LeaderElection election("me", 1);
  look(election, held_by("other", "1"), 100 * kSecond);
  Nanos last{0};
  while (*election.next() < 115 * kSecond) {
    REQUIRE(*election.next() > last);
    last = *election.next();
    look(election, held_by("other", "1"), last);
  }
  CHECK(last > 112 * kSecond);
  CHECK(*election.next() == 115 * kSecond);
}

TEST_CASE("leader election: a Lease that was given away says what its holder had heard") {
  LeaderElection election("me", 1);
  look(election, held_by("other", "1"), 100 * kSecond);
  Lease free = held_by("", "2", 1);
  free.heard = {{"/api/v1/pods", "77"}};
  look(election, free, 102 * kSecond);
  CHECK(election.alone_from() == 102 * kSecond);
  CHECK(election.handed_over() == free.heard);
  const auto call = election.advance(102 * kSecond, 0);
  REQUIRE(call);
  CHECK(call->lease.heard.empty());  // it is not ours
  election.take_conflict(103 * kSecond);
  look(election, held_by("third", "3"), 103 * kSecond);
  CHECK(election.handed_over().empty());
  CHECK(election.alone_from() == 118 * kSecond);
}

TEST_CASE("leader election: a holder may write on when somebody removes or empties its Lease") {
  Lease emptied = held_by("", "2");  // not as who gives it away
  emptied.heard = {{"/api/v1/pods", "77"}};
  for (const auto& lease : {std::optional<Lease>(), std::optional(emptied)}) {
    LeaderElection election("me", 1);
    look(election, std::nullopt, 90 * kSecond);
    CHECK(election.alone_from() == 90 * kSecond);
    REQUIRE(election.advance(90 * kSecond, 0)->kind == LeaseCall::Kind::kCreate);
    election.take_conflict(91 * kSecond);
    look(election, held_by("other", "1"), 91 * kSecond);
    look(election, lease, 100 * kSecond);
    CHECK(election.alone_from() == 115 * kSecond);
    CHECK(election.handed_over().empty());
    REQUIRE(election.advance(100 * kSecond, 0));
    election.take_written("3", 101 * kSecond);
    CHECK(election.is_leading(101 * kSecond));
    CHECK(election.alone_from() == 115 * kSecond);
  }
}

/// Looks at second 100, when `first` may have lain there for long, and later at others.
struct Looker {
  explicit Looker(const Lease& first) { at(100, first); }
  std::uint64_t at(int second, const std::optional<Lease>& lease) {
    election.advance(std::max(*election.next(), second * kSecond), 0);
    election.take_read(lease, second * kSecond);
    return election.seizures();
  }
  LeaderElection election{"me", 1};
};

Lease given_away(Lease lease, std::int64_t transitions_then) {
  lease.given_away = transitions_then;
  lease.transitions = transitions_then + 1;
  return lease;
}

Lease marked(Lease lease, std::int64_t given, std::int64_t transitions) {
  lease.given_away = given;
  lease.transitions = transitions;
  return lease;
}

TEST_CASE("leader election: a holder that did not wait is seen, one that did is not") {
  struct Case {
    const char* what;
    std::optional<Lease> then;  // after "other" had written the second version after second 100
    int second;
    bool is_taken;
  };
  Lease said_nothing = held_by("evil", "3");
  said_nothing.transitions = 9;
  const std::vector<Case> cases{
      {"renewed", held_by("other", "3"), 104, false},
      {"at once", held_by("evil", "3"), 104, true},
      {"for years", held_by("evil", "3", 2'147'483'647), 104, true},
      {"transitions say nothing", said_nothing, 104, true},
      {"before the holder has given up", held_by("evil", "3"), 109, true},
      {"one whose clock is fast has waited", held_by("next", "3"), 110, false},
      {"waited", held_by("next", "3"), 115, false},
      {"removed", std::nullopt, 104, true},
      {"emptied by hand", held_by("", "3"), 104, true},
      {"given away", held_by("", "3", 1), 104, false},
      {"given away, and taken", given_away(held_by("next", "4"), 0), 104, false},
      {"given away twice, and taken", given_away(held_by("last", "6"), 1), 104, false},
      {"given away before that", given_away(held_by("evil", "4"), -2), 104, true},
      {"a mark of what has not yet been", marked(held_by("evil", "4"), 7, 3), 104, true},
      {"a mark for ever", marked(held_by("evil", "4"), 9'223'372'036'854'775'807, 3), 104, true},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    Looker looker(held_by("other", "1"));
    CHECK(looker.at(102, held_by("other", "2")) == 0);
    CHECK(looker.at(one.second, one.then) == (one.is_taken ? 1 : 0));
    CHECK(looker.election.robbed() == (one.is_taken ? "other" : ""));
    CHECK(looker.at(one.second + 2, one.then) == (one.is_taken ? 1 : 0));  // once
  }
}

TEST_CASE("leader election: by one look nobody knows how long a Lease had lain there") {
  Looker looker(held_by("other", "1"));
  CHECK(looker.at(102, held_by("next", "2")) == 0);
  CHECK(looker.at(104, held_by("evil", "3")) == 1);
  CHECK(looker.election.robbed() == "next");
}

TEST_CASE("leader election: a holder that says less than we do is waited for as long as it says") {
  for (const auto& [second, is_taken] : {std::pair(101, true), std::pair(104, false)}) {
    CAPTURE(second);
    Looker looker(held_by("other", "1", 6));
    looker.at(100, held_by("other", "2", 6));
    CHECK(looker.at(second, held_by("next", "3", 6)) == (is_taken ? 1 : 0));
  }
}

TEST_CASE("leader election: whose Lease was taken knows it") {
  LeaderElection election = leading();
  REQUIRE(election.advance(102 * kSecond, 0));
  election.take_conflict(102 * kSecond);
  look(election, held_by("evil", "2"), 103 * kSecond);
  CHECK(election.is_lost(103 * kSecond));
  CHECK(election.seizures() == 1);
  CHECK(election.robbed() == "me");
}

TEST_CASE("leader election: as many transitions as a Lease has room for keep nobody from it") {
  for (const std::int64_t many : {std::int64_t{2'147'483'646}, std::int64_t{2'147'483'647}}) {
    Lease lease = held_by("", "1");
    lease.transitions = many;
    LeaderElection election("me", 1);
    look(election, lease, 100 * kSecond);
    const auto call = election.advance(100 * kSecond, 0);
    REQUIRE(call);
    CHECK(call->lease.holder == "me");
    CHECK(call->lease.transitions == 2'147'483'647);
  }
}

TEST_CASE("leader election: who takes what was given away says so for one that did not") {
  for (const bool says : {true, false}) {
    CAPTURE(says);
    Lease given = held_by("", "3", 1);
    given.transitions = 5;
    if (says) given.given_away = 5;
    LeaderElection next("next", 1);
    look(next, given, 100 * kSecond);
    Lease taken = next.advance(100 * kSecond, 0)->lease;
    CHECK(taken.given_away == 5);
    taken.version = "4";
    Lease first = held_by("other", "1"), second = held_by("other", "2");
    first.transitions = second.transitions = 5;
    Looker third(first);
    third.at(102, second);
    CHECK(third.at(104, taken) == 0);
  }
}

TEST_CASE("leader election: a release says of which holder it is, whoever has it then") {
  LeaderElection election = leading();
  election.release();
  const auto call = election.advance(103 * kSecond, 0);
  REQUIRE(call);
  CHECK(call->lease.given_away == call->lease.transitions);
  LeaderElection next("next", 1);
  Lease given = call->lease;
  given.version = "2";
  look(next, given, 103 * kSecond);
  const auto taken = next.advance(103 * kSecond, 0);
  REQUIRE(taken);
  CHECK(taken->lease.given_away == 0);
  CHECK(taken->lease.transitions == 1);
}

TEST_CASE("leader election: what was heard is said by a release alone") {
  LeaderElection election = leading();
  CHECK(election.advance(102 * kSecond, 0)->lease.heard.empty());
  election.take_written("2", 102 * kSecond);
  election.release({{"/api/v1/pods", "9"}});
  const auto call = election.advance(103 * kSecond, 0);
  REQUIRE(call);
  CHECK(call->lease.heard == HeardVersions{{"/api/v1/pods", "9"}});
}

TEST_CASE("leader election: who waits looks after 0.5 to 1.1 of the time of a renewal") {
  for (const bool fails : {false, true}) {
    CAPTURE(fails);
    LeaderElectionOptions options;
    options.retry = 3 * kSecond;
    LeaderElection election("me", 1, options);
    Nanos least = Nanos::max(), most{0};
    for (int i = 0; i < 200; ++i) {
      const Nanos at = *election.next();
      REQUIRE(election.advance(at, 0));
      if (fails)
        election.take_failure(at);
      else
        election.take_read(held_by("other", std::to_string(i)), at);
      least = std::min(least, *election.next() - at);
      most = std::max(most, *election.next() - at);
    }
    CHECK(least >= Nanos{1'500'000'000});
    CHECK(least < Nanos{1'600'000'000});
    CHECK(most > Nanos{3'200'000'000});
    CHECK(most <= Nanos{3'300'000'000});
  }
}

TEST_CASE("leader election: a Lease that may be ours by a write under way is waited for") {
  const auto stopped = [] {
    LeaderElection election("me", 1);
    election.advance(100 * kSecond, 0);
    election.take_read(held_by("", "1"), 100 * kSecond);
    election.advance(101 * kSecond, 0);
    election.release();
    CHECK(election.is_releasing());
    CHECK_FALSE(election.is_leading(101 * kSecond));
    CHECK(election.deadline() == 111 * kSecond);  // as if it had led since the write began
    CHECK_FALSE(election.advance(101 * kSecond, 0));
    return election;
  };
  LeaderElection done = stopped();
  done.take_written("2", 102 * kSecond);
  CHECK_FALSE(done.is_leading(102 * kSecond));
  const auto call = done.advance(102 * kSecond, 0);
  REQUIRE(call);
  CHECK(call->kind == LeaseCall::Kind::kUpdate);
  CHECK(call->lease.holder.empty());
  CHECK(call->lease.version == "2");
  done.take_written("3", 103 * kSecond);
  CHECK_FALSE(done.is_releasing());
  LeaderElection beaten = stopped();
  beaten.take_conflict(102 * kSecond);
  CHECK(beaten.advance(102 * kSecond, 0)->kind == LeaseCall::Kind::kRead);
  beaten.take_read(held_by("other", "2"), 103 * kSecond);
  CHECK_FALSE(beaten.is_releasing());
  CHECK_FALSE(beaten.next());
}

TEST_CASE("leader election: who neither leads nor writes has nothing to release") {
  for (const bool reads : {false, true}) {
    LeaderElection election("me", 1);
    if (reads) election.advance(100 * kSecond, 0);
    election.release();
    CHECK_FALSE(election.is_releasing());
    if (reads) election.take_read(std::nullopt, 101 * kSecond);
    CHECK_FALSE(election.advance(102 * kSecond, 0));
  }
}

TEST_CASE("leader election: durations that cannot be kept are refused") {
  LeaderElectionOptions options;
  CHECK(options.check());
  options.renew_deadline = options.duration;
  CHECK_FALSE(options.check());
  options = {};
  options.retry = Nanos{8'400'000'000};
  CHECK_FALSE(options.check());
  options.retry = Nanos{8'300'000'000};
  CHECK(options.check());
  options.retry = Nanos{0};
  CHECK_FALSE(options.check());
  options = {};
  options.duration = Nanos{15'500'000'000};  // of which a Lease says 15 s
  CHECK_FALSE(options.check());
}

}  // namespace
}  // namespace gedge
