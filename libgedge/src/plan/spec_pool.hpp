// plan/spec_pool.hpp - specs of pods that are told of one by one, each kept once.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gedge/model/pod.hpp"

namespace gedge {

class SpecPool {
 public:
  /// `specs` outlive it, and change through it alone.
  explicit SpecPool(std::vector<PodSpec>& specs) : specs_(specs) {}

  /// Where one lies that is the same; it is added where none is known.
  SpecIndex keep(const PodSpec& spec);
  /// Those that none of the pods has go, and the pods name the others as they lie then. There is
  /// room for `room` more, and for a quarter, before any moves again.
  void drop_unused(std::vector<Pod>& pods, std::size_t room);

 private:
  std::optional<SpecIndex> find(std::size_t hash, const PodSpec& spec) const;

  std::vector<PodSpec>& specs_;
  std::unordered_multimap<std::size_t, SpecIndex> by_hash_;  // only looked up
};

}  // namespace gedge
