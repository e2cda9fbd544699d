// What an ApiCluster writes, and what it makes of the answers.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "unit/drive/api_fixture.hpp"

namespace gedge {
namespace {

using namespace api_test;

constexpr const char* kNotFound =
    R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})";

TEST_CASE("api cluster: a repair asks for an eviction, and budgets may say no") {
  for (const auto& [minor, version] :
       {std::pair(20, "policy/v1beta1"), std::pair(21, "policy/v1beta1"),
        std::pair(22, "policy/v1")}) {
    ApiClusterOptions options;
    options.minor = minor;
    Fixture at(options);
    at.cluster.evict({3, {"shop", "a"}, "u-a", {}, "n1", "5 of 4 cpu", true});
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

TEST_CASE("api cluster: a volume is claimed if nobody has it, and may be given back by others") {
  for (const bool is_annotated : {false, true}) {
    Fixture at;
    ClaimRequest claim;
    claim.ticket = 4;
    claim.claim = {"shop", "data"};
    claim.uid = "u-data";
    claim.volume = "disk-1";
    claim.is_annotated = is_annotated;
    at.cluster.claim(claim);
    const std::uint64_t ticket = at.api.find("/api/v1/persistentvolumes/disk-1");
    REQUIRE(ticket != 0);
    const ApiRequest request = at.api.asked.at(ticket);
    CHECK(request.verb == ApiVerb::kPatch);
    CHECK(request.content_type == "application/json-patch+json");
    const std::string reference =
        R"({"op":"test","path":"/spec/claimRef","value":null},)"
        R"({"op":"add","path":"/spec/claimRef","value":{"apiVersion":"v1",)"
        R"("kind":"PersistentVolumeClaim","namespace":"shop","name":"data","uid":"u-data"}},)";
    const std::string notes = R"({"op":"test","path":"/metadata/annotations","value":null},)"
                              R"({"op":"add","path":"/metadata/annotations","value":{}},)";
    const std::string note =
        R"({"op":"add","path":"/metadata/annotations/pv.kubernetes.io~1bound-by-controller",)"
        R"("value":"yes"})";
    CHECK(request.body == "[" + reference + (is_annotated ? "" : notes) + note + "]");
    at.api.say(ticket, 422, "{}");
    at.turn();
    CHECK(at.notes.take().back() == "claim 4: 1");
  }
}

TEST_CASE("api cluster: for whom a claim waits is written into it, if it is still that claim") {
  struct Row {
    unsigned status;
    Lines said;
  };
  const std::string refused = "failed: cannot bind the claim shop/data: the server says ";
  const std::vector<Row> rows{{200, {"claim 4: 0"}},
                              {409, {refused + "409: no", "claim 4: 1"}},
                              {500, {refused + "500: no", "claim 4: 2"}}};
  for (const char* const uid : {"u-data", ""}) {
    for (const Row& row : rows) {
      CAPTURE(uid);
      CAPTURE(row.status);
      Fixture at;
      ClaimRequest claim;
      claim.ticket = 4;
      claim.claim = {"shop", "data"};
      claim.uid = uid;
      claim.node = "n1";
      at.cluster.claim(claim);
      const std::uint64_t ticket =
          at.api.find("/api/v1/namespaces/shop/persistentvolumeclaims/data");
      REQUIRE(ticket != 0);
      const ApiRequest request = at.api.asked.at(ticket);
      CHECK(request.verb == ApiVerb::kPatch);
      CHECK(request.lane == ApiLane::kWrite);
      CHECK(request.content_type == "application/merge-patch+json");
      const std::string whose = claim.uid.empty() ? "" : R"(,"uid":"u-data")";
      CHECK(request.body ==
            R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"})" + whose +
                "}}");
      at.api.say(ticket, row.status, R"({"message":"no"})");
      at.turn();
      CHECK(at.notes.take() == row.said);
    }
  }
}

TEST_CASE("api cluster: who goes for another is told so first, where servers know of it") {
  ApiClusterOptions options;
  options.controller = "gedge";
  const auto evict = [](Fixture& at) {
    at.cluster.evict({3, {"shop", "a"}, "u-a", {"shop", "big"}, "n1"});
  };
  const std::string pod = "/api/v1/namespaces/shop/pods/a";
  options.minor = 25;
  Fixture before(options);
  evict(before);
  CHECK(before.api.asked.at(before.api.find(pod)).verb == ApiVerb::kDelete);
  options.minor = 26;
  for (const auto& [status, answer] : {std::pair(409U, 0), {403U, 2}, {500U, 1}}) {
    const auto& shown_status = status;
    CAPTURE(shown_status);
    Fixture at(options);
    evict(at);
    at.api.say(at.api.find(pod + "/status"), status, R"({"message":"no"})");
    at.turn();
    CHECK(at.api.find(pod) == 0);  // nobody goes untold
    CHECK(at.notes.take().back() == "evict 3: " + std::to_string(answer));
  }
  Fixture at(options);
  evict(at);
  const std::uint64_t told = at.api.find(pod + "/status");
  REQUIRE(told != 0);
  CHECK(at.api.asked.at(told).body ==
        R"({"metadata":{"uid":"u-a"},"status":{"conditions":[{"type":"DisruptionTarget",)"
        R"("status":"True","reason":"PreemptionByScheduler","message":"gedge: preempting to )"
        R"(accommodate a higher priority pod","lastProbeTime":null,"lastTransitionTime":)"
        R"("2026-11-18T11:06:40Z"}]}})");
  CHECK(at.api.asked.at(told).content_type == "application/strategic-merge-patch+json");
  at.api.say(told, 200, "{}");
  at.turn();
  const std::uint64_t ticket = at.api.find(pod);
  REQUIRE(ticket != 0);
  CHECK(at.api.asked.at(ticket).verb == ApiVerb::kDelete);
  at.api.say(ticket, 200, "{}");
  at.turn();
  CHECK(at.notes.take().back() == "evict 3: 0");
  CHECK(at.api.find(pod + "/status") == 0);
  // Who may not be asked to go is told that it stays.
  evict(at);
  at.api.say(at.api.find(pod + "/status"), 200, "{}");
  at.turn();
  at.api.say(at.api.find(pod), 403, "{}");
  at.turn();
  CHECK(at.notes.take().back() == "evict 3: 2");
  const std::uint64_t stays = at.api.find(pod + "/status");
  REQUIRE(stays != 0);
  CHECK(at.api.asked.at(stays).body.find(R"("type":"DisruptionTarget","status":"False")") !=
        std::string::npos);
}

