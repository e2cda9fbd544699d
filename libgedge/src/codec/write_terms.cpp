#include "codec/write_terms.hpp"

#include <string_view>
#include <utility>

namespace gedge::codec {
namespace {

std::string_view operator_name(SelectorOp op) {
  switch (op) {
    case SelectorOp::kNotIn:
    case SelectorOp::kNotEquals:
      return "NotIn";
    case SelectorOp::kExists:
      return "Exists";
    case SelectorOp::kDoesNotExist:
      return "DoesNotExist";
    case SelectorOp::kGt:
      return "Gt";
    case SelectorOp::kLt:
      return "Lt";
    case SelectorOp::kEquals:
    case SelectorOp::kDoubleEquals:
    case SelectorOp::kIn:
      break;
  }
  return "In";
}

Json requirements(const std::vector<Requirement>& list) {
  Json all = Json::array();
  for (const Requirement& r : list) {
    Json one{{"key", r.key}, {"operator", operator_name(r.op)}};
    if (!r.values.empty()) one["values"] = r.values;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Json node_term(const NodeSelectorTerm& term) {
  Json json = Json::object();
  if (!term.expressions.empty()) json["matchExpressions"] = requirements(term.expressions);
  if (!term.fields.empty()) json["matchFields"] = requirements(term.fields);
  return json;
}

}  // namespace gedge::codec
