#include "snapshot/image_directory.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "gedge/model/image_name.hpp"
#include "support/dice.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Facts random_facts(Dice& dice) {
  Facts facts;
  facts.nodes.resize(90);
  for (std::size_t i = 0; i < facts.nodes.size(); ++i) {
    Node& node = facts.nodes[i];
    node.name = "node-" + std::to_string((i * 37) % 90);
    for (std::size_t image = 0; image < 12; ++image) {
      if (!dice.chance(30)) continue;
      const std::string name = "team/app-" + std::to_string(image);
      node.images.push_back({{name + "@sha256:0", name + (image % 2 == 0 ? ":latest" : ":1")},
                             static_cast<std::int64_t>(dice.below(1000)) + 1});
    }
  }
  facts.specs.resize(14);
  for (std::size_t i = 0; i < facts.specs.size(); ++i) {
    Container container;
    container.image = "team/app-" + std::to_string(i) + (i % 2 == 0 ? "" : ":1");
    (i % 3 == 0 ? facts.specs[i].init_containers : facts.specs[i].containers).push_back(container);
  }
  return facts;
}

// What looking at every node says.
ImageHolders look_for(const ClusterState& cluster, const std::string& image) {
  ImageHolders found{NodeMask(cluster.slots()), 0};
  for (std::uint32_t rank = 0; rank < cluster.slots(); ++rank) {
    const NodeIndex n = cluster.by_rank(rank);
    if (!cluster.alive().test(n)) continue;
    for (const NodeImage& here : cluster.node(n).images)
      for (const std::string& name : here.names())
        if (name == image) {
          if (found.rows.none()) found.size_bytes = here.size_bytes();
          found.rows.set(n);
        }
  }
  return found;
}

}  // namespace

TEST_CASE("images: a name without a tag is the latest, whatever port its registry has") {
  CHECK(full_image_name("nginx") == "nginx:latest");
  CHECK(full_image_name("nginx:1") == "nginx:1");
  CHECK(full_image_name("registry:5000/nginx") == "registry:5000/nginx:latest");
  CHECK(full_image_name("registry:5000/nginx:1") == "registry:5000/nginx:1");
}

TEST_CASE("images: what is kept is what looking at every node finds, while nodes change") {
  Dice dice(7);
  const Facts facts = random_facts(dice);
  const RttMatrix rtt;
  ClusterState cluster(facts, rtt);
  CHECK(cluster.image_holders("team/app-0:latest") == nullptr);
  std::deque<Node> edited;
  std::size_t holders = 0;
  for (int round = 0; round < 40; ++round) {
    for (std::size_t i = 0; i < facts.specs.size(); ++i) {
      const std::string image = "team/app-" + std::to_string(i) + (i % 2 == 0 ? ":latest" : ":1");
      const ImageHolders* known = cluster.image_holders(image);
      REQUIRE(known != nullptr);
      const ImageHolders expected = look_for(cluster, image);
      CHECK(known->rows == expected.rows);
      CHECK(known->size_bytes == expected.size_bytes);
      holders += known->rows.count();
    }
    CHECK(cluster.image_holders("team/app-0:1") == nullptr);
    Change change;
    change.node = NodeIndex{static_cast<std::uint32_t>(dice.below(facts.nodes.size()))};
    change.kind = dice.chance(30) ? Change::Kind::kRemoveNode : Change::Kind::kReplaceNode;
    change.facts = &edited.emplace_back(facts.nodes[dice.below(facts.nodes.size())]);
    edited.back().name = cluster.node(change.node).name;
    if (dice.chance(20) && cluster.mark() > 0)
      cluster.undo(cluster.mark() - 1);
    else
      cluster.apply(change);
  }
  CHECK(holders > 5000);
}