TEST_CASE("api cluster: who goes for another within its budgets is evicted, and told by that") {
  ApiClusterOptions options;
  options.minor = 26;
  Fixture at(options);
  at.cluster.evict({3, {"shop", "a"}, "u-a", {"shop", "big"}, "n1", {}, true});
  CHECK(at.api.find("/api/v1/namespaces/shop/pods/a/status") == 0);
  const std::uint64_t ticket = at.api.find("/api/v1/namespaces/shop/pods/a/eviction");
  REQUIRE(ticket != 0);
  CHECK(at.api.asked.at(ticket).body.find(R"("preconditions":{"uid":"u-a"})") != std::string::npos);
  at.api.say(ticket, 429, "{}");
  at.turn();
  CHECK(at.notes.take().back() == "evict 3: 1");
  CHECK(at.api.find("/api/v1/namespaces/shop/pods/a/status") == 0);
}

TEST_CASE("api cluster: whoever may evict nobody is told so once for each way, until he may") {
  Fixture at;
  std::uint64_t last = 0;
  const auto evict = [&](const std::string& path, const std::string& too_much, unsigned status) {
    at.cluster.evict({++last, {"shop", "a"}, "u-a", {}, "n1", too_much, !too_much.empty()});
    at.api.say(at.api.find(path), status, R"({"message":"no"})");
    at.turn();
    const Lines lines = at.notes.take();
    return std::count(lines.begin(), lines.end(),
                      "failed: cannot evict shop/a: the server says 403: no");
  };
  const std::string pod = "/api/v1/namespaces/shop/pods/a";
  CHECK(evict(pod, "", 403) == 1);
  CHECK(evict(pod, "", 403) == 0);
  CHECK(evict(pod + "/eviction", "5 of 4 cpu", 403) == 1);
  CHECK(evict(pod + "/eviction", "5 of 4 cpu", 403) == 0);
  CHECK(evict(pod, "", 200) == 0);
  CHECK(evict(pod + "/eviction", "5 of 4 cpu", 403) == 0);
  CHECK(evict(pod, "", 403) == 1);
}

