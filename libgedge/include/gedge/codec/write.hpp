// gedge/codec/write.hpp - answers as text: the documents of `-o json` and `-o yaml`, and plans read
// back.
//
// Every document begins with apiVersion and kind; keys are camelCase with their unit, lists keep
// their order. Text that is no UTF-8 gets U+FFFD, control characters and bidirectional marks are
// escaped. Schemas: libgedge/schemas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/codec/load.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/plan/edit.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/verify/verify.hpp"

namespace gedge {

inline constexpr std::string_view kApiVersion = "gedge.io/v1alpha1";

enum class TextFormat : std::uint8_t {
  kJson,  ///< indented; a line for each decision, node or pair, so that two texts can be compared
  kYaml,
};

/// kind Plan. Where only a part of a plan is shown, `whole` is what its summary counts.
std::string write(const Plan& plan, TextFormat format, const Plan* whole = nullptr);

/// kind Explanation. Reasons are worded as kube-scheduler of `compat` would. Several reasons of one
/// policy on one node share an entry, whose numbers are those of the first reason that has any.
std::string write(const Explanation& explanation, Compat compat, TextFormat format);

/// kind WhatIf: edits, differences, and the plan afterwards; `whole` as for a Plan.
std::string write(const WhatIf& what_if, const std::vector<std::string>& edits, TextFormat format,
                  const WhatIf* whole = nullptr);

/// kind LatencyMatrix. A matrix holds one value a pair, whatever statistic that was: it stands
/// under p95Us, where read_rtt finds it again; the other statistics are null.
std::string write(const RttMatrix& matrix, TextFormat format);

struct Verification {
  std::size_t placements = 0;  ///< how many were checked
  std::vector<Violation> violations;
};
/// kind Verification.
std::string write(const Verification& verification, TextFormat format);

/// What a validation found in inputs that can all be read.
struct Validation {
  std::size_t sources = 0, nodes = 0, pods = 0;
  std::size_t rtt_names = 0;  ///< of the matrix
  std::vector<Warning> warnings;
  std::vector<SkippedObject> skipped;
};
/// kind Validation.
std::string write(const Validation& validation, TextFormat format);

/// kind Version: the given one, and every Compat there is.
std::string write_version(std::string_view version, TextFormat format);

struct PolicyRow {
  PolicyInfo info;
  std::string module;                  ///< file of the module it comes from; empty: libgedge
  bool filters = false;                ///< the profile filters with it
  std::optional<std::int64_t> weight;  ///< of its score in the profile
};
struct PolicyList {
  std::string profile;
  Compat compat = Compat::k1_36;
  std::vector<PolicyRow> policies;  ///< by name
};
/// Every policy of this library, and what `profile` does with it.
PolicyList policy_list(const Profile& profile);
/// kind PolicyList.
std::string write(const PolicyList& list, TextFormat format);

struct PlanReading {
  std::optional<Plan> plan;  ///< empty if there are errors
  Errors errors;
};
/// A plan that `write` wrote, as JSON or YAML; unknown fields are skipped, for additions are
/// compatible.
PlanReading read_plan(const InputFile& file);

/// "1.20", "1.36".
std::string_view to_string(Compat compat);
/// Empty for any other text.
std::optional<Compat> parse_compat(std::string_view text);

}  // namespace gedge
