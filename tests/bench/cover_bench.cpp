// Clusters of latency matrices: rows C-1 to C-4. Figures are processor seconds, all rounds printed.
//
//   bench_cover write NODES FILE [nested]   a matrix, little-endian 32-bit microseconds, row after
//                                           row; `nested`: groups of groups, in whole milliseconds
//   bench_cover cover FILE NODES DELAY_US CLUSTERS
//                                           cover_within and the index at one delay; CLUSTERS gets
//                                           a line of row numbers for each cluster of the cover
//   bench_cover layers FILE NODES LAYERS    all layers of the index; LAYERS gets lines
//                                           `DELAY CLUSTERS`, the largest delay first
//   bench_cover size NODES DELAY_US         cover_within on a matrix of that size, and peak memory
//                                           beyond that matrix
//
// Nodes lie around sites in a plane, ten to a site, as dense in a large one as in a small one: RTT
// is distance, what each node's access adds, and noise by pair that breaks the triangle inequality.
// Every set of clusters is checked by verify_clusters.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/latency/clusters.hpp"
#include "gedge/latency/delay_layers.hpp"
#include "gedge/verify/clusters.hpp"
#include "support/dice.hpp"

namespace gedge::bench {
namespace {

constexpr int kRounds = 15;
constexpr double kEnough = 2.0;  // seconds of all rounds

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_cover: %s\n", what.c_str());
  std::exit(1);
}

std::vector<std::string> names_of(std::size_t nodes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string digits = std::to_string(i);
    names.push_back("node-" + std::string(7 - digits.size(), '0') + digits);
  }
  return names;
}

// Milliseconds: side of the plane by node, spread of a site, access; share of noise.
constexpr double kSide = 2.6, kSpread = 2.0, kAccess = 0.3, kNoise = 0.17;

RttMatrix matrix_of(std::size_t nodes) {
  std::mt19937_64 random(nodes);
  const double side = kSide * std::sqrt(static_cast<double>(nodes));
  std::uniform_real_distribution<double> anywhere(0, side);
  std::normal_distribution<double> around(0, kSpread);
  std::exponential_distribution<double> access(1 / kAccess);
  struct Place {
    double x, y;
  };
  std::vector<Place> sites(std::max<std::size_t>(1, nodes / 10));
  for (Place& site : sites) site = {anywhere(random), anywhere(random)};
  std::vector<Place> places;
  std::vector<double> added;
  for (std::size_t i = 0; i < nodes; ++i) {
    const Place& site = sites[random() % sites.size()];
    places.push_back({site.x + around(random), site.y + around(random)});
    added.push_back(access(random));
  }
  test::Dice dice(nodes);
  std::vector<Rtt> cells(nodes * nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double ms =
          std::hypot(places[i].x - places[j].x, places[i].y - places[j].y) + added[i] + added[j];
      const double noise = static_cast<double>(dice.below(1 << 20)) / (1 << 19) - 1;
      const double us = std::max(1.0, 1000 * ms * (1 + kNoise * noise));
      cells[i * nodes + j] = cells[j * nodes + i] = Rtt{static_cast<std::uint32_t>(us)};
    }
  RttMatrix matrix(names_of(nodes), std::move(cells));
  matrix.note_symmetry();
  return matrix;
}

// Four nodes to a group, four groups to a larger one and so on; twice as far from level to level.
RttMatrix nested_matrix(std::size_t nodes) {
  constexpr std::size_t kGroup = 4, kNearest = 2;
  test::Dice dice(nodes);
  std::vector<Rtt> cells(nodes * nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::size_t ms = kNearest;
      for (std::size_t a = i / kGroup, b = j / kGroup; a != b; a /= kGroup, b /= kGroup) ms *= 2;
      ms += dice.below(ms / 2 + 1);
      cells[i * nodes + j] = cells[j * nodes + i] = Rtt{static_cast<std::uint32_t>(1000 * ms)};
    }
  return {names_of(nodes), std::move(cells)};
}

void write(const RttMatrix& matrix, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (std::uint32_t i = 0; i < matrix.size(); ++i) {
    const auto row = matrix.row(NameIndex{i});
    file.write(reinterpret_cast<const char*>(row.data()),
               static_cast<std::streamsize>(row.size_bytes()));
  }
  if (!file) fail("cannot write " + path);
}

