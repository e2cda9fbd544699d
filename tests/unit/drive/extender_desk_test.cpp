// The extender between a server's requests and the cluster that it follows, without sockets.
#include "gedge/drive/extender_desk.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gedge/codec/load.hpp"
#include "unit/drive/quiet_link.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

const std::string kPod =
    R"({"metadata":{"name":"a","namespace":"default","uid":"u1","labels":{"delay_n0":"5"}},)"
    R"("spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})";

class StillClock final : public Clock {
 public:
  Micros now() const override { return moment; }

  Micros moment{1'000'000};
};

/// A cluster that says what a test puts into it, one turn after the other.
class ScriptedLink final : public QuietLink {
 public:
  void bind(const BindRequest& request) override { binds.push_back(request); }
  void read(const ReadRequest& request) override { reads.push_back(request); }
  bool is_synced() const override { return synced; }
  void refresh() override {
    ++refreshes;
    synced = synced && speaks;
  }
  Status wait(Nanos most, ClusterListener& listener) override {
    waited.push_back(most);
    if (turns.empty()) return Error{Errc::kUnreachable, "the script is over", {}, {}};
    const auto turn = std::move(turns.front());
    turns.erase(turns.begin());
    turn(listener);
    return {};
  }
  void wake() override { ++woken; }

  std::vector<std::function<void(ClusterListener&)>> turns;
  std::vector<BindRequest> binds;
  std::vector<ReadRequest> reads;
  std::vector<Nanos> waited;
  bool synced = true;
  bool speaks = true;  // when it is asked whether it does
  int woken = 0, refreshes = 0;
};

Facts facts_of(const std::string& items) {
  const std::string text = R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}";
  FactsLoader loader;
  loader.add_cluster({"site", text});
  LoadResult result = loader.finish();
  REQUIRE(result.loaded.has_value());
  return std::move(result.loaded->facts);
}

std::string node(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
         R"("},"status":{"allocatable":{"cpu":"4","pods":"9"}}})";
}

Extender make_extender(const std::vector<std::string>& schedulers = {"default-scheduler"}) {
  LiveOptions live;
  for (const std::string& scheduler : schedulers) {
    live.profiles.push_back(*extender_profile(*builtin_profile("edge", Compat::k1_36)));
    live.profiles.back().scheduler_name = scheduler;
  }
  RttMatrix rtt({"n0", "n1", "n2"});
  for (const auto& [a, b, us] : {std::tuple{0U, 1U, 2'000U}, {0U, 2U, 30'000U}}) {
    rtt.set(NameIndex{a}, NameIndex{b}, Rtt{us});
    rtt.set(NameIndex{b}, NameIndex{a}, Rtt{us});
  }
  Extender extender{LiveCluster(std::move(live))};
  extender.put(std::move(rtt));
  return extender;
}

HttpRequest post(const std::string& path, std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.target = path;
  request.host = "127.0.0.1";
  request.content_type = "application/json";
  request.body = std::move(body);
  return request;
}

/// What was replied, at once or later.
struct Replies {
  std::vector<std::string> later;
  std::string ask(const HttpService& service, const HttpRequest& request) {
    const auto now = service.answer_or_wait(
        request, [this](HttpReply reply) { later.push_back(std::move(reply.body)); });
    return now ? std::to_string(now->status) + " " + now->body : "later";
  }
};

const std::string kFilter = R"({"Pod":)" + kPod + R"(,"NodeNames":["n0","n1","n2"]})";
const std::string kBind = R"({"PodName":"a","PodNamespace":"default","PodUID":"u1","Node":"n1"})";

}  // namespace

