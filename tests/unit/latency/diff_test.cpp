#include "gedge/latency/diff.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/dice.hpp"

namespace gedge {
namespace {

NameIndex at(std::uint32_t i) { return NameIndex{i}; }

PairStats measured(std::uint32_t mean, std::uint32_t mdev, std::uint32_t samples) {
  PairStats pair;
  pair.from = at(0), pair.to = at(1);
  pair.mean = Rtt{mean}, pair.mdev = Rtt{mdev}, pair.samples = samples;
  return pair;
}

struct Known {
  RttMatrix matrix{{"a", "b"}};
  PairDetails details;
  Known(Rtt rtt, const PairStats& pair) {
    matrix.set(at(0), at(1), rtt);
    details.pairs = {pair};
  }
  KnownMatrix known() const { return {matrix, details}; }
};

Significance of_means(std::uint32_t before, std::uint32_t after, std::uint32_t samples) {
  const Known a(Rtt{before}, measured(before, 400, samples));
  const Known b(Rtt{after}, measured(after, 300, samples));
  const MatrixDifference difference = diff_matrices(a.known(), b.known());
  REQUIRE(difference.pairs.size() == 1);
  return difference.pairs[0].significance;
}

TEST_CASE("diff: three standard errors are noise, a microsecond more is real") {
  CHECK(of_means(5'000, 5'150, 100) == Significance::kNoise);  // 3 * hypot(40, 30) = 150
  CHECK(of_means(5'000, 5'151, 100) == Significance::kReal);
  CHECK(of_means(5'151, 5'000, 100) == Significance::kReal);
  CHECK(of_means(5'000, 5'151, 25) == Significance::kNoise);  // fewer samples say less
  CHECK(of_means(5'000, 5'151, 1) == Significance::kUnknown);
}

TEST_CASE("diff: the error is that of the statistic that is compared") {
  PairStats pair = measured(5'000, 1'000, 100);
  pair.p50 = Rtt{4'900}, pair.p95 = Rtt{6'800}, pair.p99 = Rtt{8'000}, pair.max = Rtt{9'000};
  CHECK(standard_error(pair, Rtt{5'000}) == Micros(100));
  CHECK(standard_error(pair, Rtt{4'900}) == Micros(126));
  CHECK(standard_error(pair, Rtt{6'800}) == Micros(212));
  CHECK(standard_error(pair, Rtt{8'000}) == Micros(374));
  CHECK_FALSE(standard_error(pair, Rtt{9'000}));  // a maximum grows with every sample
  CHECK_FALSE(standard_error(pair, kUnmeasured));
  pair.mdev = kUnmeasured;  // (6800 - 4900) / 1.645 = 1155
  CHECK(standard_error(pair, Rtt{5'000}) == Micros(116));
  pair.p50 = kUnmeasured;
  CHECK_FALSE(standard_error(pair, Rtt{5'000}));
  pair.mdev = Rtt{1'000};
  pair.estimated = true;
  CHECK_FALSE(standard_error(pair, Rtt{5'000}));
}

TEST_CASE("diff: a normal distribution's p95 errs as much as is said") {
  test::Dice dice(11);
  constexpr int kRounds = 400, kSamples = 200;
  double squares = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> samples;
    for (int i = 0; i < kSamples; ++i) {
      double sum = 0;  // of twelve uniform ones: variance 1
      for (int j = 0; j < 12; ++j) sum += static_cast<double>(dice.below(1'000'000)) / 1e6;
      samples.push_back(sum - 6);
    }
    std::sort(samples.begin(), samples.end());
    const double error = samples[kSamples * 95 / 100 - 1] - 1.645;
    squares += error * error;
  }
  const double observed = std::sqrt(squares / kRounds) * 1'000;
  PairStats pair = measured(0, 1'000, kSamples);
  pair.p95 = Rtt{1};
  const auto stated = static_cast<double>(standard_error(pair, Rtt{1})->count());
  CHECK(observed > 0.8 * stated);
  CHECK(observed < 1.2 * stated);
}

TEST_CASE("diff: what appears, what vanishes, names on one side only") {
  RttMatrix before({"a", "b", "old"}), after({"a", "b", "new"});
  before.set(at(0), at(1), Rtt{5});
  after.set(at(1), at(0), Rtt{7});
  before.set(at(0), at(2), Rtt{1});
  after.set(at(0), at(2), Rtt{2});
  const PairDetails none;
  const MatrixDifference difference = diff_matrices({before, none}, {after, none});
  CHECK(difference.added == std::vector<std::string>{"new"});
  CHECK(difference.removed == std::vector<std::string>{"old"});
  REQUIRE(difference.pairs.size() == 2);
  CHECK(difference.pairs[0].change == PairChange::kVanished);
  CHECK(difference.pairs[0].before == Rtt{5});
  CHECK(difference.pairs[1].change == PairChange::kAppeared);
  CHECK(difference.pairs[1].from == "b");
  CHECK(difference.pairs[1].after == Rtt{7});
  CHECK(difference.differs());
  CHECK(difference.same == 0);
  const Known a(Rtt{5'000}, measured(5'000, 400, 100)), b(Rtt{5'001}, measured(5'001, 400, 100));
  CHECK_FALSE(diff_matrices(a.known(), b.known()).differs());
}

TEST_CASE("diff: a matrix does not differ from itself, and unknown moves are not called real") {
  RttMatrix matrix({"a", "b", "c"});
  matrix.set(at(0), at(1), Rtt{5});
  matrix.set(at(1), at(0), Rtt{6});
  const PairDetails none;
  const MatrixDifference same = diff_matrices({matrix, none}, {matrix, none});
  CHECK(same.pairs.empty());
  CHECK(same.same == 2);
  CHECK_FALSE(same.differs());
  RttMatrix moved = matrix;
  moved.set(at(0), at(1), Rtt{500'000});
  const MatrixDifference bare = diff_matrices({matrix, none}, {moved, none});
  REQUIRE(bare.pairs.size() == 1);
  CHECK(bare.pairs[0].significance == Significance::kUnknown);
  CHECK_FALSE(bare.pairs[0].margin);
  CHECK(bare.differs());  // nobody can call it noise
}

}  // namespace
}  // namespace gedge
