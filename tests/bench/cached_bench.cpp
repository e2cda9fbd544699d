// Bytes that `gedge schedule --watch` keeps for each node and each bound pod, counted at operator
// new: objects as a server serves them go in, as lists of pages, and the first turn is over.
//
// Two clusters of different size give the bytes of one object. What is only needed to read a page
// is gone by then.
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "bench/objects.hpp"
#include "bench/workloads.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"

namespace {
std::int64_t live_bytes = 0;

void* count(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory) + sizeof(std::size_t));
  return memory;
}

void uncount(void* memory) {
  if (memory != nullptr)
    live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory) + sizeof(std::size_t));
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t bytes) { return count(std::malloc(bytes)); }
void operator delete(void* memory) noexcept { uncount(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncount(memory); }

namespace gedge::bench {
namespace {

constexpr double kNodeLimit = 1'500, kPodLimit = 600;
constexpr std::uint32_t kPage = 500;

Facts read(const std::string& text) {
  FactsLoader loader(LoadOptions{});
  loader.add_cluster({"page", text, 0});
  LoadResult result = loader.finish();
  if (!result.loaded) std::abort();
  result.loaded->facts.warnings.clear();
  return std::move(result.loaded->facts);
}

// Pods `first` to `last` of a workload, on its nodes.
Facts page_of(const Workload& all, std::uint32_t first, std::uint32_t last) {
  Facts page;
  page.files = all.facts.files;
  for (std::uint32_t i = first; i < last; ++i) {
    page.pods.push_back(all.facts.pods[i]);
    page.pods.back().spec = SpecIndex{static_cast<std::uint32_t>(page.specs.size())};
    page.specs.push_back(all.facts.spec_of(all.facts.pods[i]));
    page.pods.back().bound_node = all.facts.nodes[i % all.facts.nodes.size()].name;
    page.pods.back().phase = PodPhase::kRunning;
  }
  return page;
}

enum class Pods { kReplicas, kNamed, kDifferent };

Workload workload_of(Size size, Pods pods) {
  if (pods == Pods::kDifferent) return all_different(size);
  Workload made = of_templates(size, 10);
  return pods == Pods::kNamed ? with_own_labels(std::move(made)) : made;
}

double bytes_of(Size size, Form form, Pods pods = Pods::kReplicas) {
  Workload all = workload_of(size, pods);
  const std::int64_t before = live_bytes;
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_20)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  {
    Facts nodes;
    nodes.files = all.facts.files;
    nodes.nodes = all.facts.nodes;
    scheduler.put(read(write_objects(nodes, form, Syntax::kJson)));
  }
  for (std::uint32_t first = 0; first < size.pods; first += kPage)
    scheduler.put(read(
        write_pod_list(page_of(all, first, std::min(first + kPage, size.pods)), Form::kServed)));
  if (!scheduler.advance(Nanos{1})) std::abort();
  const auto bytes = static_cast<double>(live_bytes - before);
  std::printf("%u nodes, %u pods  %.0f bytes\n", size.nodes, size.pods, bytes);
  return bytes;
}

void row(const char* what, double bytes, double limit) {
  std::printf("ROW|M-2|bytes that a scheduler keeps for each %s|%.0f|-|%.0f|%s\n", what, limit,
              bytes, bytes <= limit ? "floor met" : "MISSED");
}

}  // namespace
}  // namespace gedge::bench

int main() {
  using namespace gedge::bench;
  const double few = bytes_of({1'000, 10'000}, Form::kServed),
               more_nodes = bytes_of({5'000, 10'000}, Form::kServed),
               more_pods = bytes_of({1'000, 60'000}, Form::kServed);
  row("node, as fake ones are served", (more_nodes - few) / 4'000, kNodeLimit);
  row("bound pod", (more_pods - few) / 50'000, kPodLimit);
  for (const auto& [pods, what] : {std::pair(Pods::kNamed, "bound pod that has a label of its own"),
                                   {Pods::kDifferent, "bound pod that asks for other amounts"}})
    row(what,
        (bytes_of({1'000, 60'000}, Form::kServed, pods) -
         bytes_of({1'000, 10'000}, Form::kServed, pods)) /
            50'000,
        kPodLimit);
  const double real = bytes_of({1'000, 10'000}, Form::kReal),
               more_real = bytes_of({5'000, 10'000}, Form::kReal);
  row("node with forty images", (more_real - real) / 4'000, kNodeLimit);
}