// The text after `name` in JSON that has no escapes in it.
std::string text_of(const std::string& json, const std::string& name) {
  const std::string begin = '"' + name + "\":\"";
  const std::size_t at = json.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return json.substr(from, json.find('"', from) - from);
}

TEST_CASE("api cluster: a pod that is where it does not fit has an Event") {
  Fixture at;
  at.cluster.tell(Misplaced{{"shop", "a"}, "u-2", "n1"});
  at.gather();
  const std::uint64_t told = at.api.find("/apis/events.k8s.io/v1/namespaces/shop/events");
  REQUIRE(told != 0);
  const std::string& body = at.api.asked.at(told).body;
  CHECK(text_of(body, "reason") == "Misplaced");
  CHECK(text_of(body, "uid") == "u-2");
  CHECK(text_of(body, "note") ==
        "Bound to node n1, where it does not fit: the pod of this name or the node was another one "
        "when that was decided");
}

TEST_CASE("api cluster: an Event is no longer than a server takes, and cut between characters") {
  const std::string long_name(253, 'p'), far(300, 'i');
  for (std::size_t before = 0; before < 4; ++before) {
    CAPTURE(before);
    std::string note(before, 'n');
    for (int i = 0; i < 600; ++i) note += "\u00e9";
    const std::string body =
        codec::event_request({"Pod", {"shop", long_name}, "u", true, "Reason", "Action", note},
                             {far, far, 7}, 0)
            .body;
    const std::string cut = text_of(body, "note");
    CHECK(cut.size() <= 1'024);
    CHECK(cut.size() > 1'020);
    CHECK(cut.ends_with("..."));
    CHECK(note.starts_with(cut.substr(0, cut.size() - 3)));
    CHECK((cut.size() - 3 - before) % 2 == 0);
    CHECK(text_of(body, "reportingController").size() == 128);
    CHECK(text_of(body, "reportingInstance").size() == 128);
    CHECK(text_of(body, "name").size() <= 253);
    CHECK(body.find("\"name\":\"" + long_name + "\",\"namespace\":\"shop\",\"uid\"") !=
          std::string::npos);
  }
  const std::string whole(1'024, 'n');
  CHECK(text_of(codec::event_request({"Pod", {}, "u", true, "R", "A", whole}, {}, 0).body,
                "note") == whole);
}

TEST_CASE("api cluster: who is asked to go goes, may be asked again, or stays") {
  for (const auto& [status, answer] : {std::pair(200U, EvictAnswer::kGoing),
                                       {409U, EvictAnswer::kGoing},
                                       {429U, EvictAnswer::kFailed},
                                       {500U, EvictAnswer::kFailed},
                                       {0U, EvictAnswer::kFailed},
                                       {404U, EvictAnswer::kFailed},
                                       {401U, EvictAnswer::kRefused},
                                       {403U, EvictAnswer::kRefused}}) {
    ApiAnswer said;
    said.status = status;
    const auto& shown_status = status;
    CAPTURE(shown_status);
    CHECK(codec::evict_answer(said) == answer);
  }
}

TEST_CASE("api cluster: what came of a bind") {
  struct Row {
    unsigned status;
    bool was_not_sent;
    BindAnswer answer;
    std::string body = {};
  };
  const std::vector<Row> rows{
      {201, false, BindAnswer::kBound},
      {200, false, BindAnswer::kBound},
      {404, false, BindAnswer::kUnknown},
      {409, false, BindAnswer::kConflict},
      {429, false, BindAnswer::kRefused},
      {403, false, BindAnswer::kRefused},
      {422, false, BindAnswer::kRefused},
      {500, false, BindAnswer::kUnknown},
      {503, false, BindAnswer::kUnknown},
      {504, false, BindAnswer::kUnknown},
      {0, false, BindAnswer::kUnknown},
      {0, true, BindAnswer::kNotSent},
      {302, false, BindAnswer::kUnknown},
      {404, false, BindAnswer::kGone, kNotFound},
      {404, false, BindAnswer::kUnknown, "404 page not found"},
      {404, false, BindAnswer::kUnknown, R"({"kind":"Status","reason":"Forbidden"})"},
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
    answer.body = row.body;
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
  CHECK(read(200,
             R"({"metadata":{"uid":"x"},"spec":{"nodeName":"n1"},"status":{"phase":"Failed"}})") ==
        "read 7: 0 x n1 finished");
  CHECK(read(404, kNotFound) == "read 7: 1  ");
  CHECK(read(404, "404 page not found") == "read 7: 2  ");
  CHECK(read(500, "") == "read 7: 2  ");
  CHECK(read(200, "<html>") == "read 7: 2  ");
  CHECK(read(200, R"({"metadata":{"uid":"x"},"spec":{"nodeName":5}})") == "read 7: 2  ");
}

TEST_CASE("api cluster: whoever may read no pods is told so, once until he may") {
  Fixture at;
  std::uint64_t last = 0;
  const auto read = [&](unsigned status) {
    at.cluster.read({++last, {"shop", "a"}});
    at.api.say(at.api.find("/api/v1/namespaces/shop/pods/a"), status, R"({"message":"no"})");
    at.turn();
    return at.notes.take();
  };
  const std::string refused =
      "failed: cannot read pod shop/a, of which nobody knows whether it was bound: the server says "
      "403: no";
  CHECK(read(403) == Lines{refused, "read 1: 2  "});
  CHECK(read(403) == Lines{"read 2: 2  "});
  CHECK(read(500) == Lines{"read 3: 2  "});
  CHECK(read(200) == Lines{"read 4: 2  "});
  CHECK(read(403) == Lines{refused, "read 5: 2  "});
}

TEST_CASE("api cluster: events and conditions are few at a time, and never too many") {
  Fixture at;
  for (int i = 0; i < 5'000; ++i)
    at.cluster.tell(Unschedulable{{"shop", "p" + std::to_string(i)}, "u", "0/1 nodes"});
  CHECK(at.api.asked.size() == 64);
  const std::uint64_t dropped = at.cluster.counts().events_dropped;
  CHECK(dropped > 0);
  CHECK(dropped <= 5'000 - 4'096);  // Events alone: each condition is still to be written
  CHECK(dropped + at.cluster.untold() == 10'000);
  for (const auto& [ticket, request] : at.api.asked) CHECK(request.lane == ApiLane::kEvent);
}

TEST_CASE("api cluster: what is told waits a moment for more of its kind") {
  Fixture at;
  const auto told = [&] {
    return std::count_if(at.api.asked.begin(), at.api.asked.end(),
                         [](const auto& asked) { return asked.second.lane == ApiLane::kEvent; });
  };
  int last = 0;
  const auto tell = [&](int many) {
    for (const int end = last + many; last < end; ++last)
      at.cluster.tell(Unschedulable{{"shop", "p" + std::to_string(last)}, "u", "0/1 nodes"});
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

TEST_CASE("api cluster: a condition waits until the server has it, however long it is away") {
  ApiClusterOptions options;
  options.events = EventsTold::kNone;
  Fixture at(options);
  const auto asked = [&] { return at.api.find("/api/v1/namespaces/shop/pods/a/status"); };
  at.cluster.tell(Unschedulable{{"shop", "a"}, "u-a", "no room"});
  at.gather();
  at.api.say(asked(), 503, "");
  at.turn();
  CHECK(asked() == 0);
  CHECK(at.cluster.untold() == 0);  // nobody waits for a server that is away
  at.clock.time += Micros{1'000'000};
  at.turn();
  at.api.say(asked(), 403, "");
  at.turn();
  REQUIRE(at.notes.lines.size() == 1);
  CHECK(at.notes.take()[0] == "failed: conditions of pods cannot be written: the server says 403");
  at.cluster.tell(Unschedulable{{"shop", "a"}, "u-a", "no disk", true});
  at.gather();
  CHECK(asked() == 0);
  at.clock.time += Micros{2'000'000};
  at.turn();
  REQUIRE(asked() != 0);
  CHECK(at.api.asked.at(asked()).body.find("no disk") != std::string::npos);
  CHECK(at.api.asked.at(asked()).body.find("lastTransitionTime") != std::string::npos);
  at.api.say(asked(), 403, "");
  at.turn();
  CHECK(at.notes.take().empty());  // it was said
}

TEST_CASE("api cluster: what waits to be written of a pod is not when it is bound") {
  Fixture at;
  at.cluster.tell(Unschedulable{{"shop", "a"}, "u-a", "no room"});
  at.cluster.bind({42, {"shop", "a"}, "u-a", "n1"});
  at.gather();
  CHECK(at.api.find("/api/v1/namespaces/shop/pods/a/status") == 0);
}

TEST_CASE("api cluster: what waits to be written of a pod is not when it has gone") {
  for (const bool is_listed : {false, true}) {
    Fixture at;
    at.sync("", pod("a"));
    if (is_listed) {
      at.api.say(at.api.find("/api/v1/pods?"), 410, "{}");
      at.turn();
      at.clock.time += Micros{2'000'000};
      at.turn();
    }
    at.cluster.tell(Unschedulable{{"shop", "a"}, "u-a", "no room"});
    if (is_listed)
      at.api.say(at.api.find("/api/v1/pods?"), 200, list("PodList", ""));
    else
      at.api.say_line(at.api.find("/api/v1/pods?"), event("DELETED", pod("a")));
    at.turn();
    at.gather();
    CHECK(at.api.find("/api/v1/namespaces/shop/pods/a/status") == 0);
  }
}

TEST_CASE("api cluster: a server that has too much to do says how long nothing is asked of it") {
  const auto rests = [](const std::string& path, unsigned status, std::optional<Nanos> after) {
    Fixture at;
    at.cluster.bind({42, {"shop", "a"}, "u-a", "n1"});
    at.cluster.read({43, {"shop", "b"}});
    at.cluster.claim({44, {"shop", "c"}, "u-c", "", "n1"});
    ApiAnswer answer;
    answer.status = status;
    answer.retry_after = after;
    at.api.say(at.api.find(path), answer);
    at.turn();
    Lines lines = at.notes.take();
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("rest"); });
    return lines;
  };
  for (const char* path :
       {"/api/v1/namespaces/shop/pods/a/binding", "/api/v1/namespaces/shop/pods/b",
        "/api/v1/namespaces/shop/persistentvolumeclaims/c"}) {
    CHECK(rests(path, 429, Nanos{7'000'000'000}) == Lines{"rest 7000 ms"});
    CHECK(rests(path, 429, std::nullopt) == Lines{"rest 1000 ms"});
    CHECK(rests(path, 429, Nanos{3'600'000'000'000}) == Lines{"rest 300000 ms"});
    CHECK(rests(path, 403, Nanos{7'000'000'000}).empty());
  }
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

}  // namespace
}  // namespace gedge
