#include "gedge/latency/complete.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/dice.hpp"
#include "support/estimate_errors.hpp"
#include "support/latency_space.hpp"
#include "support/vivaldi.hpp"

namespace gedge::test {
namespace {

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

LatencySpace small(std::size_t nodes) {
  LatencySpace space;
  space.nodes = nodes;
  space.sites = 8;
  return space;
}

Completion completed(const RttMatrix& shown, std::uint64_t seed = 0) {
  CompletionOptions options;
  options.seed = seed;
  auto result = complete(shown, options);
  REQUIRE(result);
  return *std::move(result);
}

bool same(const Estimate& a, const Estimate& b) {
  return a.rtt == b.rtt && a.lower == b.lower && a.upper == b.upper;
}

TEST_CASE("complete: estimates stand beside measurements, never in their place") {
  const RttMatrix truth = make_latency_space(small(60)), shown = show_some(truth, 8, 1);
  const Completion completion = completed(shown);
  std::size_t estimates = 0;
  for (std::size_t a = 0; a < 60; ++a) {
    CHECK_FALSE(completion.between(at(a), at(a)));
    for (std::size_t b = 0; b < a; ++b) {
      const auto there = completion.between(at(a), at(b)), back = completion.between(at(b), at(a));
      const bool measured = shown.between(at(a), at(b)) != kUnmeasured;
      CHECK(there.has_value() == !measured);
      REQUIRE(there.has_value() == back.has_value());
      if (!there) continue;
      CHECK(same(*there, *back));
      CHECK(there->lower <= there->rtt);
      CHECK(there->rtt <= there->upper);
      CHECK(there->upper <= kMaxRtt);
      ++estimates;
    }
  }
  CHECK(completion.count() == estimates);
  CHECK(estimates > 1000);
}

TEST_CASE("complete: a budget is compared with the upper bound, what is unknown stays unmeasured") {
  RttMatrix shown = show_some(make_latency_space(small(60)), 8, 1);
  for (std::size_t i = 0; i < 60; ++i) {  // nobody reaches n0007
    shown.set(at(7), at(i), i == 7 ? Rtt{0} : kUnmeasured);
    shown.set(at(i), at(7), i == 7 ? Rtt{0} : kUnmeasured);
  }
  const Completion completion = completed(shown);
  const RttMatrix bounds = completion.for_budgets(shown);
  for (std::size_t a = 0; a < 60; ++a) {
    for (std::size_t b = 0; b < 60; ++b) {
      const auto estimate = completion.between(at(a), at(b));
      const Rtt expected = estimate ? estimate->upper : shown.at(at(a), at(b));
      CHECK(bounds.at(at(a), at(b)) == expected);
      if (a == 7 && b != 7) CHECK(bounds.between(at(a), at(b)) == kUnmeasured);
    }
  }
}

TEST_CASE("complete: too few measured pairs, and shares that are none, are refused with a reason") {
  const RttMatrix truth = make_latency_space(small(30));
  const auto few = complete(show_some(truth, 2, 1), {});
  REQUIRE_FALSE(few);
  CHECK(few.error().code == Errc::kInvalidInput);
  CHECK(few.error().what.find("too few measured pairs") != std::string::npos);
  CHECK(few.error().hint.find("100") != std::string::npos);
  CHECK_FALSE(complete(RttMatrix{}, {}));
  CHECK_FALSE(complete(RttMatrix({"a"}), {}));
  for (const double miss : {0.0, -0.1, 0.5, std::nan("")}) {
    CompletionOptions options;
    options.miss = miss;
    const auto refused = complete(show_some(truth, 8, 1), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what.find("between 0 and 0.5") != std::string::npos);
  }
  CompletionOptions rare;  // one in 10,000 cannot be told from 200
  rare.miss = 1e-4;
  CHECK_FALSE(complete(show_some(truth, 8, 1), rare));
}

TEST_CASE("complete: a name with three measured pairs gets no estimate, with four it does") {
  const RttMatrix truth = make_latency_space(small(60));
  for (const std::size_t peers : {3U, 4U}) {
    RttMatrix shown = show_some(truth, 8, 1);
    for (std::size_t i = 0; i < 60; ++i) {
      if (i == 5) continue;
      shown.set(at(5), at(i), i >= 10 && i < 10 + peers ? truth.at(at(5), at(i)) : kUnmeasured);
      shown.set(at(i), at(5), kUnmeasured);
    }
    const Completion completion = completed(shown);
    CHECK(completion.between(at(5), at(40)).has_value() == (peers == 4));
    CHECK_FALSE(completion.between(at(5), at(10)));  // measured
  }
}

TEST_CASE("complete: nothing is said between groups that no measured pair links") {
  // Even names and odd ones have never met; each group is completed alone.
  const RttMatrix truth = make_latency_space(small(80));
  RttMatrix shown = show_some(truth, 24, 1);
  for (std::size_t a = 0; a < 80; ++a)
    for (std::size_t b = 0; b < 80; ++b)
      if (a % 2 != b % 2) shown.set(at(a), at(b), kUnmeasured);
  const Completion completion = completed(shown);
  std::size_t inside = 0;
  for (std::size_t a = 0; a < 80; ++a) {
    for (std::size_t b = 0; b < 80; ++b) {
      const bool estimated = completion.between(at(a), at(b)).has_value();
      if (a % 2 != b % 2) CHECK_FALSE(estimated);
      inside += estimated ? 1 : 0;
    }
  }
  CHECK(inside > 500);
}

TEST_CASE("complete: same matrix and seed, same answer, and nearly that with another seed") {
  const RttMatrix truth = make_latency_space(small(150)), shown = show_some(truth, 12, 1);
  const Completion one = completed(shown), again = completed(shown), other = completed(shown, 9);
  std::size_t different = 0, far = 0, all = 0;
  for (const Cell& cell : hidden_cells(truth, shown)) {
    const Estimate first = *one.between(cell.from, cell.to);
    CHECK(same(first, *again.between(cell.from, cell.to)));
    const Estimate second = *other.between(cell.from, cell.to);
    different += same(first, second) ? 0 : 1;
    far += std::abs(std::log(double(first.rtt.us) / second.rtt.us)) > 0.1 ? 1 : 0;
    ++all;
  }
  CHECK(different > 0);
  CHECK(far < all / 20);
}

TEST_CASE("complete: without noise and detours the hidden pairs are found") {
  LatencySpace space;
  space.nodes = 300;
  space.noise = 0;
  space.detour_share = 0;
  const RttMatrix truth = make_latency_space(space), shown = show_some(truth, 16, 1);
  const RelativeErrors found = errors_of(truth, hidden_cells(truth, shown), completed(shown));
  CHECK(found.median < 0.005);
  CHECK(found.p90 < 0.02);
}

TEST_CASE("complete: detours are learned, which coordinates alone cannot") {
  LatencySpace space;
  space.noise = 0;
  const RttMatrix truth = make_latency_space(space), shown = show_some(truth, 16, 1);
  const std::vector<Cell> cells = hidden_cells(truth, shown);
  const RelativeErrors found = errors_of(truth, cells, completed(shown));
  const RelativeErrors flat = errors_of(truth, cells, vivaldi(shown, {}));
  CHECK(found.median < 0.5 * flat.median);
  CHECK(found.p90 < 0.5 * flat.p90);
}

TEST_CASE("complete: 16 of 1,000, better than Vivaldi and within its bounds") {
  for (const std::uint64_t seed : {20261122U, 1U, 2U}) {
    CAPTURE(seed);
    LatencySpace space;
    space.seed = seed;
    const RttMatrix truth = make_latency_space(space), shown = show_some(truth, 16, seed);
    const std::vector<Cell> cells = hidden_cells(truth, shown);
    const Completion completion = completed(shown);
    const RelativeErrors found = errors_of(truth, cells, completion);
    const RelativeErrors springs = errors_of(truth, cells, vivaldi(shown, {}));
    CHECK(found.median <= springs.median);
    CHECK(found.p90 <= 0.87 * springs.p90);
    CHECK(found.median <= 0.030);
    CHECK(found.p90 <= 0.08);
    const Coverage coverage = coverage_of(truth, cells, completion);
    CHECK(coverage.inside >= 0.95);
    CHECK(coverage.above <= 0.025);
    CHECK(coverage.median_upper < 1.15);  // and they say something
  }
}

TEST_CASE("complete: bounds hold both ways where directions differ") {
  // Odd pairs take twice as long one way; each pair shows one direction or both.
  LatencySpace space;
  space.nodes = 300;
  RttMatrix truth = make_latency_space(space);
  for (std::size_t a = 0; a < 300; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if ((a * 7 + b) % 3 == 0) truth.set(at(a), at(b), Rtt{2 * truth.at(at(a), at(b)).us});
  RttMatrix shown = show_some(truth, 16, 1);
  for (std::size_t a = 0; a < 300; a += 2)
    for (std::size_t b = 0; b < 300; ++b)
      if (shown.at(at(a), at(b)) != kUnmeasured) shown.set(at(b), at(a), truth.at(at(b), at(a)));
  const Coverage coverage = coverage_of(truth, hidden_cells(truth, shown), completed(shown));
  CHECK(coverage.inside >= 0.95);
}

TEST_CASE("complete: a few wild measurements move little, zeros count as a microsecond") {
  const RttMatrix truth = make_latency_space({}), shown = show_some(truth, 16, 1);
  RttMatrix wild = shown;
  Dice dice(1);
  for (std::size_t a = 0; a < truth.size(); ++a)
    for (std::size_t b = 0; b < truth.size(); ++b)
      if (a != b && shown.at(at(a), at(b)) != kUnmeasured && dice.chance(2))
        wild.set(at(a), at(b), dice.chance(50) ? Rtt{0} : Rtt{3'000'000});
  const std::vector<Cell> cells = hidden_cells(truth, shown);
  const RelativeErrors clean = errors_of(truth, cells, completed(shown));
  const RelativeErrors found = errors_of(truth, cells, completed(wild));
  CHECK(found.median < 1.15 * clean.median);
  CHECK(found.p90 < 1.2 * clean.p90);
}

// All that is known of pairs, estimates among them, as a file that was written and read has it.
PairDetails with_marks(const CompletedMatrix& completed) {
  PairDetails all = completed.details;
  for (std::uint32_t i = 0; i < completed.matrix.size(); ++i)
    for (std::uint32_t j = 0; j < completed.matrix.size(); ++j)
      if (const auto estimate = completed.estimate(at(i), at(j))) all.pairs.push_back(*estimate);
  std::sort(all.pairs.begin(), all.pairs.end(), [](const PairStats& a, const PairStats& b) {
    return std::pair(raw(a.from), raw(a.to)) < std::pair(raw(b.from), raw(b.to));
  });
  return all;
}

TEST_CASE("complete: details mark estimates, and earlier estimates count for nothing") {
  const RttMatrix shown = show_some(make_latency_space(small(60)), 8, 1);
  PairDetails details;
  const std::uint32_t icmp = details.method("icmp");
  NameIndex from{}, to{};  // a measured pair with details, and one whose probes were all lost
  for (std::uint32_t i = 1; i < 60; ++i) {
    if (shown.at(at(0), at(i)) != kUnmeasured) from = at(i);
    if (shown.between(at(0), at(i)) == kUnmeasured) to = at(i);
  }
  PairStats known, lost;
  known.to = from;
  known.method = icmp;
  known.only = shown.at(at(0), from);
  lost.to = to;
  lost.loss_ppm = 1'000'000;
  details.pairs = raw(from) < raw(to) ? std::vector{known, lost} : std::vector{lost, known};
  const auto one = complete(shown, details, {});
  REQUIRE(one);
  CHECK(one->measured + one->estimated + one->unknown == 60 * 59 / 2);
  CHECK(one->unknown == 1);
  CHECK_FALSE(one->estimate(at(0), to));
  CHECK(one->estimates.for_budgets(one->matrix).between(at(0), to) == kUnmeasured);
  CHECK(*one->details.find(at(0), from) == known);
  CHECK(*one->details.find(at(0), to) == lost);
  const PairDetails marked = with_marks(*one);
  const RttMatrix bounds = one->estimates.for_budgets(one->matrix);
  std::size_t marks = 0;
  for (const PairStats& pair : marked.pairs) {
    if (!pair.estimated) continue;
    ++marks;
    CHECK(shown.between(pair.from, pair.to) == kUnmeasured);
    CHECK(pair.p50 <= pair.upper);
    CHECK(bounds.at(pair.from, pair.to) == pair.upper);
    CHECK(marked.methods[pair.method] == "estimate");
    CHECK(marked.find(pair.from, pair.to) == &pair);
  }
  CHECK(marks == 2 * one->estimated);
  const auto again = complete(bounds, marked, {});
  REQUIRE(again);
  CHECK(again->estimated == one->estimated);
  CHECK(with_marks(*again).pairs == marked.pairs);
  CHECK_FALSE(complete(RttMatrix({"a", "b"}), {}, {}));
}

}  // namespace
}  // namespace gedge::test
