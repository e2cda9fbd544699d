// gedge/drive/probing.hpp - the loop between a prober and a link.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "gedge/latency/prober.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {

/// What the prober does not know about the probes to one target.
struct TargetNotes {
  bool kernel_stamped = false;       ///< at least one departure was stamped by the kernel
  Refusal refusal = Refusal::kNone;  ///< of the last probe that was refused
};

/// Called before the first probe and then between probes, some fifty times a second, with how many
/// are settled and how many there will be.
using ProbingProgress = std::function<void(std::uint64_t settled, std::uint64_t total)>;

/// Runs until every probe of the plan is settled, or somebody sets `stop`, where it is given: then
/// probes that are under way count as never sent. Returns notes, [targets].
/// It ends: each probe is settled a timeout after it left, at the latest.
std::vector<TargetNotes> run_probes(Prober& prober, ProbeLink& link, std::size_t targets,
                                    const ProbingProgress& progress,
                                    const std::atomic<bool>* stop = nullptr);

}  // namespace gedge
