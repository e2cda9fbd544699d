#include "gedge/latency/vet.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gedge/latency/complete.hpp"
#include "support/latency_space.hpp"
#include "support/lying_agents.hpp"

namespace gedge::test {
namespace {

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

/// What is believed, and upper bounds of estimates where nobody is.
RttMatrix believed(const RttMatrix& reports) {
  const VettedReports vetted = vet_reports(reports, 0);
  const auto completion = complete(vetted.matrix, {});
  return completion ? completion->for_budgets(vetted.matrix) : vetted.matrix;
}

std::vector<Suspicion> reasons(const VettedReports& vetted) {
  std::vector<Suspicion> all;
  for (const SuspiciousCell& cell : vetted.suspicious) all.push_back(cell.why);
  return all;
}

TEST_CASE("vet: honest reports are kept as they are, all and few") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Reports all = make_reports(100, 0, {Lie::kTiny}, seed);
    for (const std::size_t shown : {99U, 16U}) {
      const RttMatrix reports = show_some(all.reports, shown, seed);
      const VettedReports vetted = vet_reports(reports, 0);
      CHECK(vetted.distrusted.empty());
      CHECK(vetted.suspicious.empty());
      for (std::size_t a = 0; a < 100; ++a)
        for (std::size_t b = 0; b < 100; ++b)
          CHECK(vetted.matrix.at(at(a), at(b)) == reports.at(at(a), at(b)));
    }
  }
}

TEST_CASE("vet: a liar is left out, what others say of it is kept") {
  Reports all = make_reports(20, 0, {Lie::kTiny}, 1);
  for (std::size_t i = 0; i < 20; ++i)
    if (i != 4) all.reports.set(at(4), at(i), Rtt{100});
  const VettedReports vetted = vet_reports(all.reports, 0);
  REQUIRE(vetted.distrusted.size() == 1);
  CHECK(vetted.distrusted[0] == at(4));
  REQUIRE(vetted.suspicious.size() == 19);
  for (std::size_t i = 0; i < 20; ++i) {
    if (i == 4) continue;
    CHECK(vetted.matrix.at(at(4), at(i)) == kUnmeasured);
    CHECK(vetted.matrix.at(at(i), at(4)) == all.reports.at(at(i), at(4)));
    CHECK(vetted.matrix.between(at(4), at(i)) == all.reports.at(at(i), at(4)));
    const SuspiciousCell& cell = vetted.suspicious[i < 4 ? i : i - 1];
    CHECK(cell.from == at(4));
    CHECK(cell.to == at(i));
    CHECK(cell.reported == Rtt{100});
    CHECK(cell.why == Suspicion::kReporter);
  }
}

TEST_CASE("vet: of two directions that differ the one is left out that the map contradicts") {
  Reports all = make_reports(60, 0, {Lie::kTiny}, 1);
  // Far apart, so that a small RTT cannot be the truth.
  std::size_t far = 1;
  for (std::size_t i = 1; i < 60; ++i)
    if (all.truth.at(at(0), at(i)) > all.truth.at(at(0), at(far))) far = i;
  all.reports.set(at(0), at(far), Rtt{300});
  const VettedReports vetted = vet_reports(all.reports, 0);
  CHECK(vetted.distrusted.empty());
  REQUIRE(reasons(vetted) == std::vector{Suspicion::kReverse});
  CHECK(vetted.suspicious[0].from == at(0));
  CHECK(vetted.suspicious[0].to == at(far));
  CHECK(vetted.matrix.at(at(0), at(far)) == kUnmeasured);
  CHECK(vetted.matrix.at(at(far), at(0)) == all.reports.at(at(far), at(0)));
}

TEST_CASE("vet: where nothing tells who is right both are flagged and the larger counts") {
  Reports all = make_reports(8, 0, {Lie::kTiny}, 1);  // too few for a map
  const Rtt truth = all.reports.at(at(2), at(6));
  all.reports.set(at(6), at(2), Rtt{4 * truth.us});
  const VettedReports vetted = vet_reports(all.reports, 0);
  CHECK(vetted.distrusted.empty());
  CHECK(reasons(vetted) == std::vector{Suspicion::kDisputed, Suspicion::kDisputed});
  CHECK(vetted.matrix.between(at(2), at(6)) == Rtt{4 * truth.us});
}

