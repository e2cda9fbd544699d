#include "gedge/drive/api_cluster.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/sim/scripted_api.hpp"

namespace gedge {
namespace {

struct FixedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'000'000; }
};

/// Writes down what it is told.
struct Notes final : ClusterListener {
  std::vector<std::string> lines;
  void put(Facts objects) override {
    for (const Node& node : objects.nodes) lines.push_back("node " + node.name);
    for (const Pod& pod : objects.pods)
      lines.push_back("pod " + pod.name + " on '" + pod.bound_node.str() + "'");
    for (const SpreadOwner& owner : objects.spread_owners)
      lines.push_back(owner.kind + " " + owner.name);
    for (const Namespace& space : objects.namespaces) {
      std::string line = "namespace " + space.name;
      for (const auto& [key, value] : space.labels) line += " " + key + "=" + value;
      lines.push_back(line);
    }
  }
  void remove(FactKind, std::string_view space, std::string_view name,
              std::string_view uid) override {
    lines.push_back("gone " + std::string(space) + "/" + std::string(name) + " " +
                    std::string(uid));
  }
  void keep_only(FactKind kind, std::vector<PodName> names) override {
    if (kind != FactKind::kPod && kind != FactKind::kNode) return;
    std::string line = "only";
    for (const PodName& name : names) line += " " + name.name;
    lines.push_back(line);
  }
  void answer(std::uint64_t ticket, BindAnswer answer) override {
    lines.push_back("bind " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(answer)));
  }
  void answer(std::uint64_t ticket, const PodReading& reading) override {
    lines.push_back("read " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(reading.kind)) + " " + reading.uid.str() + " " +
                    reading.node.str());
  }
  void answer(std::uint64_t ticket, EvictAnswer answer) override {
    lines.push_back("evict " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(answer)));
  }
  void answer(std::uint64_t ticket, ClaimAnswer answer) override {
    lines.push_back("claim " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(answer)));
  }
  void failed(const Error& error) override { lines.push_back("failed: " + error.what); }
  std::vector<std::string> take() { return std::exchange(lines, {}); }
};

std::string pod(const std::string& name, const std::string& node = "",
                const std::string& cpu = "1") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"shop","uid":"u-)" + name + R"("},"spec":{"nodeName":")" + node +
         R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]}})";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

std::string list(const std::string& kind, const std::string& items, const std::string& next = "") {
  return R"({"kind":")" + kind +
         R"(","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":")" + next +
         R"("},"items":[)" + items + "]}";
}

using Lines = std::vector<std::string>;

struct Fixture {
  ScriptedApi api;
  FixedClock clock;
  Notes notes;
  ApiCluster cluster;

  explicit Fixture(ApiClusterOptions options = {})
      : cluster(api, clock, clock, std::move(options)) {}

