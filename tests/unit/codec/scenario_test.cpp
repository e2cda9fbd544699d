// Scenarios of `gedge simulate`, and what is wrong with them.
#include "gedge/codec/scenario.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gedge;

namespace {

constexpr Nanos kSecond{1'000'000'000};

const std::string kHead = "apiVersion: gedge.io/v1alpha1\nkind: Scenario\n";

ScenarioReading read(const std::string& text) { return read_scenario({"s.yaml", text, 0}); }

// "line:column: what", one a line.
std::string errors(const std::string& rest) {
  std::string out;
  for (const Error& error : read(kHead + rest).errors)
    out += std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + ": " +
           error.what + "\n";
  return out;
}

}  // namespace

TEST_CASE("a scenario is read with everything that it may say") {
  const auto reading = read(kHead + R"(metadata: {name: any}
cluster: synthetic:nodes=3
rtt: [a.csv, b.csv]
manifests: app/
seed: 7
duration: 1h
timing: {nodeGrace: 10s, evictAfter: 0, podStart: 500ms, podStop: 2s, answer: 1ms, watch: 3ms}
faults: {lostBinds: 5%, lostAnswers: 0.25%, refusedBinds: 1%, lostReads: 100%, watchRepeats: 2%,
  watchBreaks: 3%, restarts: 4%, slowAnswers: 1s, lateWatch: 2s, timeout: 3s, churn: 1.5m,
  watchOutage: 2m}
events:
- {at: 10m, fail: [edge-1, edge-2]}
- {at: 60s, scale: shop/deployment/web, replicas: 5}
- {at: 60s, edit: "rtt/edge-1,edge-2=9ms"}
- {at: 0, add: more.yaml}
- {at: 1h, finish: job-0}
)");
  REQUIRE(reading.errors.empty());
  REQUIRE(reading.scenario);
  const Scenario& scenario = *reading.scenario;
  CHECK(scenario.cluster == std::vector<std::string>{"synthetic:nodes=3"});
  CHECK(scenario.rtt == std::vector<std::string>{"a.csv", "b.csv"});
  CHECK(scenario.manifests == std::vector<std::string>{"app/"});
  CHECK(scenario.seed == 7);
  CHECK(scenario.duration == 3'600 * kSecond);
  CHECK(scenario.timing.node_grace == 10 * kSecond);
  CHECK(scenario.timing.evict_after == Nanos{0});
  CHECK(scenario.timing.start_after == kSecond / 2);
  CHECK(scenario.timing.stop_after == 2 * kSecond);
  CHECK(scenario.timing.answer_after == kSecond / 1'000);
  CHECK(scenario.timing.watch_after == 3 * kSecond / 1'000);
  const ScenarioFaults& faults = scenario.faults;
  CHECK(faults.any());
  CHECK(faults.lost_binds == 50'000);
  CHECK(faults.lost_answers == 2'500);
  CHECK(faults.refused_binds == 10'000);
  CHECK(faults.lost_reads == 1'000'000);
  CHECK(faults.watch_repeats == 20'000);
  CHECK(faults.watch_breaks == 30'000);
  CHECK(faults.restarts == 40'000);
  CHECK(faults.slow_answers == kSecond);
  CHECK(faults.late_watch == 2 * kSecond);
  CHECK(faults.watch_outage == 120 * kSecond);
  CHECK(faults.timeout == 3 * kSecond);
  CHECK(faults.churn == 90 * kSecond);
  std::string events;
  for (const ScenarioEvent& event : scenario.events)
    events += std::to_string(event.at / kSecond) + ' ' + event.subject + ' ' +
              std::to_string(event.replicas) + '\n';
  CHECK(events ==
        "0 more.yaml 0\n60 shop/deployment/web 5\n60 rtt/edge-1,edge-2=9ms 0\n600 edge-1 0\n"
        "600 edge-2 0\n3600 job-0 0\n");
  CHECK(scenario.events[3].where.line == 14);
}

TEST_CASE("what is wrong with a scenario is said with its place") {
  const std::string nodes = "cluster: synthetic:nodes=3\n";
  CHECK(errors(nodes + "sede: 3\n") == "4:1: unknown field 'sede'\n");
  CHECK(errors(nodes + "seed: -1\n").starts_with("4:7: "));
  CHECK(errors(nodes + "duration: 15\n") == "4:11: '15' is no time\n");
  CHECK(errors(nodes + "duration: 100000h\n") == "4:11: '100000h' is no time\n");
  CHECK(errors(nodes + "timing: {nodeGrace: soon}\n") == "4:21: 'soon' is no time\n");
  CHECK(errors(nodes + "timing: {grace: 1s}\n") == "4:10: unknown field 'grace'\n");
  CHECK(errors(nodes + "faults: {lostBinds: 5}\n") == "4:21: '5' is no share\n");
  CHECK(errors(nodes + "faults: {lostBinds: 101%}\n") == "4:21: '101%' is no share\n");
  CHECK(errors(nodes + "faults: {lostBinds: \"%\"}\n") == "4:21: '%' is no share\n");
  CHECK(errors("seed: 1\n") == "1:1: a scenario without nodes\n");
}

TEST_CASE("what is wrong with an event is said with its place") {
  const auto event = [](const std::string& text) {
    return errors("cluster: synthetic:nodes=3\nevents:\n- " + text + "\n");
  };
  CHECK(event("{at: 1s, fail: a}").empty());
  CHECK(event("{fail: a}") == "5:3: an event without a time\n");
  CHECK(event("{at: 1s}") == "5:3: an event in which nothing happens\n");
  CHECK(event("{at: 1s, fail: }") == "5:3: an event in which nothing happens\n");
  CHECK(event("{at: 1s, fail: a, recover: b}") == "5:21: a second thing in one event\n");
  CHECK(event("{at: 1s, scale: deployment/a}") == "5:3: 'scale' without 'replicas'\n");
  CHECK(event("{at: 1s, fail: a, replicas: 3}") == "5:21: 'replicas' without 'scale'\n");
  CHECK(event("{at: 1s, edit: node/a}") == "5:18: 'node/a': expected a node name and ':'\n");
  CHECK(event("{at: 1s, edit: add=b.yaml}") == "5:18: a file is added by an event of its own\n");
  CHECK(event("{at: 11m, fail: a}") == "5:19: an event after the end\n");
  CHECK(event("{at: 1s, explode: a}") == "5:12: unknown field 'explode'\n");
}

TEST_CASE("another object is no scenario") {
  CHECK(read("kind: Plan\n").errors.front().what == "no Scenario");
  CHECK(read("[]\n").errors.front().what == "no Scenario");
  CHECK(read("kind: Scenario\napiVersion: gedge.io/v9\n").errors.front().what ==
        "no Scenario of gedge.io/v1alpha1");
  CHECK_FALSE(read("").scenario);
  CHECK_FALSE(read("kind: {").scenario);
}
