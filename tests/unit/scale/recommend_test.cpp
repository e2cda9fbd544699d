#include "gedge/scale/recommend.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"
#include "gedge/scale/usage_histogram.hpp"

namespace {

using namespace gedge;

constexpr UnixSeconds kStart = 1'700'000'000, kMinute = 60, kDay = 24 * 3'600;
constexpr std::int64_t kMi = std::int64_t{1} << 20;

// Every sample kept, its weight counted back from the end, buckets made one after the other.
class SlowHistogram {
 public:
  explicit SlowHistogram(UsageHistogram::Scheme scheme) {
    double start = 0;
    for (double size = scheme.first; start < scheme.most; size *= 1.05)
      starts_.push_back(start += size);
  }
  void add(double value, double weight, UnixSeconds at) { samples_.push_back({value, weight, at}); }
  double percentile(double share, UnixSeconds now) const {
    std::vector<double> weights(starts_.size() + 1);
    double total = 0;
    for (const Sample& sample : samples_) {
      const double weight =
          sample.weight * std::exp2(-static_cast<double>(now - sample.at) / 86'400);
      total += weight;
      std::size_t bucket = 0;
      while (bucket < starts_.size() && starts_[bucket] <= sample.value) ++bucket;
      weights[bucket] += weight;
    }
    double sum = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i)
      if ((sum += weights[i]) >= share * total) return starts_[i];
    return starts_.back();
  }

 private:
  struct Sample {
    double value, weight;
    UnixSeconds at;
  };
  std::vector<double> starts_;  // of the second bucket and on: the ends of those before
  std::vector<Sample> samples_;
};

ScaleTarget workload(const std::string& name) {
  ScaleTarget target;
  target.kind = "Deployment";
  target.name = name;
  target.selector.requirements.push_back({"app", SelectorOp::kEquals, {name}});
  target.has_selector = true;
  return target;
}

struct Site {
  ScaleFacts facts;