TEST_CASE("extender desk: nothing is decided before the whole cluster is known") {
  ScriptedLink link;
  link.synced = false;
  ExtenderDeskOptions options;
  options.unsynced = [] { return std::vector<std::string>{"/api/v1/pods"}; };
  int synced = 0;
  ExtenderEvents events;
  events.synced = [&synced] { ++synced; };
  const StillClock clock;
  ExtenderDesk desk(make_extender(), &link, clock, options, events);
  const HttpService service = desk.service();
  Replies replies;
  link.turns.push_back([&](ClusterListener& listener) {
    CHECK(replies.ask(service, post("/filter", kFilter)) ==
          R"(200 {"Error":"gedge does not know the whole cluster yet"})");
    HttpRequest probe = post("/readyz", "");
    probe.method = "GET";
    CHECK(replies.ask(service, probe) ==
          "503 not listed yet, or not heard of for too long: /api/v1/pods\n");
    listener.put(facts_of(node("n0") + "," + node("n1") + "," + node("n2")));
    link.synced = true;
  });
  link.turns.push_back([&](ClusterListener&) {
    CHECK(replies.ask(service, post("/filter", kFilter))
              .starts_with(R"(200 {"Nodes":null,"NodeNames":["n0","n1"],)"));
  });
  CHECK_FALSE(desk.run());
  CHECK(synced == 1);
  CHECK(desk.facts().nodes == 3);
  CHECK(desk.facts().counts.filters == 1);
}

