// gedge/policy/annotations.hpp - which annotations of pods policies read.
#pragma once

#include <string_view>

namespace gedge {

/// Of GPU cards; gpu_cards.hpp says what they are.
inline bool is_about_cards(std::string_view annotation) {
  return annotation.starts_with("alibabacloud.com/gpu-");
}

/// What else pods have of them need not be kept where nobody but policies asks. Budgets of delay
/// are none: their reader makes something else of them.
inline bool is_read_by_policies(std::string_view annotation) { return is_about_cards(annotation); }

}  // namespace gedge
