#include "gedge/pin/topology_manager.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace gedge {

NumaMask NumaLayout::all() const {
  NumaMask mask = 0;
  for (const int id : ids) mask |= numa_bit(id);
  return mask;
}

double NumaLayout::mean_distance(NumaMask mask) const {
  if (distances.empty()) return 0;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < ids.size(); ++j) {
      if ((mask & numa_bit(ids[i])) == 0 || (mask & numa_bit(ids[j])) == 0) continue;
      sum += distances[i * ids.size() + j];
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

namespace {

using Lists = std::vector<std::vector<NumaHint>>;

// A provider that does not care takes any node, and one that cannot be served none it would like.
Lists complete(const std::vector<NumaHints>& providers) {
  Lists lists;
  for (const NumaHints& hints : providers) {
    if (!hints)
      lists.push_back({{std::nullopt, true}});
    else if (hints->empty())
      lists.push_back({{std::nullopt, false}});
    else
      lists.push_back(*hints);
  }
  return lists;
}

void keep_single_nodes(Lists& lists) {
  for (auto& list : lists)
    std::erase_if(list, [](const NumaHint& hint) {
      return !hint.preferred || (hint.nodes && count_of(*hint.nodes) != 1);
    });
}

// As many nodes as the neediest provider has to have.
int neediest(const Lists& lists) {
  int most = 0;
  for (const auto& list : lists) {
    int fewest = 0;
    for (const NumaHint& hint : list)
      if (hint.nodes && (fewest == 0 || count_of(*hint.nodes) < fewest))
        fewest = count_of(*hint.nodes);
    most = std::max(most, fewest);
  }
  return most;
}

struct Way {
  NumaMask nodes = 0;
  bool preferred = false;
  bool named = false;  // some provider named nodes, which is of interest as long as it is preferred

  auto operator<=>(const Way&) const = default;
};

class Merging {
 public:
  Merging(const NumaLayout& layout, KubeletForm form, const TopologyOptions& options, Lists lists)
      : layout_(layout),
        today_(form == KubeletForm::kToday),
        closest_(today_ && options.prefer_closest_numa_nodes &&
                 options.policy != TopologyPolicy::kSingleNumaNode),
        lists_(std::move(lists)),
        wanted_(neediest(lists_)) {}

  // A kubelet goes through every combination of hints. Which one wins is a strict order of what the
  // combinations come to, so that those which come to the same are gone on with once.
  Way best() {
    std::set<Way> ways{{layout_.all(), true, false}};
    for (const auto& list : lists_) {
      std::set<Way> longer;
      for (const Way& way : ways)
        for (const NumaHint& hint : list) longer.insert(joined(way, hint));
      ways = std::move(longer);
    }
    for (const Way& way : ways)
      if (way.nodes != 0) consider(way);
    return best_.value_or(Way{layout_.all(), false, false});
  }

 private:
  // Preferred only where all that name nodes name the same: those are what is left of all then.
  Way joined(Way way, const NumaHint& hint) const {
    const bool same = !today_ || !hint.nodes || !way.named || way.nodes == *hint.nodes;
    way.preferred = way.preferred && hint.preferred && same;
    if (hint.nodes) way.nodes &= *hint.nodes;
    way.named = way.preferred && (way.named || hint.nodes.has_value());
    return way;
  }

  void consider(const Way& way) {
    // 1.20 begins with all nodes, not preferred.
    if (!best_ && !today_) best_ = Way{layout_.all(), false, false};
    if (!best_ || wins(way, *best_)) best_ = way;
  }

  bool wins(const Way& way, const Way& best) const {
    if (way.preferred != best.preferred) return way.preferred;
    if (way.preferred || !today_) return is_better(way.nodes, best.nodes);
    const int size = count_of(way.nodes), now = count_of(best.nodes);
    if (now > wanted_) return is_better(way.nodes, best.nodes);
    if (now == wanted_) return size == wanted_ && is_better(way.nodes, best.nodes);
    if (size > wanted_) return false;
    return size != now ? size > now : is_better(way.nodes, best.nodes);
  }

  bool is_better(NumaMask a, NumaMask b) const {
    if (closest_ && count_of(a) == count_of(b)) {
      const double near = layout_.mean_distance(a), far = layout_.mean_distance(b);
      if (near != far) return near < far;
    }
    return is_narrower(a, b);
  }

  const NumaLayout& layout_;
  bool today_, closest_;
  Lists lists_;
  int wanted_;
  std::optional<Way> best_;
};

}  // namespace

MergedHint merge_hints(const NumaLayout& layout, KubeletForm form, const TopologyOptions& options,
                       const std::vector<NumaHints>& providers) {
  if (options.policy == TopologyPolicy::kNone) return {{}, true};
  const bool single = options.policy == TopologyPolicy::kSingleNumaNode;
  Lists lists = complete(providers);
  if (single) keep_single_nodes(lists);
  const Way best = Merging(layout, form, options, std::move(lists)).best();
  MergedHint merged{{best.nodes, best.preferred}, true};
  if (single && best.nodes == layout.all()) merged.hint.nodes.reset();
  merged.admitted = options.policy == TopologyPolicy::kBestEffort || best.preferred;
  return merged;
}

}  // namespace gedge
