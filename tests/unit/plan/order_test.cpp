#include "plan/order.hpp"

#include <doctest/doctest.h>

#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

// "a b (c d)": groups in order, pods of one group in parentheses.
std::string order_of(const Site& site) {
  std::vector<PodIndex> wanted;
  for (auto i = static_cast<std::uint32_t>(site.state->pod_count()); i-- > 0;)
    if (!site.state->is_placed(PodIndex{i})) wanted.push_back(PodIndex{i});
  std::string text;
  const PlacingOrder order = placing_order(*site.state, wanted, [](PodIndex) { return true; }, {});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Group group = order[i];
    if (!text.empty()) text += " ";
    std::string names;
    for (const PodIndex p : group) names += (names.empty() ? "" : " ") + site.state->pod(p).name;
    text += group.size() > 1 ? "(" + names + ")" : names;
  }
  return text;
}

}  // namespace

TEST_CASE(
    "order: priority, then creation time with none last, then names and ordinals as numbers") {
  SiteBuilder b;
  b.node("n");
  b.pods("web", 11);
  b.pod("late").pod.created = 200;
  b.pod("early").pod.created = 100;
  b.pod("vip").pod.priority = 10;
  CHECK(order_of(*b.build()) ==
        "vip early late web-0 web-1 web-2 web-3 web-4 web-5 web-6 web-7 web-8 web-9 web-10");
}

TEST_CASE(
    "order: a pod with a budget towards a pending pod comes after it, whatever its priority") {
  SiteBuilder b;
  b.node("n");
  PodDraft& client = b.pod("client");
  client.pod.priority = 100;
  client.spec.budgets = {budget("server", 1000)};
  b.pod("server");
  b.pod("zz").pod.priority = 50;
  CHECK(order_of(*b.build()) == "zz server client");
}

TEST_CASE("order: budgets towards nodes and placed pods change nothing") {
  SiteBuilder b;
  b.node("n");
  b.pod("a").spec.budgets = {budget("n", 1000), budget("z", 1000)};
  b.pod("b");
  b.pod("z").on("n");
  CHECK(order_of(*b.build()) == "a b");
}

TEST_CASE("order: a client waits for every replica of a workload") {
  SiteBuilder b;
  b.node("n");
  b.pods("api", 2).spec.budgets = {budget("redis", 1000)};
  b.pods("redis", 3);
  CHECK(order_of(*b.build()) == "redis-0 redis-1 redis-2 api-0 api-1");
}

TEST_CASE("order: pods that need each other are one group, and others that need them follow") {
  SiteBuilder b;
  b.node("n");
  b.pod("a").spec.budgets = {budget("b", 1000)};
  b.pod("b").spec.budgets = {budget("c", 1000)};
  b.pod("c").spec.budgets = {budget("a", 1000)};
  b.pod("aa").spec.budgets = {budget("c", 1000)};
  b.pod("free");
  CHECK(order_of(*b.build()) == "(a b c) aa free");
}

TEST_CASE(
    "order: replicas with a budget towards their own workload are one group, a single one is not") {
  SiteBuilder b;
  b.node("n");
  b.pods("mesh", 3).spec.budgets = {budget("mesh", 1000)};
  b.pods("one", 1).spec.budgets = {budget("one", 1000)};
  CHECK(order_of(*b.build()) == "(mesh-0 mesh-1 mesh-2) one-0");
}

TEST_CASE("order: a long chain needs no deep stack") {
  SiteBuilder b;
  b.node("n");
  constexpr int kLength = 3000;
  for (int i = 0; i < kLength; ++i)
    b.pod("p" + std::to_string(i)).spec.budgets = {budget("p" + std::to_string(i + 1), 1000)};
  b.pod("p" + std::to_string(kLength));
  const std::string order = order_of(*b.build());
  CHECK(order.starts_with("p3000 p2999 "));
  CHECK(order.ends_with(" p1 p0"));
}
