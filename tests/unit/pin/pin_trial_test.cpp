#include "gedge/pin/pin_trial.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

// Between 0 and 1, never 0.
double fraction(Dice& dice) { return static_cast<double>(dice.between(1, 1'000'000)) / 1e6; }

double normal(Dice& dice) {
  const double angle = 2 * 3.14159265358979 * fraction(dice);
  return std::sqrt(-2 * std::log(fraction(dice))) * std::cos(angle);
}

// A job of 200 ms whose times spread by `spread`, on a machine that drifts and sometimes hiccups.
std::vector<TrialPair> runs(Dice& dice, double effect, double spread, std::size_t pairs) {
  std::vector<TrialPair> made;
  double drift = 1;
  for (std::size_t i = 0; i < pairs; ++i) {
    drift *= std::exp(0.05 * normal(dice));
    const auto run = [&](double scale) {
      double time = 200'000 * drift * scale * std::exp(spread * normal(dice));
      if (dice.chance(5)) time *= 1.5 + fraction(dice);
      return Micros{static_cast<std::int64_t>(time)};
    };
    made.push_back({run(1), run(effect)});
  }
  return made;
}

int rightly(double effect, double spread, TrialVerdict wanted, std::uint64_t seed) {
  constexpr int kTrials = 100;
  constexpr std::size_t kPairs = 15;
  Dice dice(seed);
  int right = 0;
  for (int i = 0; i < kTrials; ++i)
    right += judge_trial(runs(dice, effect, spread, kPairs))->verdict == wanted;
  return right;
}

std::vector<TrialPair> equal(std::size_t count) {
  return std::vector<TrialPair>(count, TrialPair{Micros{1000}, Micros{1000}});
}

}  // namespace

TEST_CASE("a trial: right in 95 of 100 on a job that pinning helps, one that it harms, and none") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    CHECK(rightly(1290.0 / 2252, 0.10, TrialVerdict::kHelps, seed) >= 95);  // an encoder's gain
    CHECK(rightly(0.90, 0.03, TrialVerdict::kHelps, seed) >= 95);
    CHECK(rightly(1.10, 0.03, TrialVerdict::kHarms, seed) >= 95);
    CHECK(rightly(123.71 / 89.1, 0.10, TrialVerdict::kHarms, seed) >= 95);  // its loss elsewhere
  }
  int wrong = 0;
  for (const std::uint64_t seed : {4u, 5u, 6u, 7u})
    wrong += 100 - rightly(1, 0.10, TrialVerdict::kNoDifference, seed);
  CHECK(wrong <= 32);  // 5 % of 400 is 20; more than 32 has a chance of 1 in 200
}

TEST_CASE("a trial: the exact bounds of small samples") {
  // Six pairs: the smallest and the largest ratio. One pair more or less on a side decides.
  std::vector<TrialPair> pairs;
  for (const int pinned : {500, 600, 700, 800, 900, 990})
    pairs.push_back({Micros{1000}, Micros{pinned}});
  const auto helps = judge_trial(pairs);
  REQUIRE(helps);
  CHECK(helps->verdict == TrialVerdict::kHelps);
  CHECK(helps->ratio_low == doctest::Approx(0.5));
  CHECK(helps->ratio_high == doctest::Approx(0.99));
  CHECK(helps->pinned.median == Micros{750});
  CHECK(helps->pinned.low == Micros{500});
  CHECK(helps->pinned.high == Micros{990});
  CHECK(helps->plain.median == Micros{1000});
  pairs.back().pinned = Micros{1001};
  CHECK(judge_trial(pairs)->verdict == TrialVerdict::kNoDifference);
  // Of 15 pairs, three may lie on the other side, and not four.
  for (const int others : {3, 4}) {
    std::vector<TrialPair> many;
    for (int i = 0; i < 15; ++i) many.push_back({Micros{1000}, Micros{i < others ? 9000 : 900}});
    CHECK((judge_trial(many)->verdict == TrialVerdict::kHelps) == (others == 3));
  }
}

TEST_CASE("a trial: equal times, times of nothing, too few and too many") {
  const auto same = judge_trial(equal(20));
  REQUIRE(same);
  CHECK(same->verdict == TrialVerdict::kNoDifference);
  CHECK(same->ratio == 1.0);
  CHECK(judge_trial(std::vector<TrialPair>(8))->verdict == TrialVerdict::kNoDifference);
  CHECK(judge_trial(equal(kLeastPairs)));
  CHECK_FALSE(judge_trial(equal(kLeastPairs - 1)));
  CHECK_FALSE(judge_trial(equal(kMostPairs + 1)));
}

TEST_CASE("verdicts: the newest about a command and its CPUs counts, and they do not grow") {
  std::vector<PinVerdict> verdicts;
  const std::vector<std::string> encode{"encode", "a b"}, other{"encode", "a", "b"};
  remember(verdicts, {encode, 2, TrialVerdict::kHelps});
  remember(verdicts, {other, 2, TrialVerdict::kNoDifference});
  remember(verdicts, {encode, 2, TrialVerdict::kHarms});
  CHECK(verdicts.size() == 2);
  CHECK(recall(verdicts, encode, 2)->verdict == TrialVerdict::kHarms);
  CHECK(recall(verdicts, other, 2)->verdict == TrialVerdict::kNoDifference);
  CHECK(recall(verdicts, encode, 3) == nullptr);
  for (int i = 0; i < 2'000; ++i)
    remember(verdicts, {{std::to_string(i)}, 1, TrialVerdict::kHelps});
  CHECK(verdicts.size() == 1'000);
  CHECK(recall(verdicts, encode, 2) == nullptr);
}

}  // namespace gedge
