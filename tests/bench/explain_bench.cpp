// bench_explain FILE POD [MANIFEST]: what `gedge explain POD -o json` does once it has read a
// cluster, in one process: milliseconds of both clocks from the facts to the last byte.
//
// Inside: the state of the cluster, the pod's turn, evidence about every node, the search for
// changes with the what-ifs that prove them, the answer as JSON, and giving all of it back.
// Outside: the start of the process, reading, handing the answer to the kernel, giving the facts
// back. It asks once, as the command does: memory and caches are as reading left them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "gedge/codec/load.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/io/files.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

/// Milliseconds, as both clocks see them.
class Watch {
 public:
  double processor() const {
    return 1e3 * static_cast<double>(std::clock() - clock_) / CLOCKS_PER_SEC;
  }
  double wall() const {
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  }

 private:
  std::clock_t clock_ = std::clock();
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "bench_explain: %s\n", error.what.c_str());
  std::exit(1);
}

std::string bytes_of(const std::string& path) {
  DiskFiles files;
  auto bytes = files.read(path, kMaxBytes);
  if (!bytes) fail(bytes.error());
  return *std::move(bytes);
}

Facts read(const std::string& cluster, const std::string& manifest) {
  FactsLoader loader({"default", Compat::k1_36, kMaxBytes});
  loader.add_cluster({cluster, bytes_of(cluster)});
  if (!manifest.empty()) loader.add_manifests({manifest, bytes_of(manifest)});
  LoadResult result = loader.finish();
  if (!result.loaded) fail(result.errors.front());
  return std::move(result.loaded->facts);
}

void ask(const PlanRequest& request, const std::string& pod) {
  const Watch watch;
  std::size_t changes = 0, bytes = 0;
  {
    const auto explanation = explain(request, "default", pod, true);
    if (!explanation) fail(explanation.error());
    changes = explanation->changes.size();
    bytes = write(*explanation, request.profiles.front().compat, TextFormat::kJson).size();
  }
  const double processor = watch.processor(), wall = watch.wall();
  std::printf("asked processor %.2f wall %.2f ms, %zu changes, %zu bytes\n", processor, wall,
              changes, bytes);
}

int measure(const std::string& cluster, const std::string& pod, const std::string& manifest) {
  const Watch reading;
  const Facts facts = read(cluster, manifest);
  std::printf("read processor %.2f wall %.2f ms\n", reading.processor(), reading.wall());
  const RttMatrix rtt;
  PlanRequest request;
  request.facts = &facts;
  request.rtt = &rtt;
  request.profiles = {*builtin_profile("kube", Compat::k1_36)};
  ask(request, pod);
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bench_explain FILE POD [MANIFEST]\n", stderr);
    return 2;
  }
  return gedge::bench::measure(argv[1], argv[2], argc > 3 ? argv[3] : "");
}
