#include "gedge/drive/mesh.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/sim/scripted_network.hpp"

namespace gedge {
namespace {

constexpr Nanos kUs{1'000};

// Named "n3", "n2" and so on, so that the order of names is not that of places.
std::vector<MeshNode> places(std::uint8_t count) {
  std::vector<MeshNode> nodes;
  for (std::uint8_t i = 0; i < count; ++i) {
    nodes.push_back({"n" + std::to_string(count - 1 - i), {}});
    nodes.back().address.bytes = {10, 0, 0, i};
    nodes.back().address.port = static_cast<std::uint16_t>(1'000 + i);
  }
  return nodes;
}

Rtt between(const RttMatrix& matrix, const std::string& from, const std::string& to) {
  return matrix.at(*matrix.find(from), *matrix.find(to));
}

}  // namespace

TEST_CASE("mesh: every pair is probed once, from the place that comes first") {
  ScriptedNetwork network(
      [](std::uint32_t target, auto) { return Fate{{(target + 1) * 100 * kUs}}; });
  const auto mesh = measure_mesh(network, places(4), {}, nullptr);
  REQUIRE(mesh);
  CHECK(mesh->probes == 6);
  CHECK(mesh->lost == 0);
  REQUIRE(network.opened.size() == 3);
  for (std::size_t from = 0; from < 3; ++from) {
    const LinkRequest& request = network.opened[from];
    CHECK(request.method == ProbeMethod::kUdp);
    CHECK(request.batched);
    CHECK(request.source == places(4)[from].address);
    REQUIRE(request.targets.size() == 3 - from);
    CHECK(request.targets[0] == places(4)[from + 1].address);
  }
  CHECK(between(mesh->matrix, "n3", "n2") == Rtt{100});
  CHECK(between(mesh->matrix, "n3", "n0") == Rtt{300});
  CHECK(between(mesh->matrix, "n1", "n0") == Rtt{100});
  CHECK(between(mesh->matrix, "n0", "n3") == Rtt{300});
  CHECK(between(mesh->matrix, "n2", "n2") == Rtt{0});
}

TEST_CASE("mesh: what never answers is unmeasured, and counted") {
  ScriptedNetwork network([](std::uint32_t target, auto) {
    return target == 1 ? Fate{} : Fate{{200 * kUs, 300 * kUs}};
  });
  MeshOptions options;
  options.plan.count = 2;
  std::uint64_t last = 0;
  const auto mesh = measure_mesh(network, places(3), options, [&](std::uint64_t settled) {
    CHECK(settled >= last);
    last = settled;
  });
  REQUIRE(mesh);
  CHECK(mesh->probes == 6);
  CHECK(mesh->lost == 2);
  CHECK(mesh->odd.duplicate > 0);
  CHECK(between(mesh->matrix, "n2", "n0") == kUnmeasured);
  CHECK(between(mesh->matrix, "n0", "n2") == kUnmeasured);
  CHECK(between(mesh->matrix, "n2", "n1") == Rtt{200});
}

TEST_CASE("mesh: places of this process answer before anything is waited for") {
  ScriptedNetwork network([](auto, auto) { return Fate{{3'000 * kUs}}; });
  std::vector<std::size_t> answered;
  MeshOptions options;
  options.answer = [&](std::size_t place) {
    answered.push_back(place);
    return answered.size() > 1;  // what came to the first one is not there yet
  };
  REQUIRE(measure_mesh(network, places(3), options, nullptr));
  CHECK(answered == std::vector<std::size_t>{1, 2, 1, 2});
}

TEST_CASE("mesh: shares together are the whole, and no place answers for two of them") {
  const auto script = [](std::uint32_t, auto) { return Fate{{100 * kUs}}; };
  for (const std::uint32_t shares : {1U, 2U, 3U, 20U}) {
    MeasuredMesh mesh{
        RttMatrix(std::vector<std::string>{"n0", "n1", "n2", "n3", "n4", "n5", "n6"}), 0, 0, {}};
    for (std::uint32_t share = 0; share < shares; ++share) {
      ScriptedNetwork network(script);
      MeshOptions options;
      options.share = share;
      options.shares = shares;
      options.answer = [&](std::size_t place) {
        CHECK(place % shares == share);
        return true;
      };
      const auto part = measure_mesh(network, places(7), options, nullptr);
      REQUIRE(part);
      add_share(mesh, *part);
    }
    CHECK(mesh.probes == 21);
    for (std::uint32_t from = 0; from < 7; ++from)
      for (std::uint32_t to = 0; to < 7; ++to)
        CHECK(mesh.matrix.at(NameIndex{from}, NameIndex{to}) == Rtt{from == to ? 0U : 100U});
  }
}

TEST_CASE("mesh: none, one, and a network that refuses") {
  ScriptedNetwork network([](auto, auto) { return Fate{}; });
  CHECK(measure_mesh(network, {}, {}, nullptr)->matrix.empty());
  CHECK(measure_mesh(network, places(1), {}, nullptr)->matrix.size() == 1);
  network.opens_left = 1;
  const auto refused = measure_mesh(network, places(3), {}, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kDenied);
}

}  // namespace gedge
