// A mesh of agents of this process over loopback: real sockets at both ends.
#include "gedge/drive/mesh.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/io/system_network.hpp"
#include "gedge/io/udp_echoes.hpp"

namespace gedge {

TEST_CASE("mesh: every pair of 40 loopback agents is measured, none takes no time") {
  constexpr std::uint32_t kAgents = 40;
  std::vector<IpAddress> addresses(kAgents);
  for (std::uint32_t i = 0; i < kAgents; ++i)
    addresses[i].bytes = {127, 79, 0, static_cast<std::uint8_t>(i + 1)};
  auto echoes = UdpEchoes::open(addresses);
  REQUIRE(echoes);
  std::vector<MeshNode> nodes;
  for (const IpAddress& address : echoes->addresses())
    nodes.push_back({"agent-" + std::to_string(nodes.size()), address});
  MeshOptions options;
  options.plan.timeout = std::chrono::seconds{60};  // far beyond what loopback takes
  options.answer = [&](std::size_t place) { return echoes->answer(place); };
  SystemNetwork network;
  const auto mesh = measure_mesh(network, nodes, options, nullptr);
  REQUIRE(mesh);
  CHECK(mesh->probes == kAgents * (kAgents - 1) / 2);
  CHECK(mesh->lost == 0);
  for (std::uint32_t from = 0; from < kAgents; ++from) {
    for (std::uint32_t to = 0; to < kAgents; ++to) {
      const Rtt rtt = mesh->matrix.at(NameIndex{from}, NameIndex{to});
      CHECK(rtt != kUnmeasured);
      CHECK((rtt == Rtt{0}) == (from == to));
    }
  }
}

}  // namespace gedge
