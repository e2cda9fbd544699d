// plan/history.hpp - which pods make answers depend on who came first.
#pragma once

#include "gedge/model/pod.hpp"

namespace gedge {

/// It may take volumes that others wanted.
bool uses_claims(const PodSpec& spec);
/// It takes cards of a GPU, or shares of them.
bool asks_for_cards(const PodSpec& spec);

}  // namespace gedge
