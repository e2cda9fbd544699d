#include "plan/spec_pool.hpp"

#include <limits>
#include <utility>

#include "plan/same_pod.hpp"

namespace gedge {

// Where many have one hash they differ in what it leaves out, and are hardly shared.
std::optional<SpecIndex> SpecPool::find(std::size_t hash, const PodSpec& spec) const {
  constexpr int kMostCompared = 8;
  auto [at, end] = by_hash_.equal_range(hash);
  for (int i = 0; at != end && i < kMostCompared; ++at, ++i)
    if (same_spec(specs_[raw(at->second)], spec)) return at->second;
  return std::nullopt;
}

SpecIndex SpecPool::keep(const PodSpec& spec) {
  const std::size_t hash = hash_spec(spec);
  if (const auto known = find(hash, spec)) return *known;
  const SpecIndex index{static_cast<std::uint32_t>(specs_.size())};
  specs_.push_back(spec);
  specs_.back().place = {};
  by_hash_.emplace(hash, index);
  return index;
}

void SpecPool::drop_unused(std::vector<Pod>& pods, std::size_t room) {
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> now(specs_.size(), kUnused);
  std::vector<SpecIndex> used;
  for (Pod& pod : pods) {
    std::uint32_t& index = now[raw(pod.spec)];
    if (index == kUnused) {
      index = static_cast<std::uint32_t>(used.size());
      used.push_back(pod.spec);
    }
    pod.spec = SpecIndex{index};
  }
  std::vector<PodSpec> specs;
  specs.reserve(used.size() + used.size() / 4 + room);
  for (const SpecIndex before : used) specs.push_back(std::move(specs_[raw(before)]));
  specs_ = std::move(specs);
  by_hash_.clear();
  for (std::uint32_t i = 0; i < specs_.size(); ++i)
    by_hash_.emplace(hash_spec(specs_[i]), SpecIndex{i});
}

}  // namespace gedge
