#include "gedge/latency/rtt_samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/dice.hpp"

using gedge::kMaxRtt;
using gedge::kUnmeasured;
using gedge::Nanos;
using gedge::Rtt;
using gedge::RttSamples;
using gedge::RttSummary;

namespace {

RttSamples of_micros(const std::vector<std::int64_t>& micros) {
  RttSamples samples;
  for (const std::int64_t us : micros) samples.add(Nanos{us * 1'000});
  return samples;
}

// The least of them that at least `percent` of a hundred do not exceed.
Rtt by_sorting(std::vector<std::uint32_t> micros, std::size_t percent) {
  std::sort(micros.begin(), micros.end());
  const std::size_t rank = (micros.size() * percent + 99) / 100;
  return Rtt{micros[rank - 1]};
}

}  // namespace

TEST_CASE("samples: nothing sent and nothing answered are both unmeasured, never zero") {
  RttSamples samples;
  CHECK_FALSE(samples.summary().measured());
  CHECK(samples.summary().p50 == kUnmeasured);
  CHECK(samples.summary().probes == 0);
  CHECK(samples.summary().loss_ppm == 0);

  samples.add_lost();
  const RttSummary summary = samples.summary();
  CHECK_FALSE(summary.measured());
  CHECK(summary.probes == 1);
  CHECK(summary.samples == 0);
  CHECK(summary.loss_ppm == 1'000'000);
  for (const Rtt rtt : {summary.min, summary.p50, summary.p95, summary.p99, summary.max,
                        summary.mean, summary.mdev, summary.jitter})
    CHECK(rtt == kUnmeasured);
}

TEST_CASE("samples: times round up to whole microseconds, and none becomes zero") {
  for (const auto& [nanos, micros] : std::vector<std::pair<std::int64_t, std::uint32_t>>{
           {0, 1}, {1, 1}, {1'000, 1}, {1'001, 2}, {2'000, 2}}) {
    RttSamples samples;
    samples.add(Nanos{nanos});
    CHECK(samples.summary().min == Rtt{micros});
    CHECK(samples.summary().p99 == Rtt{micros});
    CHECK(samples.summary().mean == Rtt{micros});
  }
  RttSamples samples;
  samples.add(Nanos::max());
  CHECK(samples.summary().max == kMaxRtt);
}

TEST_CASE("samples: a single answer has no spread") {
  const RttSummary summary = of_micros({700}).summary();
  CHECK(summary.mdev == Rtt{0});
  CHECK(summary.jitter == Rtt{0});
}

TEST_CASE("samples: mean, mdev, jitter and loss of a few answers, by hand") {
  RttSamples samples = of_micros({100, 200, 300, 400});
  samples.add_lost();
  const RttSummary summary = samples.summary();
  CHECK(summary.min == Rtt{100});
  CHECK(summary.p50 == Rtt{200});
  CHECK(summary.p95 == Rtt{400});
  CHECK(summary.max == Rtt{400});
  CHECK(summary.mean == Rtt{250});
  CHECK(summary.mdev == Rtt{112});  // the root of 12500 is 111.8
  // srtt 100, 112.5, 135.9; off it by 100, 187.5, 264.1; so rttvar 100, 121.9, 157.4.
  CHECK(summary.jitter == Rtt{158});
  CHECK(summary.samples == 4);
  CHECK(summary.probes == 5);
  CHECK(summary.loss_ppm == 200'000);
}

TEST_CASE("samples: loss is rounded up, so that one lost probe of many shows") {
  RttSamples samples = of_micros({100, 100});
  samples.add_lost();
  CHECK(samples.summary().loss_ppm == 333'334);
}

TEST_CASE("samples: percentiles are those of plain sorting, up to the exact limit") {
  gedge::test::Dice dice(7);
  for (const std::size_t count : {1U, 2U, 3U, 19U, 20U, 21U, 99U, 100U, 101U, 1000U, 8192U}) {
    RttSamples samples;
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(1 + static_cast<std::uint32_t>(dice.below(1U << (1 + dice.below(30)))));
      samples.add(Nanos{std::int64_t{all.back()} * 1'000});
    }
    const RttSummary summary = samples.summary();
    CHECK(summary.p50 == by_sorting(all, 50));
    CHECK(summary.p95 == by_sorting(all, 95));
    CHECK(summary.p99 == by_sorting(all, 99));
    CHECK(summary.min.us == *std::min_element(all.begin(), all.end()));
  }
}

TEST_CASE("samples: beyond the exact limit percentiles are at most 0.2 percent above the truth") {
  gedge::test::Dice dice(11);
  for (const std::uint32_t widest : {500U, 5'000U, 1'000'000U, 4'000'000'000U}) {
    RttSamples samples;
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < RttSamples::kExactSamples + 3'000; ++i) {
      all.push_back(1 + static_cast<std::uint32_t>(dice.below(widest)));
      samples.add(Nanos{std::int64_t{all.back()} * 1'000});
    }
    const RttSummary summary = samples.summary();
    for (const auto& [percent, told] : std::vector<std::pair<std::size_t, Rtt>>{
             {50, summary.p50}, {95, summary.p95}, {99, summary.p99}}) {
      const Rtt truth = by_sorting(all, percent);
      CHECK(told >= truth);
      CHECK(told.us - truth.us <= truth.us / 512);
      CHECK(told <= summary.max);
    }
    CHECK(summary.max.us == *std::max_element(all.begin(), all.end()));
    CHECK(summary.samples == all.size());
  }
}
