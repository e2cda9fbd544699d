#include "gedge/drive/probing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "gedge/sim/scripted_network.hpp"

using gedge::Fate;
using gedge::kUnmeasured;
using gedge::Nanos;
using gedge::ProbeEvent;
using gedge::ProbeLink;
using gedge::ProbePlan;
using gedge::Prober;
using gedge::Refusal;
using gedge::Rtt;
using gedge::RttSummary;
using gedge::ScriptedNetwork;
using gedge::TargetNotes;

namespace {

constexpr Nanos kUs{1'000}, kMs{1'000'000};

struct Outcome {
  std::vector<TargetNotes> notes;
  std::vector<RttSummary> summaries;
  gedge::OddReplies odd;
  Nanos took{0};
};

Outcome probe(const ScriptedNetwork::Script& script, const ProbePlan& plan, std::uint32_t targets,
              bool batched = false) {
  ScriptedNetwork network(script);
  gedge::LinkRequest request;
  request.targets.resize(targets);
  request.batched = batched;
  const auto link = network.open(request);
  Prober prober(plan, targets, 1, (*link)->now());
  Outcome outcome;
  outcome.notes = gedge::run_probes(prober, **link, targets, nullptr);
  for (std::uint32_t i = 0; i < targets; ++i)
    outcome.summaries.push_back(prober.samples(i).summary());
  outcome.odd = prober.odd_replies();
  outcome.took = (*link)->now();
  return outcome;
}

ProbePlan plan(std::uint32_t count) { return {count, 10 * kMs, 50 * kMs, Nanos{0}}; }

// Answers at once, until somebody stops it as it sends one more.
class StoppedLink final : public ProbeLink {
 public:
  explicit StoppedLink(std::size_t answers) : answers_(answers) {}
  Nanos now() override { return now_; }
  std::size_t room() const override { return 1; }
  void send(std::span<const gedge::Probe> probes) override {
    for (const gedge::Probe& probe : probes) {
      stop = answers_ == 0;
      if (!stop)
        coming_.push_back(
            {ProbeEvent::Kind::kReply, Refusal::kNone, probe.target, probe.cookie, now_ + kMs});
      answers_ -= stop ? 0 : 1;
    }
  }
  Received receive(Nanos until) override {
    REQUIRE_FALSE(stop);
    longest = std::max(longest, until - now_);
    now_ = coming_.empty() ? until : now_ + kMs;
    events_.swap(coming_);
    coming_.clear();
    return {events_, true};
  }
  std::atomic<bool> stop{false};
  Nanos longest{0};  // that anybody wanted to wait

 private:
  Nanos now_{0};
  std::size_t answers_;
  std::vector<ProbeEvent> coming_, events_;
};

// Somebody sends us more than can be read: whenever it is looked at, there is more.
class FloodedLink final : public ProbeLink {
 public:
  Nanos now() override { return now_; }
  std::size_t room() const override { return 1; }
  void send(std::span<const gedge::Probe> probes) override { sent_ += probes.size(); }
  Received receive(Nanos) override {
    now_ += kMs;
    return {{}, false};
  }
  std::size_t sent() const { return sent_; }

 private:
  Nanos now_{0};
  std::size_t sent_ = 0;
};

}  // namespace

TEST_CASE("probing: a flood of packets that never ends does not keep it from ending") {
  FloodedLink link;
  Prober prober(plan(5), 2, 1, link.now());
  static_cast<void>(gedge::run_probes(prober, link, 2, nullptr));
  CHECK(link.sent() == 10);
  CHECK(prober.samples(0).lost() == 5);
  CHECK(prober.samples(1).lost() == 5);
  CHECK(link.now() < 3'000 * kMs);
}

TEST_CASE("probing: whoever is stopped counts what is settled, and has not waited for long") {
  StoppedLink link(3);
  Prober prober({10, 60'000 * kMs, 60'000 * kMs, Nanos{0}}, 1, 1, link.now());
  static_cast<void>(gedge::run_probes(prober, link, 1, nullptr, &link.stop));
  const RttSummary summary = prober.samples(0).summary();
  CHECK(summary.samples == 3);
  CHECK(summary.probes == 3);  // that under way is not lost
  CHECK(link.longest < 1'000 * kMs);
}

TEST_CASE("probing: answers are taken with the stamps of the link, targets apart") {
  const Outcome outcome = probe(
      [](std::uint32_t target, std::uint32_t) {
        return Fate{{(target + 1) * kMs}, Refusal::kNone, 300 * kUs};
      },
      plan(4), 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(outcome.summaries[i].p50 == Rtt{1'000 * (i + 1)});
    CHECK(outcome.summaries[i].mdev == Rtt{0});
    CHECK(outcome.summaries[i].samples == 4);
    CHECK(outcome.notes[i].kernel_stamped);
  }
}

TEST_CASE("probing: it ends with the last answer, and waits a timeout only for what is lost") {
  const auto all = probe([](auto, auto) { return Fate{{2 * kMs}}; }, plan(5), 1);
  CHECK(all.took == 42 * kMs);
  CHECK_FALSE(all.notes[0].kernel_stamped);

  const auto last_lost =
      probe([](auto, std::uint32_t number) { return number == 4 ? Fate{} : Fate{{2 * kMs}}; },
            plan(5), 1);
  CHECK(last_lost.took == 90 * kMs + Nanos{1});
  CHECK(last_lost.summaries[0].loss_ppm == 200'000);
}

TEST_CASE("probing: duplicates and late answers of every kind change nothing") {
  const auto outcome = probe(
      [](auto, std::uint32_t number) {
        if (number == 0) return Fate{{2 * kMs, 3 * kMs, 49 * kMs}};
        if (number == 1) return Fate{{51 * kMs, 52 * kMs}};
        return Fate{{4 * kMs}};
      },
      plan(10), 1);
  CHECK(outcome.summaries[0].samples == 9);
  CHECK(outcome.summaries[0].probes == 10);
  CHECK(outcome.summaries[0].min == Rtt{2'000});
  CHECK(outcome.summaries[0].max == Rtt{4'000});
  CHECK(outcome.odd.duplicate == 2);
  CHECK(outcome.odd.late == 2);
}

TEST_CASE("probing: refused probes are lost, and the reason is kept") {
  const auto outcome = probe(
      [](std::uint32_t target, auto) {
        return target == 1 ? Fate{{}, Refusal::kUnreachable} : Fate{{kMs}};
      },
      plan(3), 2);
  CHECK(outcome.notes[0].refusal == Refusal::kNone);
  CHECK(outcome.notes[1].refusal == Refusal::kUnreachable);
  CHECK(outcome.summaries[1].p50 == kUnmeasured);
  CHECK(outcome.summaries[1].loss_ppm == 1'000'000);
  CHECK(outcome.took < 50 * kMs);  // nobody waits for an answer to what never left
}

TEST_CASE("probing: without interval a batched link gets batches, and nothing is lost") {
  const ProbePlan flood{50, Nanos{0}, 50 * kMs, Nanos{0}};
  const auto outcome = probe([](auto, auto) { return Fate{{100 * kUs}}; }, flood, 100, true);
  for (const RttSummary& summary : outcome.summaries) {
    REQUIRE(summary.samples == 50);
    REQUIRE(summary.max == Rtt{100});
  }
}

TEST_CASE("probing: a rate is kept over the whole run") {
  const ProbePlan paced{20, Nanos{0}, 50 * kMs, kMs};
  const auto outcome = probe([](auto, auto) { return Fate{{kMs / 2}}; }, paced, 5, true);
  CHECK(outcome.took >= 99 * kMs);
  CHECK(outcome.took <= 101 * kMs);
}
