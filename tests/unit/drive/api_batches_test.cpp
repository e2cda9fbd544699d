// The same lines of a watch, in batches of any size, make the same pods: those of reading each line
// alone. Some lines are damaged, some tell of pods that are gone, and some end the watch.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/load.hpp"
#include "gedge/codec/watch.hpp"
#include "gedge/drive/api_cluster.hpp"
#include "gedge/sim/scripted_api.hpp"
#include "support/dice.hpp"
#include "support/watched_pods.hpp"

namespace gedge {
namespace {

using test::Dice;
using test::WatchedPods;

using Pods = std::map<std::string, std::string>;  // by namespace/name

struct FixedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'000'000; }
};

void put_all(const Facts& facts, Pods& pods) {
  for (const Pod& pod : facts.pods) {
    Facts one;
    one.pods = {pod};
    one.specs = facts.specs;
    pods[pod.namespace_name + "/" + pod.name] = test::describe_pods(one);
  }
}

/// What one of them says and the other does not.
std::string difference(const Pods& a, const Pods& b) {
  std::string out;
  for (const auto& [name, pod] : a)
    if (const auto at = b.find(name); at == b.end() || at->second != pod) out += "- " + pod;
  for (const auto& [name, pod] : b)
    if (const auto at = a.find(name); at == a.end() || at->second != pod) out += "+ " + pod;
  return out;
}

/// What a cluster says of its pods.
struct Told final : ClusterListener {
  Pods pods;
  std::size_t failures = 0;

  void put(Facts objects) override { put_all(objects, pods); }
  void remove(FactKind kind, std::string_view space, std::string_view name,
              std::string_view) override {
    if (kind == FactKind::kPod) pods.erase(std::string(space) + "/" + std::string(name));
  }
  void keep_only(FactKind kind, std::vector<PodName> names) override {
    if (kind != FactKind::kPod) return;
    std::erase_if(pods, [&](const auto& pod) {
      return std::none_of(names.begin(), names.end(), [&](const PodName& name) {
        return pod.first == name.namespace_name + "/" + name.name;
      });
    });
  }
  void answer(std::uint64_t, BindAnswer) override {}
  void answer(std::uint64_t, const PodReading&) override {}
  void answer(std::uint64_t, EvictAnswer) override {}
  void answer(std::uint64_t, ClaimAnswer) override {}
  void failed(const Error&) override { ++failures; }
};

/// Lines of a watch that goes on until it cannot be read or says that it is over; then a list.
struct Script {
  std::vector<std::string> lines, list;
};

bool ends_watch(const std::string& line) {
  const auto read = WatchReader().read(line);
  return !read || read->type == WatchType::kError;
}

std::vector<Script> random_scripts(std::uint64_t seed) {
  Dice dice(seed);
  WatchedPods pods(seed);
  std::vector<Script> scripts(4);
  for (Script& script : scripts) {
    while (script.lines.empty() || !ends_watch(script.lines.back())) {
      const std::string line = pods.line();
      const std::size_t uid = line.find("\"uid\"");
      if (dice.chance(90))
        script.lines.push_back(line);
      else if (dice.chance(50))
        script.lines.push_back(pods.gone(dice.below(100)));
      else
        script.lines.push_back(line.substr(0, uid) + test::damaged(line.substr(uid), dice));
      if (script.lines.size() == 500)
        script.lines.emplace_back(R"({"type":"ERROR","object":{"kind":"Status","code":410}})");
    }
    for (std::size_t i = 0; i < 30; ++i)
      script.list.push_back(pods.object(i, dice.below(8), dice.below(3)));
  }
  return scripts;
}

void read_alone(const std::string& object, Pods& pods) {
  LoadOptions options;
  options.keeps_unread = true;
  FactsLoader loader(options);
  loader.add_cluster({"alone", object});
  const LoadResult result = loader.finish();
  if (result.loaded) put_all(result.loaded->facts, pods);
}

// Of who manages which field nothing is looked at.
std::string object_of(const WatchLine& line) {
  std::string object(line.object);
  if (!line.managed_fields.empty())
    object.replace(static_cast<std::size_t>(line.managed_fields.data() - line.object.data()),
                   line.managed_fields.size(), "[]");
  return object;
}

void watch_alone(const std::vector<std::string>& lines, Pods& pods) {
  WatchReader reader;
  for (const std::string& line : lines) {
    const auto read = reader.read(line);
    if (!read || read->type == WatchType::kError) continue;
    if (read->type == WatchType::kDeleted)
      pods.erase(read->namespace_name + "/" + read->name);
    else if (read->type != WatchType::kOther)
      read_alone(object_of(*read), pods);
  }
}

// Of what came before the last list nothing counts any more.
Pods pods_of(const std::vector<Script>& scripts) {
  Pods pods;
  for (const std::string& object : scripts.back().list) read_alone(object, pods);
  watch_alone(scripts.front().lines, pods);
  return pods;
}

/// A cluster of which only the pods matter.
struct Fixture {
  ScriptedApi api;
  FixedClock clock;
  Told told;
  ApiCluster cluster{api, clock, clock, {}};

  void turn() { REQUIRE(cluster.wait(Nanos{0}, told)); }
  void list(const std::vector<std::string>& objects) {
    clock.time += Micros{60'000'000};
    turn();
    std::string items;
    for (const std::string& object : objects) items += (items.empty() ? "" : ",") + object;
    for (const auto& [ticket, request] : std::map(api.asked)) {
      const bool is_list = request.target.find("?limit=") != std::string::npos;
      const bool is_pods = request.target.starts_with("/api/v1/pods?");
      if (is_list)
        api.say(ticket, 200,
                R"({"kind":"List","metadata":{"resourceVersion":"1"},"items":[)" +
                    (is_pods ? items : "") + "]}");
    }
    turn();
    turn();
    REQUIRE(api.find("/api/v1/pods?watch=1") != 0);
  }
  void watch(const std::vector<std::string>& lines, std::size_t batch) {
    const std::uint64_t ticket = api.find("/api/v1/pods?watch=1");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      api.say_line(ticket, lines[i]);
      if ((i + 1) % batch == 0) turn();
    }
    turn();
  }
};

TEST_CASE("api batches: damaged lines, lists and ends of watches make the same in any batches") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const std::vector<Script> scripts = random_scripts(seed);
    const Pods expected = pods_of(scripts);
    CHECK(expected.size() > 30);
    std::vector<std::size_t> failures;
    for (const std::size_t batch : std::array<std::size_t, 3>{1, 7, 1000}) {
      CAPTURE(batch);
      Fixture at;
      at.list({});
      for (const Script& script : scripts) {
        at.watch(script.lines, batch);
        at.list(script.list);
      }
      at.watch(scripts.front().lines, batch);
      CHECK(difference(expected, at.told.pods) == "");
      failures.push_back(at.cluster.counts().unreadable);
    }
    CHECK(failures == std::vector<std::size_t>(3, failures.front()));
    CHECK(failures.front() > 0);
  }
}

}  // namespace
}  // namespace gedge
