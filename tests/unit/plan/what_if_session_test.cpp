#include "gedge/plan/what_if_session.hpp"

#include <doctest/doctest.h>

#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

PlanRequest request_for(const Site& site, std::string_view profile = "kube") {
  PlanRequest request;
  request.facts = &site.facts;
  request.rtt = &site.matrix;
  request.profiles = {*builtin_profile(profile, Compat::k1_36)};
  return request;
}

std::unique_ptr<WhatIfSession> session_for(const PlanRequest& request) {
  auto session = WhatIfSession::start(request);
  REQUIRE(session);
  return *std::move(session);
}

WhatIfAnswer ask(WhatIfSession& session, const std::vector<std::string>& texts) {
  std::vector<Edit> edits;
  for (const std::string& text : texts) edits.push_back(*parse_edit(text));
  auto answer = session.answer(edits);
  REQUIRE(answer);
  return *std::move(answer);
}

// "pod:before>after ..."
std::string text(const std::vector<Difference>& differences) {
  std::string all;
  for (const Difference& d : differences)
    all += (all.empty() ? "" : " ") + d.pod + ":" + d.before + ">" + d.after;
  return all;
}

// Three nodes of four cores, three pods of one core, one on each; `old` is bound to c.
SiteBuilder three_nodes() {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name);
  b.pods("web", 3).request(kCpu, 1000).request(kMemory, std::int64_t{1} << 30);
  b.pod("old").on("c").request(kCpu, 100);
  return b;
}

}  // namespace

TEST_CASE("what-if session: every question is about the facts as they are") {
  const auto site = three_nodes().build();
  const PlanRequest request = request_for(*site);
  const auto session = session_for(request);
  const WhatIfAnswer drained = ask(*session, {"node/b:drain"});
  CHECK(drained.followed);
  CHECK(drained.decided.size() == 1);
  CHECK(text(drained.differences) == "web-1:b>a");
  CHECK(text(ask(*session, {"node/b:cpu=+1"}).differences).empty());
  CHECK(text(ask(*session, {"node/b:drain"}).differences) == "web-1:b>a");
}

TEST_CASE("what-if session: edits of one question build on each other") {
  const auto site = three_nodes().build();
  const PlanRequest request = request_for(*site);
  const auto session = session_for(request);
  const WhatIfAnswer answer = ask(*session, {"node/a:delete", "node/b:drain", "node/c:drain"});
  CHECK(text(answer.differences) == "old:c> web-0:a> web-1:b> web-2:c>");
  CHECK(answer.decided.front().message == "0/2 nodes are available: 2 node(s) were unschedulable.");
}

TEST_CASE(
    "what-if session: a pod that waits gets the room that an edit makes, one unit less is none") {
  SiteBuilder b;
  b.node("a");
  b.pods("big", 2).request(kCpu, 2100);
  const auto site = b.build();
  const PlanRequest request = request_for(*site);
  const auto session = session_for(request);
  CHECK(text(ask(*session, {"node/a:cpu=+200m"}).differences) == "big-1:>a");
  CHECK(text(ask(*session, {"node/a:cpu=+199m"}).differences).empty());
  CHECK(text(ask(*session, {"pod/default/big-0:delete"}).differences) == "big-0:a> big-1:>a");
}

TEST_CASE("what-if session: pods of a DaemonSet go with their node, placed or not") {
  SiteBuilder b;
  NodeSelectorTerm only;
  for (const char* name : {"a", "b"}) {
    b.node(name);
    PodDraft& probe = b.pod(std::string("probe-") + name).request(kCpu, name[0] == 'a' ? 1 : 9000);
    probe.pod.workload_kind = "DaemonSet";
    only.fields = {{"metadata.name", SelectorOp::kIn, {name}}};
    probe.spec.required_node_terms = {only};
    probe.spec.has_required_node_terms = true;
  }
  const auto site = b.build();
  const PlanRequest request = request_for(*site);
  const auto session = session_for(request);
  for (const char* node : {"a", "b"}) {
    const std::vector<Edit> edits{*parse_edit("node/" + std::string(node) + ":delete")};
    const WhatIfAnswer answer = ask(*session, {"node/" + std::string(node) + ":delete"});
    CHECK(answer.followed);
    CHECK(text(answer.differences) == (node[0] == 'a' ? "probe-a:a>" : ""));
    for (const bool replan : {false, true}) {
      const auto whole = session->whole(edits, replan);
      REQUIRE(whole);
      CHECK(text(whole->differences) == text(answer.differences));
      CHECK(whole->after.decisions.size() == 1);
    }
  }
}

TEST_CASE("what-if session: a name that is not there is an error, and the session goes on") {
  const auto site = three_nodes().build();
  const PlanRequest request = request_for(*site);
  const auto session = session_for(request);
  const auto wrong = session->answer({*parse_edit("node/b:drain"), *parse_edit("node/x:drain")});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Errc::kNotFound);
  CHECK(text(ask(*session, {"node/b:drain"}).differences) == "web-1:b>a");
}

TEST_CASE("what-if session: ties are spread as in a plan of the edited facts") {
  SiteBuilder b;
  for (int i = 0; i < 20; ++i)
    b.node("n" + std::to_string(10 + i)).allocatable.set("example.com/b", 10);
  b.node("n99").allocatable = {{"cpu", 64'000},
                               {"example.com/a", 1},
                               {"example.com/b", 10},
                               {"memory", std::int64_t{64} << 30},
                               {"pods", 110}};
  b.pods("web", 5).request(kCpu, 100).request("example.com/b", 1);
  const auto site = b.build();
  PlanRequest request = request_for(*site);
  request.profiles.front().spread_ties = true;
  const std::vector<Edit> edits{*parse_edit("node/n99:delete")};
  int moved = 0;
  for (request.seed = 1; request.seed <= 20; ++request.seed) {
    const auto answer = session_for(request)->answer(edits);
    const auto expected = what_if(request, edits, false);
    REQUIRE(answer);
    REQUIRE(expected);
    CHECK(text(answer->differences) == text(expected->differences));
    moved += expected->differences.empty() ? 0 : 1;
  }
  CHECK(moved > 10);
}

TEST_CASE("what-if session: whoever moves a pod against the rules is told") {
  const auto site = three_nodes().build();
  const PlanRequest request = request_for(*site);
  const auto session = session_for(request);
  const WhatIfAnswer answer = ask(*session, {"node/a:cpu=500m", "pod/default/web-1:node=a"});
  REQUIRE(answer.warnings.size() == 1);
  CHECK(answer.warnings[0].message ==
        "pod default/web-1 is on node a against the rules: Insufficient cpu");
}

TEST_CASE("what-if session: what cannot be followed is planned as a whole, with the same answer") {
  SiteBuilder b = three_nodes();
  b.pod("near").spec.budgets = {budget("web-0", 5'000)};
  b.rtt("a", "b", 1'000).rtt("a", "c", 1'000).rtt("b", "c", 1'000);
  const auto site = b.build();
  const PlanRequest request = request_for(*site, "edge");
  const auto session = session_for(request);
  const std::vector<Edit> edits{*parse_edit("node/a:drain")};
  const auto answer = session->answer(edits);
  const auto expected = what_if(request, edits, false);
  REQUIRE(answer);
  REQUIRE(expected);
  CHECK_FALSE(answer->followed);
  CHECK(text(answer->differences) == text(expected->differences));
  CHECK_FALSE(answer->differences.empty());
}