TEST_CASE("vet: a single direction far below the map is left out, far above it is kept") {
  Reports all = make_reports(60, 0, {Lie::kTiny}, 1);
  std::size_t far = 1;
  for (std::size_t i = 1; i < 60; ++i)
    if (all.truth.at(at(0), at(i)) > all.truth.at(at(0), at(far))) far = i;
  for (const std::uint32_t us : {300U, 3'000'000U}) {
    CAPTURE(us);
    all.reports.set(at(0), at(far), Rtt{us});
    all.reports.set(at(far), at(0), kUnmeasured);
    const VettedReports vetted = vet_reports(all.reports, 0);
    CHECK(vetted.distrusted.empty());
    REQUIRE(vetted.suspicious.size() == 1);
    CHECK(vetted.suspicious[0].why == (us == 300 ? Suspicion::kNear : Suspicion::kFar));
    CHECK(vetted.matrix.at(at(0), at(far)) == (us == 300 ? kUnmeasured : Rtt{us}));
  }
}

TEST_CASE("vet: liars are found where every pair was reported in one direction only") {
  for (const Lie lie : {Lie::kTiny, Lie::kTenth, Lie::kTogether, Lie::kThird}) {
    CAPTURE(std::string(to_string(lie)));
    Reports all = make_reports(100, 20, {lie}, 3);
    for (std::size_t a = 0; a < 100; ++a)
      for (std::size_t b = 0; b < a; ++b)
        all.reports.set(at((a + b) % 2 == 0 ? a : b), at((a + b) % 2 == 0 ? b : a), kUnmeasured);
    const VettedReports vetted = vet_reports(all.reports, 0);
    std::size_t caught = 0;
    for (const NameIndex agent : vetted.distrusted) caught += all.lies[raw(agent)] ? 1 : 0;
    CHECK(caught >= 19);
    CHECK(vetted.distrusted.size() - caught <= 2);
  }
}

TEST_CASE("vet: half of the agents cannot be told from the other half, and nobody is lost") {
  const Reports all = make_reports(40, 60, {Lie::kTiny}, 1);
  const VettedReports vetted = vet_reports(all.reports, 0);
  CHECK(vetted.distrusted.size() < 20);
}

TEST_CASE("vet: few nodes, none, and a matrix without reports") {
  CHECK(vet_reports(RttMatrix{}, 0).matrix.empty());
  CHECK(vet_reports(RttMatrix({"a"}), 0).suspicious.empty());
  const VettedReports vetted = vet_reports(RttMatrix({"a", "b", "c"}), 0);
  CHECK(vetted.suspicious.empty());
  CHECK(vetted.matrix.at(at(0), at(1)) == kUnmeasured);
}

TEST_CASE("vet: same reports, same seed, same answer") {
  const Reports all = make_reports(50, 20, {Lie::kArbitrary}, 1);
  const VettedReports one = vet_reports(all.reports, 5), again = vet_reports(all.reports, 5);
  CHECK(one.distrusted == again.distrusted);
  CHECK(reasons(one) == reasons(again));
}

TEST_CASE(
    "vet: a fifth of the agents report anything, over 200 seeds wrong choices are under 1/5") {
  double naive = 0, vetted = 0, honest = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Reports all = make_reports(60, 20, {Lie::kArbitrary}, seed);
    naive += wrong_choices(all.truth, average(all.reports)) / 200;
    vetted += wrong_choices(all.truth, believed(all.reports)) / 200;
    honest += wrong_choices(all.truth, all.truth) / 200;
  }
  CAPTURE(naive);
  CAPTURE(vetted);
  CHECK(honest == 0);
  CHECK(naive > 0.1);
  CHECK(vetted < naive / 5);
}

TEST_CASE("vet: nor does it help a fifth of the agents to lie each in its own way, or all in one") {
  std::vector<std::vector<Lie>> ways{{std::begin(kLies), std::end(kLies)}};
  for (const Lie lie : kLies) ways.push_back({lie});
  for (const std::vector<Lie>& how : ways) {
    CAPTURE(std::string(how.size() > 1 ? "mixed" : to_string(how[0])));
    double naive = 0, vetted = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Reports all = make_reports(60, 20, how, seed);
      naive += wrong_choices(all.truth, average(all.reports)) / 20;
      vetted += wrong_choices(all.truth, believed(all.reports)) / 20;
    }
    CAPTURE(naive);
    CAPTURE(vetted);
    CHECK(vetted < naive / 5);
  }
}

}  // namespace
}  // namespace gedge::test
