#include "codec/seen_objects.hpp"

#include <xxhash.h>

namespace gedge::codec {

std::uint64_t SeenObjects::expect(std::string_view key) const {
  const std::uint64_t hash = XXH3_64bits(key.data(), key.size());
  index_.prefetch(hash);
  return hash;
}

std::pair<SeenObject&, bool> SeenObjects::try_emplace(std::string_view key, std::uint64_t hash) {
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

}  // namespace gedge::codec
