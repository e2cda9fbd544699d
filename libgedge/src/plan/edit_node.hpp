// plan/edit_node.hpp - the part of an edit that changes one node's facts.
#pragma once

#include "gedge/plan/edit.hpp"

namespace gedge {

/// Changes resources, labels, taints or the cordon of `node`; deleting and evicting is up to the
/// caller. Errors: kNotFound for a label or taint that the node does not have.
Status edit_node(const Edit& edit, Node& node);

/// Pods that a controller ties to their node: they neither move nor wait elsewhere.
bool belongs_to_node(const Pod& pod);

/// True if a pod may go to that one node only, by its name, as the pods of a DaemonSet are made.
bool is_only_for(const PodSpec& spec, const std::string& node);

}  // namespace gedge
