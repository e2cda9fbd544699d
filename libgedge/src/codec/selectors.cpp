#include "codec/selectors.hpp"

#include <algorithm>
#include <array>

#include "codec/fields.hpp"
#include "codec/words.hpp"
#include "gedge/base/nearest.hpp"

namespace gedge::codec {
namespace {

struct Operator {
  std::string_view name;
  SelectorOp op;
};
constexpr std::array<Operator, 6> kOperators = {{{"In", SelectorOp::kIn},
                                                 {"NotIn", SelectorOp::kNotIn},
                                                 {"Exists", SelectorOp::kExists},
                                                 {"DoesNotExist", SelectorOp::kDoesNotExist},
                                                 {"Gt", SelectorOp::kGt},
                                                 {"Lt", SelectorOp::kLt}}};
constexpr std::size_t kLabelOperators = 4;

// Checks the number of values as the API server does; false after an error.
bool has_right_values(const Requirement& requirement, Cursor at) {
  const std::size_t count = requirement.values.size();
  switch (requirement.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      if (count > 0) return true;
      at.fail("operator In or NotIn without values", "give at least one value");
      return false;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      if (count == 1) return true;
      at.fail("operator Gt or Lt needs exactly one value");
      return false;
    default:
      if (count == 0) return true;
      at.fail("operator Exists or DoesNotExist with values", "remove the values");
      return false;
  }
}

std::optional<Requirement> read_requirement(Cursor value, std::size_t operators) {
  Requirement requirement;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < operators; ++i) names.push_back(kOperators[i].name);
  bool ok = false, has_operator = false;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "key") read_text(field, requirement.key);
    if (key == "values") read_texts(field, requirement.values);
    if (key != "operator") return;
    has_operator = true;
    if (const auto found = read_word(field, names)) {
      requirement.op = kOperators[*found].op;
      ok = true;
    }
  });
  if (!value.is_map()) return std::nullopt;
  if (!has_operator) value.fail("this expression has no operator");
  if (!ok || !has_right_values(requirement, value)) return std::nullopt;
  std::sort(requirement.values.begin(), requirement.values.end());
  requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                           requirement.values.end());
  return requirement;
}

void read_term_fields(Cursor list, NodeSelectorTerm& out) {
  list.items([&](Cursor item) {
    auto requirement = read_requirement(item, 2);
    if (!requirement) return;
    if (requirement->key != "metadata.name" || requirement->values.size() != 1)
      item.fail("matchFields knows one field, metadata.name, and takes one value",
                "use matchExpressions for labels");
    else
      out.fields.push_back(std::move(*requirement));
  });
}

NodeSelectorTerm read_node_term(Cursor value) {
  NodeSelectorTerm term;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "matchFields") read_term_fields(field, term);
    if (key != "matchExpressions") return;
    field.items([&](Cursor item) {
      auto requirement = read_requirement(item, kOperators.size());
      if (!requirement) return;
      if (!is_label_key(requirement->key))
        item.fail(quote(requirement->key) + " is no label key");
      else
        term.expressions.push_back(std::move(*requirement));
    });
  });
  // What the API accepts but no scheduler can parse ("Gt: [-1]") matches no node.
  if (auto selector = make_selector(term.expressions))
    term.expressions = std::move(selector->requirements);
  else
    term.broken = true;
  return term;
}

PreferredNodeTerm read_preferred_node_term(Cursor value) {
  PreferredNodeTerm preferred;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "preference") preferred.term = read_node_term(field);
    if (key != "weight") return;
    if (const auto weight = field.integer(1, 100))
      preferred.weight = static_cast<std::int32_t>(*weight);
  });
  return preferred;
}

PodAffinityTerm read_pod_term(Cursor value) {
  PodAffinityTerm term;
  term.selector.nothing = true;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "labelSelector") read_label_selector(field, term.selector);
    if (key == "namespaces") read_texts(field, term.namespaces);
    if (key == "topologyKey") read_text(field, term.topology_key);
    if (key == "matchLabelKeys") read_texts(field, term.match_label_keys);
    if (key == "mismatchLabelKeys") read_texts(field, term.mismatch_label_keys);
    if (key == "namespaceSelector" && !field.is_null())
      read_label_selector(field, term.namespace_selector.emplace());
  });
  std::sort(term.namespaces.begin(), term.namespaces.end());
  if (term.topology_key.empty() && value.is_map())
    value.fail("a pod affinity term without topologyKey",
               "name a node label, for example kubernetes.io/hostname");
  return term;
}

void read_pod_affinity(Cursor value, SharedList<PodAffinityTerm>& required,
                       SharedList<PreferredPodTerm>& preferred) {
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "requiredDuringSchedulingIgnoredDuringExecution")
      field.items([&](Cursor item) { required.push_back(read_pod_term(item)); });
    if (key != "preferredDuringSchedulingIgnoredDuringExecution") return;
    field.items([&](Cursor item) {
      PreferredPodTerm term;
      item.fields([&](std::string_view part, Cursor inner) {
        if (part == "weight")
          if (const auto weight = inner.integer(1, 100))
            term.weight = static_cast<std::int32_t>(*weight);
        if (part == "podAffinityTerm") term.term = read_pod_term(inner);
      });
      preferred.push_back(std::move(term));
    });
  });
}

