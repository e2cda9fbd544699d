#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "unit/verify/site.hpp"

using namespace gedge;
using test::Site;

namespace {

PodSpec sharing(const std::string& milli, const std::string& count = "1",
                const std::string& models = "") {
  PodSpec spec;
  spec.annotations.set("alibabacloud.com/gpu-milli", milli);
  spec.annotations.set("alibabacloud.com/gpu-count", count);
  if (!models.empty()) spec.annotations.set("alibabacloud.com/gpu-card-model", models);
  return spec;
}

/// Pods of these specs, all on one node of two T4 cards.
std::string broken_on_two_cards(const std::vector<PodSpec>& specs) {
  Site site;
  site.node("edge-1");
  site.facts.nodes[0].labels.set("alibabacloud.com/gpu-card-model", "T4");
  site.facts.nodes[0].allocatable.set("alibabacloud.com/gpu-count", 2);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string name = "train-" + std::to_string(i);
    site.pod(name, specs[i]);
    site.place(name, "edge-1");
  }
  return site.broken();
}

}  // namespace

TEST_CASE("gpu shares hold where each fits on one card, and not where only their sum fits") {
  CHECK(broken_on_two_cards({sharing("600"), sharing("600")}).empty());
  CHECK(broken_on_two_cards({sharing("600"), sharing("600"), sharing("600")}) ==
        "train-2: GpuShare");
  CHECK(broken_on_two_cards({sharing("400"), sharing("400"), sharing("600"), sharing("600")})
            .empty());
}

TEST_CASE("gpu shares that were too many before a pod came are not its doing") {
  Site site;
  site.node("edge-1");
  site.facts.nodes[0].allocatable.set("alibabacloud.com/gpu-count", 2);
  site.pod("train-0", sharing("800", "2"), "edge-1");
  site.pod("train-1", sharing("800"), "edge-1");
  site.pod("train-2", sharing("100"));
  site.place("train-2", "edge-1");
  CHECK(site.broken().empty());
  site.facts.specs[2] = sharing("100", "3");
  CHECK(site.broken() == "train-2: GpuShare");
}

TEST_CASE("gpu shares of bound pods lie where the order of binding has put them") {
  const auto broken_beside_bound = [](const std::string& own) {
    Site site;
    site.node("edge-1");
    site.facts.nodes[0].allocatable.set("alibabacloud.com/gpu-count", 2);
    int number = 0;
    // Both of 400 go to one card, so that the second of 600 finds none with enough.
    for (const char* const share : {"400", "400", "600", "600"})
      site.pod("bound-" + std::to_string(number++), sharing(share), "edge-1");
    site.pod("own", sharing(own));
    site.place("own", "edge-1");
    return site.broken();
  };
  CHECK(broken_beside_bound("200").empty());
  CHECK(broken_beside_bound("300") == "own: GpuShare");
}

TEST_CASE("gpu cards of one pod are distinct") {
  CHECK(broken_on_two_cards({sharing("500", "2"), sharing("500", "2")}).empty());
  CHECK(broken_on_two_cards({sharing("300", "3")}) == "train-0: GpuShare");
  CHECK(broken_on_two_cards({sharing("500", "1"), sharing("600", "2")}) == "train-1: GpuShare");
}

TEST_CASE("gpu cards are of a model that the pod accepts") {
  CHECK(broken_on_two_cards({sharing("100", "1", "P100|T4")}).empty());
  CHECK(broken_on_two_cards({sharing("100", "1", "T40|P100")}) == "train-0: GpuShare");
}

TEST_CASE("a pod that asks for no share is not judged by cards") {
  CHECK(broken_on_two_cards({sharing("0"), sharing("x", "9")}).empty());
}
