#include "gedge/drive/api_cluster.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/drive/api_fixture.hpp"
#include "unit/drive/store_version.hpp"

namespace gedge {
namespace {

using namespace api_test;

// A message of fields 1, 2 and on, of which each that is not empty is there.
std::string message(std::initializer_list<std::string_view> fields) {
  std::string out;
  protozero::pbf_writer writer(out);
  std::uint32_t number = 0;
  for (const std::string_view field : fields)
    if (++number; !field.empty()) writer.add_bytes(number, field.data(), field.size());
  return out;
}

std::string in_protobuf(std::string_view kind, const std::string& raw) {
  return std::string("k8s\0", 4) + message({message({"v1", kind}), raw});
}

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

TEST_CASE("api cluster: the server is at work on the next page while one is read") {
  Fixture at;
  at.turn();
  int pushes = 0;
  at.api.pushed = [&] {
    ++pushes;
    CHECK(at.api.find("/api/v1/nodes?limit=500&continue=t") != 0);
    CHECK(at.notes.lines.empty());
  };
  at.api.say(at.api.find("/api/v1/nodes?limit=500"), 200,
             list("NodeList", R"({"metadata":{"name":"n1"}})", "t"));
  at.turn();
  CHECK(at.notes.take() == Lines{"node n1"});
  CHECK(pushes == 1);
  at.api.say(at.api.find("/api/v1/nodes?limit=500&continue=t"), 200, list("NodeList", ""));
  at.turn();
  CHECK(pushes == 1);  // it was the last one
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

TEST_CASE("api cluster: lists of nodes and pods may come in protobuf, and refusals of them") {
  Fixture at;
  at.turn();
  for (const auto& [ticket, request] : at.api.asked) {
    const bool is_bulk = request.target.rfind("/api/v1/nodes?", 0) == 0 ||
                         request.target.rfind("/api/v1/pods?", 0) == 0;
    CHECK(request.takes_protobuf == is_bulk);
  }
  const std::string node = message({message({"n1"})}), meta = message({"", "5", "t"});
  at.api.say(at.api.find("/api/v1/nodes?limit=500"), 200,
             in_protobuf("NodeList", message({meta, node})));
  const std::string pod = message({message({"a", "", "shop", "", "u-a"})});
  at.api.say(at.api.find("/api/v1/pods?limit=500"), 200,
             in_protobuf("PodList", message({message({"", "5"}), pod})));
  at.turn();
  CHECK(at.notes.take() == Lines{"node n1", "pod a on ''", "only a"});
  const std::uint64_t more = at.api.find("/api/v1/nodes?limit=500&continue=t");
  REQUIRE(more != 0);
  at.api.say(more, 403, in_protobuf("Status", message({"", "Failure", "not you", "Forbidden"})));
  at.turn();
  CHECK(at.notes.take() ==
        Lines{"failed: cannot read /api/v1/nodes: the server says 403: not you"});
}

TEST_CASE("api cluster: a refusal in protobuf says when to come again, as any does") {
  Fixture at;
  at.turn();
  const std::uint64_t nodes = at.api.find("/api/v1/nodes?limit=500");
  ApiAnswer answer;
  answer.status = 429;
  answer.body = in_protobuf("Status", message({"", "Failure", "too many"}));
  answer.retry_after = Nanos{30'000'000'000};
  at.api.say(nodes, std::move(answer));
  at.turn();
  at.clock.time += Micros{29'000'000};
  at.turn();
  CHECK(at.api.find("/api/v1/nodes?limit=500") == 0);
  at.clock.time += Micros{30'000'000};
  at.turn();
  CHECK(at.api.find("/api/v1/nodes?limit=500") != 0);
}

TEST_CASE("api cluster: after protobuf that cannot be read, JSON is asked for") {
  Fixture at;
  at.turn();
  const std::uint64_t nodes = at.api.find("/api/v1/nodes?limit=500");
  at.api.say(nodes, 200, in_protobuf("PodTemplateList", ""));
  at.turn();
  CHECK(at.notes.take() == Lines{"failed: cannot read /api/v1/nodes: the server's protobuf cannot "
                                 "be read: it is of another kind than was asked for"});
  at.clock.time += Micros{2'000'000};
  at.turn();
  const std::uint64_t again = at.api.find("/api/v1/nodes?limit=500");
  REQUIRE(again != 0);
  CHECK(again != nodes);
  CHECK_FALSE(at.api.asked.at(again).takes_protobuf);
  at.api.say(again, 500, in_protobuf("PodTemplateList", ""));
  at.turn();
  CHECK(at.notes.take() == Lines{"failed: cannot read /api/v1/nodes: the server says 500"});
}

TEST_CASE("api cluster: a page that is damaged behind its beginning is asked for anew, with all") {
  Fixture at;
  at.turn();
  const std::string meta = message({message({"", "5", "t"})});
  at.api.say(at.api.find("/api/v1/nodes?limit=500"), 200,
             in_protobuf("NodeList", meta + "\x12\x7f"));
  at.turn();
  CHECK(at.notes.take() == Lines{"failed: cannot read /api/v1/nodes: the server's protobuf cannot "
                                 "be read: it is cut off or damaged"});
  CHECK(at.api.find("/api/v1/nodes?") == 0);  // what had been asked for is called off
  at.clock.time += Micros{2'000'000};
  at.turn();
  const std::uint64_t again = at.api.find("/api/v1/nodes?limit=500");
  REQUIRE(again != 0);
  CHECK(at.api.asked.at(again).target.find("continue") == std::string::npos);
  CHECK_FALSE(at.api.asked.at(again).takes_protobuf);
}

TEST_CASE("api cluster: watches are never in protobuf") {
  Fixture at;
  at.sync(R"({"metadata":{"name":"n1"}})", "");
  for (const char* path : {"/api/v1/nodes?watch=1", "/api/v1/pods?watch=1"}) {
    const std::uint64_t watch = at.api.find(path);
    REQUIRE(watch != 0);
    CHECK_FALSE(at.api.asked.at(watch).takes_protobuf);
  }
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
  REQUIRE(told.size() == 4);
  CHECK(told[0].starts_with("failed: not all of pod shop/odd can be read: "));
  CHECK(told[1] == "pod a on ''");
  CHECK(told[2] == "pod odd on ''");
  CHECK(told[3] == "pod b on ''");
  CHECK(at.cluster.counts().unreadable == 1);
}

TEST_CASE("api cluster: what is wrong with pods that come together is told once, by what it is") {
  Fixture at;
  at.turn();
  at.api.say(at.api.find("/api/v1/pods?limit"), 200,
             list("PodList", pod("a", "", "many") + "," + pod("b") + "," + pod("c", "", "many") +
                                 "," + pod("d", "", "few") + "," + pod("e", "", "many")));
  at.turn();
  Lines told = at.notes.take();
  std::erase_if(told, [](const std::string& line) { return !line.starts_with("failed: "); });
  REQUIRE(told.size() == 2);
  CHECK(told[0].starts_with("failed: not all of pod shop/d can be read: "));
  CHECK(told[0].find("few") != std::string::npos);
  CHECK(told[1].starts_with("failed: not all of pod shop/a and of 2 more can be read: "));
  CHECK(told[1].find("many") != std::string::npos);
  CHECK(at.cluster.counts().unreadable == 4);
}

TEST_CASE("api cluster: one bad item of a list spoils no other, and is not taken for gone") {
  Fixture at;
  at.turn();
  at.api.say(at.api.find("/api/v1/pods?limit"), 200,
             list("PodList", pod("a") + "," + pod("odd", "n1", "many") + "," + pod("b")));
  at.turn();
  const Lines pods = at.notes.take();
  REQUIRE(pods.size() == 5);
  CHECK(pods[0].starts_with("failed: "));
  CHECK(Lines(pods.begin() + 1, pods.end()) ==
        Lines{"pod a on ''", "pod b on ''", "pod odd on 'n1'", "only a b odd"});
  const std::string odd = R"({"metadata":{"name":"odd"},"status":{"allocatable":{"cpu":"many"}}})";
  at.api.say(at.api.find("/api/v1/nodes?limit"), 200,
             list("NodeList", odd + R"(,{"metadata":{"name":"n1"}})"));
  at.turn();
  const Lines nodes = at.notes.take();
  REQUIRE(nodes.size() == 4);
  CHECK(nodes[0].starts_with("failed: not all of node odd can be read, and no pod comes to it: "));
  CHECK(Lines(nodes.begin() + 1, nodes.end()) == Lines{"node n1", "node odd", "only n1 odd"});
  at.api.say(at.api.find("/api/v1/namespaces?limit"), 200,
             list("NamespaceList", R"({"metadata":{"name":"bad","labels":{"a b":"c"}}},)"
                                   R"({"metadata":{"name":"good"}})"));
  at.turn();
  const Lines spaces = at.notes.take();
  REQUIRE(spaces.size() == 2);
  CHECK(spaces[0].starts_with("failed: "));
  CHECK(spaces[1] == "namespace good kubernetes.io/metadata.name=good");
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
  CHECK(at.notes.take().back() ==
        "failed: cannot read /api/v1/services: the server says 403: services is forbidden");
  CHECK(at.cluster.unsynced() == Lines{"/api/v1/services"});  // it may be starting
  at.clock.time += Micros{2'000'000};
  at.turn();
  at.api.say(at.api.find("/api/v1/services?"), 403, "{}");
  at.turn();
  CHECK(at.cluster.is_synced());
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
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  say_version(at.api, "5");
  at.turn();
  CHECK(at.cluster.is_synced());  // the server is there
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
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  say_version(at.api, "5");
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
  at.turn();
  say_version(at.api, "5");
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
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  say_version(at.api, "5");
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: changes that come one by one are gathered where nobody waits for them") {
  ApiClusterOptions options;
  options.events = EventsTold::kNone;
  Fixture at(options);
  at.sync("", "");
  const std::uint64_t pods = at.api.find("/api/v1/pods?watch=1");
  at.api.pushed = [&] { CHECK(at.api.gathered.empty()); };
  // How many of so many turns gathered before.
  const auto changes = [&](int count, Micros after, Nanos patience) {
    std::size_t gathered = 0;
    at.api.stands_still = [&] { at.clock.time += after; };
    for (int i = 0; i < count; ++i) {
      at.api.say_line(pods, event("MODIFIED", pod("a")));
      REQUIRE(at.cluster.wait(patience, at.notes));
      for (const Nanos rest : std::exchange(at.api.gathered, {})) {
        CHECK(rest == Nanos{25'000'000});
        ++gathered;
      }
    }
    return gathered;
  };
  const Micros soon{10'000}, late{10'001};
  const Nanos patient{25'000'000}, busy{24'999'999};
  CHECK(changes(8, soon, patient) == 0);
  CHECK(changes(20, soon, patient) == 20);
  CHECK(changes(1, late, patient) == 1);  // nobody knew that it would be
  CHECK(changes(4, soon, patient) == 0);
  CHECK(changes(1, soon, patient) == 1);
  CHECK(changes(3, late, patient) == 1);
  CHECK(changes(7, soon, patient) == 0);
  CHECK(changes(1, soon, patient) == 1);
  CHECK(changes(1, soon, busy) == 0);  // somebody has something to do soon
  CHECK(changes(8, soon, patient) == 0);
  CHECK(changes(1, soon, patient) == 1);
  at.cluster.bind({42, {"shop", "b"}, "u-b", "n1"});
  CHECK(changes(20, soon, patient) == 0);
  at.api.say(at.api.find("/api/v1/namespaces/shop/pods/b/binding"), 201, "");
  CHECK(changes(9, soon, patient) == 0);
  CHECK(changes(1, soon, patient) == 1);
  at.api.stands_still = [] {};
  REQUIRE(at.cluster.wait(patient, at.notes));  // nothing comes
  CHECK(std::exchange(at.api.gathered, {}).size() == 1);
  CHECK(changes(4, soon, patient) == 0);
  CHECK(changes(1, soon, patient) == 1);
  CHECK(at.notes.take().size() == 91);  // all of them, and how the bind ended
}

TEST_CASE("api cluster: nothing is gathered before all is listed") {
  Fixture at;
  at.turn();
  for (int page = 0; page < 20; ++page) {
    at.api.say(at.api.find("/api/v1/pods?"), 200, list("PodList", pod("a"), "more"));
    REQUIRE(at.cluster.wait(Nanos{1'000'000'000}, at.notes));
  }
  CHECK(at.api.gathered.empty());
}

}  // namespace
}  // namespace gedge
