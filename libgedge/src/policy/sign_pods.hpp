// policy/sign_pods.hpp - parts of a class signature that look at other pods.
#pragma once

#include <string>
#include <vector>

#include "policy/sign.hpp"

namespace gedge {

void sign(Signature& signature, const std::vector<std::string>& texts);
void sign(Signature& signature, const PodAffinityTerm& term);
void sign(Signature& signature, const PreferredPodTerm& term);
void sign(Signature& signature, const TopologySpread& constraint);
void sign(Signature& signature, const DelayBudget& budget);

/// Any list of the above.
template <typename List>
void sign_list(Signature& signature, const List& list) {
  signature.add(list.size());
  for (const auto& entry : list) sign(signature, entry);
}

/// nodeSelector and required node affinity.
void sign_node_affinity(Signature& signature, const PodSpec& spec);

}  // namespace gedge
