// Bytes that a cluster state holds, counted at operator new: for each node, each pending pod, and
// each pod once it is bound (with the record that undoes it).
//
// Two states of different size give the bytes of one object; names, labels and the facts belong to
// whoever made them and are outside of the state.
#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "bench/workloads.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace {
std::int64_t live_bytes = 0;

void* count(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void uncount(void* memory) {
  live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t bytes) { return count(std::malloc(bytes)); }
void operator delete(void* memory) noexcept { uncount(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncount(memory); }

namespace gedge::bench {
namespace {

constexpr double kNodeLimit = 216, kPodLimit = 64;

struct Bytes {
  double built = 0, bound = 0;
};

Bytes bytes_of_state(Size size) {
  const Workload workload = of_templates(size, 10);
  const std::int64_t before = live_bytes;
  ClusterState state(workload.facts, workload.rtt);
  Bytes bytes{static_cast<double>(live_bytes - before), 0};
  for (std::uint32_t pod = 0; pod < size.pods; ++pod)
    state.bind(PodIndex{pod}, NodeIndex{pod % size.nodes});
  bytes.bound = static_cast<double>(live_bytes - before);
  return bytes;
}

void row(const char* what, double bytes, double limit) {
  std::printf("ROW|M|bytes of the cluster state for each %s|%.0f|-|%.1f|%s\n", what, limit, bytes,
              bytes <= limit ? "floor met" : "MISSED");
}

}  // namespace
}  // namespace gedge::bench

int main() {
  using namespace gedge::bench;
  constexpr double kNodes = 90'000, kPods = 400'000;
  const Bytes few = bytes_of_state({10'000, 100'000}),
              more_nodes = bytes_of_state({100'000, 100'000});
  const Bytes more_pods = bytes_of_state({10'000, 500'000});
  row("node", (more_nodes.built - few.built) / kNodes, kNodeLimit);
  row("pending pod", (more_pods.built - few.built) / kPods, kPodLimit);
  std::printf("10,000 nodes, 100,000 pods   %.0f bytes, all bound %.0f\n", few.built, few.bound);
  std::printf("100,000 nodes, 100,000 pods  %.0f bytes, all bound %.0f\n", more_nodes.built,
              more_nodes.bound);
  std::printf("10,000 nodes, 500,000 pods   %.0f bytes, all bound %.0f\n", more_pods.built,
              more_pods.bound);
  std::printf("for information: %.1f bytes for each bound pod, with what undoes the binding\n",
              (more_pods.bound - few.bound) / kPods);
}
