// codec/budgets.hpp - delay budgets in labels and annotations, and what GS-Scheduler keeps in an
// environment variable.
#pragma once

#include <string>
#include <vector>

#include "codec/cursor.hpp"
#include "gedge/model/pod.hpp"

namespace gedge::codec {

/// Labels `delay_<from>: "25"` (milliseconds, fractions allowed), by key, then the annotation
/// `gedge.io/delay-budget: "edge-1=25ms, any:deployment/redis=10ms"` (with units), as written.
/// `metadata` is a pod's or a template's. Limits are rounded down to microseconds.
void read_budgets(Cursor metadata, std::vector<DelayBudget>& out);

/// Warns about delay budgets in the metadata of a workload itself, which nobody reads, unless its
/// template `has_budgets`, and about annotations there that gedge does not know.
void check_own_metadata(const std::string& kind, Cursor workload, bool has_budgets);

/// "source_node" of the JSON in GS-Scheduler's variable gschConfig. `env` is a container's list.
/// What cannot be read is a warning: other schedulers do not care.
void read_latency_source(Cursor env, SharedText& out);

}  // namespace gedge::codec
