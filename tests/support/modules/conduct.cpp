// support/modules/conduct.cpp - policies that load well and then break the contract, each in its
// own way; and some that keep it, to the limit.
#include <algorithm>
#include <stdexcept>

#include "gedge/plugin.h"

namespace {

using Nodes = const gedge_nodes*;
using Pod = const gedge_pod*;
using Filter = decltype(gedge_policy::filter);
using Score = decltype(gedge_policy::score);

int yes(std::uint32_t first, std::uint32_t last, std::uint8_t* out) {
  std::fill(out, out + (last - first), std::uint8_t{1});
  return 0;
}

int same(std::uint32_t first, std::uint32_t last, std::int64_t* out, std::int64_t value) {
  std::fill(out, out + (last - first), value);
  return 0;
}

constexpr gedge_policy policy(const char* name) {
  gedge_policy made{};
  made.size = sizeof(gedge_policy);
  made.reads = GEDGE_READS_NODE;
  made.name = name;
  return made;
}

constexpr gedge_policy filter(const char* name, Filter function) {
  gedge_policy made = policy(name);
  made.filter = function;
  return made;
}

constexpr gedge_policy score(const char* name, Score function,
                             std::uint32_t normalize = GEDGE_NORMALIZE_NONE) {
  gedge_policy made = policy(name);
  made.score = function;
  made.normalize = normalize;
  return made;
}

std::uint64_t calls = 0;  // the hidden state that a policy must not have

// --- filters

constexpr gedge_policy kVerdictTwo = filter(
    "VerdictTwo",
    [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last, std::uint8_t* out) {
      yes(first, last, out);
      out[last - first - 1] = 2;
      return 0;
    });

constexpr gedge_policy kVerdictMissing =
    filter("VerdictMissing",
           [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last,
              std::uint8_t* out) { return first + 1 < last ? yes(first, last - 1, out) : 0; });

constexpr gedge_policy kFilterReturns = filter(
    "FilterReturns",
    [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last, std::uint8_t* out) {
      yes(first, last, out);
      return 7;
    });

constexpr gedge_policy kFilterAlternates = filter(
    "FilterAlternates",
    [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last, std::uint8_t* out) {
      std::fill(out, out + (last - first), static_cast<std::uint8_t>(++calls % 2));
      return 0;
    });

constexpr gedge_policy kFilterByRange = filter(
    "FilterByRange",
    [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last, std::uint8_t* out) {
      yes(first, last, out);
      out[0] = 0;
      return 0;
    });

constexpr gedge_policy kFilterBeyond = filter(
    "FilterBeyond", [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last,
                       std::uint8_t* out) { return yes(first, last + 1, out); });

constexpr gedge_policy kFilterBefore = filter(
    "FilterBefore", [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last,
                       std::uint8_t* out) { return yes(first, last + 1, out - 1); });

// Good as long as no node bears the label "trap".
constexpr gedge_policy kVerdictTrap =
    filter("VerdictTrap", [](void*, const void*, Nodes nodes, Pod, std::uint32_t first,
                             std::uint32_t last, std::uint8_t* out) {
      for (std::uint32_t row = first; row < last; ++row)
        out[row - first] = nodes->label(nodes->host, row, "trap") == nullptr ? 1 : 3;
      return 0;
    });

constexpr gedge_policy with_reason(const char* name, decltype(gedge_policy::reason) reason) {
  gedge_policy made = filter(name, [](void*, const void*, Nodes, Pod, std::uint32_t first,
                                      std::uint32_t last, std::uint8_t* out) {
    std::fill(out, out + (last - first), std::uint8_t{0});
    return 0;
  });
  made.reason = reason;
  return made;
}

constexpr gedge_policy kReasonOfTwoLines = with_reason(
    "ReasonOfTwoLines", [](void*, const void*, Nodes, Pod, std::uint32_t) { return "two\nlines"; });
constexpr gedge_policy kReasonNotUtf8 =
    with_reason("ReasonNotUtf8",
                [](void*, const void*, Nodes, Pod, std::uint32_t) { return "caf\xe9 closed"; });
constexpr gedge_policy kReasonAlternates =
    with_reason("ReasonAlternates", [](void*, const void*, Nodes, Pod, std::uint32_t) {
      return ++calls % 2 == 0 ? "even" : "odd";
    });
constexpr gedge_policy kReasonNull = with_reason(
    "ReasonNull",
    [](void*, const void*, Nodes, Pod, std::uint32_t) -> const char* { return nullptr; });

// --- scores

#define SCORE_OF(value)                                                                            \
  [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last, std::int64_t* raw) { \
    return same(first, last, raw, value);                                                          \
  }

constexpr gedge_policy kScore101 = score("Score101", SCORE_OF(101));
constexpr gedge_policy kScoreBelow = score("ScoreBelow", SCORE_OF(-1));
constexpr gedge_policy kScoreBelowMax = score("ScoreBelowMax", SCORE_OF(-1), GEDGE_NORMALIZE_MAX);
constexpr gedge_policy kScoreHuge =
    score("ScoreHuge", SCORE_OF(-GEDGE_MAX_RAW_SCORE - 1), GEDGE_NORMALIZE_MIN_MAX);
constexpr gedge_policy kScoreAtLimit =
    score("ScoreAtLimit", SCORE_OF(-GEDGE_MAX_RAW_SCORE), GEDGE_NORMALIZE_MIN_MAX);
// What a double that is not a number becomes where it is converted.
constexpr gedge_policy kScoreNan = score("ScoreNan", SCORE_OF(INT64_MIN), GEDGE_NORMALIZE_MAX);
constexpr gedge_policy kScoreMissing = score(
    "ScoreMissing",
    [](void*, const void*, Nodes, Pod, std::uint32_t, std::uint32_t, std::int64_t*) { return 0; });
constexpr gedge_policy kScoreReturns = score(
    "ScoreReturns",
    [](void*, const void*, Nodes, Pod, std::uint32_t, std::uint32_t, std::int64_t*) { return -3; });
constexpr gedge_policy kScoreAlternates = score(
    "ScoreAlternates",
    [](void*, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last, std::int64_t* raw) {
      return same(first, last, raw, static_cast<std::int64_t>(++calls % 2));
    });
constexpr gedge_policy kScoreThrows =
    score("ScoreThrows",
          [](void*, const void*, Nodes, Pod, std::uint32_t, std::uint32_t, std::int64_t*) -> int {
            throw std::runtime_error("out of ideas");
          });

// Alike at first, and different once it has been asked often.
constexpr gedge_policy make_late() {
  gedge_policy made = policy("ScoreTurnsLate");
  made.create = [] { return static_cast<void*>(new std::uint64_t(0)); };
  made.destroy = [](void* self) { delete static_cast<std::uint64_t*>(self); };
  made.score = [](void* self, const void*, Nodes, Pod, std::uint32_t first, std::uint32_t last,
                  std::int64_t* raw) {
    constexpr std::uint64_t kOften = 4;
    const std::uint64_t count = ++*static_cast<std::uint64_t*>(self);
    return same(first, last, raw, count <= kOften ? 0 : static_cast<std::int64_t>(count % 2));
  };
  return made;
}
constexpr gedge_policy kScoreTurnsLate = make_late();

// --- what it prepares, and what it reads

constexpr gedge_policy make_prepared(const char* name, bool pure) {
  gedge_policy made = score(name, [](void*, const void* prepared, Nodes, Pod, std::uint32_t first,
                                     std::uint32_t last, std::int64_t* raw) {
    return same(first, last, raw, *static_cast<const std::int64_t*>(prepared));
  });
  made.prepare =
      pure ? [](void*, Nodes nodes, Pod) -> void* { return new std::int64_t(nodes->node_count); }
           : [](void*, Nodes, Pod) -> void* { return new std::int64_t(++calls % 2 ? 1 : 0); };
  made.release = [](void*, void* prepared) { delete static_cast<std::int64_t*>(prepared); };
  return made;
}
constexpr gedge_policy kPreparesAnew = make_prepared("PreparesAnew", false);
constexpr gedge_policy kPreparesAlike = make_prepared("PreparesAlike", true);

constexpr gedge_policy kReadsUsage =
    score("ReadsUsage", [](void*, const void*, Nodes nodes, Pod, std::uint32_t first,
                           std::uint32_t last, std::int64_t* raw) {
      return same(first, last, raw, nodes->requested(nodes->host, "cpu") == nullptr ? 1 : 0);
    });

constexpr gedge_policy make_early_usage(const char* name, std::uint32_t reads) {
  gedge_policy made = score(name, SCORE_OF(1));
  made.reads = reads;
  made.prepare = [](void*, Nodes nodes, Pod) -> void* {
    static_cast<void>(nodes->requested(nodes->host, "cpu"));
    return nullptr;
  };
  return made;
}
constexpr gedge_policy kPreparesUsage = make_early_usage("PreparesUsage", GEDGE_READS_USAGE);
constexpr gedge_policy kPreparesAnything =
    make_early_usage("PreparesAnything", GEDGE_READS_ANYTHING);

constexpr gedge_policy kReadsPodLabel =
    score("ReadsPodLabel", [](void*, const void*, Nodes, Pod pod, std::uint32_t first,
                              std::uint32_t last, std::int64_t* raw) {
      return same(first, last, raw, pod->label(pod->host, "app") == nullptr ? 1 : 0);
    });
constexpr gedge_policy kReadsPodRequest =
    score("ReadsPodRequest", [](void*, const void*, Nodes, Pod pod, std::uint32_t first,
                                std::uint32_t last, std::int64_t* raw) {
      return same(first, last, raw, pod->request(pod->host, "cpu") > 0 ? 1 : 0);
    });

const gedge_policy* const kPolicies[] = {
    &kVerdictTwo,    &kVerdictMissing,   &kFilterReturns,    &kFilterAlternates, &kFilterByRange,
    &kFilterBeyond,  &kFilterBefore,     &kReasonOfTwoLines, &kReasonNotUtf8,    &kReasonNull,
    &kScore101,      &kReasonAlternates, &kScoreBelow,       &kScoreBelowMax,    &kScoreHuge,
    &kScoreAtLimit,  &kScoreNan,         &kScoreMissing,     &kScoreReturns,     &kScoreAlternates,
    &kScoreThrows,   &kScoreTurnsLate,   &kPreparesAnew,     &kPreparesAlike,    &kReadsUsage,
    &kPreparesUsage, &kReadsPodLabel,    &kPreparesAnything, &kReadsPodRequest,  &kVerdictTrap,
};

}  // namespace

const gedge_module_info gedge_module = {GEDGE_PLUGIN_ABI, sizeof(gedge_module_info),
                                        sizeof kPolicies / sizeof kPolicies[0], 0, kPolicies};
