#include <doctest/doctest.h>

#include "gedge/codec/edge_scheduler.hpp"
#include "gedge/codec/synthetic.hpp"

namespace gedge {
namespace {

std::uint32_t us(const SyntheticSite& site, std::string_view a, std::string_view b) {
  return site.rtt.at(site.rtt.find(a).value(), site.rtt.find(b).value()).us;
}

std::string error(std::string_view text) {
  const auto site = read_synthetic(text);
  REQUIRE_FALSE(site);
  CHECK(site.error().code == Errc::kInvalidInput);
  CHECK(site.error().where.excerpt == text);
  return std::to_string(site.error().where.column) + " " + site.error().what;
}

TEST_CASE("synthetic: without keys, six nodes of three tiers") {
  const auto site = read_synthetic("synthetic:");
  REQUIRE(site);
  REQUIRE(site->nodes.size() == 6);
  CHECK(site->nodes[0].name == "edge-1");
  CHECK(site->nodes[3].name == "near-2");
  CHECK(site->nodes[4].name == "cloud-1");
  CHECK(site->nodes[0].allocatable ==
        Resources{{"cpu", 4000}, {"memory", 8589934592}, {"pods", 110}});
  CHECK(site->nodes[2].labels == Labels{{"beta.kubernetes.io/arch", "amd64"},
                                        {"beta.kubernetes.io/os", "linux"},
                                        {"gedge.io/tier", "near-edge"},
                                        {"kubernetes.io/arch", "amd64"},
                                        {"kubernetes.io/hostname", "near-1"},
                                        {"kubernetes.io/os", "linux"},
                                        {"topology.kubernetes.io/zone", "near-zone-1"}});
  CHECK(*site->nodes[5].labels.find("kubernetes.io/role") == "cloud");
  CHECK(*site->nodes[5].labels.find("topology.kubernetes.io/zone") == "cloud-zone-2");
  CHECK(us(*site, "edge-1", "edge-1") == 0);
  CHECK(us(*site, "edge-1", "edge-2") == 2000);
  CHECK(us(*site, "near-2", "edge-1") == 10000);
  CHECK(us(*site, "edge-1", "cloud-2") == 40000);
  CHECK(us(*site, "cloud-1", "near-1") == 40000);
}

TEST_CASE("synthetic: every key counts") {
  const auto site = read_synthetic(
      "synthetic:tiers=4/0/1,zones=2,cpu=500m,memory=1Gi,pods=7,rtt=100us/1.5ms/3ms/1s");
  REQUIRE(site);
  REQUIRE(site->nodes.size() == 5);
  CHECK(us(*site, "edge-1", "edge-3") == 100);
  CHECK(us(*site, "edge-1", "edge-2") == 1500);
  CHECK(us(*site, "cloud-1", "edge-2") == 1000000);
  CHECK(site->nodes[4].allocatable == Resources{{"cpu", 500}, {"memory", 1073741824}, {"pods", 7}});
  const auto eight = read_synthetic("synthetic:nodes=8");
  REQUIRE(eight);
  CHECK(eight->nodes[2].name == "edge-3");
  CHECK(eight->nodes[5].name == "near-3");
  CHECK(eight->nodes[7].name == "cloud-2");
  const auto edge_only = read_synthetic("synthetic:tiers=3");
  REQUIRE(edge_only);
  CHECK(edge_only->nodes.size() == 3);
}

TEST_CASE("synthetic: a seed varies RTTs by at most a tenth, reproducibly, both directions alike") {
  const auto once = read_synthetic("synthetic:nodes=30,seed=7"),
             again = read_synthetic("synthetic:seed=7,nodes=30");
  const auto other = read_synthetic("synthetic:nodes=30,seed=8"),
             exact = read_synthetic("synthetic:nodes=30");
  REQUIRE(once);
  int differ_from_exact = 0, differ_from_other = 0;
  for (std::uint32_t i = 0; i < 30; ++i)
    for (std::uint32_t j = 0; j < 30; ++j) {
      const NameIndex a{i}, b{j};
      const std::uint32_t base = exact->rtt.at(a, b).us, drawn = once->rtt.at(a, b).us;
      CHECK(drawn == again->rtt.at(a, b).us);
      CHECK(drawn == once->rtt.at(b, a).us);
      CHECK(drawn >= base * 9 / 10);
      CHECK(drawn <= base * 11 / 10);
      differ_from_exact += drawn != base ? 1 : 0;
      differ_from_other += drawn != other->rtt.at(a, b).us ? 1 : 0;
    }
  CHECK(differ_from_exact > 800);
  CHECK(differ_from_other > 800);
}

TEST_CASE("synthetic: mistakes are shown at their column") {
  CHECK(error("synthetic:nodes=six") == "17 'six' is no number");
  CHECK(error("synthetic:nodes=5,tires=1/2/3") == "19 unknown key 'tires'");
  CHECK(read_synthetic("synthetic:tires=1").error().hint == "did you mean tiers?");
  CHECK(error("synthetic:nodes=5,tiers=2/2/2") == "1 nodes=5, but the tiers have 6");
  CHECK(error("synthetic:tiers=1/2/3/4") == "17 more than three tiers");
  CHECK(error("synthetic:tiers=1//3") == "19 '' is no number");
  CHECK(error("synthetic:nodes=0") == "1 a site without nodes");
  CHECK(error("synthetic:nodes=99999999999999999999") == "17 '99999999999999999999' is no number");
  CHECK(error("synthetic:nodes=20000") == "17 '20000' is more than 16384");
  CHECK(error("synthetic:zones=0") == "17 a tier has at least one zone");
  CHECK(error("synthetic:cpu=-1") == "15 '-1' is no amount");
  CHECK(error("synthetic:memory=8Gb") == "18 '8Gb' is no amount");
  CHECK(error("synthetic:rtt=1ms/2ms") == "15 expected four RTTs");
  CHECK(error("synthetic:rtt=1/2ms/3ms/4ms") == "15 '1' is no RTT");
  CHECK(error("synthetic:rtt=1ms/2ms/3ms/-4ms") == "27 '-4ms' is no RTT");
  CHECK(error("synthetic:rtt=1ms/2ms/3ms/9999s") == "27 '9999s' is over 35 minutes");
  CHECK(error("synthetic:cpu=1,cpu=2") == "17 'cpu' is given twice");
  CHECK(error("synthetic:cpu") == "11 expected KEY=VALUE");
  CHECK(error("synthetic:seed=-1") == "16 '-1' is no seed");
}

TEST_CASE("edge scheduler: nodes are recognised and read, one object or a list") {
  const std::string list = R"([{"name": "edge-1", "allocatable_memory": "16Gi", "cloud": false},
    {"name": "cloud-1", "allocatable_memory": "64Gi", "cloud": true}])";
  CHECK(is_edge_scheduler_nodes(list));
  CHECK_FALSE(is_edge_scheduler_nodes(R"({"kind": "List", "items": []})"));
  CHECK_FALSE(
      is_edge_scheduler_nodes(R"({"kind": "ConfigMap", "data": {"x": "allocatable_memory"}})"));
  CHECK_FALSE(is_edge_scheduler_nodes("kind: allocatable_memory"));
  const auto read = read_edge_scheduler_nodes({"nodes.json", list});
  REQUIRE(read.errors.empty());
  REQUIRE(read.nodes.size() == 2);
  CHECK(read.nodes[0].name == "edge-1");
  CHECK(read.nodes[0].allocatable.amount("memory") == 17179869184);
  CHECK(read.nodes[0].labels.find("kubernetes.io/role") == nullptr);
  CHECK(*read.nodes[1].labels.find("kubernetes.io/role") == "cloud");
  CHECK(read.nodes[1].place.line == 2);
  const auto one = read_edge_scheduler_nodes(
      {"n", R"({"name": "a", "allocatable_memory": "1Gi", "cloud": false})"});
  CHECK(one.errors.empty());
  CHECK(one.nodes.size() == 1);
}

TEST_CASE("edge scheduler: broken node files are refused") {
  const char* const kTwins = R"([{"name": "a", "allocatable_memory": "1Gi"},
                                 {"name": "a", "allocatable_memory": "1Gi"}])";
  for (const char* text :
       {"[]", R"([{"name": "a"}])", R"([{"allocatable_memory": "1Gi"}])",
        R"([{"name": "a", "allocatable_memory": "x"}])",
        R"([{"name": "a", "allocatable_memory": "1Gi", "cloud": "yes"}])",
        R"([{"name": "A B", "allocatable_memory": "1Gi"}])",
        R"([{"name": "a", "allocatable_memory": "-1Gi"}])", "[1]", "{", kTwins}) {
    CAPTURE(text);
    const auto read = read_edge_scheduler_nodes({"n", text});
    CHECK(read.nodes.empty());
    REQUIRE_FALSE(read.errors.empty());
    CHECK(read.errors[0].where.line == (text == kTwins ? 2 : 1));
  }
}

}  // namespace
}  // namespace gedge