  void turn() { REQUIRE(cluster.wait(Nanos{0}, notes)); }
  /// Sends what waited for more of its kind.
  void gather() {
    clock.time += Micros{25'000};
    turn();
  }
  /// Everything is listed, and empty but for these.
  void sync(const std::string& nodes, const std::string& pods) {
    turn();
    for (const auto& [ticket, request] : std::map(api.asked)) {
      const bool is_nodes = request.target.starts_with("/api/v1/nodes?");
      const bool is_pods = request.target.starts_with("/api/v1/pods?");
      api.say(ticket, 200,
              is_nodes  ? list("NodeList", nodes)
              : is_pods ? list("PodList", pods)
                        : list("List", ""));
    }
    turn();
    turn();
    REQUIRE(cluster.is_synced());
    notes.take();
  }
};

TEST_CASE("api cluster: lists pages of each kind, then watches from their version") {
  Fixture at;
  at.turn();
  const std::uint64_t nodes = at.api.find("/api/v1/nodes?limit=500");
  REQUIRE(nodes != 0);
  CHECK(at.api.find("/api/v1/pods?limit=500&fieldSelector=status.phase%21%3DSucceeded") != 0);
  CHECK_FALSE(at.cluster.is_synced());
  at.api.say(nodes, 200, list("NodeList", R"({"metadata":{"name":"n1"}})", "t/1"));
  at.turn();
  CHECK(at.notes.take() == Lines{"node n1"});
  at.turn();
  const std::uint64_t more = at.api.find("/api/v1/nodes?limit=500&continue=t%2F1");
  REQUIRE(more != 0);
  at.api.say(more, 200, list("NodeList", R"({"metadata":{"name":"n2"}})"));
  at.turn();
  CHECK(at.notes.take() == Lines{"node n2", "only n1 n2"});
  at.turn();
  CHECK(at.api.find("/api/v1/nodes?watch=1") == 0);  // the lists come first
  for (const auto& [ticket, request] : std::map(at.api.asked))
    at.api.say(ticket, 200, list("List", ""));
  at.turn();
  at.turn();
  const std::uint64_t watch =
      at.api.find("/api/v1/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=5&");
  REQUIRE(watch != 0);
  CHECK(at.api.asked.at(watch).is_stream);
  CHECK(at.api.asked.at(watch).lane == ApiLane::kWatch);
}

TEST_CASE(
    "api cluster: the next page is asked for before one is read, and all anew if it is none") {
  Fixture at;
  at.turn();
  const std::uint64_t nodes = at.api.find("/api/v1/nodes?limit=500");
  at.api.say(nodes, 200, R"({"metadata":{"resourceVersion":"5","continue":"t"},"items":[1,{]})");
  at.turn();
  CHECK(at.api.find("/api/v1/nodes?limit=500&continue=t") == 0);
  CHECK_FALSE(at.notes.take().empty());
  at.clock.time += Micros{2'000'000};
  at.turn();
  const std::uint64_t again = at.api.find("/api/v1/nodes?limit=500");
  CHECK(again != nodes);
  at.api.say(again, 200, list("NodeList", R"({"metadata":{"name":"n1"}})"));
  at.turn();
  CHECK(at.notes.take() == Lines{"node n1", "only n1"});
}

TEST_CASE("api cluster: events of a watch, in their order for each object") {
  Fixture at;
  at.sync(R"({"metadata":{"name":"n1"}})", "");
  const std::uint64_t watch = at.api.find("/api/v1/pods?watch=1");
  at.api.say_line(watch, event("ADDED", pod("a")));
  at.api.say_line(watch, event("ADDED", pod("b")));
  at.api.say_line(watch, event("MODIFIED", pod("a", "n1")));
  at.api.say_line(watch, event("DELETED", pod("a", "n1")));
  at.api.say_line(watch, event("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":"9"}})"));
  at.turn();
  CHECK(at.notes.take() == Lines{"pod a on ''", "pod b on ''", "pod a on 'n1'", "gone shop/a u-a"});
  at.clock.time += Micros{100'000'000};
  at.api.say(watch, 200, "");
  at.turn();
  at.turn();
  CHECK(at.api.find("/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=9&") != 0);
}

TEST_CASE("api cluster: a pod says nothing of the namespace that it lies in") {
  Fixture at;
  at.sync("", "");
  at.api.say_line(at.api.find("/api/v1/namespaces?watch=1"),
                  event("MODIFIED", R"({"apiVersion":"v1","kind":"Namespace","metadata":)"
                                    R"({"name":"shop","labels":{"team":"a"}}})"));
  at.api.say_line(at.api.find("/api/v1/pods?watch=1"), event("ADDED", pod("a")));
  at.turn();
  CHECK(at.notes.take() ==
        Lines{"pod a on ''", "namespace shop kubernetes.io/metadata.name=shop team=a"});
}

TEST_CASE("api cluster: an object that cannot be read spoils no other") {
  Fixture at;
  at.sync("", "");
  const std::uint64_t watch = at.api.find("/api/v1/pods?watch=1");
  at.api.say_line(watch, event("ADDED", pod("a")));
  at.api.say_line(watch, event("ADDED", pod("odd", "", "many")));
  at.api.say_line(watch, event("ADDED", pod("b")));
  at.turn();
  const Lines told = at.notes.take();
  REQUIRE(told.size() == 3);
  CHECK(told[0] == "pod a on ''");
  CHECK(told[1].starts_with("failed: "));
  CHECK(told[2] == "pod b on ''");
  CHECK(at.cluster.counts().unreadable == 1);
}

