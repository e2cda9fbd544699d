#include "policy/gpu_cards.hpp"
#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr const char* kCount = "alibabacloud.com/gpu-count";
constexpr const char* kMilli = "alibabacloud.com/gpu-milli";
constexpr const char* kModel = "alibabacloud.com/gpu-card-model";

PodDraft& gpu_pod(SiteBuilder& b, const std::string& name, const char* count, const char* milli) {
  PodDraft& draft = b.pod(name);
  draft.spec.annotations = {{kCount, count}, {kMilli, milli}};
  return draft;
}

GpuRequest share(std::int64_t milli, std::int64_t cards = 1) {
  GpuRequest request;
  request.cards = cards;
  request.share = milli;
  return request;
}

}  // namespace

TEST_CASE("gpu share: the sum over a node is not enough, one card must do") {
  SiteBuilder b;
  b.node("gpu").allocatable.set(kCount, 2);
  b.node("plain");
  gpu_pod(b, "p1", "1", "600").on("gpu");
  gpu_pod(b, "p2", "1", "600").on("gpu");
  gpu_pod(b, "small", "1", "400");
  gpu_pod(b, "large", "1", "401");
  b.pod("none");
  const auto site = b.build();
  const auto policy = filter_named("GpuShare");
  CHECK(passing(*policy, *site, "small") == "gpu");
  CHECK(passing(*policy, *site, "large").empty());
  CHECK(passing(*policy, *site, "none") == "gpu plain");
  const Evidences why = rejections(*policy, *site, "large");
  CHECK(why.at("gpu").at(0).reason == Reason::kGpuCard);
  CHECK(why.at("gpu").at(0).verdict == Verdict::kUnschedulable);
  CHECK(why.at("gpu").at(0).measured == 400);
  CHECK(why.at("gpu").at(0).limit == 401);
  CHECK(why.at("gpu").at(0).unit == Unit::kThousandths);
  CHECK(why.at("plain").at(0).verdict == Verdict::kUnresolvable);
  CHECK(why.at("plain").at(0).measured == 0);
}

TEST_CASE("gpu share: several cards are distinct cards") {
  SiteBuilder b;
  b.node("two").allocatable.set(kCount, 2);
  b.node("four").allocatable.set(kCount, 4);
  gpu_pod(b, "p", "1", "1").on("four");
  gpu_pod(b, "three", "3", "1000");
  gpu_pod(b, "all", "4", "1000");
  gpu_pod(b, "halves", "2", "500");
  const auto site = b.build();
  const auto policy = filter_named("GpuShare");
  CHECK(passing(*policy, *site, "three") == "four");
  CHECK(passing(*policy, *site, "all").empty());
  CHECK(passing(*policy, *site, "halves") == "four two");
  const Evidences why = rejections(*policy, *site, "all");
  CHECK(why.at("four").at(0).verdict == Verdict::kUnschedulable);
  CHECK(why.at("four").at(0).measured == 999);
  CHECK(why.at("two").at(0).verdict == Verdict::kUnresolvable);
}

TEST_CASE("gpu share: the model must be one of those asked for") {
  SiteBuilder b;
  b.node("v", {{kModel, "V100M32"}}).allocatable.set(kCount, 1);
  b.node("p", {{kModel, "P100"}}).allocatable.set(kCount, 1);
  b.node("t", {{kModel, "T4"}}).allocatable.set(kCount, 1);
  gpu_pod(b, "either", "1", "500").spec.annotations.set(kModel, "V100M32|P100");
  gpu_pod(b, "any", "1", "500");
  const auto site = b.build();
  const auto policy = filter_named("GpuShare");
  CHECK(passing(*policy, *site, "either") == "p v");
  CHECK(passing(*policy, *site, "any") == "p t v");
  const Evidence why = rejections(*policy, *site, "either").at("t").at(0);
  CHECK(why.reason == Reason::kGpuModel);
  CHECK(why.verdict == Verdict::kUnresolvable);
  CHECK(why.subject == "V100M32|P100");
  CHECK(signature_of(*policy, *site, "either") != signature_of(*policy, *site, "any"));
}

TEST_CASE("gpu share: pods lie on the fullest card that suffices, in binding order") {
  GpuCards cards(3);
  for (const std::int64_t milli : {500, 300, 700, 200}) cards.place(share(milli));
  // 500 on card 0, 300 beside it, 700 on card 1, 200 on card 0 again.
  CHECK(cards.free() == std::vector<std::int64_t>{0, 300, 1000});
  cards.place(share(1000));
  CHECK(cards.free() == std::vector<std::int64_t>{0, 300, 0});
  CHECK(cards.fits(share(300)));
  CHECK_FALSE(cards.fits(share(301)));
  cards.place(share(400));  // by somebody else: overdrawn, never lost
  CHECK(cards.free() == std::vector<std::int64_t>{0, -100, 0});
  CHECK_FALSE(cards.fits(share(1)));
}

TEST_CASE("gpu share: several cards take the fullest ones that suffice") {
  GpuCards cards(4);
  cards.place(share(600));
  cards.place(share(900));
  cards.place(share(300, 2));
  CHECK(cards.free() == std::vector<std::int64_t>{100, 100, 700, 1000});
}

TEST_CASE("gpu share: a pod that tells its cards keeps them") {
  SiteBuilder b;
  b.node("gpu").allocatable.set(kCount, 2);
  gpu_pod(b, "p1", "1", "400").on("gpu").spec.annotations.set("alibabacloud.com/gpu-index", "1");
  gpu_pod(b, "p2", "1", "400").on("gpu").spec.annotations.set("alibabacloud.com/gpu-index", "0");
  gpu_pod(b, "new", "1", "700");
  const auto site = b.build();
  CHECK(passing(*filter_named("GpuShare"), *site, "new").empty());
}

TEST_CASE("gpu share: annotations are read leniently") {
  const auto request = [](const Labels& annotations) {
    PodSpec spec;
    spec.annotations = annotations;
    return gpu_request(spec);
  };
  CHECK(request({}).cards == 0);
  CHECK(request({{kMilli, "460"}}).cards == 1);
  CHECK(request({{kMilli, "460"}}).share == 460);
  CHECK(request({{kCount, "2"}}).share == 1000);
  CHECK(request({{kCount, "0"}, {kMilli, "460"}}).cards == 0);
  CHECK(request({{kCount, "1"}, {kMilli, "0"}}).cards == 0);
  CHECK(request({{kCount, "many"}, {kMilli, "460"}}).cards == 0);
  CHECK(request({{kModel, "P100"}}).cards == 0);
}
