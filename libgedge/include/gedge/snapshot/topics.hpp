// gedge/snapshot/topics.hpp - what a pod says that rules about other pods ask for.
//
// A rule that counts pods by a selector hears of few of them if it names what all of those have in
// common: a label that the selector demands. A pod says each of its labels, and each label that its
// own affinity terms demand of others. Topics are hashes: two may clash, so whoever listens hears
// of every pod that can matter, and perhaps of some more.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gedge/model/labels.hpp"
#include "gedge/model/selector.hpp"
#include "gedge/snapshot/pod_facts.hpp"

namespace gedge {

using Topic = std::uint64_t;
inline constexpr Topic kAnyPod = 0;     ///< said by every pod
inline constexpr Topic kAnyDemand = 1;  ///< said by pods with a term that demands no one label

/// All that pods with these facts say, without repetition, ascending.
std::vector<Topic> topics_of(const PodFacts& pod);

/// Adds topics of which every pod that `selector` matches says one. Nothing for a selector that
/// matches nothing.
void listen_to_selected(const LabelSelector& selector, std::vector<Topic>& topics);

/// Adds topics of which every pod says one that has an affinity term which takes pods with these
/// labels.
void listen_to_demands(const Labels& labels, std::vector<Topic>& topics);

}  // namespace gedge