TEST_CASE("api cluster: one bad item of a list is left out") {
  Fixture at;
  at.turn();
  at.api.say(at.api.find("/api/v1/pods?limit"), 200,
             list("PodList", pod("a") + "," + pod("odd", "", "many") + "," + pod("b")));
  at.turn();
  const Lines told = at.notes.take();
  REQUIRE(told.size() == 4);
  CHECK(told[0] == "pod a on ''");
  CHECK(told[1].starts_with("failed: "));
  CHECK(told[2] == "pod b on ''");
  CHECK(told[3] == "only a b");
}

TEST_CASE("api cluster: kinds that a server lacks are none, and rights that are missing are told") {
  Fixture at;
  at.turn();
  for (const auto& [ticket, request] : std::map(at.api.asked)) {
    if (request.target.starts_with("/apis/apps/v1/statefulsets")) {
      at.api.say(ticket, 404, "404 page not found");
    } else if (request.target.starts_with("/api/v1/services")) {
      at.api.say(ticket, 403, R"({"kind":"Status","message":"services is forbidden"})");
    } else {
      at.api.say(ticket, 200, list("List", ""));
    }
  }
  at.turn();
  CHECK(at.cluster.is_synced());
  CHECK(at.notes.take().back() ==
        "failed: cannot read /api/v1/services: the server says 403: services is forbidden");
}

TEST_CASE("api cluster: without the right to read pods there is no cluster") {
  Fixture at;
  at.turn();
  for (const auto& [ticket, request] : std::map(at.api.asked))
    at.api.say(ticket, request.target.starts_with("/api/v1/pods") ? 403 : 200, list("List", ""));
  at.turn();
  CHECK_FALSE(at.cluster.is_synced());
  CHECK(at.cluster.unsynced() == Lines{"/api/v1/pods"});
}

TEST_CASE("api cluster: 410 in a watch lists again, and says what is gone") {
  Fixture at;
  at.sync("", pod("a") + "," + pod("b"));
  const std::uint64_t watch = at.api.find("/api/v1/pods?watch=1");
  at.api.say_line(watch, R"({"type":"ERROR","object":{"kind":"Status","code":410}})");
  at.turn();
  CHECK(at.api.find("/api/v1/pods") == 0);
  at.clock.time += Micros{5'000'000};
  at.turn();
  const std::uint64_t again = at.api.find("/api/v1/pods?limit=");
  REQUIRE(again != 0);
  at.api.say(again, 200, list("PodList", pod("b")));
  at.turn();
  CHECK(at.notes.take() == Lines{"pod b on ''", "only b"});
}

