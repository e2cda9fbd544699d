#include "gedge/latency/material_change.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace gedge {
namespace {

/// What "a" says of others.
struct Told {
  RttMatrix matrix;
  PairDetails details;

  explicit Told(std::vector<std::string> names) : matrix(std::move(names)) {}
  NameIndex at(const std::string& name) const { return *matrix.find(name); }
  Told& rtt(const std::string& to, std::uint32_t us) {
    matrix.set(at("a"), at(to), Rtt{us});
    return *this;
  }
  Told& stats(const std::string& to, UnixSeconds measured_at, bool suspicious = false) {
    PairStats stats;
    stats.from = at("a");
    stats.to = at(to);
    stats.measured_at = measured_at;
    stats.suspicious = suspicious;
    details.pairs.push_back(stats);
    return *this;
  }
};

bool is_material(const Told& then, const Told& now) {
  return gedge::is_material(now.at("a"), now.matrix, now.details, then.matrix, then.details);
}

const std::vector<std::string> kNames{"a", "b", "c"};

TEST_CASE("material change: only what moves by more than a tenth and by more than 100 us") {
  const auto moved = [](std::uint32_t then, std::uint32_t now) {
    return is_material(Told(kNames).rtt("b", then), Told(kNames).rtt("b", now));
  };
  CHECK_FALSE(moved(10'000, 10'000));
  CHECK_FALSE(moved(10'000, 11'000));
  CHECK(moved(10'000, 11'001));
  CHECK_FALSE(moved(10'000, 9'000));
  CHECK(moved(10'000, 8'999));
  CHECK_FALSE(moved(200, 300));
  CHECK(moved(200, 301));
}

TEST_CASE("material change: a pair that comes or goes, whoever else is in the matrix") {
  const Told none(kNames), one = Told(kNames).rtt("b", 500);
  CHECK(is_material(none, one));
  CHECK(is_material(one, none));
  CHECK(is_material(Told({"b", "c"}), Told(kNames).rtt("b", 500)));
  CHECK_FALSE(is_material(Told({"a", "b", "z"}).rtt("b", 500), one));
  CHECK(is_material(Told({"a", "b", "z"}).rtt("b", 500).rtt("z", 1), one));
  Told others = one;
  others.matrix.set(others.at("b"), others.at("a"), Rtt{9'000});
  CHECK_FALSE(is_material(one, others));
}

TEST_CASE("material change: what was told long ago, or is not believed any more") {
  const auto told = [](UnixSeconds at, bool suspicious = false) {
    return Told(kNames).rtt("b", 500).stats("b", at, suspicious);
  };
  CHECK_FALSE(is_material(told(1'000), told(4'599)));
  CHECK(is_material(told(1'000), told(4'600)));
  CHECK_FALSE(is_material(told(1'060), told(1'000)));
  CHECK(is_material(told(1'061), told(1'000)));  // by a clock that has been set right since
  CHECK(is_material(told(kNever), told(1'000)));
  CHECK_FALSE(is_material(told(1'000), told(kNever)));
  CHECK(is_material(told(1'000), told(1'000, true)));
  CHECK(is_material(told(1'000, true), told(1'000)));
}

}  // namespace
}  // namespace gedge
