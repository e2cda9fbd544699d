#include "plan/history.hpp"

#include <algorithm>

namespace gedge {

bool keeps_history(const PodSpec& spec) {
  const auto has_claim = [](const PodVolume& volume) { return !volume.claim.empty(); };
  const auto asks_for_cards = [](const auto& annotation) {
    return annotation.first.starts_with("alibabacloud.com/gpu-");
  };
  return std::any_of(spec.volumes.begin(), spec.volumes.end(), has_claim) ||
         std::any_of(spec.annotations.begin(), spec.annotations.end(), asks_for_cards);
}

}  // namespace gedge
