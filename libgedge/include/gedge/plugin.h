/* gedge/plugin.h - the whole contract between gedge and a policy module.
 *
 * C11, no C++ types. Nothing is allocated on one side and freed on the other: gedge owns every
 * array that it hands out and a module only fills the output; what a module allocates in `create`
 * or `prepare` it frees in `destroy` or `release`. Fields are only ever appended to a struct; its
 * `size` tells each side how much the other one knows.
 *
 * A module is a shared object that exports one symbol, `gedge_module`. It runs inside gedge's
 * process and is trusted not to harm it; what it answers is not trusted. Its policies are pure: the
 * same question gets the same answer, without clocks, randomness, files, threads or state outside
 * what `create` and `prepare` returned, and the answer for a row does not depend on which other
 * rows are asked for in the same call. A policy says what it reads, and reads nothing else. gedge
 * checks the ABI, the names, that every row got an answer, the range of every answer, what was
 * read, and that a question asked twice is answered alike; a module that breaks the contract ends
 * the run with an error, never with a wrong plan.
 *
 * All text is UTF-8. Pointers handed to a function are valid during that call only. Functions are
 * called from one thread at a time for one `self`.
 */
#ifndef GEDGE_PLUGIN_H
#define GEDGE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GEDGE_PLUGIN_ABI 1u

/* An RTT that nobody measured. */
#define GEDGE_UNMEASURED UINT32_MAX

/* Raw scores stay within +-GEDGE_MAX_RAW_SCORE. */
#define GEDGE_MAX_RAW_SCORE (INT64_C(1) << 53)

/* What the answers of a policy depend on. Tells gedge what it may reuse; to read anything that is
 * not named here breaks the contract. Labels and annotations of the pod have lists of their own. */
enum {
  GEDGE_READS_NODE = 1,          /* allocatable, label, name, rtt_us */
  GEDGE_READS_USAGE = 2,         /* requested, of the row in question; not in `prepare` */
  GEDGE_READS_POD_NAMESPACE = 4, /* namespace_name */
  GEDGE_READS_POD_REQUESTS = 8,  /* request */
  GEDGE_READS_POD_BUDGETS = 16,  /* budget_count, budget_from, budget_limit_us */
  GEDGE_READS_ANYTHING = 128     /* everything, anywhere: evaluated anew for every pod, slow */
};

/* How raw scores become 0 (worst) to 100 (best), looking at the nodes that passed every filter. */
enum {
  GEDGE_NORMALIZE_NONE = 0,        /* raw scores are 0..100 already */
  GEDGE_NORMALIZE_MAX = 1,         /* 100 * s / max; raw scores are >= 0 */
  GEDGE_NORMALIZE_MAX_REVERSE = 2, /* 100 - 100 * s / max; raw scores are >= 0 */
  GEDGE_NORMALIZE_MIN_MAX = 3      /* 100 * (s - min) / (max - min), 0 if equal; any raw scores */
};

/* The nodes, as columns. Row i of every column is the same node; rows are in no meaningful order,
 * and a row may be a node that was taken away: it needs an answer like any other. */
typedef struct gedge_nodes {
  uint32_t size;       /* sizeof(gedge_nodes), set by gedge */
  uint32_t node_count; /* length of every column */
  const void* host;    /* gedge's own, to be passed back to the functions below */

  /* Columns of a resource: thousandths of a core for "cpu", bytes or pieces for others ("pods"
   * counts pods); null if no node and no pod names the resource. Requested may exceed
   * allocatable. */
  const int64_t* (*allocatable)(const void* host, const char* resource);
  const int64_t* (*requested)(const void* host, const char* resource);
  /* One cell of text; a label is null where the node lacks it. */
  const char* (*label)(const void* host, uint32_t row, const char* key);
  const char* (*name)(const void* host, uint32_t row);
  /* Round trip in microseconds between the place called `from` (a node, else a name of the RTT
   * matrix) and the node, the larger of both directions; GEDGE_UNMEASURED if unknown. */
  uint32_t (*rtt_us)(const void* host, const char* from, uint32_t row);
} gedge_nodes;