TEST_CASE("api cluster: what is broken for a minute is not known any more") {
  Fixture at;
  at.sync("", "");
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  at.clock.time += Micros{50'000'000};
  ApiAnswer lost;
  lost.error = {Errc::kUnreachable, "the connection broke off", {}, {}};
  at.api.say(at.api.find("/api/v1/nodes?watch=1"), lost);
  at.turn();
  CHECK(at.cluster.is_synced());
  at.clock.time += Micros{9'000'000};
  at.turn();
  const std::uint64_t again = at.api.find("/api/v1/nodes?watch=1");
  REQUIRE(again != 0);  // and it is not answered
  CHECK(at.cluster.is_synced());
  at.clock.time += Micros{2'000'000};
  CHECK_FALSE(at.cluster.is_synced());
  CHECK(at.cluster.unsynced() == Lines{"/api/v1/nodes"});
  at.api.say_opened(again);
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: who is about to decide asks what has been silent for a minute") {
  Fixture at;
  at.sync("", "");
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  const std::uint64_t pods = at.api.find("/api/v1/pods?watch=1");
  const std::uint64_t nodes = at.api.find("/api/v1/nodes?watch=1");
  at.clock.time += Micros{40'000'000};
  at.api.say_line(pods, event("ADDED", pod("a")));
  at.turn();
  at.cluster.refresh();
  CHECK(at.api.find("/api/v1/nodes?watch=1") == nodes);
  at.clock.time += Micros{21'000'000};
  CHECK(at.cluster.is_synced());  // for those who only ask
  at.cluster.refresh();
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  CHECK(at.api.find("/api/v1/pods?watch=1") == pods);
  CHECK(at.api.find("/api/v1/nodes?watch=1") != nodes);
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: a process that stood still trusts nothing that it reads then") {
  Fixture at;
  at.sync("", "");
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  const std::uint64_t pods = at.api.find("/api/v1/pods?watch=1");
  at.api.say_line(pods, event("ADDED", pod("a")));
  at.api.stands_still = [&] { at.clock.time += Micros{100'000'000}; };
  at.turn();
  at.api.stands_still = [] {};
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  CHECK(at.api.find("/api/v1/pods?watch=1") != pods);
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: a repair asks for an eviction, and budgets may say no") {
  for (const auto& [minor, version] :
       {std::pair(20, "policy/v1beta1"), std::pair(21, "policy/v1beta1"),
        std::pair(22, "policy/v1")}) {
    ApiClusterOptions options;
    options.minor = minor;
    Fixture at(options);
    at.cluster.evict({3, {"shop", "a"}, "u-a", {}, "n1", "5 of 4 cpu"});
    const std::uint64_t ticket = at.api.find("/api/v1/namespaces/shop/pods/a/eviction");
    REQUIRE(ticket != 0);
    const ApiRequest request = at.api.asked.at(ticket);
    CHECK(request.verb == ApiVerb::kPost);
    CHECK(request.body ==
          std::string(R"({"apiVersion":")") + version +
              R"(","kind":"Eviction","metadata":{"name":"a","namespace":"shop"},"deleteOptions":)"
              R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-a"}}})");
    at.api.say(ticket, minor == 20 ? 429 : 201, "{}");
    at.turn();
    const bool went = minor != 20;
    CHECK(at.notes.take().back() == "evict 3: " + std::to_string(went ? 0 : 1));
    at.gather();
    const std::uint64_t told = at.api.find("/apis/events.k8s.io/v1/namespaces/shop/events");
    REQUIRE((told != 0) == went);
    if (went)
      CHECK(at.api.asked.at(told).body.find(
                "Evicted from node n1, whose pods ask for 5 of 4 cpu") != std::string::npos);
  }
}

