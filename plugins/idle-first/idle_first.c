/* IdleFirst: the node with the largest share of idle CPU is best. README.md beside this. */
#include <stddef.h>

#include "gedge/plugin.h"

/* 100 * idle / total without leaving int64. */
static int64_t percent(int64_t idle, int64_t total) {
  if (total <= 0 || idle <= 0) return 0;
  return idle <= INT64_MAX / 100 ? 100 * idle / total : idle / (total / 100);
}

static int score(void* self, const void* prepared, const gedge_nodes* nodes, const gedge_pod* pod,
                 uint32_t first, uint32_t last, int64_t* raw) {
  const int64_t* total = nodes->allocatable(nodes->host, "cpu");
  const int64_t* used = nodes->requested(nodes->host, "cpu");
  (void)self, (void)prepared, (void)pod;
  if (total == NULL || used == NULL) return 1; /* every cluster has a column for cpu */
  for (uint32_t row = first; row < last; ++row)
    raw[row - first] = percent(total[row] - used[row], total[row]);
  return 0;
}

static const gedge_policy idle_first = {
    .size = sizeof(gedge_policy),
    .reads = GEDGE_READS_NODE | GEDGE_READS_USAGE,
    .normalize = GEDGE_NORMALIZE_NONE,
    .name = "IdleFirst",
    .formula = "100 * (allocatable - requested) / allocatable cpu, without the pod",
    .range = "0..100",
    .source = "gedge, plugins/idle-first",
    .score = score,
};

static const gedge_policy* const policies[] = {&idle_first};

const gedge_module_info gedge_module = {
    .abi = GEDGE_PLUGIN_ABI,
    .size = sizeof(gedge_module_info),
    .policy_count = sizeof policies / sizeof policies[0],
    .policies = policies,
};
