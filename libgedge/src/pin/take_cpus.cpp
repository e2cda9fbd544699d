#include "gedge/pin/take_cpus.hpp"

#include "pin/take_1_20.hpp"
#include "pin/take_across_numa.hpp"
#include "pin/take_packed.hpp"

namespace gedge {

std::optional<CpuSet> take_cpus(const CpuTopology& topology, const StaticOptions& options,
                                const CpuSet& free, int count) {
  if (count <= 0) return CpuSet{};
  if (count > free.size()) return std::nullopt;
  if (topology.form() == KubeletForm::k1_20) return take_by_1_20(topology, free, count);
  PackedOptions packed{options.distribute_cpus_across_cores,
                       options.prefer_align_cpus_by_uncorecache};
  if (!options.distribute_cpus_across_numa) return take_packed(topology, packed, free, count);
  packed.by_cache = false;
  const int group = options.full_pcpus_only ? topology.cpus_per_core() : 1;
  if (count % group == 0)
    if (auto shares = take_across_numa(topology, packed, free, count, group)) return shares;
  return take_packed(topology, packed, free, count);
}

}  // namespace gedge