TEST_CASE("api cluster: what came of a bind") {
  struct Row {
    unsigned status;
    bool was_not_sent;
    BindAnswer answer;
  };
  const std::vector<Row> rows{
      {201, false, BindAnswer::kBound},   {200, false, BindAnswer::kBound},
      {404, false, BindAnswer::kGone},    {409, false, BindAnswer::kConflict},
      {429, false, BindAnswer::kRefused}, {403, false, BindAnswer::kRefused},
      {422, false, BindAnswer::kRefused}, {500, false, BindAnswer::kUnknown},
      {503, false, BindAnswer::kUnknown}, {504, false, BindAnswer::kUnknown},
      {0, false, BindAnswer::kUnknown},   {0, true, BindAnswer::kNotSent},
      {302, false, BindAnswer::kUnknown},
  };
  for (const Row& row : rows) {
    ApiClusterOptions options;
    options.events = EventsTold::kNone;
    Fixture at(options);
    at.cluster.bind({42, {"shop", "a"}, "u-a", "n1"});
    const std::uint64_t ticket = at.api.find("/api/v1/namespaces/shop/pods/a/binding");
    REQUIRE(ticket != 0);
    const ApiRequest request = at.api.asked.at(ticket);
    CHECK(request.verb == ApiVerb::kPost);
    CHECK(request.lane == ApiLane::kWrite);
    CHECK(request.body ==
          R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a","namespace":"shop",)"
          R"("uid":"u-a"},"target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
    ApiAnswer answer;
    answer.status = row.status;
    answer.was_not_sent = row.was_not_sent;
    at.api.say(ticket, answer);
    at.turn();
    CAPTURE(row.status);
    CHECK(at.notes.take().back() == "bind 42: " + std::to_string(static_cast<int>(row.answer)));
  }
}

TEST_CASE("api cluster: a pod is read from storage, and only a whole answer counts") {
  const auto read = [](unsigned status, const std::string& body) {
    Fixture at;
    at.cluster.read({7, {"shop", "a"}});
    const std::uint64_t ticket = at.api.find("/api/v1/namespaces/shop/pods/a");
    REQUIRE(ticket != 0);
    CHECK(at.api.asked.at(ticket).target.find("resourceVersion") == std::string::npos);
    at.api.say(ticket, status, body);
    at.turn();
    return at.notes.take().back();
  };
  CHECK(read(200, pod("a", "n1")) == "read 7: 0 u-a n1");
  CHECK(read(200, R"({"metadata":{"uid":"x"},"spec":{}})") == "read 7: 0 x ");
  CHECK(read(404, "") == "read 7: 1  ");
  CHECK(read(500, "") == "read 7: 2  ");
  CHECK(read(200, "<html>") == "read 7: 2  ");
  CHECK(read(200, R"({"metadata":{"uid":"x"},"spec":{"nodeName":5}})") == "read 7: 2  ");
}

TEST_CASE("api cluster: events and conditions are few at a time, and never too many") {
  Fixture at;
  for (int i = 0; i < 5'000; ++i)
    at.cluster.tell(Unschedulable{{"shop", "p" + std::to_string(i)}, "u", "0/1 nodes"});
  CHECK(at.api.asked.size() == 64);
  CHECK(at.cluster.counts().events_dropped == 10'000 - 64 - 4'096);
  for (const auto& [ticket, request] : at.api.asked) CHECK(request.lane == ApiLane::kEvent);
}

TEST_CASE("api cluster: what is told waits a moment for more of its kind") {
  Fixture at;
  const auto told = [&] {
    return std::count_if(at.api.asked.begin(), at.api.asked.end(),
                         [](const auto& asked) { return asked.second.lane == ApiLane::kEvent; });
  };
  const auto tell = [&](int many) {
    for (int i = 0; i < many; ++i)
      at.cluster.tell(Unschedulable{{"shop", "p" + std::to_string(i)}, "u", "0/1 nodes"});
    at.turn();
  };
  tell(1);
  CHECK(told() == 0);
  CHECK(at.cluster.untold() == 2);
  at.clock.time += Micros{24'000};
  tell(1);
  CHECK(told() == 0);
  at.clock.time += Micros{1'000};
  at.turn();
  CHECK(told() == 4);
  tell(15);
  CHECK(told() == 4);
  tell(1);  // as much as goes in one piece
  CHECK(told() == 36);
}

TEST_CASE("api cluster: what a pod that waits is told") {
  Fixture at;
  at.cluster.tell(
      Unschedulable{{"shop", "a"}, "u-a", "0/1 nodes are available: 1 Insufficient cpu."});
  at.gather();
  const std::uint64_t patch = at.api.find("/api/v1/namespaces/shop/pods/a/status");
  REQUIRE(patch != 0);
  const ApiRequest& condition = at.api.asked.at(patch);
  CHECK(condition.verb == ApiVerb::kPatch);
  CHECK(condition.content_type == "application/strategic-merge-patch+json");
  CHECK(condition.body ==
        R"({"metadata":{"uid":"u-a"},"status":{"conditions":[{"type":"PodScheduled",)"
        R"("status":"False","reason":"Unschedulable",)"
        R"("message":"0/1 nodes are available: 1 Insufficient cpu.","lastProbeTime":null,)"
        R"("lastTransitionTime":"2026-11-18T11:06:40Z"}]}})");
  const std::uint64_t post = at.api.find("/apis/events.k8s.io/v1/namespaces/shop/events");
  REQUIRE(post != 0);
  CHECK(at.api.asked.at(post).body.find(R"("reason":"FailedScheduling","type":"Warning")") !=
        std::string::npos);
}

TEST_CASE("api cluster: a failure that is told again is counted, and too many are not told") {
  ApiClusterOptions options;
  options.tells_conditions = false;
  Fixture at(std::move(options));
  const auto tell = [&](const std::string& message) {
    at.cluster.tell(Unschedulable{{"shop", "a"}, "u-a", message});
    at.gather();
    std::string asked;
    for (const auto& [ticket, request] : std::map(at.api.asked)) {
      if (request.lane != ApiLane::kEvent) continue;
      asked += request.verb == ApiVerb::kPatch ? request.target + " " + request.body : "POST";
      at.api.say(ticket, 201, "{}");
    }
    at.turn();
    return asked;
  };
  CHECK(tell("no room") == "POST");
  CHECK(tell("no disk") == "POST");
  const std::string again = tell("no room");
  CHECK(again.starts_with("/apis/events.k8s.io/v1/namespaces/shop/events/a."));
  CHECK(again.ends_with(
      R"( {"series":{"count":2,"lastObservedTime":"2026-11-18T11:06:40.000000Z"}})"));
  for (int i = 0; i < 22; ++i) CHECK_FALSE(tell("no room").empty());
  CHECK(tell("no room").empty());
  CHECK(at.cluster.counts().events_dropped == 1);
}

void lead(Fixture& at) {
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t lease = at.api.find("/apis/coordination.k8s.io/");
    REQUIRE(lease != 0);
    at.api.say(lease, 200,
               R"({"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":"me",)"
               R"("leaseDurationSeconds":15}})");
    at.turn();
    at.turn();
  }
  REQUIRE(at.cluster.is_leading());
}

TEST_CASE("api cluster: events end before the lease does, and after it none is sent") {
  ApiClusterOptions options;
  options.lease.emplace();
  options.lease->identity = "me";
  Fixture at(std::move(options));
  at.turn();
  lead(at);
  const auto told = [&](const std::string& name) {
    at.cluster.tell(Unschedulable{{"shop", name}, "u", "no room"});
    at.clock.time += Micros{25'000};
    static_cast<void>(at.cluster.wait(Nanos{0}, at.notes));  // fails where the lease is over
    std::vector<ApiRequest> requests;
    for (const auto& [ticket, request] : at.api.asked)
      if (request.lane == ApiLane::kEvent) requests.push_back(request);
    return requests;
  };
  at.clock.time += Micros{3'975'000};
  for (const ApiRequest& request : told("a")) {
    CHECK(request.timeout == Nanos{6'000'000'000});
    CHECK(request.target.ends_with("?timeout=6000ms"));
  }
  CHECK(told("b").size() == 4);
  at.clock.time += Micros{6'000'000};
  CHECK(told("c").size() == 4);
  CHECK(at.cluster.untold() == 6);
  CHECK_FALSE(at.cluster.wait(Nanos{0}, at.notes));  // nobody waits for them: the process ends
}

TEST_CASE("api cluster: who does not lead binds nothing") {
  ApiClusterOptions options;
  options.lease.emplace();
  options.lease->identity = "me";
  Fixture at(std::move(options));
  const std::string path = "/api/v1/namespaces/shop/pods/a/binding";
  const auto bind = [&] { at.cluster.bind({42, {"shop", "a"}, "u-a", "n1"}); };
  at.turn();
  bind();
  CHECK(at.api.find(path) == 0);
  at.turn();
  CHECK(at.notes.take().back() ==
        "bind 42: " + std::to_string(static_cast<int>(BindAnswer::kRefused)));
  lead(at);
  bind();
  const std::uint64_t sent = at.api.find(path);
  REQUIRE(sent != 0);
  CHECK(at.api.asked.at(sent).send_by == Nanos(at.clock.time) + Nanos{10'000'000'000});
  at.api.say(sent, 201, "{}");
  at.turn();
  at.clock.time += Micros{10'000'000};
  const std::size_t asked = at.api.asked.size();
  bind();
  CHECK(at.api.asked.size() == asked);
}

TEST_CASE("api cluster: whoever waits for the lease rests meanwhile") {
  ApiClusterOptions options;
  options.lease.emplace();
  options.lease->identity = "me";
  Fixture at(std::move(options));
  REQUIRE(at.cluster.wait(Nanos{1'000'000'000}, at.notes));
  const std::uint64_t lease = at.api.find("/apis/coordination.k8s.io/");
  REQUIRE(lease != 0);
  at.api.say(lease, 200,
             R"({"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":"other",)"
             R"("leaseDurationSeconds":15}})");
  at.turn();
  CHECK_FALSE(at.cluster.is_leading());
  REQUIRE(at.cluster.wait(Nanos{1'000'000'000}, at.notes));
  CHECK(at.api.waited.back() > Nanos{0});
  CHECK(at.api.find("/api/v1/pods") == 0);
}

}  // namespace
}  // namespace gedge