RttMatrix read(const std::string& path, std::size_t nodes) {
  std::vector<Rtt> cells(nodes * nodes);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(cells.data()),
            static_cast<std::streamsize>(cells.size() * sizeof(Rtt)));
  if (!file) fail("cannot read " + path);
  RttMatrix matrix(names_of(nodes), std::move(cells));
  matrix.note_symmetry();
  return matrix;
}

// Prints what every round took; the answer of the last.
template <typename F>
auto measure(const char* what, F&& make) {
  std::printf("%s", what);
  double total = 0;
  for (int round = 1;; ++round) {
    const std::clock_t start = std::clock();
    auto answer = make();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf(" %.6f", seconds);
    total += seconds;
    if (round < kRounds && (round < 3 || total < kEnough)) continue;
    std::printf("\n");
    std::fflush(stdout);
    return answer;
  }
}

void say(const char* what, const RttMatrix& matrix, Rtt limit, const Clusters& clusters) {
  const std::vector<std::string> wrong = verify_clusters(matrix, limit, clusters);
  if (!wrong.empty()) fail(std::string(what) + ": " + wrong.front());
  const RadiusLoss loss = radius_loss(matrix, limit, clusters);
  std::printf("%s clusters %zu near %llu kept %llu\n", what, clusters.size(),
              static_cast<unsigned long long>(loss.near),
              static_cast<unsigned long long>(loss.kept));
}

void cover(const std::string& path, std::size_t nodes, Rtt limit, const std::string& out) {
  const RttMatrix matrix = read(path, nodes);
  const CliqueCover found = measure("cover", [&] { return cover_within(matrix, limit); });
  say("cover", matrix, limit, found.clusters);
  std::printf("cover needs-at-least %zu\n", found.at_least);
  const DelayLayers layers(matrix);
  const auto layer = measure("index", [&] {
    DelayLayers copy = layers;
    return copy.within(limit);
  });
  say("index", matrix, limit, layer.clusters);
  std::ofstream file(out);
  for (const auto& members : found.clusters.members) {
    for (const NameIndex member : members) file << raw(member) << ' ';
    file << '\n';
  }
}

void layers(const std::string& path, std::size_t nodes, const std::string& out) {
  const RttMatrix matrix = read(path, nodes);
  const DelayLayers found = measure("layers", [&] { return DelayLayers(matrix); });
  std::ofstream file(out);
  const std::vector<Rtt> delays = found.delays();
  for (std::size_t i = delays.size(); i-- > 1;) {
    const Clusters clusters = found.below(delays[i]).clusters;
    if (!verify_clusters(matrix, delays[i], clusters).empty()) fail("a layer has no cliques");
    file << delays[i].us << ' ' << clusters.size() << '\n';
  }
}

// Of VmHWM or VmRSS, MiB.
double memory(std::string_view which) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(which))
      return std::strtod(line.c_str() + which.size() + 1, nullptr) / 1024;
  fail("no memory in /proc/self/status");
}

void size(std::size_t nodes, Rtt limit) {
  const RttMatrix matrix = matrix_of(nodes);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
  const double before = memory("VmRSS");
  const CliqueCover found = measure("cover", [&] { return cover_within(matrix, limit); });
  std::printf("cover beyond-mib %.1f\n", memory("VmHWM") - before);
  say("cover", matrix, limit, found.clusters);
}

Rtt delay(const char* text) {
  return Rtt{static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10))};
}
std::size_t number(const char* text) { return std::strtoul(text, nullptr, 10); }

int run(const std::vector<const char*>& words) {
  const std::string_view what = words.empty() ? "" : words[0];
  if (what == "write" && (words.size() == 3 || words.size() == 4))
    write(words.size() == 4 ? nested_matrix(number(words[1])) : matrix_of(number(words[1])),
          words[2]);
  else if (what == "cover" && words.size() == 5)
    cover(words[1], number(words[2]), delay(words[3]), words[4]);
  else if (what == "layers" && words.size() == 4)
    layers(words[1], number(words[2]), words[3]);
  else if (what == "size" && words.size() == 3)
    size(number(words[1]), delay(words[2]));
  else
    return std::fputs("usage: bench_cover write|cover|layers|size ...\n", stderr), 2;
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) { return gedge::bench::run({argv + 1, argv + argc}); }
