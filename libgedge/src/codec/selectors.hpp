// codec/selectors.hpp - label selectors, node selectors, affinity, spread and tolerations of the
// API.
#pragma once

#include <vector>

#include "codec/cursor.hpp"
#include "gedge/model/pod.hpp"

namespace gedge::codec {

/// metav1.LabelSelector; null matches nothing.
void read_label_selector(Cursor value, LabelSelector& out);
/// The plain map of Services and ReplicationControllers.
LabelSelector selector_of(const Labels& labels);
/// NodeSelectorTerms, OR-ed.
std::vector<NodeSelectorTerm> read_node_terms(Cursor list);
/// spec.affinity.nodeAffinity, and addedAffinity of a profile.
void read_node_affinity(Cursor value, PodSpec& spec);
/// spec.affinity.
void read_affinity(Cursor affinity, PodSpec& spec);
std::vector<TopologySpread> read_spread(Cursor list);
std::vector<Toleration> read_tolerations(Cursor list);
std::optional<TaintEffect> read_effect(Cursor value);

}  // namespace gedge::codec