  void use(const std::string& pod, UnixSeconds at, std::int64_t cpu_milli, std::int64_t bytes,
           const std::string& app = "web") {
    PodUsage usage;
    usage.name = pod;
    usage.labels = {{"app", app}};
    usage.at = at;
    usage.containers.push_back(
        {"main", {{std::string(kCpu), cpu_milli}, {std::string(kMemory), bytes * 1'000}}});
    facts.metrics.usage.push_back(usage);
  }

  ScaledPod& pod(const std::string& name, Resources requests) {
    ScaledPod made;
    made.name = name;
    made.labels = {{"app", "web"}};
    made.containers.push_back({"main", std::move(requests)});
    facts.pods.push_back(made);
    return facts.pods.back();
  }

  // One core and 300 Mi, once a minute.
  void use_steadily(const std::string& pod, std::int64_t days) {
    for (UnixSeconds at = 0; at <= days * kDay; at += kMinute)
      use(pod, kStart + at, 1'000, 300 * kMi);
  }

  Recommendation ask(UnixSeconds now, const RecommendSettings& settings = {}) const {
    const auto answer = recommend(facts, workload("web"), now, settings);
    REQUIRE(answer);
    return *answer;
  }
};

// What a request gets for a value: the end of its bucket, cut to whole units, and 15 % of that.
std::int64_t with_margin(UsageHistogram::Scheme scheme, double value, double unit) {
  SlowHistogram alone(scheme);
  alone.add(value, 1, 0);
  const auto base = static_cast<std::int64_t>(alone.percentile(1, 0) * unit);
  return base + static_cast<std::int64_t>(static_cast<double>(base) * 0.15);
}

}  // namespace

TEST_CASE("histograms forget as a list of all samples does") {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SplitMix random(seed);
    const bool is_memory = random.below(2) == 0;
    const auto scheme = is_memory ? UsageHistogram::kBytes : UsageHistogram::kCores;
    UsageHistogram fast(scheme);
    SlowHistogram slow(scheme);
    UnixSeconds at = kStart;
    const std::uint64_t count = 1 + random.below(200);
    for (std::uint64_t i = 0; i < count; ++i) {
      at += static_cast<UnixSeconds>(random.below(6 * 3'600));
      const double value =
          scheme.first * std::exp2(static_cast<double>(random.below(1'900)) / 100 - 2);
      const double weight = 0.1 + static_cast<double>(random.below(90)) / 100;
      fast.add(value, weight, at);
      slow.add(value, weight, at);
    }
    for (const double share : {0.013, 0.5, 0.9, 0.95, 0.997}) {
      CHECK(fast.percentile(share) == doctest::Approx(slow.percentile(share, at)).epsilon(1e-9));
      ++compared;
    }
  }
  CHECK(compared == 300);
}

TEST_CASE("a histogram gives back what it took") {
  UsageHistogram histogram(UsageHistogram::kBytes);
  CHECK(histogram.empty());
  CHECK(histogram.percentile(0.9) == 0);
  histogram.add(3e8, 1, kStart);
  histogram.add(9e8, 1, kStart + kDay);
  histogram.subtract(9e8, 1, kStart + kDay);
  CHECK(histogram.percentile(1) < 3.2e8);
  histogram.subtract(3e8, 1, kStart);
  CHECK(histogram.empty());
  histogram.add(5e8, 1, kStart + 1'000 * kDay);
  CHECK(histogram.percentile(0.5) > 5e8);
}

TEST_CASE("bounds narrow with what is known") {
  const std::int64_t cpu = with_margin(UsageHistogram::kCores, 1, 1e3);
  for (const std::int64_t days : {1, 7}) {
    Site site;
    site.use_steadily("web-1", days);
    const Recommendation answer = site.ask(kStart + days * kDay);
    REQUIRE(answer.containers.size() == 1);
    const ContainerRecommendation& main = answer.containers.front();
    CHECK(main.days == doctest::Approx(static_cast<double>(days)));
    REQUIRE(main.cpu);
    CHECK(main.cpu->target == cpu);
    const auto n = static_cast<double>(days);
    CHECK(main.cpu->upper ==
          static_cast<std::int64_t>(static_cast<double>(cpu) * (1 + 1 / main.days)));
    CHECK(main.cpu->lower ==
          static_cast<std::int64_t>(static_cast<double>(cpu) * std::pow(1 + 0.001 / n, -2.0)));
    REQUIRE(main.memory);
    CHECK(main.memory->target == with_margin(UsageHistogram::kBytes, 300.0 * kMi, 1));
  }
  Site site;
  site.use("web-1", kStart, 1'000, 300 * kMi);
  const Recommendation answer = site.ask(kStart);
  CHECK(answer.containers.front().cpu->upper == kAnyRequest);
  CHECK(answer.containers.front().cpu->lower == 25);
}

TEST_CASE("of memory the peak of each day counts, and a kill raises it") {
  Site calm;
  for (int hour = 0; hour < 20; ++hour)
    calm.use("web-1", kStart + hour * 3'600, 100, (hour == 7 ? 900 : 300) * kMi);
  const UnixSeconds now = kStart + 20 * 3'600;
  const std::int64_t peak = with_margin(UsageHistogram::kBytes, 900.0 * kMi, 1);
  CHECK(calm.ask(now).containers.front().memory->target == peak);

  // A fifth more than the larger of request and peak, but 100 Mi at least.
  for (const auto& [request, counts_as] : std::initializer_list<std::pair<std::int64_t, double>>{
           {1'000, 1'200}, {100, 1'080}, {3'000, 3'600}}) {
    Site killed = calm;
    killed.pod("web-1", {{std::string(kMemory), request * kMi}}).containers[0].out_of_memory =
        kStart + 10 * 3'600;
    const Recommendation answer = killed.ask(now);
    CHECK(answer.containers.front().out_of_memory == 1);
    CHECK(answer.containers.front().memory->target ==
          with_margin(UsageHistogram::kBytes, counts_as * kMi, 1));
  }
  Site small;
  small.use("web-1", kStart, 100, kMi);
  small.pod("web-1", {}).containers[0].out_of_memory = kStart + 60;
  RecommendSettings settings;
  settings.least_memory = 0;
  CHECK(small.ask(kStart + 60, settings).containers.front().memory->target ==
        with_margin(UsageHistogram::kBytes, 101.0 * kMi, 1));

  Site before = calm;
  before.pod("web-1", {{std::string(kMemory), 3'000 * kMi}}).containers[0].out_of_memory =
      now - 9 * kDay;
  CHECK(before.ask(now).containers.front().memory->target == peak);
}

TEST_CASE("only samples of the workload and of the last days count") {
  Site site;
  site.use("api-1", kStart, 64'000, 64'000 * kMi, "api");
  site.use("web-0", 0, 64'000, 64'000 * kMi);
  site.use("web-0", kStart - 9 * kDay, 64'000, 64'000 * kMi);
  site.use("web-0", kStart, 1'000, 300 * kMi);
  site.use("web-1", kStart, 1'000, 300 * kMi);
  site.use("web-1", kStart + 1, 64'000, 64'000 * kMi);
  const Recommendation answer = site.ask(kStart);
  CHECK(answer.pods == 2);
  CHECK(answer.undated_samples == 1);
  CHECK(answer.old_samples == 1);
  CHECK(answer.future_samples == 1);
  REQUIRE(answer.containers.size() == 1);
  CHECK(answer.containers.front().samples == 2);
  CHECK(answer.containers.front().cpu->target == with_margin(UsageHistogram::kCores, 1, 1e3));

  ScaleTarget nobody = workload("web");
  nobody.has_selector = false;
  CHECK_FALSE(recommend(site.facts, nobody, kStart));
}

TEST_CASE("LimitRanges and nodes bound what is recommended") {
  Site site;
  site.use_steadily("web-1", 7);
  const UnixSeconds now = kStart + 7 * kDay;
  ContainerLimits limits;
  limits.most.set(std::string(kCpu), 800);
  limits.least.set(std::string(kMemory), 900 * kMi);
  site.facts.limits.push_back(limits);
  const Recommendation limited = site.ask(now);
  const RequestRange& cpu = *limited.containers.front().cpu;
  CHECK(cpu.target == 800);
  CHECK(cpu.upper == 800);
  CHECK(cpu.uncapped > 1'000);
  CHECK(cpu.cap == RequestCap::kLimitRange);
  CHECK(limited.containers.front().memory->target == 900 * kMi);

  site.facts.limits.front().namespace_name = "other";
  CHECK(site.ask(now).containers.front().cpu->cap == RequestCap::kNone);

  // Two containers that no node could hold shrink by the same share.
  for (PodUsage& usage : site.facts.metrics.usage) {
    usage.containers.push_back(usage.containers.front());
    usage.containers.back().name = "side";
  }
  site.facts.largest.set(std::string(kCpu), 1'000);
  const Recommendation shrunk = site.ask(now);
  REQUIRE(shrunk.containers.size() == 2);
  for (const ContainerRecommendation& container : shrunk.containers) {
    CHECK(container.cpu->target == 500);
    CHECK(container.cpu->cap == RequestCap::kNode);
    CHECK(container.memory->cap == RequestCap::kNone);
  }
}

TEST_CASE("a request is changed only outside of the bounds") {
  Site site;
  site.use_steadily("web-1", 7);
  const UnixSeconds now = kStart + 7 * kDay;
  const auto advice = [&](std::int64_t milli) {
    Site asked = site;
    asked.pod("web-1", {{std::string(kCpu), milli}});
    return asked.ask(now).containers.front().cpu->advice;
  };
  const RequestRange range = *site.ask(now).containers.front().cpu;
  CHECK(range.advice == RequestAdvice::kDeclare);
  CHECK(advice(range.lower - 1) == RequestAdvice::kRaise);
  CHECK(advice(range.lower) == RequestAdvice::kKeep);
  CHECK(advice(range.upper) == RequestAdvice::kKeep);
  CHECK(advice(range.upper + 1) == RequestAdvice::kLower);
}