/* The pod that is to be placed. */
typedef struct gedge_pod {
  uint32_t size;     /* sizeof(gedge_pod), set by gedge */
  uint32_t reserved; /* 0 */
  const void* host;  /* as above */

  const char* (*namespace_name)(const void* host);
  /* Units as in the columns; 0 where nothing is asked for, 1 for "pods". */
  int64_t (*request)(const void* host, const char* resource);
  /* Null if absent. Annotations of more than 256 bytes, and those that tools keep for themselves
   * (kubectl.kubernetes.io/...), are not read. */
  const char* (*label)(const void* host, const char* key);
  const char* (*annotation)(const void* host, const char* key);
  /* Delay budgets, 0 <= budget < budget_count: from where, as the user wrote it, and the limit. */
  uint32_t (*budget_count)(const void* host);
  const char* (*budget_from)(const void* host, uint32_t budget);
  int64_t (*budget_limit_us)(const void* host, uint32_t budget);
} gedge_pod;

typedef struct gedge_policy {
  uint32_t size;      /* sizeof(gedge_policy), set by the module */
  uint32_t reads;     /* GEDGE_READS_* or-ed */
  uint32_t normalize; /* GEDGE_NORMALIZE_*, of the score */
  uint32_t reserved;  /* 0 */
  const char* name;   /* CamelCase, letters and digits, at most 63; no name that gedge has */
  /* One line each, for `gedge policies`; may be null. */
  const char *formula, *range, *source;
  /* Keys of the pod that the policy reads, each list ended by a null; null: none. Pods that agree
   * in all that is read are evaluated once. */
  const char* const* pod_labels;
  const char* const* pod_annotations;

  /* Once for every use of the policy: its own data, handed to the other functions as `self`. Both
   * may be null; without `create`, and where it returns null, `self` is null. */
  void* (*create)(void);
  void (*destroy)(void* self);
  /* Once or more for a class of equal pods, and again when nodes change: what `filter` and `score`
   * need to know of all nodes together. May be null, may return null. */
  void* (*prepare)(void* self, const gedge_nodes* nodes, const gedge_pod* pod);
  void (*release)(void* self, void* prepared);
  /* For rows first <= row < last, writes feasible[row - first] = 1 or 0. Returns 0, or another
   * value to fail the run. Null if the policy is no filter. */
  int (*filter)(void* self, const void* prepared, const gedge_nodes* nodes, const gedge_pod* pod,
                uint32_t first, uint32_t last, uint8_t* feasible);
  /* One line, at most 255 bytes, why `row` was rejected; valid until the next call. Null, or a null
   * answer: "node(s) were rejected by NAME". */
  const char* (*reason)(void* self, const void* prepared, const gedge_nodes* nodes,
                        const gedge_pod* pod, uint32_t row);
  /* For rows first <= row < last, writes raw[row - first]. Returns 0, or another value to fail the
   * run. Null if the policy is no score. */
  int (*score)(void* self, const void* prepared, const gedge_nodes* nodes, const gedge_pod* pod,
               uint32_t first, uint32_t last, int64_t* raw);
} gedge_policy;

typedef struct gedge_module_info {
  uint32_t abi;  /* GEDGE_PLUGIN_ABI */
  uint32_t size; /* sizeof(gedge_module_info) */
  uint32_t policy_count;
  uint32_t reserved;                   /* 0 */
  const gedge_policy* const* policies; /* static storage */
} gedge_module_info;

/* The one exported symbol: `const gedge_module_info gedge_module = {...};` */
#if defined(_WIN32)
#error "policy modules are ELF shared objects"
#endif
#define GEDGE_EXPORT __attribute__((visibility("default")))
extern GEDGE_EXPORT const gedge_module_info gedge_module;

#ifdef __cplusplus
}
#endif

#endif /* GEDGE_PLUGIN_H */
