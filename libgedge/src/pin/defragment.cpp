#include "gedge/pin/defragment.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace gedge {
namespace {

// A pod as it is asked for again: which of its CPUs are whose stands in a Layout.
struct Tenant {
  PodCpus asked;
  std::size_t first = 0;  // of its containers, in a layout
};

// Who holds what: [containers of all tenants].
using Layout = std::vector<CpuSet>;

// Containers that hold the same CPUs become one, named after all of them.
CpuAssignments::OfPod apart(const CpuAssignments::OfPod& pod) {
  std::vector<std::pair<std::string, CpuSet>> made;
  for (const auto& [name, cpus] : pod) {
    if (cpus.empty()) continue;
    std::pair<std::string, CpuSet> whole{{}, cpus};
    std::erase_if(made, [&](const auto& other) {
      if (!other.second.meets(whole.second)) return false;
      whole.first += other.first + '+';
      whole.second |= other.second;
      return true;
    });
    whole.first += name;
    made.push_back(std::move(whole));
  }
  return {made.begin(), made.end()};
}

// How many units stay whole where `held` CPUs are packed as closely as can be: `outside` of all
// units first, then into the largest ones.
int left_whole(std::vector<int> sizes, int outside, int held) {
  std::sort(sizes.begin(), sizes.end());
  int left = held - outside;
  while (left > 0 && !sizes.empty()) {
    left -= sizes.back();
    sizes.pop_back();
  }
  return static_cast<int>(sizes.size());
}

class Search {
 public:
  Search(const Kubelet& kubelet, std::size_t most_tries)
      : kubelet_(kubelet), most_tries_(most_tries) {
    Layout start;
    for (const auto& [uid, containers] : kubelet.cpus().assignments().pods) {
      Tenant tenant{{uid, {}}, start.size()};
      for (auto& [name, cpus] : apart(containers)) {
        tenant.asked.containers.push_back({name, ContainerRole::kApp, cpus.size()});
        held_ += cpus.size();
        start.push_back(cpus);
      }
      if (!tenant.asked.containers.empty()) tenants_.push_back(std::move(tenant));
    }
    usable_ = kubelet.cpus().assignments().shared;
    for (const CpuSet& cpus : start) usable_ |= cpus;
    seen_.insert(key_of(start));
    states_.push_back({std::move(start), 0, 0});
  }

  Defragmentation run() {
    Defragmentation found;
    found.total = whole_in(usable_ - kubelet_.cpus().reserved());
    found.possible = most_that_can_be();
    found.now = found.after = whole_in(free_in(states_.front().layout));
    std::size_t best = 0, tries = 0;
    for (std::size_t at = 0; at < states_.size() && found.after != found.possible; ++at)
      for (std::size_t who = 0; who < tenants_.size() && found.after != found.possible; ++who) {
        if (tries++ == most_tries_) {
          found.is_proven = false;
          return told(std::move(found), best);
        }
        if (!try_restart(at, who)) continue;
        const WholeUnits whole = whole_in(free_in(states_.back().layout));
        if (whole <= found.after) continue;
        found.after = whole;
        best = states_.size() - 1;
      }
    return told(std::move(found), best);
  }

 private:
  struct State {
    Layout layout;
    std::size_t before;  // the state that it was made of
    std::size_t who;     // by restarting this one
  };

  CpuSet free_in(const Layout& layout) const {
    CpuSet free = usable_ - kubelet_.cpus().reserved();
    for (const CpuSet& cpus : layout) free -= cpus;
    return free;
  }

  WholeUnits whole_in(const CpuSet& free) const {
    const CpuTopology& topology = kubelet_.cpus().topology();
    WholeUnits whole;
    for (const CpuUnit& node : topology.units(CpuLevel::kNuma)) {
      const CpuSet open = node.cpus - kubelet_.cpus().reserved();
      whole.nodes += !open.empty() && open.is_subset_of(free) ? 1 : 0;
    }
    for (const CpuUnit& core : topology.units(CpuLevel::kCore))
      whole.cores += core.cpus.is_subset_of(free) ? 1 : 0;
    return whole;
  }

  WholeUnits most_that_can_be() const {
    const CpuTopology& topology = kubelet_.cpus().topology();
    const CpuSet open = usable_ - kubelet_.cpus().reserved();
    std::vector<int> nodes, cores;
    for (const CpuUnit& node : topology.units(CpuLevel::kNuma))
      if (const int size = node.cpus.common(open); size > 0) nodes.push_back(size);
    int outside = 0;  // beside reserved CPUs
    for (const CpuUnit& core : topology.units(CpuLevel::kCore)) {
      if (core.cpus.is_subset_of(open))
        cores.push_back(core.cpus.size());
      else
        outside += core.cpus.common(open);
    }
    return {left_whole(std::move(nodes), 0, held_), left_whole(std::move(cores), outside, held_)};
  }

  // Tenants that ask for the same may change places.
  std::string key_of(const Layout& layout) const {
    std::vector<std::string> parts;
    for (const Tenant& tenant : tenants_) {
      std::string part;
      for (std::size_t i = 0; i < tenant.asked.containers.size(); ++i)
        part += to_string(layout[tenant.first + i]) + '/';
      parts.push_back(std::move(part));
    }
    std::sort(parts.begin(), parts.end());
    std::string key;
    for (const std::string& part : parts) key += part + ' ';
    return key;
  }

  // True where that leads to something new, which is then the last state.
  bool try_restart(std::size_t at, std::size_t who) {
    const Tenant& tenant = tenants_[who];
    CpuAssignments held;
    held.shared = usable_;
    for (const Tenant& other : tenants_)
      for (std::size_t i = 0; i < other.asked.containers.size(); ++i) {
        const CpuSet& cpus = states_[at].layout[other.first + i];
        if (&other == &tenant) continue;
        held.pods[other.asked.uid][other.asked.containers[i].container] = cpus;
        held.shared -= cpus;
      }
    kubelet_.resume(std::move(held));
    const PinAnswer answer = kubelet_.admit(tenant.asked);
    if (answer.refusal) return false;
    State next{states_[at].layout, at, who};
    for (std::size_t i = 0; i < answer.containers.size(); ++i)
      next.layout[tenant.first + i] = answer.containers[i].cpus;
    if (!seen_.insert(key_of(next.layout)).second) return false;
    states_.push_back(std::move(next));
    return true;
  }

  Defragmentation told(Defragmentation found, std::size_t best) const {
    for (std::size_t at = best; at != 0; at = states_[at].before) {
      const State& state = states_[at];
      const Tenant& tenant = tenants_[state.who];
      Restart restart{tenant.asked.uid, {}, whole_in(free_in(state.layout))};
      for (std::size_t i = 0; i < tenant.asked.containers.size(); ++i)
        restart.containers.push_back({tenant.asked.containers[i].container,
                                      states_[state.before].layout[tenant.first + i],
                                      state.layout[tenant.first + i]});
      found.restarts.push_back(std::move(restart));
    }
    std::reverse(found.restarts.begin(), found.restarts.end());
    return found;
  }

  Kubelet kubelet_;  // tries
  std::size_t most_tries_;
  std::vector<Tenant> tenants_;
  CpuSet usable_;  // shared or held
  int held_ = 0;
  std::vector<State> states_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Defragmentation defragment(const Kubelet& kubelet, std::size_t most_tries) {
  return Search(kubelet, most_tries).run();
}

}  // namespace gedge
