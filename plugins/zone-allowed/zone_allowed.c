/* ZoneAllowed: a pod stays in the zones that its annotation lists. README.md beside this. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "gedge/plugin.h"

#define ANNOTATION "gedge.io/allowed-zones"
#define ZONE "topology.kubernetes.io/zone"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* True if `zone` is one of the names in `list`: separated by commas, blanks around them. */
static bool contains(const char* list, const char* zone) {
  const size_t wanted = strlen(zone);
  while (*list != '\0') {
    while (*list == ',' || is_blank(*list)) ++list;
    size_t length = strcspn(list, ",");
    const char* next = list + length;
    while (length > 0 && is_blank(list[length - 1])) --length;
    if (length > 0 && length == wanted && memcmp(list, zone, length) == 0) return true;
    list = next;
  }
  return false;
}

static int filter(void* self, const void* prepared, const gedge_nodes* nodes, const gedge_pod* pod,
                  uint32_t first, uint32_t last, uint8_t* feasible) {
  const char* allowed = pod->annotation(pod->host, ANNOTATION);
  (void)self, (void)prepared;
  for (uint32_t row = first; row < last; ++row) {
    const char* zone = nodes->label(nodes->host, row, ZONE);
    feasible[row - first] = allowed == NULL || (zone != NULL && contains(allowed, zone));
  }
  return 0;
}

static const char* reason(void* self, const void* prepared, const gedge_nodes* nodes,
                          const gedge_pod* pod, uint32_t row) {
  (void)self, (void)prepared, (void)pod;
  return nodes->label(nodes->host, row, ZONE) == NULL
             ? "node(s) had no zone, and the pod lists those it allows"
             : "node(s) were in a zone that the pod does not allow";
}

static const char* const annotations[] = {ANNOTATION, NULL};

static const gedge_policy zone_allowed = {
    .size = sizeof(gedge_policy),
    .reads = GEDGE_READS_NODE,
    .name = "ZoneAllowed",
    .formula = "the node's zone is one of those in the pod's annotation " ANNOTATION,
    .range = "yes or no",
    .source = "gedge, plugins/zone-allowed",
    .pod_annotations = annotations,
    .filter = filter,
    .reason = reason,
};

static const gedge_policy* const policies[] = {&zone_allowed};

const gedge_module_info gedge_module = {
    .abi = GEDGE_PLUGIN_ABI,
    .size = sizeof(gedge_module_info),
    .policy_count = sizeof policies / sizeof policies[0],
    .policies = policies,
};
