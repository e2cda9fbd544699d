#include "plan/live_storage.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

std::string_view space_of(const PersistentVolume&) { return {}; }
std::string_view space_of(const PersistentVolumeClaim& claim) { return claim.namespace_name; }

template <typename T>
std::uint32_t find(const std::vector<T>& all, const HashedPlaces& places,
                   std::string_view namespace_name, std::string_view name) {
  return places.find(hash_of_name(namespace_name, name), [&](std::uint32_t i) {
    return all[i].name == name && space_of(all[i]) == namespace_name;
  });
}

// A list that grows may move.
template <typename T>
void put_into(std::vector<T>& all, HashedPlaces& places, T&& object,
              std::vector<std::uint32_t>& news, bool& has_moved) {
  std::uint32_t at = find(all, places, space_of(object), object.name);
  if (at == HashedPlaces::kNowhere) {
    at = static_cast<std::uint32_t>(all.size());
    has_moved = has_moved || all.size() == all.capacity();
    all.push_back(std::forward<T>(object));
    places.put(at, hash_of_name(space_of(all.back()), all.back().name));
  } else {
    if (all[at] == object) return;
    all[at] = std::forward<T>(object);
  }
  news.push_back(at);
}

// The last one takes its place.
template <typename T>
bool remove_from(std::vector<T>& all, HashedPlaces& places, std::string_view namespace_name,
                 std::string_view name, std::vector<std::uint32_t>& news) {
  const std::uint32_t at = find(all, places, namespace_name, name);
  if (at == HashedPlaces::kNowhere) return false;
  const auto last = static_cast<std::uint32_t>(all.size() - 1);
  if (at != last) {
    all[at] = std::move(all[last]);
    places.put(at, places.hash_at(last));
    news.push_back(at);
  }
  all.pop_back();
  places.drop_last();
  news.push_back(last);
  return true;
}

void sort_places(std::vector<std::uint32_t>& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace

void LiveStorage::put(PersistentVolume&& volume) {
  put_into(facts_.volumes, volumes_, std::move(volume), news_.volumes, news_.all);
}

void LiveStorage::put(PersistentVolumeClaim&& claim) {
  put_into(facts_.claims, claims_, std::move(claim), news_.claims, news_.all);
}

bool LiveStorage::remove_volume(std::string_view name) {
  return remove_from(facts_.volumes, volumes_, {}, name, news_.volumes);
}

bool LiveStorage::remove_claim(const PodName& name) {
  return remove_from(facts_.claims, claims_, name.namespace_name, name.name, news_.claims);
}

const PersistentVolume* LiveStorage::find_volume(std::string_view name) const {
  const std::uint32_t at = find(facts_.volumes, volumes_, {}, name);
  return at == HashedPlaces::kNowhere ? nullptr : &facts_.volumes[at];
}

const PersistentVolumeClaim* LiveStorage::find_claim(std::string_view namespace_name,
                                                     std::string_view name) const {
  const std::uint32_t at = find(facts_.claims, claims_, namespace_name, name);
  return at == HashedPlaces::kNowhere ? nullptr : &facts_.claims[at];
}

PersistentVolume* LiveStorage::change_volume(std::string_view name) {
  const std::uint32_t at = find(facts_.volumes, volumes_, {}, name);
  if (at == HashedPlaces::kNowhere) return nullptr;
  news_.volumes.push_back(at);
  return &facts_.volumes[at];
}

PersistentVolumeClaim* LiveStorage::change_claim(std::string_view namespace_name,
                                                 std::string_view name) {
  const std::uint32_t at = find(facts_.claims, claims_, namespace_name, name);
  if (at == HashedPlaces::kNowhere) return nullptr;
  news_.claims.push_back(at);
  return &facts_.claims[at];
}

StorageNews LiveStorage::take_news() {
  StorageNews news = std::exchange(news_, {});
  sort_places(news.claims);
  sort_places(news.volumes);
  return news;
}

}  // namespace gedge
