#include "support/reference/affinity.hpp"

#include <algorithm>

namespace gedge::reference {
namespace {

/// Namespaces listed, or picked by their labels; neither given: the owner's own.
bool in_namespaces(const World& world, const Seat& owner, const PodAffinityTerm& term,
                   const Seat& other) {
  const std::string& name = other.pod->namespace_name;
  const bool by_labels = !world.is_1_20() && term.namespace_selector.has_value();
  if (term.namespaces.empty() && !by_labels) return name == owner.pod->namespace_name;
  if (std::find(term.namespaces.begin(), term.namespaces.end(), name) != term.namespaces.end())
    return true;
  if (!by_labels) return false;
  if (!term.namespace_selector->nothing && term.namespace_selector->requirements.empty())
    return true;
  const Namespace* space = world.find_namespace(name);
  return space != nullptr && term.namespace_selector->matches(space->labels);
}

/// matchLabelKeys and mismatchLabelKeys stand for the owner's values; keys that it lacks are
/// dropped.
bool fits_label_keys(const Seat& owner, const PodAffinityTerm& term, const Seat& other) {
  for (const std::string& key : term.match_label_keys) {
    const std::string* mine = owner.labels.find(key);
    const std::string* theirs = other.labels.find(key);
    if (mine != nullptr && (theirs == nullptr || *theirs != *mine)) return false;
  }
  for (const std::string& key : term.mismatch_label_keys) {
    const std::string* mine = owner.labels.find(key);
    const std::string* theirs = other.labels.find(key);
    if (mine != nullptr && theirs != nullptr && *theirs == *mine) return false;
  }
  return true;
}

}  // namespace

bool speaks_of(const World& world, const Seat& owner, const PodAffinityTerm& term,
               const Seat& other) {
  return in_namespaces(world, owner, term, other) && term.selector.matches(other.labels) &&
         (world.is_1_20() || fits_label_keys(owner, term, other));
}

bool same_domain(const std::string& key, const Node& a, const Node& b) {
  const std::string* one = a.labels.find(key);
  const std::string* two = b.labels.find(key);
  return one != nullptr && two != nullptr && *one == *two;
}

}  // namespace gedge::reference
