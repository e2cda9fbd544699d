// snapshot/pod_digests.hpp - finds the distinct pods of some facts, and digests each once.
#pragma once

#include <deque>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"
#include "snapshot/requests.hpp"

namespace gedge {

/// `names`: four that are always there, then the extended ones, sorted.
std::optional<ResourceIndex> find_resource(std::span<const std::string> names,
                                           std::string_view name);

/// Distinct pods by index, and what they point to.
struct DistinctPods {
  std::vector<const PodFacts*> all;
  std::pmr::monotonic_buffer_resource memory;  // of the facts and their lists
  std::deque<Labels> merged;                   // of pods with labels of their own
};

/// The node of that name, if there is one.
using FindNode = std::function<std::optional<NodeIndex>(std::string_view name)>;

/// Goes through the pods of some facts, in their order.
class PodDigester {
 public:
  /// `names`: of the resources, by ResourceIndex, the extended ones sorted. All must outlive the
  /// digester; the facts also what it makes.
  PodDigester(const Facts& facts, const StateOptions& options, std::span<const std::string> names,
              DistinctPods& made);

  /// Specs that have come behind those of the facts. False, and nothing has changed, where one of
  /// them asks for a resource without a name here, or selects pods by a label that counted for
  /// nothing so far, or where any spec has delay budgets.
  bool take_new_specs();
  /// What pod number `i` of the facts shares with its equals.
  const PodFacts* next(std::uint32_t i, const FindNode& find_node);

 private:
  // Pods that agree here share one PodFacts.
  struct Key {
    std::uint32_t spec = 0;
    std::string_view namespace_name;
    const Labels* own = nullptr;
    const ControllerRef* controller = nullptr;
    std::string_view owner = {};
    std::string_view peer_name = {}, peer_workload = {}, peer_workload_kind = {};
    bool operator==(const Key& other) const;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  // The pod of a spec that came last, and whether those before it are among `by_key_`.
  struct Latest {
    std::uint32_t pod = kNone;
    const PodFacts* facts = nullptr;
    bool is_known = false;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  Key key_of(const Pod& pod) const;
  bool is_named(std::string_view name) const { return !peers_.empty() && peers_.contains(name); }
  bool is_plain(const PodSpec& spec) const;
  bool selects_by_known(const PodSpec& spec) const;
  const Labels& own_of(const Pod& pod) const;
  std::string_view owner_of(const Pod& pod) const;
  bool are_alike(const Pod& a, const Pod& b) const;
  const PodFacts* digest(const Pod& pod, const Key& key, const FindNode& find_node);
  void digest_budgets(const PodSpec& spec, const FindNode& find_node, PodFacts& facts);
  void digest_requests(const PodSpec& spec, PodFacts& facts);
  ResourceIndex column(std::string_view resource) const;

  const Facts& facts_;
  Compat compat_;
  std::span<const std::string> names_;
  DistinctPods& made_;
  bool only_selected_;
  std::unordered_set<std::string_view> selected_;  // keys of pods' labels; only looked up
  bool has_budgets_;                               // any spec
  std::unordered_set<std::string_view> peers_;     // only looked up
  std::unordered_map<Key, const PodFacts*, KeyHash> by_key_;  // only looked up
  std::vector<Latest> latest_;                                // [specs], of pods that nobody means
};

}  // namespace gedge
