#include "policy/sign.hpp"

namespace gedge {
namespace {

void sign(Signature& signature, const std::vector<Requirement>& requirements) {
  signature.add(requirements.size());
  for (const Requirement& requirement : requirements) {
    signature.add(requirement.key);
    signature.add(static_cast<std::uint64_t>(requirement.op));
    signature.add(requirement.values.size());
    for (const std::string& value : requirement.values) signature.add(value);
  }
}

}  // namespace

void sign(Signature& signature, const Labels& labels) {
  signature.add(labels.size());
  for (const auto& [key, value] : labels) {
    signature.add(key);
    signature.add(value);
  }
}

void sign(Signature& signature, const LabelSelector& selector) {
  signature.add(static_cast<std::uint64_t>(selector.nothing));
  sign(signature, selector.requirements);
}

void sign(Signature& signature, const NodeSelectorTerm& term) {
  signature.add(static_cast<std::uint64_t>(term.broken));
  sign(signature, term.expressions);
  sign(signature, term.fields);
}

void sign(Signature& signature, const std::vector<NodeSelectorTerm>& terms) {
  signature.add(terms.size());
  for (const NodeSelectorTerm& term : terms) sign(signature, term);
}

void sign(Signature& signature, const std::vector<Toleration>& tolerations) {
  signature.add(tolerations.size());
  for (const Toleration& toleration : tolerations) {
    const std::uint64_t effect =
        toleration.effect ? 1 + static_cast<std::uint64_t>(*toleration.effect) : 0;
    signature.add(2 * effect + (toleration.exists ? 1 : 0));
    signature.add(toleration.key);
    signature.add(toleration.value);
  }
}

}  // namespace gedge
