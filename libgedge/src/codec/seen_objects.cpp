#include "codec/seen_objects.hpp"

#include <xxhash.h>

namespace gedge::codec {

std::pair<SeenObject&, bool> SeenObjects::try_emplace(std::string_view key) {
  const std::uint64_t hash = XXH3_64bits(key.data(), key.size());
  const auto next = static_cast<std::uint32_t>(entries_.size());
  const std::uint32_t at = index_.find_or_add(hash, next, [&](std::uint32_t i) {
    return std::string_view(entries_[i].key, entries_[i].length) == key;
  });
  if (at < next) return {entries_[at].object, false};
  const std::string_view kept = keys_.copy(key);
  Entry& entry =
      entries_.push_back(Entry{kept.data(), static_cast<std::uint32_t>(kept.size()), {}});
  return {entry.object, true};
}

// Most pods are in the namespace of the one before.
std::uint64_t SeenPods::expect(std::string_view space, std::string_view name) {
  if (space != last_space_) {
    last_space_ = space;
    last_seed_ = XXH3_64bits(space.data(), space.size());
  }
  const std::uint64_t hash = XXH3_64bits_withSeed(name.data(), name.size(), last_seed_);
  index_.expect(hash);
  return hash;
}

std::uint32_t SeenPods::find_or_add(std::string_view space, std::string_view name,
                                    std::uint64_t hash) {
  return index_.find_or_add(hash, static_cast<std::uint32_t>(pods_.size()), [&](std::uint32_t i) {
    if (i >= pods_.size()) return false;  // there was no memory for it
    const Pod& pod = pods_[i].pod;
    return pod.name == name && pod.namespace_name == space;
  });
}

}  // namespace gedge::codec
