#include "plan/pod_groups.hpp"

#include <algorithm>

namespace gedge {

PodGroups::PodGroups(const ClusterState& cluster) {
  const Facts& facts = cluster.facts();
  if (facts.pod_groups.empty()) return;
  std::unordered_map<std::string, std::uint32_t> by_name;  // only looked up
  for (const PodGroup& group : facts.pod_groups) {
    const std::string name = group.namespace_name + "/" + group.name;
    if (!by_name.emplace(name, names_.size()).second) continue;
    names_.push_back(name);
    least_.push_back(group.min_member);
  }
  members_.resize(names_.size());
  std::vector<bool> may_be_member;  // by spec: many pods have one
  for (const PodSpec& spec : facts.specs)
    may_be_member.push_back(pod_group_name({}, spec) != nullptr);
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i) {
    const Pod& pod = cluster.pod(PodIndex{i});
    if (!may_be_member[raw(pod.spec)] && pod.extra_labels.empty()) continue;
    const std::string* name = pod_group_name(pod, facts.spec_of(pod));
    if (name == nullptr || pod.is_finished()) continue;
    const auto at = by_name.find(pod.namespace_name + "/" + *name);
    if (at == by_name.end()) continue;
    of_.emplace(i, at->second);
    members_[at->second].push_back(PodIndex{i});
  }
}

std::uint32_t PodGroups::of(PodIndex pod) const {
  const auto at = of_.find(raw(pod));
  return at == of_.end() ? kNone : at->second;
}

std::int64_t PodGroups::placed(const ClusterState& cluster, std::uint32_t group) const {
  return std::count_if(members_[group].begin(), members_[group].end(), [&](PodIndex pod) {
    return cluster.is_placed(pod) && !cluster.pod(pod).terminating;
  });
}

}  // namespace gedge
