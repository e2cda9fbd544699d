#include "gedge/snapshot/hashed_places.hpp"

namespace gedge {

void HashedPlaces::forget(std::uint32_t place) {
  const auto [begin, end] = places_.equal_range(hashes_[place]);
  places_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == place; }));
}

void HashedPlaces::put(std::uint32_t place, std::size_t hash) {
  if (place == hashes_.size())
    hashes_.push_back(hash);
  else if (hashes_[place] == hash)
    return;
  else
    forget(place);
  hashes_[place] = hash;
  places_.emplace(hash, place);
}

void HashedPlaces::drop_last() {
  forget(static_cast<std::uint32_t>(hashes_.size() - 1));
  hashes_.pop_back();
}

}  // namespace gedge
