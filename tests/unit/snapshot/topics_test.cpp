#include "gedge/snapshot/topics.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

bool meet(const std::vector<Topic>& said, const std::vector<Topic>& heard) {
  return std::any_of(said.begin(), said.end(), [&](Topic topic) {
    return std::find(heard.begin(), heard.end(), topic) != heard.end();
  });
}

std::vector<Topic> heard_by(const LabelSelector& selector) {
  std::vector<Topic> topics;
  listen_to_selected(selector, topics);
  return topics;
}

}  // namespace

TEST_CASE("a selector hears of pods with a label that it demands, and not of others") {
  SiteBuilder b;
  b.node("n");
  b.pod("web", {{"app", "web"}, {"tier", "front"}});
  b.pod("db", {{"app", "db"}});
  const auto site = b.build();
  const std::vector<Topic> web = topics_of(site->pod_facts("web"));
  const std::vector<Topic> db = topics_of(site->pod_facts("db"));
  CHECK(meet(web, heard_by(selector({{"app", "web"}}))));
  CHECK_FALSE(meet(db, heard_by(selector({{"app", "web"}}))));
  LabelSelector either;
  either.requirements.push_back({"app", SelectorOp::kIn, {"db", "web"}});
  CHECK(meet(web, heard_by(either)));
  CHECK(meet(db, heard_by(either)));
  LabelSelector not_web;
  not_web.requirements.push_back({"app", SelectorOp::kNotIn, {"web"}});
  CHECK(meet(db, heard_by(not_web)));
  CHECK(meet(web, heard_by(LabelSelector{})));
  LabelSelector nothing;
  nothing.nothing = true;
  CHECK(heard_by(nothing).empty());
}

TEST_CASE("a pod hears of others whose affinity terms demand one of its labels") {
  SiteBuilder b;
  b.node("n");
  b.pod("apart", {{"app", "apart"}})
      .spec.required_anti_affinity.push_back(pod_term({{"app", "web"}}, "zone"));
  b.pod("from-all").spec.required_anti_affinity.push_back(pod_term({}, "zone"));
  b.pod("plain", {{"app", "web"}});
  const auto site = b.build();
  const auto heard = [](const Labels& labels) {
    std::vector<Topic> topics;
    listen_to_demands(labels, topics);
    return topics;
  };
  const auto said = [&](const char* pod) { return topics_of(site->pod_facts(pod)); };
  CHECK(meet(said("apart"), heard({{"app", "web"}})));
  CHECK_FALSE(meet(said("apart"), heard({{"app", "db"}})));
  CHECK(meet(said("from-all"), heard({{"app", "db"}})));
  CHECK_FALSE(meet(said("plain"), heard({{"app", "web"}})));
}

TEST_CASE("a state finds placed pods by what they say") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.pods("web", 3).spec.labels.set("app", "web");
  b.pods("db", 2).spec.labels.set("app", "db");
  const auto site = b.build();
  site->state->bind(site->pod("web-1"), site->node("b"));
  site->state->bind(site->pod("db-0"), site->node("a"));
  std::vector<PodIndex> found;
  site->state->for_each_placed(heard_by(selector({{"app", "web"}})),
                               [&](PodIndex pod, NodeIndex) { found.push_back(pod); });
  CHECK(found == std::vector<PodIndex>{site->pod("web-1")});
  CHECK(site->state->sharing(site->pod_facts("web-0")).size() == 3);
}

TEST_CASE("bounds of what is free follow every change") {
  SiteBuilder b;
  for (int i = 0; i < 70; ++i) b.node("n" + std::to_string(100 + i));
  b.pod("big").request(kCpu, 3'000);
  const auto site = b.build();
  const auto bounds = [&] { return site->state->free_bounds(ResourceIndex::kCpuColumn); };
  CHECK(bounds().least == std::vector<std::int64_t>{4'000, 4'000});
  site->state->bind(site->pod("big"), site->node("n165"));
  CHECK(bounds().least == std::vector<std::int64_t>{4'000, 1'000});
  CHECK(bounds().most == std::vector<std::int64_t>{4'000, 4'000});
  site->state->unbind(site->pod("big"));
  CHECK(bounds().least == std::vector<std::int64_t>{4'000, 4'000});
}