TEST_CASE("extender desk: a bind is replied to when the cluster has said what became of it") {
  ScriptedLink link;
  ExtenderDeskOptions options;
  options.binds = true;
  StillClock clock;
  std::vector<std::string> told;
  ExtenderEvents events;
  events.bound = [&told](const BindRequest& bind) { told.push_back("bound to " + bind.node); };
  events.not_bound = [&told](const BindRequest&, const std::string& why) { told.push_back(why); };
  ExtenderDesk desk(make_extender(), &link, clock, options, events);
  const HttpService service = desk.service();
  Replies replies;
  link.turns.push_back([&](ClusterListener& listener) {
    listener.put(facts_of(node("n0") + "," + node("n1") + "," + node("n2")));
    static_cast<void>(replies.ask(service, post("/filter", kFilter)));
    CHECK(replies.ask(service, post("/bind", kBind)) == "later");
    CHECK(link.woken == 1);
  });
  link.turns.push_back([&](ClusterListener& listener) {
    REQUIRE(link.binds.size() == 1);
    CHECK(link.binds[0].node == "n1");
    listener.answer(link.binds[0].ticket, BindAnswer::kUnknown);
    CHECK(replies.later.empty());
  });
  link.turns.push_back([&](ClusterListener& listener) {
    REQUIRE(link.reads.size() == 1);
    CHECK(link.waited.back() == Nanos{4'000'000'000});  // then kube-scheduler is told
    listener.answer(link.reads[0].ticket, PodReading{});
  });
  link.turns.push_back([&](ClusterListener&) {
    CHECK(link.reads.size() == 1);
    CHECK(link.waited.back() == Nanos{250'000'000});
    clock.moment += Micros{250'000};
  });
  link.turns.push_back([&](ClusterListener& listener) {
    REQUIRE(link.reads.size() == 2);
    CHECK(replies.later.empty());
    listener.answer(link.reads[1].ticket, PodReading{PodReading::Kind::kFound, "u1", "n1"});
  });
  link.turns.push_back([&](ClusterListener&) {
    CHECK(replies.later == std::vector<std::string>{R"({"Error":""})"});
    CHECK(told == std::vector<std::string>{"bound to n1"});
    // Too far, and said at once.
    std::string far = kBind;
    far.replace(far.find("n1"), 2, "n2");
    CHECK(replies.ask(service, post("/bind", far)) ==
          R"(200 {"Error":"cannot bind pod default/a to node n2: pod default/a is on node n1"})");
  });
  CHECK_FALSE(desk.run());
  CHECK(desk.facts().counts.bound == 1);
  CHECK(desk.facts().counts.not_bound == 1);
}

TEST_CASE("extender desk: nothing is decided by what nobody has confirmed for a while") {
  ScriptedLink link;
  StillClock clock;
  ExtenderDeskOptions options;
  options.unsynced = [] { return std::vector<std::string>{"/api/v1/pods"}; };
  ExtenderDesk desk(make_extender(), &link, clock, options, {});
  const HttpService service = desk.service();
  Replies replies;
  const std::string placed = R"({"Nodes":null,"NodeNames":["n0","n1"],)";
  const std::string silent =
      R"({"Error":"gedge has not heard of the cluster for too long: /api/v1/pods"})";
  const auto ask = [&] { return replies.ask(service, post("/filter", kFilter)); };
  link.turns.push_back([&](ClusterListener& listener) {
    listener.put(facts_of(node("n0") + "," + node("n1") + "," + node("n2")));
    CHECK(ask().starts_with("200 " + placed));
    clock.moment += Micros{1'000'001};
    CHECK(link.refreshes == 0);
    CHECK(ask() == "later");
    CHECK(ask() == "later");
    CHECK(link.woken == 2);
  });
  link.turns.push_back([&](ClusterListener&) {  // it was asked, and speaks
    CHECK(link.refreshes == 1);
    REQUIRE(replies.later.size() == 2);
    CHECK(replies.later[1].starts_with(placed));
    CHECK(ask().starts_with("200 " + placed));
    clock.moment += Micros{60'000'000};
    link.speaks = false;
    CHECK(ask() == "later");
  });
  link.turns.push_back([&](ClusterListener&) {  // it was asked, and does not
    CHECK(replies.later.size() == 2);
    clock.moment += Micros{1'999'999};
  });
  link.turns.push_back([&](ClusterListener&) {
    CHECK(replies.later.size() == 2);
    CHECK_FALSE(desk.facts().is_synced);
    clock.moment += Micros{1};
  });
  link.turns.push_back([&](ClusterListener&) {
    REQUIRE(replies.later.size() == 3);
    CHECK(replies.later[2] == silent);
    CHECK(ask() == "200 " + silent);  // at once: it is known
    link.speaks = link.synced = true;
  });
  link.turns.push_back([&](ClusterListener&) { CHECK(ask().starts_with("200 " + placed)); });
  CHECK_FALSE(desk.run());
  CHECK(link.turns.empty());
  CHECK(desk.facts().is_synced);
}

TEST_CASE(
    "extender desk: without a cluster to follow, nodes that are sent are known from then on") {
  const StillClock clock;
  ExtenderDesk desk(make_extender(), nullptr, clock, {}, {});
  CHECK(desk.run());
  const HttpService service = desk.service();
  Replies replies;
  const std::string body = R"({"Pod":)" + kPod + R"(,"Nodes":{"items":[)" + node("n1") + "," +
                           node("n2") + "," + node("n0") + "]}}";
  CHECK(replies.ask(service, post("/filter", body))
            .starts_with(R"(200 {"Nodes":{"metadata":{},"items":[)" + node("n1") + "," +
                         node("n0") + "]}"));
  CHECK(replies.ask(service, post("/bind", kBind)) ==
        R"(200 {"Error":"this gedge binds no pods"})");
  CHECK(replies.ask(service, post("/filter", "{")).starts_with("400 "));
  CHECK(service.refuse(HttpFault::kBodyTooLarge).status == 413);
  CHECK(desk.facts().refused_requests == 2);
  CHECK(desk.facts().nodes == 3);
}

TEST_CASE("extender desk: a pod that no profile serves gets back what was sent, in both modes") {
  const StillClock clock;
  ExtenderDesk desk(make_extender({"near", "far"}), nullptr, clock, {}, {});
  const HttpService service = desk.service();
  Replies replies;
  CHECK(replies.ask(service, post("/filter", kFilter)) ==
        R"(200 {"Nodes":null,"NodeNames":["n0","n1","n2"],"FailedNodes":{},)"
        R"("FailedAndUnresolvableNodes":{},"Error":""})");
  const std::string objects = R"({"Pod":)" + kPod + R"(,"Nodes":{"items":[)" + node("n2") + "]}}";
  CHECK(replies.ask(service, post("/filter", objects))
            .starts_with(R"(200 {"Nodes":{"metadata":{},"items":[)" + node("n2") + "]}"));
  CHECK(replies.ask(service, post("/prioritize", kFilter)) ==
        R"(200 [{"Host":"n0","Score":0},{"Host":"n1","Score":0},{"Host":"n2","Score":0}])");
  const std::string victims =
      R"({"n2":{"Pods":[{"UID":"u2"}],"NumPDBViolations":1},"n9":{"Pods":[],)"
      R"("NumPDBViolations":0}})";
  CHECK(replies.ask(service, post("/preempt", R"({"Pod":)" + kPod + R"(,"NodeNameToMetaVictims":)" +
                                                  victims + "}")) ==
        R"(200 {"NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"u2"}],"NumPDBViolations":1},)"
        R"("n9":{"Pods":[],"NumPDBViolations":0}}})");
}
