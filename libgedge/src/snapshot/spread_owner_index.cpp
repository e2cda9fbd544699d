#include "snapshot/spread_owner_index.hpp"

#include <algorithm>
#include <string_view>

#include "gedge/snapshot/hashed_places.hpp"
#include "gedge/snapshot/topics.hpp"
#include "snapshot/name_table.hpp"

namespace gedge {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  return (hash * kOdd) ^ more;
}

std::uint64_t hash_owner(std::string_view namespace_name, std::string_view kind,
                         std::string_view name) {
  return mix(hash_of_name(namespace_name, name), hash_name(kind));
}

}  // namespace

SpreadOwnerIndex::SpreadOwnerIndex(const std::vector<SpreadOwner>& owners) {
  std::vector<Topic> topics;
  for (const SpreadOwner& owner : owners) {
    topics.clear();
    listen_to_selected(owner.selector, topics);
    const std::uint64_t home = hash_name(owner.namespace_name);
    for (const Topic topic : topics) by_topic_[mix(home, topic)].push_back(&owner);
    by_name_[hash_owner(owner.namespace_name, owner.kind, owner.name)].push_back(&owner);
  }
}

std::vector<const SpreadOwner*> SpreadOwnerIndex::of(const PodFacts& pod) const {
  std::vector<const SpreadOwner*> found;
  const auto add = [&](const auto& index, std::uint64_t hash) {
    const auto at = index.find(hash);
    if (at != index.end()) found.insert(found.end(), at->second.begin(), at->second.end());
  };
  const std::uint64_t home = hash_name(pod.namespace_name());
  for (const Topic topic : topics_of(pod)) add(by_topic_, mix(home, topic));
  const auto& controller = pod.controller();
  add(by_name_, hash_owner(pod.namespace_name(), controller.kind, controller.name));
  std::erase_if(found, [&](const SpreadOwner* owner) {
    return owner->namespace_name != pod.namespace_name();
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace gedge