TopologySpread read_constraint(Cursor value) {
  constexpr std::array<std::string_view, 2> when = {"DoNotSchedule", "ScheduleAnyway"};
  constexpr std::array<std::string_view, 2> policy = {"Honor", "Ignore"};
  TopologySpread spread;
  spread.selector.nothing = true;
  bool has_when = false;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "maxSkew") read_int32(field, spread.max_skew, 1);
    if (key == "topologyKey") read_text(field, spread.topology_key);
    if (key == "labelSelector") read_label_selector(field, spread.selector);
    if (key == "matchLabelKeys") read_texts(field, spread.match_label_keys);
    if (key == "minDomains" && !field.is_null())
      read_int32(field, spread.min_domains.emplace(1), 1);
    if (key == "whenUnsatisfiable") {
      has_when = true;
      spread.hard = read_word(field, when).value_or(0) == 0;
    }
    if (key == "nodeAffinityPolicy")
      spread.honor_node_affinity = read_word(field, policy).value_or(0) == 0;
    if (key == "nodeTaintsPolicy")
      spread.honor_node_taints = read_word(field, policy).value_or(1) == 0;
  });
  if (!value.is_map()) return spread;
  if (spread.topology_key.empty())
    value.fail("a topology spread constraint without topologyKey",
               "name a node label, for example topology.kubernetes.io/zone");
  if (!has_when)
    value.fail("a topology spread constraint without whenUnsatisfiable",
               "write DoNotSchedule or ScheduleAnyway");
  return spread;
}

Toleration read_toleration(Cursor value) {
  constexpr std::array<std::string_view, 3> operators = {"", "Equal", "Exists"};
  Toleration toleration;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "key") read_text(field, toleration.key);
    if (key == "value") read_text(field, toleration.value);
    if (key == "operator") toleration.exists = read_word(field, operators).value_or(0) == 2;
    if (key == "effect" && !field.raw_text().empty()) toleration.effect = read_effect(field);
  });
  if (!value.is_map()) return toleration;
  if (toleration.key.empty() && !toleration.exists)
    value.fail("a toleration without key needs operator Exists");
  if (toleration.exists && !toleration.value.empty())
    value.fail("a toleration with operator Exists and a value", "remove the value");
  return toleration;
}

void add_equals(const std::string& key, const std::string& value, std::vector<Requirement>& out) {
  Requirement& requirement = out.emplace_back();
  requirement.key = key;
  requirement.op = SelectorOp::kEquals;
  requirement.values.push_back(value);
}

}  // namespace

std::optional<TaintEffect> read_effect(Cursor value) {
  constexpr std::array<std::string_view, 3> effects = {"NoSchedule", "PreferNoSchedule",
                                                       "NoExecute"};
  const auto found = read_word(value, effects);
  if (!found) return std::nullopt;
  return static_cast<TaintEffect>(*found);
}

LabelSelector selector_of(const Labels& labels) {
  LabelSelector selector;
  for (const auto& [key, value] : labels) add_equals(key, value, selector.requirements);
  return selector;
}

void read_label_selector(Cursor value, LabelSelector& out) {
  out = {};
  out.nothing = value.is_null();
  std::vector<Requirement> requirements;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "matchLabels") {
      Labels labels;
      read_labels(field, labels);
      for (const auto& [name, text] : labels) add_equals(name, text, requirements);
    } else if (key == "matchExpressions") {
      field.items([&](Cursor item) {
        auto requirement = read_requirement(item, kLabelOperators);
        if (!requirement) return;
        if (auto checked = make_selector({*requirement}); !checked)
          item.fail(checked.error().what, checked.error().hint);
        else
          requirements.push_back(std::move(*requirement));
      });
    }
  });
  if (auto selector = make_selector(std::move(requirements)))
    out.requirements = std::move(selector->requirements);
}

std::vector<NodeSelectorTerm> read_node_terms(Cursor list) {
  std::vector<NodeSelectorTerm> out;
  list.items([&](Cursor item) { out.push_back(read_node_term(item)); });
  return out;
}

void read_node_affinity(Cursor value, PodSpec& spec) {
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "requiredDuringSchedulingIgnoredDuringExecution") {
      if (field.is_null()) return;
      spec.has_required_node_terms = true;
      if (const auto terms = field.find("nodeSelectorTerms"))
        spec.required_node_terms = read_node_terms(*terms);
    } else if (key == "preferredDuringSchedulingIgnoredDuringExecution") {
      field.items([&](Cursor item) {
        spec.preferred_node_terms.push_back(read_preferred_node_term(item));
      });
    }
  });
}

void read_affinity(Cursor affinity, PodSpec& spec) {
  affinity.fields([&](std::string_view key, Cursor value) {
    if (key == "nodeAffinity") read_node_affinity(value, spec);
    if (key == "podAffinity")
      read_pod_affinity(value, spec.required_affinity, spec.preferred_affinity);
    if (key == "podAntiAffinity")
      read_pod_affinity(value, spec.required_anti_affinity, spec.preferred_anti_affinity);
  });
}

std::vector<TopologySpread> read_spread(Cursor list) {
  std::vector<TopologySpread> out;
  list.items([&](Cursor item) { out.push_back(read_constraint(item)); });
  return out;
}

std::vector<Toleration> read_tolerations(Cursor list) {
  std::vector<Toleration> out;
  list.items([&](Cursor item) { out.push_back(read_toleration(item)); });
  return out;
}

}  // namespace gedge::codec
