// All pairs of a mesh of loopback agents in one process: seconds, processor seconds, and the most
// memory that the process ever had.
//
//   bench_mesh [AGENTS [THREADS]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gedge/drive/mesh.hpp"
#include "gedge/io/clock.hpp"
#include "gedge/io/system_network.hpp"
#include "gedge/io/udp_echoes.hpp"

namespace gedge::bench {
namespace {

/// 127.77.0.1 and so on: all of 127.0.0.0/8 is this machine.
std::vector<IpAddress> loopback_addresses(std::uint32_t count) {
  constexpr std::uint32_t kInRow = 250;
  std::vector<IpAddress> addresses(count);
  for (std::uint32_t i = 0; i < count; ++i)
    addresses[i].bytes = {127, 77, static_cast<std::uint8_t>(i / kInRow),
                          static_cast<std::uint8_t>(1 + i % kInRow)};
  return addresses;
}

/// Of this process since it began, in KiB.
std::string peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return word;
  return "0";
}

std::uint64_t unmeasured(const RttMatrix& matrix) {
  std::uint64_t count = 0;
  for (std::uint32_t from = 0; from < matrix.size(); ++from)
    for (const Rtt rtt : matrix.row(NameIndex{from})) count += rtt == kUnmeasured ? 1 : 0;
  return count;
}

/// Every so many places of the mesh, in one thread with the echoes of these.
std::vector<IpAddress> places_of(const std::vector<IpAddress>& all, std::size_t share,
                                 std::size_t shares) {
  std::vector<IpAddress> places;
  for (std::size_t place = share; place < all.size(); place += shares) places.push_back(all[place]);
  return places;
}

Result<MeasuredMesh> measure(const std::vector<MeshNode>& nodes, std::vector<UdpEchoes>& echoes) {
  const auto shares = static_cast<std::uint32_t>(echoes.size());
  std::vector<std::optional<Result<MeasuredMesh>>> measured(shares);
  std::vector<std::thread> threads;
  for (std::uint32_t share = 0; share < shares; ++share)
    threads.emplace_back([&, share] {
      SystemNetwork network;
      MeshOptions options;
      options.share = share;
      options.shares = shares;
      options.answer = [&](std::size_t place) { return echoes[share].answer(place / shares); };
      measured[share] = measure_mesh(network, nodes, options, nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& share : measured)
    if (!*share) return share->error();
  MeasuredMesh mesh = **std::move(measured.front());
  for (std::uint32_t share = 1; share < shares; ++share) add_share(mesh, **measured[share]);
  return mesh;
}

int fail(const Error& error) {
  std::fprintf(stderr, "bench_mesh: %s\n", error.what.c_str());
  return 4;
}

int run(std::uint32_t count, std::uint32_t shares) {
  const std::vector<IpAddress> addresses = loopback_addresses(count);
  std::vector<UdpEchoes> echoes;
  for (std::uint32_t share = 0; share < shares; ++share) {
    auto opened = UdpEchoes::open(places_of(addresses, share, shares));
    if (!opened) return fail(opened.error());
    echoes.push_back(*std::move(opened));
  }
  std::vector<MeshNode> nodes;
  for (std::uint32_t i = 0; i < count; ++i)
    nodes.push_back({"agent-" + std::to_string(i), echoes[i % shares].addresses()[i / shares]});

  const SteadyClock clock;
  const Micros start = clock.now();
  const std::clock_t processor = std::clock();
  const auto mesh = measure(nodes, echoes);
  const double seconds = static_cast<double>((clock.now() - start).count()) / 1e6;
  const double used = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  if (!mesh) return fail(mesh.error());
  std::printf("pairs %llu lost %llu unmeasured %llu seconds %.3f processor %.3f peakKiB %s\n",
              static_cast<unsigned long long>(mesh->probes),
              static_cast<unsigned long long>(mesh->lost),
              static_cast<unsigned long long>(unmeasured(mesh->matrix)), seconds, used,
              peak_memory().c_str());
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  constexpr unsigned long kAgents = 1'000;
  const unsigned long agents = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : kAgents;
  const unsigned long threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10)
                                         : std::max(1U, std::thread::hardware_concurrency());
  return gedge::bench::run(static_cast<std::uint32_t>(agents), static_cast<std::uint32_t>(threads));
}
