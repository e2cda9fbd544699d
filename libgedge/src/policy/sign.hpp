// policy/sign.hpp - parts of a class signature that several policies need.
#pragma once

#include <vector>

#include "gedge/policy/policy.hpp"

namespace gedge {

void sign(Signature& signature, const Labels& labels);
void sign(Signature& signature, const LabelSelector& selector);
void sign(Signature& signature, const NodeSelectorTerm& term);
void sign(Signature& signature, const std::vector<NodeSelectorTerm>& terms);
void sign(Signature& signature, const std::vector<Toleration>& tolerations);

}  // namespace gedge
