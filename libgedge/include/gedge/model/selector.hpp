// gedge/model/selector.hpp - label selectors, node selectors, and what they match.
//
// Source   apimachinery labels.Selector and component-helpers nodeaffinity, Kubernetes 1.20;
// vectors:
//          tests/data/conformance/selectors.jsonl.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/model/labels.hpp"

namespace gedge {

enum class SelectorOp : std::uint8_t {
  kEquals,        // =
  kDoubleEquals,  // ==
  kNotEquals,     // !=
  kIn,
  kNotIn,
  kExists,
  kDoesNotExist,
  kGt,
  kLt,
};

struct Requirement {
  std::string key;
  SelectorOp op = SelectorOp::kExists;
  std::vector<std::string>
      values;  ///< sorted; an object's duplicates stay, as Kubernetes prints them
  friend bool operator==(const Requirement&, const Requirement&) = default;
  friend auto operator<=>(const Requirement&, const Requirement&) = default;
};

/// True if `labels` meet the requirement. NotIn, != and DoesNotExist hold for a missing key; Gt and
/// Lt need an integer on both sides.
bool matches(const Requirement& requirement, const Labels& labels);

/// A label selector. `nothing` is the null selector of the API, which matches no object; without
/// requirements it matches every object.
struct LabelSelector {
  bool nothing = false;
  std::vector<Requirement> requirements;  ///< sorted by key, stable
  bool matches(const Labels& labels) const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
  friend auto operator<=>(const LabelSelector&, const LabelSelector&) = default;
};

/// "[prefix/]name": the prefix a DNS subdomain of at most 253 bytes, the name at most 63.
bool is_label_key(std::string_view text);
/// At most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends; or empty.
bool is_label_value(std::string_view text);
/// A decimal integer as labels are compared by Gt and Lt; one sign is allowed. Empty outside int64.
std::optional<std::int64_t> parse_label_integer(std::string_view text);

/// Sorts, checks and completes requirements as labels.NewRequirement does: keys, values, number of
/// values. Gt and Lt are accepted; the caller refuses them where the API knows no such operator.
/// Errors: kInvalidInput with the offending key, operator or value.
Result<LabelSelector> make_selector(std::vector<Requirement> requirements);

/// The syntax of `kubectl -l`: "app=web,tier in (a, b),!legacy". Errors: kInvalidInput; column in
/// `where`.
Result<LabelSelector> parse_selector(std::string_view text);

/// The canonical text of a selector, as Kubernetes prints it.
std::string to_string(const LabelSelector& selector);

/// One term of a node affinity: all expressions and all fields. Empty terms match nothing; so does
/// a term with an expression that Kubernetes cannot parse (`broken`).
struct NodeSelectorTerm {
  std::vector<Requirement> expressions;
  std::vector<Requirement> fields;  ///< on metadata.name; operator In or NotIn, one value
  bool broken = false;
  bool matches(const Labels& node_labels, const std::string& node_name) const;
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
  friend auto operator<=>(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

}  // namespace gedge
