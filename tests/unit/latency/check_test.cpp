#include "gedge/latency/check.hpp"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

#include "support/dice.hpp"

namespace gedge {
namespace {

NameIndex at(std::uint32_t i) { return NameIndex{i}; }

RttMatrix matrix_of(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back("n" + std::to_string(100 + i));
  return RttMatrix(names);
}

void set_both(RttMatrix& matrix, std::uint32_t a, std::uint32_t b, std::uint32_t us) {
  matrix.set(at(a), at(b), Rtt{us});
  matrix.set(at(b), at(a), Rtt{us});
}

std::vector<Finding> findings_of(const RttMatrix& matrix, const PairDetails& details,
                                 const CheckOptions& options) {
  MatrixCheck check = check_matrix(matrix, details, options);
  CHECK(check.vias == matrix.size());
  CHECK(check.is_odd() == !check.findings.empty());
  std::uint64_t counted = 0;
  for (const std::uint64_t count : check.counts) counted += count;
  CHECK(counted == check.findings.size());
  return std::move(check.findings);
}

TEST_CASE("check: a matrix in which everything fits has no findings") {
  RttMatrix matrix = matrix_of(3);
  set_both(matrix, 0, 1, 5'000);
  set_both(matrix, 1, 2, 6'000);
  set_both(matrix, 0, 2, 11'000);
  CHECK(findings_of(matrix, {}, {}).empty());
  CHECK(findings_of(RttMatrix{}, {}, {}).empty());
  CHECK(findings_of(matrix_of(1), {}, {}).empty());
}

TEST_CASE("check: gaps and one-way pairs, and whether probes were lost") {
  RttMatrix matrix = matrix_of(3);
  matrix.set(at(2), at(0), Rtt{700});
  PairDetails details;
  PairStats lost;
  lost.from = at(1), lost.to = at(0), lost.loss_ppm = 1'000'000;
  details.pairs = {lost};
  const std::vector<Finding> found = findings_of(matrix, details, {});
  REQUIRE(found.size() == 3);
  CHECK(found[0].oddity == Oddity::kGap);
  CHECK(found[0].from == at(0));
  CHECK(found[0].to == at(1));
  CHECK(found[0].lost);
  CHECK(found[1].oddity == Oddity::kGap);
  CHECK(found[1].to == at(2));
  CHECK_FALSE(found[1].lost);
  CHECK(found[2].oddity == Oddity::kOneWay);
  CHECK(found[2].from == at(2));
  CHECK(found[2].to == at(0));
  CHECK(found[2].rtt == Rtt{700});
}

TEST_CASE("check: a fifth and a millisecond pass, a microsecond more does not") {
  const CheckOptions options;
  CHECK_FALSE(exceeds(Rtt{12'000}, Rtt{10'000}, options));
  CHECK(exceeds(Rtt{12'001}, Rtt{10'000}, options));
  CHECK_FALSE(exceeds(Rtt{1'100}, Rtt{100}, options));  // elevenfold, but a millisecond
  CHECK(exceeds(Rtt{1'101}, Rtt{100}, options));
  CHECK_FALSE(exceeds(Rtt{10'000}, Rtt{12'001}, options));
  CHECK(exceeds(kMaxRtt, Rtt{0}, options));
  RttMatrix matrix = matrix_of(2);
  matrix.set(at(0), at(1), Rtt{12'001});
  matrix.set(at(1), at(0), Rtt{10'000});
  const std::vector<Finding> found = findings_of(matrix, {}, options);
  REQUIRE(found.size() == 1);
  CHECK(found[0].oddity == Oddity::kAsymmetric);
  CHECK(found[0].from == at(1));  // the fast direction; the other one is odd
  CHECK(found[0].other == Rtt{12'001});
}

TEST_CASE("check: the fastest detour is named") {
  RttMatrix matrix = matrix_of(4);
  set_both(matrix, 0, 3, 50'000);
  set_both(matrix, 0, 1, 10'000);
  set_both(matrix, 1, 3, 20'000);
  set_both(matrix, 0, 2, 5'000);
  set_both(matrix, 2, 3, 6'000);
  set_both(matrix, 1, 2, 12'000);
  const std::vector<Finding> found = findings_of(matrix, {}, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].oddity == Oddity::kTriangle);
  CHECK(found[0].from == at(0));
  CHECK(found[0].to == at(3));
  CHECK(found[0].rtt == Rtt{50'000});
  CHECK(found[0].other == Rtt{11'000});
  CHECK(found[0].via == at(2));
}

TEST_CASE("check: the same triangles as asking every third name, unmeasured and huge times too") {
  test::Dice dice(7);
  for (int round = 0; round < 60; ++round) {
    const auto n = static_cast<std::uint32_t>(2 + dice.below(20));
    RttMatrix matrix = matrix_of(n);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j) {
        if (i == j || dice.below(4) == 0) continue;
        const bool huge = dice.below(30) == 0;
        matrix.set(at(i), at(j),
                   Rtt{static_cast<std::uint32_t>(huge ? 4'000'000'000 : dice.below(60'000))});
      }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> expected;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = i + 1; j < n; ++j) {
        const Rtt direct = matrix.between(at(i), at(j));
        if (direct == kUnmeasured) continue;
        std::uint64_t best = std::uint64_t{1} << 40;
        for (std::uint32_t k = 0; k < n; ++k) {
          const Rtt a = matrix.between(at(i), at(k)), b = matrix.between(at(k), at(j));
          if (k == i || k == j || a.us >= 0x7FFFFFFF || b.us >= 0x7FFFFFFF) continue;
          best = std::min(best, std::uint64_t{a.us} + b.us);
        }
        if (best >= direct.us || best >= 0x7FFFFFFF) continue;
        const std::uint64_t extra = direct.us - best;
        if (extra > 1'000 && extra * 5 > best) expected[{i, j}] = best;
      }
    std::size_t triangles = 0;
    for (const Finding& finding : findings_of(matrix, {}, {})) {
      if (finding.oddity != Oddity::kTriangle) continue;
      ++triangles;
      const auto known = expected.find({raw(finding.from), raw(finding.to)});
      REQUIRE(known != expected.end());
      CHECK(known->second == finding.other.us);
      CHECK(std::uint64_t{matrix.between(finding.from, *finding.via).us} +
                matrix.between(*finding.via, finding.to).us ==
            finding.other.us);
    }
    CHECK(triangles == expected.size());
  }
}

TEST_CASE("check: stale by a second, only where an age and a time are given, suspicious always") {
  RttMatrix matrix = matrix_of(2);
  set_both(matrix, 0, 1, 500);
  PairDetails details;
  PairStats pair;
  pair.from = at(0), pair.to = at(1), pair.measured_at = 1'000, pair.suspicious = true;
  details.pairs = {pair};
  pair.from = at(1), pair.to = at(0), pair.measured_at = kNever, pair.suspicious = false;
  details.pairs.push_back(pair);
  CheckOptions options;
  REQUIRE(findings_of(matrix, details, options).size() == 1);
  CHECK(findings_of(matrix, details, options)[0].oddity == Oddity::kSuspicious);
  options.max_age = std::chrono::seconds(60);
  options.now = 1'060;
  CHECK(findings_of(matrix, details, options).size() == 1);
  options.now = 1'061;
  const std::vector<Finding> found = findings_of(matrix, details, options);
  REQUIRE(found.size() == 2);
  CHECK(found[0].oddity == Oddity::kStale);
  CHECK(found[0].measured_at == 1'000);
  options.now = 940;  // clocks may differ by that
  CHECK(findings_of(matrix, details, options).size() == 1);
  options.now = 939;
  CHECK(findings_of(matrix, details, options).size() == 2);
}

// Names on a line, 1 ms apart, but from 0 to 3, 5 and 9 it takes a second.
RttMatrix with_detours() {
  RttMatrix matrix = matrix_of(12);
  for (std::uint32_t a = 0; a < 12; ++a)
    for (std::uint32_t b = 0; b < a; ++b) set_both(matrix, a, b, 1'000 * (a - b));
  for (const std::uint32_t far : {3U, 5U, 9U}) set_both(matrix, 0, far, 1'000'000);
  return matrix;
}

TEST_CASE("check: where all detours are too many, some names are gone through, and it says so") {
  const RttMatrix matrix = with_detours();
  CheckOptions options;
  const std::uint64_t whole = 12 * 12 * 12;
  options.most_steps = whole;
  CHECK(check_matrix(matrix, {}, options).vias == 12);
  const MatrixCheck all = check_matrix(matrix, {}, options);
  CHECK(all.findings.size() == 3);
  options.most_steps = whole - 1;
  CHECK(check_matrix(matrix, {}, options).vias == 11);
  options.most_steps = 3 * 12 * 12;
  const MatrixCheck some = check_matrix(matrix, {}, options);
  CHECK(some.vias == 3);
  for (const Finding& finding : some.findings) {
    CHECK(finding.oddity == Oddity::kTriangle);
    CHECK(raw(*finding.via) % 4 == 0);
    CHECK(matrix.between(finding.from, *finding.via).us +
              matrix.between(*finding.via, finding.to).us ==
          finding.other.us);
  }
  CHECK(some.findings.size() == 3);  // through 4 or 8, if not by the fastest way
  options.most_steps = 0;
  CHECK(check_matrix(matrix, {}, options).vias == 1);
}

TEST_CASE("check: of very many findings the first of each kind are kept, and all are counted") {
  RttMatrix matrix = with_detours();
  for (std::uint32_t last = 1; last < 11; ++last) matrix.set(at(11), at(last), kUnmeasured);
  CheckOptions options;
  options.most_of_a_kind = 2;
  const MatrixCheck check = check_matrix(matrix, {}, options);
  CHECK(check.counts[static_cast<std::size_t>(Oddity::kOneWay)] == 10);
  CHECK(check.counts[static_cast<std::size_t>(Oddity::kTriangle)] == 3);
  REQUIRE(check.findings.size() == 4);
  CHECK(check.findings[0].oddity == Oddity::kOneWay);
  CHECK(check.findings[0].from == at(1));
  CHECK(check.findings[1].from == at(2));
  CHECK(check.findings[2].oddity == Oddity::kTriangle);
  CHECK(check.findings[2].to == at(3));
  CHECK(check.findings[3].to == at(5));
}

TEST_CASE("check: only what is wanted is looked for") {
  RttMatrix matrix = with_detours();
  matrix.set(at(11), at(2), kUnmeasured);
  CheckOptions options;
  options.wanted = {};
  CHECK_FALSE(check_matrix(matrix, {}, options).is_odd());
  options.wanted[static_cast<std::size_t>(Oddity::kOneWay)] = true;
  const MatrixCheck one_way = check_matrix(matrix, {}, options);
  CHECK(one_way.findings.size() == 1);
  CHECK(one_way.vias == 0);
}

}  // namespace
}  // namespace gedge
