#include "gedge/model/selector.hpp"

#include <algorithm>

namespace gedge {
namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool compares(const Requirement& requirement, const std::string& label) {
  if (requirement.values.size() != 1) return false;
  const auto have = parse_label_integer(label);
  const auto limit = parse_label_integer(requirement.values[0]);
  if (!have || !limit) return false;
  return requirement.op == SelectorOp::kGt ? *have > *limit : *have < *limit;
}

std::string_view text_of(SelectorOp op) {
  switch (op) {
    case SelectorOp::kEquals:
      return "=";
    case SelectorOp::kDoubleEquals:
      return "==";
    case SelectorOp::kNotEquals:
      return "!=";
    case SelectorOp::kIn:
      return " in ";
    case SelectorOp::kNotIn:
      return " notin ";
    case SelectorOp::kGt:
      return ">";
    case SelectorOp::kLt:
      return "<";
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      return "";
  }
  return "";
}

/// Empty where the number of values fits the operator, else what is wrong.
std::string_view wrong_count(const Requirement& requirement) {
  switch (requirement.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      return requirement.values.empty() ? "needs at least one value" : "";
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      return requirement.values.empty() ? "" : "takes no values";
    default:
      return requirement.values.size() == 1 ? "" : "takes exactly one value";
  }
}

/// The operator as an object writes it.
std::string_view name_of(SelectorOp op) {
  switch (op) {
    case SelectorOp::kEquals:
      return "=";
    case SelectorOp::kDoubleEquals:
      return "==";
    case SelectorOp::kNotEquals:
      return "!=";
    case SelectorOp::kIn:
      return "In";
    case SelectorOp::kNotIn:
      return "NotIn";
    case SelectorOp::kExists:
      return "Exists";
    case SelectorOp::kDoesNotExist:
      return "DoesNotExist";
    case SelectorOp::kGt:
      return "Gt";
    case SelectorOp::kLt:
      return "Lt";
  }
  return "";
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Status check(const Requirement& requirement) {
  if (!is_label_key(requirement.key)) {
    return invalid_input(
        "label key " + quoted(requirement.key) + " is not valid", {},
        "write [prefix/]name: at most 63 letters, digits, '-', '_' and '.', with a letter "
        "or digit at both ends; the prefix is a DNS name in lower case");
  }
  const auto subject = [&] {
    return quoted(name_of(requirement.op)) + " on label " + quoted(requirement.key);
  };
  if (const auto wrong = wrong_count(requirement); !wrong.empty()) {
    return invalid_input(subject() + " " + std::string(wrong));
  }
  const bool numeric = requirement.op == SelectorOp::kGt || requirement.op == SelectorOp::kLt;
  for (const std::string& value : requirement.values) {
    if (numeric && !parse_label_integer(value)) {
      return invalid_input(subject() + " needs an integer, not " + quoted(value));
    }
    if (!is_label_value(value)) {
      return invalid_input(
          "label value " + quoted(value) + " of " + quoted(requirement.key) + " is not valid", {},
          "use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both "
          "ends");
    }
  }
  return {};
}

}  // namespace

bool matches(const Requirement& requirement, const Labels& labels) {
  const std::string* label = labels.find(requirement.key);
  switch (requirement.op) {
    case SelectorOp::kEquals:
    case SelectorOp::kDoubleEquals:
    case SelectorOp::kIn:
      return label != nullptr && contains(requirement.values, *label);
    case SelectorOp::kNotEquals:
    case SelectorOp::kNotIn:
      return label == nullptr || !contains(requirement.values, *label);
    case SelectorOp::kExists:
      return label != nullptr;
    case SelectorOp::kDoesNotExist:
      return label == nullptr;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      return label != nullptr && compares(requirement, *label);
  }
  return false;
}

bool LabelSelector::matches(const Labels& labels) const {
  return !nothing && std::all_of(requirements.begin(), requirements.end(),
                                 [&](const Requirement& r) { return gedge::matches(r, labels); });
}

Result<LabelSelector> make_selector(std::vector<Requirement> requirements) {
  for (Requirement& requirement : requirements) {
    GEDGE_TRY(check(requirement));
    std::sort(requirement.values.begin(), requirement.values.end());
  }
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
  return LabelSelector{false, std::move(requirements)};
}

std::string to_string(const LabelSelector& selector) {
  std::string out;
  for (const Requirement& requirement : selector.requirements) {
    if (!out.empty()) out += ',';
    if (requirement.op == SelectorOp::kDoesNotExist) out += '!';
    out += requirement.key;
    out += text_of(requirement.op);
    const bool listed = requirement.op == SelectorOp::kIn || requirement.op == SelectorOp::kNotIn;
    if (listed) out += '(';
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      if (i != 0) out += ',';
      out += requirement.values[i];
    }
    if (listed) out += ')';
  }
  return out;
}

bool NodeSelectorTerm::matches(const Labels& node_labels, const std::string& node_name) const {
  if (broken || (expressions.empty() && fields.empty())) return false;
  const Labels node_fields{{"metadata.name", node_name}};
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Requirement& r) { return gedge::matches(r, node_labels); }) &&
         std::all_of(fields.begin(), fields.end(),
                     [&](const Requirement& r) { return gedge::matches(r, node_fields); });
}

}  // namespace gedge
