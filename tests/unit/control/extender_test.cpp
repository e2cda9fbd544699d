// What another scheduler is told, and that what it is told of several pods fits together.
#include "gedge/control/extender.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/sim_site.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::int64_t kNear = 5'000;

const std::vector<std::string> kNodes{"n0", "n1", "n2"};

// n0 and n1 are 2 ms apart, n2 is 30 ms away from both.
RttMatrix matrix() {
  RttMatrix rtt(kNodes);
  const auto both = [&](std::uint32_t a, std::uint32_t b, std::uint32_t us) {
    rtt.set(NameIndex{a}, NameIndex{b}, Rtt{us});
    rtt.set(NameIndex{b}, NameIndex{a}, Rtt{us});
  };
  both(0, 1, 2'000);
  both(0, 2, 30'000);
  both(1, 2, 30'000);
  return rtt;
}

Profile edge_profile() { return *extender_profile(*builtin_profile("edge", Compat::k1_36)); }

Extender make_extender(ExtenderOptions options = {},
                       std::vector<Profile> profiles = {edge_profile()}) {
  LiveOptions live;
  live.profiles = std::move(profiles);
  Extender extender(LiveCluster(std::move(live)), options);
  extender.put(three_nodes());
  extender.put(matrix());
  return extender;
}

Facts one_pod(const std::string& name, const std::string& workload,
              std::vector<DelayBudget> budgets = {}) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  facts.pods[0].uid = SharedText("uid-" + name);
  facts.pods[0].workload_kind = "Deployment";
  facts.pods[0].workload_name = SharedText(workload);
  facts.specs[0].budgets = std::move(budgets);
  return facts;
}

Facts on(Facts facts, const std::string& node) {
  facts.pods[0].bound_node = SharedText(node);
  return facts;
}

DelayBudget towards(const std::string& workload, std::int64_t limit_us) {
  DelayBudget made = budget(workload, limit_us, PeerKind::kWorkload);
  made.workload_kind = "Deployment";
  return made;
}

// "n0 n1", or who is refused and why.
std::string passing(Extender& extender, Facts pod, Nanos now = kSecond) {
  const auto verdicts = extender.filter(std::move(pod), kNodes, now);
  if (!verdicts) return "error: " + verdicts.error().what;
  std::string out;
  for (std::size_t i = 0; i < verdicts->size(); ++i)
    if ((*verdicts)[i].passes) out += (out.empty() ? "" : " ") + kNodes[i];
  if (!out.empty()) return out;
  for (std::size_t i = 0; i < verdicts->size(); ++i)
    out += (out.empty() ? "" : "; ") + kNodes[i] + ": " + (*verdicts)[i].why;
  return out;
}

}  // namespace

TEST_CASE("extender: of a profile, what kube-scheduler has is left to it") {
  const Profile kept = *extender_profile(*builtin_profile("edge", Compat::k1_36));
  REQUIRE(kept.filters.size() == 2);
  CHECK(kept.filters[0].policy == "GpuShare");
  CHECK(kept.filters[1].policy == "DelayBudget");
  CHECK(kept.scores.size() == 8);
  const auto nothing = extender_profile(*builtin_profile("kube", Compat::k1_36));
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().what == "profile 'kube' has no policy that kube-scheduler lacks");
}

