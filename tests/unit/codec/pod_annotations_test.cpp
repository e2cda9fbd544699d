// Which annotations of pods are kept, and that pods which differ in others are of one template.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "gedge/codec/known_lines.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/watch.hpp"

namespace gedge {
namespace {

LoadOptions keeping(bool all) {
  LoadOptions options;
  options.keeps_annotations = all;
  return options;
}

std::string pod(const std::string& name, const std::string& annotations) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"shop","uid":"u","resourceVersion":"7","annotations":{)" + annotations +
         R"(}},"spec":{"containers":[{"name":"c","image":"x"}]}})";
}

LoadResult load(bool all, const std::string& pods) {
  FactsLoader loader(keeping(all));
  loader.add_cluster({"pods", R"({"kind":"List","apiVersion":"v1","items":[)" + pods + "]}"});
  return loader.finish();
}

const std::string kNote = R"("example.com/team":"shop")";
const std::string kCard = R"("alibabacloud.com/gpu-milli":"500")";
const std::string kNoise = R"("cni.projectcalico.org/podIP":"10.0.0.1/32")";
const std::string kBudget = R"("gedge.io/delay-budget":"node/edge-1=5ms")";

TEST_CASE("annotations of pods: all but noise, or those that policies read") {
  const std::string notes = kNote + "," + kCard + "," + kNoise + "," + kBudget;
  for (const bool all : {true, false}) {
    const LoadResult result = load(all, pod("a", notes));
    REQUIRE(result.loaded);
    const PodSpec& spec = result.loaded->facts.specs.at(0);
    CHECK((spec.annotations.find("example.com/team") != nullptr) == all);
    CHECK(spec.annotations.find("alibabacloud.com/gpu-milli") != nullptr);
    CHECK(spec.annotations.find("cni.projectcalico.org/podIP") == nullptr);
    REQUIRE(spec.budgets.size() == 1);
    CHECK(spec.budgets.at(0).limit_us == 5'000);
  }
}

TEST_CASE("annotations of pods: what is not kept makes no templates, and must be text still") {
  const std::string two = pod("a", kNote) + "," + pod("b", R"("example.com/team":"bar")");
  for (const bool all : {true, false}) {
    const LoadResult result = load(all, two);
    REQUIRE(result.loaded);
    CHECK(result.loaded->facts.specs.size() == (all ? 2 : 1));
  }
  for (const std::string key : {"example.com/team", "cni.projectcalico.org/podIP"})
    for (const std::string wrong : {"5", "{}", "[]", "true"}) {
      const LoadResult result = load(false, pod("a", '"' + key + "\":" + wrong));
      CHECK_MESSAGE(!result.loaded, (key + wrong));
    }
}

TEST_CASE("annotations of pods: a line that differs in what is not kept is known") {
  const auto is_known = [](bool all, const std::string& before, const std::string& after) {
    const auto line = [](const std::string& annotations) {
      return R"({"type":"MODIFIED","object":)" + pod("a", annotations) + "}";
    };
    KnownLines lines(keeping(all));
    WatchReader reader;
    const std::string first = line(before);
    const auto read = reader.read(first);
    REQUIRE(read);
    lines.learn(first, *read);
    const std::string second = line(after) + std::string(KnownLines::kPadding, ' ');
    return lines.find(std::string_view(second).substr(0, second.size() - KnownLines::kPadding))
        .has_value();
  };
  const std::string other = R"("example.com/team":"bar")";
  CHECK(is_known(true, kNote, kNote));
  CHECK_FALSE(is_known(true, kNote, other));
  CHECK(is_known(false, kNote, other));
  CHECK(is_known(true, kNoise, R"("cni.projectcalico.org/podIP":"10.0.0.2/32")"));
  CHECK_FALSE(is_known(false, kCard, R"("alibabacloud.com/gpu-milli":"600")"));
  CHECK_FALSE(is_known(false, kBudget, R"("gedge.io/delay-budget":"node/edge-1=6ms")"));
}

}  // namespace
}  // namespace gedge
