#include "plan/history.hpp"

#include <algorithm>

#include "gedge/policy/annotations.hpp"

namespace gedge {

bool uses_claims(const PodSpec& spec) {
  return std::any_of(spec.volumes.begin(), spec.volumes.end(),
                     [](const PodVolume& volume) { return !volume.claim.empty(); });
}

bool asks_for_cards(const PodSpec& spec) {
  return std::any_of(spec.annotations.begin(), spec.annotations.end(),
                     [](const auto& annotation) { return is_about_cards(annotation.first); });
}

}  // namespace gedge