TEST_CASE("extender: a budget towards a node names every node within it, and says why not others") {
  Extender extender = make_extender();
  CHECK(passing(extender, one_pod("a", "a", {budget("n0", kNear)})) == "n0 n1");
  CHECK(passing(extender, one_pod("free", "free")) == "n0 n1 n2");
  CHECK(extender.held() == 0);
  const auto verdicts = extender.filter(one_pod("b", "b", {budget("n0", 2'000)}), kNodes, kSecond);
  REQUIRE(verdicts);
  CHECK((*verdicts)[1].passes);  // the limit itself
  CHECK_FALSE((*verdicts)[2].passes);
  CHECK((*verdicts)[2].is_unresolvable);
  CHECK((*verdicts)[2].why == "node(s) were over the delay budget from n0");
  const std::vector<std::string> asked{"n2", "n9", "n1"};
  const auto some = extender.filter(one_pod("c", "c", {budget("n0", kNear)}), asked, kSecond);
  REQUIRE(some);
  CHECK_FALSE((*some)[0].passes);
  CHECK((*some)[1].why == "node(s) were not known to gedge yet");
  CHECK((*some)[2].passes);
  CHECK(extender.counts().filters == 4);
}

TEST_CASE("extender: what a pod is, is looked at first, and resources are not") {
  Extender extender = make_extender();
  Facts large = one_pod("large", "large");
  Container container;
  container.requests.set("cpu", 400'000);
  large.specs[0].containers = std::vector<Container>{container};
  CHECK(passing(extender, std::move(large)) == "n0 n1 n2");
  CHECK(passing(extender, Facts{}) == "error: one pod is to be asked about, not 0");
  extender.put(on(one_pod("there", "there"), "n1"));
  CHECK(passing(extender, one_pod("there", "there")) == "error: pod default/there is on node n1");
}

TEST_CASE("extender: pods that mean each other keep their budgets before any of them is bound") {
  Extender extender = make_extender();
  extender.put(one_pod("api-0", "api", {towards("cache", kNear)}));  // so the cache is a peer
  // One node each: the cache where it is best, the pod that means it within reach of that.
  const std::string cache = passing(extender, one_pod("cache-0", "cache"));
  CHECK(cache.size() == 2);
  CHECK(extender.held() == 1);
  extender.put(three_nodes());
  const std::string api = passing(extender, one_pod("api-0", "api", {towards("cache", kNear)}));
  CHECK((cache == "n2") == (api == "n2"));
  // Another replica of the cache must stay within reach of it, though nobody has seen either bound.
  const std::string second = passing(extender, one_pod("cache-1", "cache"));
  CHECK((second == "n2") == (api == "n2"));
  CHECK(extender.counts().narrowed == 3);
  CHECK(extender.held() == 3);
}

TEST_CASE("extender: a pod whose peer has no place yet is refused, also one that is on its way") {
  Extender extender = make_extender();
  // Nobody meant the cache when it was asked about, so that it may come to any node.
  CHECK(passing(extender, one_pod("cache-0", "cache")) == "n0 n1 n2");
  const std::string refused = passing(extender, one_pod("api", "api", {towards("cache", kNear)}));
  CHECK(refused ==
        "n0: node(s) had to wait for pod default/cache-0; n1: node(s) had to wait for pod "
        "default/cache-0; n2: node(s) had to wait for pod default/cache-0");
  extender.put(on(one_pod("cache-0", "cache"), "n2"));
  CHECK(passing(extender, one_pod("api", "api", {towards("cache", kNear)})) == "n2");
}

TEST_CASE("extender: a pod that did not come to the node that was named is named another one") {
  Extender extender = make_extender();
  extender.put(on(one_pod("cache-0", "cache"), "n0"));
  const auto api = [] { return one_pod("api", "api", {towards("cache", kNear)}); };
  const std::string first = passing(extender, api());
  const std::string second = passing(extender, api());
  CHECK(first.size() == 2);
  CHECK(second.size() == 2);
  CHECK(first != second);
  CHECK(passing(extender, api()) == first);
}

TEST_CASE("extender: a place is held no longer than a pod is heard of") {
  ExtenderOptions options;
  options.hold = 60 * kSecond;
  Extender extender = make_extender(options);
  extender.put(on(one_pod("cache-0", "cache"), "n0"));
  CHECK(passing(extender, one_pod("api", "api", {towards("cache", kNear)})).size() == 2);
  CHECK(extender.held() == 1);
  CHECK(passing(extender, one_pod("free", "free"), 30 * kSecond) == "n0 n1 n2");
  CHECK(extender.held() == 1);
  CHECK(passing(extender, one_pod("free", "free"), 70 * kSecond) == "n0 n1 n2");
  CHECK(extender.held() == 0);
  // Seen, and gone: nothing is held for it either.
  CHECK(passing(extender, one_pod("api", "api", {towards("cache", kNear)}), 70 * kSecond).size() ==
        2);
  extender.put(on(one_pod("api", "api", {towards("cache", kNear)}), "n1"));
  CHECK(extender.held() == 0);
  extender.remove(FactKind::kPod, "default", "api", "uid-api");
  CHECK(extender.cluster().find_pod({"default", "api"}) == nullptr);
}

TEST_CASE("extender: a list that began before a pod was asked about takes no place from it") {
  Extender extender = make_extender();
  extender.put(on(one_pod("cache-0", "cache"), "n0"));
  CHECK(passing(extender, one_pod("api", "api", {towards("cache", kNear)})).size() == 2);
  CHECK(passing(extender, one_pod("free", "free")) == "n0 n1 n2");
  extender.keep_only(FactKind::kPod, {{"default", "cache-0"}});
  CHECK(extender.held() == 1);
  CHECK_FALSE(extender.cluster().find_pod({"default", "api"})->bound_node.empty());
  CHECK(extender.cluster().find_pod({"default", "free"}) == nullptr);
}

TEST_CASE("extender: slack becomes scores from 0 to 10") {
  Extender extender = make_extender();
  const auto scores = extender.prioritize(one_pod("a", "a", {budget("n0", 4'000)}), kNodes);
  REQUIRE(scores);
  CHECK(*scores == std::vector<int>{10, 5, 0});  // slack: all, half; over the budget
  const auto free = extender.prioritize(one_pod("b", "b"), kNodes);
  REQUIRE(free);
  CHECK(*free == std::vector<int>{10, 10, 10});
}

TEST_CASE("extender: preemption on a node helps if those who would go are what stood in the way") {
  Extender extender = make_extender();
  extender.put(on(one_pod("guard", "guard", {towards("web", kNear)}), "n2"));
  const auto web = [] { return one_pod("web", "web"); };
  CHECK(passing(extender, web()) == "n2");
  extender.remove(FactKind::kPod, "default", "web");
  const std::vector<NodeVictims> nodes{
      {"n0", {"uid-guard"}}, {"n2", {"uid-guard"}}, {"n2", {}}, {"n9", {}}};
  const auto may = extender.preempt(web(), nodes);
  REQUIRE(may);
  // The guard is not on n0, so it stays where it is and objects to n0 still.
  CHECK(*may == std::vector<bool>{false, true, true, false});
  CHECK(extender.cluster().find_pod({"default", "guard"})->bound_node == "n2");
  CHECK(passing(extender, web()) == "n2");  // nothing was changed
}

TEST_CASE("extender: a pod that none of several profiles serves is kube-scheduler's alone") {
  std::vector<Profile> profiles{edge_profile(), edge_profile()};
  profiles[0].scheduler_name = "near";
  profiles[1].scheduler_name = "far";
  Extender extender = make_extender({}, std::move(profiles));
  const auto pod_of = [](const std::string& scheduler) {
    Facts pod = one_pod("a", "a", {budget("n0", kNear)});
    pod.specs[0].scheduler_name = SharedText(scheduler);
    return pod;
  };
  const std::vector<NodeVictims> victims{{"n2", {}}, {"n9", {}}};
  CHECK(passing(extender, pod_of("far")) == "n0 n1");
  CHECK(*extender.preempt(pod_of("far"), victims) == std::vector<bool>{false, false});

  CHECK(*extender.preempt(pod_of("other"), victims) == std::vector<bool>{true, true});
  CHECK(passing(extender, pod_of("other")) == "n0 n1 n2");
  const std::vector<std::string> unknown{"n9"};
  CHECK((*extender.filter(pod_of("other"), unknown, kSecond))[0].passes);
  const auto scores = extender.prioritize(pod_of("other"), kNodes);
  REQUIRE(scores);
  CHECK(*scores == std::vector<int>{0, 0, 0});
  CHECK(extender.counts().refused == 0);
  CHECK(extender.held() == 0);
  // Others that mean it wait until it is seen somewhere.
  Facts beside = one_pod("b", "b", {towards("a", kNear)});
  beside.specs[0].scheduler_name = "near";
  CHECK(passing(extender, beside).starts_with("n0: node(s) had to wait for pod default/a;"));
  const auto ticket = extender.bind({"default", "a"}, "uid-a", "n2", kSecond);
  REQUIRE(ticket);
  REQUIRE(*ticket);
  extender.answer(**ticket, BindAnswer::kBound, kSecond);
  CHECK(passing(extender, beside) == "n2");
}

TEST_CASE("extender: a bind is judged once more, and settled by what the server says") {
  Extender extender = make_extender();
  const auto pod = [] { return one_pod("a", "a", {budget("n0", kNear)}); };
  CHECK(passing(extender, pod()) == "n0 n1");
  const PodName name{"default", "a"};
  CHECK(extender.bind(name, "uid-a", "n2", kSecond).error().what ==
        "cannot bind pod default/a to node n2: node(s) were over the delay budget from n0");
  CHECK(extender.bind(name, "uid-b", "n1", kSecond).error().what ==
        "cannot bind pod default/a to node n1: it is another pod by now");
  CHECK(extender.bind(name, "uid-a", "n9", kSecond).error().what ==
        "cannot bind pod default/a to node n9: there is no such node");
  CHECK_FALSE(extender.bind({"default", "x"}, "uid-x", "n1", kSecond));
  CHECK(extender.take_binds().empty());

  auto ticket = extender.bind(name, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  REQUIRE(*ticket);
  std::vector<BindRequest> binds = extender.take_binds();
  REQUIRE(binds.size() == 1);
  CHECK(binds[0].node == "n1");
  CHECK(binds[0].uid == "uid-a");
  extender.answer(**ticket, BindAnswer::kBound, kSecond);
  std::vector<BindOutcome> settled = extender.take_settled();
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].error.empty());
  extender.put(on(pod(), "n1"));
  ticket = extender.bind(name, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  CHECK_FALSE(*ticket);  // it is there already
  CHECK(extender.bind(name, "uid-a", "n0", kSecond).error().what ==
        "cannot bind pod default/a to node n0: pod default/a is on node n1");
}

TEST_CASE("extender: a pod that is being bound, or was, is asked about in vain") {
  Extender extender = make_extender();
  const auto pod = [] { return one_pod("a", "a", {budget("n0", kNear)}); };
  const PodName name{"default", "a"};
  CHECK(passing(extender, pod()) == "n0 n1");
  const auto ticket = extender.bind(name, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  CHECK(passing(extender, pod()) == "error: a bind of pod default/a is under way");
  CHECK(extender.bind(name, "uid-a", "n1", kSecond).error().what ==
        "cannot bind pod default/a to node n1: a bind of pod default/a is under way");
  CHECK(passing(extender, one_pod("free", "free"), 9'000 * kSecond) == "n0 n1 n2");
  CHECK(extender.held() == 1);  // however long it takes
  extender.answer(**ticket, BindAnswer::kBound, kSecond);
  CHECK(passing(extender, pod()) == "error: pod default/a is on node n1");
  CHECK_FALSE(extender.bind(name, "uid-a", "n2", kSecond));
  CHECK_FALSE(*extender.bind(name, "uid-a", "n1", kSecond));
  CHECK(extender.cluster().find_pod(name)->bound_node == "n1");
  extender.keep_only(FactKind::kPod, {});  // it went before anybody saw it there
  CHECK(extender.held() == 0);
  CHECK(extender.cluster().find_pod(name) == nullptr);
}

// The pod "a" that came after the one that was bound to n1.
Facts next_one() {
  Facts facts = one_pod("a", "a");
  facts.pods[0].uid = "uid-next";
  return facts;
}

TEST_CASE("extender: a place that is held for a pod is not held for the next one of its name") {
  Extender extender = make_extender();
  const PodName name{"default", "a"};
  CHECK(passing(extender, one_pod("a", "a")) == "n0 n1 n2");
  const auto ticket = extender.bind(name, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  extender.answer(**ticket, BindAnswer::kBound, kSecond);
  extender.put_listed(next_one(), 2 * kSecond);  // the watch had broken
  CHECK(extender.held() == 0);
  CHECK(passing(extender, next_one()) == "n0 n1 n2");
  const auto again = extender.bind(name, "uid-next", "n2", 2 * kSecond);
  REQUIRE(again);
  REQUIRE(*again);
  extender.answer(**ticket, BindAnswer::kGone, 2 * kSecond);  // of the one before, told late
  CHECK(passing(extender, next_one()) == "error: a bind of pod default/a is under way");
  extender.answer(**again, BindAnswer::kBound, 2 * kSecond);
  CHECK(passing(extender, next_one()) == "error: pod default/a is on node n2");
}

// Servers bind by name.
TEST_CASE("extender: a bind under way may mean the next one of its name") {
  const auto friend_of_a = [] { return one_pod("b", "b", {towards("a", kNear)}); };
  struct Case {
    BindAnswer answer;
    SharedText node;  // that the next one is found on
  };
  for (const bool is_seen_going : {true, false})
    for (const Case& one : {Case{BindAnswer::kBound, "n2"},
                            {BindAnswer::kUnknown, "n2"},
                            {BindAnswer::kBound, {}},
                            {BindAnswer::kRefused, {}},
                            {BindAnswer::kGone, {}}}) {
      CAPTURE(is_seen_going);
      CAPTURE(one.node.str());
      Extender extender = make_extender();
      CHECK(passing(extender, one_pod("a", "a")) == "n0 n1 n2");
      const auto ticket = extender.bind({"default", "a"}, "uid-a", "n2", kSecond);
      REQUIRE(ticket);
      if (is_seen_going) extender.remove(FactKind::kPod, "default", "a", "uid-a");
      CHECK(passing(extender, next_one()) == "error: a bind of pod default/a is under way");
      extender.put(next_one());
      CHECK(passing(extender, next_one()) == "error: a bind of pod default/a is under way");
      CHECK(passing(extender, friend_of_a()) == "n2");
      extender.answer(**ticket, one.answer, kSecond);
      for (const ReadRequest& read : extender.take_reads(kSecond))
        extender.answer(read.ticket, {PodReading::Kind::kFound, "uid-next", one.node}, kSecond);
      CHECK(extender.take_settled().size() == 1);
      const bool came = !one.node.empty();
      CHECK((passing(extender, friend_of_a()) == "n2") == came);
      const std::string there = "error: pod default/a is on node n2";
      CHECK((passing(extender, next_one()) == there) == came);
    }
}

TEST_CASE("extender: of a bind of a pod that has gone for good nothing stays") {
  Extender extender = make_extender();
  CHECK(passing(extender, one_pod("a", "a")) == "n0 n1 n2");
  const auto ticket = extender.bind({"default", "a"}, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  extender.remove(FactKind::kPod, "default", "a", "uid-a");
  CHECK(extender.held() == 1);
  extender.answer(**ticket, BindAnswer::kBound, kSecond);
  const auto reads = extender.take_reads(kSecond);
  REQUIRE(reads.size() == 1);
  extender.answer(reads[0].ticket, PodReading{PodReading::Kind::kMissing, {}, {}}, kSecond);
  CHECK(extender.held() == 0);
  CHECK_FALSE(extender.next());
}

TEST_CASE("extender: where no answer says whether a pod was bound, it is read") {
  const auto begin = [](Extender& extender) {
    CHECK(passing(extender, one_pod("a", "a")) == "n0 n1 n2");
    const auto ticket = extender.bind({"default", "a"}, "uid-a", "n1", kSecond);
    REQUIRE(ticket);
    REQUIRE(*ticket);
    extender.answer(**ticket, BindAnswer::kUnknown, kSecond);
    CHECK(extender.take_settled().empty());
    const std::vector<ReadRequest> reads = extender.take_reads(kSecond);
    REQUIRE(reads.size() == 1);
    return reads[0].ticket;
  };
  struct Case {
    PodReading reading;
    std::string error;
    std::size_t held;
  };
  using Kind = PodReading::Kind;
  const std::vector<Case> cases{{{Kind::kFound, "uid-a", "n1"}, "", 1},
                                {{Kind::kFound, "uid-a", {}}, "pod default/a was not bound", 0},
                                {{Kind::kFound, "uid-a", "n0"}, "pod default/a is on node n0", 0},
                                {{Kind::kFound, "uid-b", {}}, "pod default/a has gone", 0},
                                {{Kind::kMissing, {}, {}}, "pod default/a has gone", 0}};
  for (const Case& one : cases) {
    CAPTURE(one.error);
    Extender extender = make_extender();
    extender.answer(begin(extender), one.reading, kSecond);
    const std::vector<BindOutcome> settled = extender.take_settled();
    REQUIRE(settled.size() == 1);
    CHECK(settled[0].error == one.error);
    CHECK(extender.held() == one.held);
  }
}

TEST_CASE("extender: it is told in time that nobody knows, whatever is still to be answered") {
  Extender extender = make_extender();
  CHECK(passing(extender, one_pod("a", "a")) == "n0 n1 n2");
  const auto ticket = extender.bind({"default", "a"}, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  CHECK(extender.next() == 5 * kSecond);
  CHECK(extender.take_reads(5 * kSecond - Nanos{1}).empty());
  CHECK(extender.take_settled().empty());
  CHECK(extender.take_reads(5 * kSecond).empty());  // the bind itself may be answered yet
  const std::vector<BindOutcome> told = extender.take_settled();
  REQUIRE(told.size() == 1);
  CHECK(told[0].error == "nobody knows whether pod default/a was bound");
  CHECK_FALSE(extender.next());
  extender.answer(**ticket, BindAnswer::kBound, 9 * kSecond);
  CHECK(extender.take_settled().empty());
  CHECK(extender.held() == 1);
}

TEST_CASE("extender: a bind that was answered and that a list of storage lacks is read") {
  for (const bool is_there : {true, false}) {
    CAPTURE(is_there);
    Extender extender = make_extender();
    const auto pod = [] { return one_pod("a", "a"); };
    CHECK(passing(extender, pod()) == "n0 n1 n2");
    const auto ticket = extender.bind({"default", "a"}, "uid-a", "n1", kSecond);
    REQUIRE(ticket);
    extender.answer(**ticket, BindAnswer::kBound, kSecond);
    CHECK(extender.take_settled().size() == 1);
    extender.put_listed(pod(), 2 * kSecond);
    CHECK(passing(extender, pod()) == "error: a bind of pod default/a is under way");
    const auto reads = extender.take_reads(2 * kSecond);
    REQUIRE(reads.size() == 1);
    const SharedText node = is_there ? "n1" : "";
    extender.answer(reads[0].ticket, {PodReading::Kind::kFound, "uid-a", node}, 2 * kSecond);
    CHECK(extender.take_settled().empty());  // nobody waits for it
    CHECK(passing(extender, pod()) ==
          (is_there ? "error: pod default/a is on node n1" : "n0 n1 n2"));
  }
}

TEST_CASE(
    "extender: a pod that cannot be read is read until it can, and not bound anew till then") {
  Extender extender = make_extender();
  const PodName name{"default", "a"};
  const auto pod = [] { return one_pod("a", "a"); };
  CHECK(passing(extender, pod()) == "n0 n1 n2");
  const auto ticket = extender.bind(name, "uid-a", "n1", kSecond);
  REQUIRE(ticket);
  extender.answer(**ticket, BindAnswer::kUnknown, kSecond);
  const PodReading nothing{PodReading::Kind::kUnreadable, {}, {}};
  Nanos now{0};
  std::size_t looks = 0;
  for (; extender.take_settled().empty(); ++looks) {
    REQUIRE(extender.next());
    now = *extender.next();
    CHECK(extender.take_reads(now - Nanos{1}).empty());
    const auto reads = extender.take_reads(now);
    REQUIRE(reads.size() == 1);
    extender.answer(reads[0].ticket, nothing, now);
    REQUIRE(looks < 20);
  }
  CHECK(looks > 3);
  CHECK(now == 5 * kSecond);  // the bind began in the first: so long kube-scheduler waits
  CHECK(passing(extender, pod()) == "error: a bind of pod default/a is under way");
  CHECK(extender.counts().not_bound == 1);
  CHECK(extender.held() == 1);
  for (int i = 0; i < 10; ++i) {
    now = *extender.next();
    const auto reads = extender.take_reads(now);
    REQUIRE(reads.size() == 1);
    extender.answer(reads[0].ticket,
                    i < 9 ? nothing : PodReading{PodReading::Kind::kFound, "uid-a", "n1"}, now);
  }
  CHECK(extender.take_settled().empty());  // it was told
  CHECK_FALSE(extender.next());
  CHECK(passing(extender, pod()) == "error: pod default/a is on node n1");
}
