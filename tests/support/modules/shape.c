/* support/modules/shape.c - a module that is good unless a macro spoils one thing about it. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdlib.h>

#include "gedge/plugin.h"

#ifndef ABI
#define ABI GEDGE_PLUGIN_ABI
#endif
#ifndef SIZE
#define SIZE sizeof(gedge_module_info)
#endif
#ifndef COUNT
#define COUNT (sizeof policies / sizeof policies[0])
#endif
#ifndef POLICY_SIZE
#define POLICY_SIZE sizeof(gedge_policy)
#endif
#ifndef NAME
#define NAME "GoodOne"
#endif
#ifndef READS
#define READS GEDGE_READS_NODE
#endif
#ifndef NORMALIZE
#define NORMALIZE GEDGE_NORMALIZE_MAX
#endif
#ifndef FORMULA
#define FORMULA "length of the name"
#endif
#ifndef SCORE
#define SCORE score
#endif

/* Tells the test that code of this file ran. */
__attribute__((constructor)) static void mark(void) { setenv("GEDGE_TEST_MODULE_RAN", "1", 1); }

#ifdef UNDEFINED
extern int nobody_defines_this(void);
#endif

int score(void* self, const void* prepared, const gedge_nodes* nodes, const gedge_pod* pod,
          uint32_t first, uint32_t last, int64_t* raw);

int score(void* self, const void* prepared, const gedge_nodes* nodes, const gedge_pod* pod,
          uint32_t first, uint32_t last, int64_t* raw) {
  (void)self, (void)prepared, (void)pod;
#ifdef UNDEFINED
  if (nobody_defines_this()) return 1;
#endif
  for (uint32_t row = first; row < last; ++row) {
    const char* name = nodes->name(nodes->host, row);
    raw[row - first] = 0;
    while (name[raw[row - first]] != '\0') ++raw[row - first];
  }
  return 0;
}

#ifdef NEWER /* a policy as a later plugin.h may have it: one field more */
typedef struct later_policy {
  gedge_policy known;
  uint64_t later;
} later_policy;
static const later_policy first_of_later = {
    .known = {.size = sizeof(later_policy), .name = NAME, .score = SCORE},
    .later = NEWER,
};
#define FIRST &first_of_later.known
#else
static const gedge_policy first = {
    .size = POLICY_SIZE,
    .reads = READS,
    .normalize = NORMALIZE,
    .name = NAME,
    .formula = FORMULA,
    .range = "0 and up",
    .source = "tests",
    .score = SCORE,
};
#define FIRST &first
#endif

static const gedge_policy* const policies[] = {
    FIRST,
#ifdef SECOND
    SECOND,
#endif
};

#if defined(NO_SYMBOL) || defined(EMPTY_SYMBOL)
GEDGE_EXPORT const gedge_policy* some_other_symbol(void);
const gedge_policy* some_other_symbol(void) { return policies[0]; }
#endif

#if defined(EMPTY_SYMBOL)
const gedge_module_info gedge_module = {.abi = 0};
#elif !defined(NO_SYMBOL)
const gedge_module_info gedge_module = {
    .abi = ABI,
    .size = SIZE,
    .policy_count = COUNT,
    .policies = policies,
};
#endif
