// policy/g_most_requested.cpp - score GMostRequestedPriority of GS-Scheduler.
//
// Formula  (100 - cpu%) + (100 - memory%) + 200 * free GPUs if the pod asks for one; percent =
//          requested / allocatable before the pod, at most 100 (also where allocatable is 0).
//          Raw in ten-thousandths, rounded down.
// Range    0 to 2000000, and 2000000 more a free GPU. Not normalised: GS-Scheduler binds to the
//          highest, and 0..100 would make nodes equal that differ.
// Cost     two divisions a row.
// Source   GS-Scheduler v4.0, GMostRequestedPriority; the GPU is nvidia.com/gpu.
#include <algorithm>

#include "policy/amounts.hpp"
#include "policy/make.hpp"

namespace gedge {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::int64_t kHundredPercent = 100'000'000'000;  // in thousand-millionths of a percent
constexpr std::int64_t kPerTenThousandth = 100'000;        // of the same, in one ten-thousandth

// Only of pods that ask for a GPU.
struct GpuState final : ClassState {
  explicit GpuState(ResourceIndex column) : gpu(column) {}
  ResourceIndex gpu;
};

std::int64_t used_share(std::int64_t requested, std::int64_t allocatable) {
  if (requested >= allocatable) return kHundredPercent;
  return static_cast<std::int64_t>(Wide{kHundredPercent} * requested / allocatable);
}

class GMostRequested final : public ScorePolicy {
 public:
  std::string_view name() const override { return "GMostRequestedPriority"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool on_facts(ClassState*, const ClassContext&, const FactsChange&, Touched&) const override {
    return true;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.requests.size());
    for (const Amount& request : pod.requests) {
      signature.add(raw(request.resource));
      signature.add(static_cast<std::uint64_t>(request.amount > 0));
    }
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }

  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    const auto gpu = context.cluster.find_resource(kGpu);
    if (!gpu || context.pod.request(*gpu) == 0) return nullptr;
    return std::make_unique<GpuState>(*gpu);
  }

  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    const ClusterState& cluster = context.cluster;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows.first + i;
      const std::int64_t free_share = 2 * kHundredPercent -
                                      share(cluster, ResourceIndex::kCpuColumn, row) -
                                      share(cluster, ResourceIndex::kMemoryColumn, row);
      raw[i] = free_share / kPerTenThousandth;
      if (state != nullptr)
        raw[i] += gpu_points(cluster, static_cast<const GpuState*>(state)->gpu, row);
    }
  }

 private:
  static std::int64_t share(const ClusterState& cluster, ResourceIndex resource, std::size_t row) {
    return used_share(cluster.requested(resource)[row], cluster.allocatable(resource)[row]);
  }

  static std::int64_t gpu_points(const ClusterState& cluster, ResourceIndex gpu, std::size_t row) {
    constexpr std::int64_t kPointsPerGpu = 2'000'000;
    constexpr std::int64_t kMostGpus = 1'000'000'000;  // leaves room for weights
    const std::int64_t free = cluster.allocatable(gpu)[row] - cluster.requested(gpu)[row];
    return kPointsPerGpu * std::clamp<std::int64_t>(free, 0, kMostGpus);
  }
};

}  // namespace

std::unique_ptr<ScorePolicy> make_g_most_requested_score(const PolicyArgs&, Compat) {
  return std::make_unique<GMostRequested>();
}

}  // namespace gedge
