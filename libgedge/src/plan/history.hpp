// plan/history.hpp - which pods make answers depend on who came first.
#pragma once

#include "gedge/model/pod.hpp"

namespace gedge {

/// True if what is left for others depends on the order in which such pods were placed: they take
/// volumes, or shares of cards.
bool keeps_history(const PodSpec& spec);

}  // namespace gedge
