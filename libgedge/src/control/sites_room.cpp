#include "gedge/control/sites_room.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "control/sized.hpp"
#include "gedge/scale/site_split.hpp"

namespace gedge {
namespace {

bool is_selected(const Facts& facts, const Pod& pod, const SiteWorkload& workload) {
  return pod.namespace_name == workload.namespace_name && pod.workload_name != workload.sample &&
         workload.selector.matches(facts.spec_of(pod).labels);
}

bool is_of(const Facts& facts, const Pod& pod, const SiteWorkload& workload) {
  return !pod.terminating && pod.phase != PodPhase::kSucceeded && pod.phase != PodPhase::kFailed &&
         is_selected(facts, pod, workload);
}

bool waits(const Pod& pod) {
  return pod.bound_node.empty() && pod.phase == PodPhase::kPending && !pod.terminating;
}

}  // namespace

class SitesRoom::Parts {
 public:
  explicit Parts(LiveOptions options) : cluster_(std::move(options)) {}

  Status take(Facts facts, RttMatrix rtt, const std::vector<SiteWorkload>& workloads);
  Result<bool> add(std::uint32_t replica, std::uint32_t site);
  Result<bool> resize(std::uint32_t replica, std::int64_t amount);
  void remove(std::uint32_t replica);

 private:
  struct Known {
    Pod pod;
    PodSpec spec;
  };
  struct Site {
    Known made;  // a new one
    std::string grows_by;
    bool adds_first = false, in_place = false;
    std::deque<Known> bound, waiting;  // that no replica is yet
  };
  /// A replica, on a node.
  struct Held {
    std::uint32_t site = 0;
    Known first, now;  // as it was added, and what is in its place
  };
  Status take_site(Facts& facts, const SiteWorkload& workload);
  Result<bool> place(Known& pod);
  void put(const Known& pod);
  void remove(const Known& pod);
  Known another(const Site& site);

  LiveCluster cluster_;
  std::vector<Site> sites_;
  std::map<std::uint32_t, Held> held_;
  std::uint64_t made_ = 0;
};

// Its sample leaves the facts.
Status SitesRoom::Parts::take_site(Facts& facts, const SiteWorkload& workload) {
  const auto is_sample = [&](const Pod& pod) {
    return pod.namespace_name == workload.namespace_name && pod.workload_kind == workload.kind &&
           pod.workload_name == workload.sample;
  };
  const auto sample = std::find_if(facts.pods.begin(), facts.pods.end(), is_sample);
  if (sample == facts.pods.end())
    return Error{Errc::kNotFound, "nobody knows what pods " + workload.sample + " makes", {}, {}};
  Site site;
  site.made = {*sample, facts.spec_of(*sample)};
  site.made.pod.uid = SharedText();
  site.grows_by = workload.grows_by;
  site.adds_first = workload.adds_first && !workload.in_place;
  site.in_place = workload.in_place;
  std::erase_if(facts.pods, is_sample);
  for (const Pod& pod : facts.pods) {
    if (!is_of(facts, pod, workload)) continue;
    if (!pod.bound_node.empty())
      site.bound.push_back({pod, facts.spec_of(pod)});
    else if (waits(pod))
      site.waiting.push_back({pod, facts.spec_of(pod)});
  }
  // The least first, as HomeSize::sizes are.
  if (!site.grows_by.empty())
    std::stable_sort(site.bound.begin(), site.bound.end(), [&](const Known& a, const Known& b) {
      return main_amount(a.spec, site.grows_by) < main_amount(b.spec, site.grows_by);
    });
  sites_.push_back(std::move(site));
  return {};
}

Status SitesRoom::Parts::take(Facts facts, RttMatrix rtt,
                              const std::vector<SiteWorkload>& workloads) {
  for (const SiteWorkload& workload : workloads) GEDGE_TRY(take_site(facts, workload));
  const auto is_own = [&](const Pod& pod) {
    return std::any_of(workloads.begin(), workloads.end(), [&](const SiteWorkload& workload) {
      return is_selected(facts, pod, workload);
    });
  };
  // Those that are on the way out leave their places to whoever comes instead: he only waits a
  // little, and nobody has to stand in for him elsewhere.
  std::erase_if(facts.pods, [&](const Pod& pod) { return pod.terminating && is_own(pod); });
  std::vector<PodName> others;
  for (const Pod& pod : facts.pods)
    if (waits(pod) && !is_own(pod)) others.push_back(fact_name(pod));
  cluster_.put(std::move(rtt));
  cluster_.put(std::move(facts));
  const auto placed = cluster_.place(others);
  if (!placed) return placed.error();
  return {};
}

// It is on a node then.
Result<bool> SitesRoom::Parts::place(Known& known) {
  const PodName name = fact_name(known.pod);
  const auto decisions = cluster_.place(std::span(&name, 1));
  if (!decisions) return decisions.error();
  if (decisions->empty() || !decisions->front().chosen) return false;
  known.pod.bound_node = decisions->front().chosen->node;
  known.pod.phase = PodPhase::kRunning;
  return true;
}

void SitesRoom::Parts::put(const Known& known) {
  Facts facts;
  facts.files.emplace_back();
  facts.specs.push_back(known.spec);
  facts.pods.push_back(known.pod);
  facts.pods.front().spec = SpecIndex{0};
  cluster_.put(std::move(facts));
}

void SitesRoom::Parts::remove(const Known& known) {
  cluster_.remove(FactKind::kPod, known.pod.namespace_name, known.pod.name);
}

SitesRoom::Parts::Known SitesRoom::Parts::another(const Site& site) {
  Known known = site.made;
  known.pod.ordinal = static_cast<std::uint32_t>(made_);
  known.pod.name = SharedText(known.pod.workload_name.str() + "-" + std::to_string(made_++));
  return known;
}

Result<bool> SitesRoom::Parts::add(std::uint32_t replica, std::uint32_t site) {
  Site& at = sites_[site];
  for (auto* const list : {&at.bound, &at.waiting}) {
    if (list->empty()) continue;
    Known known = std::move(list->front());
    list->pop_front();
    if (list == &at.waiting) {
      auto fits = place(known);
      if (!fits || !*fits) return fits;
    }
    held_.emplace(replica, Held{site, known, known});
    return true;
  }
  Known known = another(at);
  put(known);
  auto fits = place(known);
  if (fits && *fits)
    held_.emplace(replica, Held{site, known, known});
  else
    remove(known);
  return fits;
}

// Whoever fails leaves all as it was.
Result<bool> SitesRoom::Parts::resize(std::uint32_t replica, std::int64_t amount) {
  Held& held = held_.at(replica);
  const Site& at = sites_[held.site];
  if (at.grows_by.empty()) return false;
  if (amount <= main_amount(held.now.spec, at.grows_by)) {
    const bool is_first = amount == main_amount(held.first.spec, at.grows_by);
    Known next = is_first ? held.first : another(at);
    remove(held.now);
    next.spec = sized(next.spec, at.grows_by, amount);
    if (next.pod.bound_node.empty()) next.pod.bound_node = held.now.pod.bound_node;
    next.pod.phase = PodPhase::kRunning;
    put(next);
    held.now = std::move(next);
    return true;
  }
  if (!at.adds_first) remove(held.now);
  Known next = another(at);
  next.spec = sized(next.spec, at.grows_by, amount);
  if (at.in_place) next.spec.node_name = held.now.pod.bound_node;
  put(next);
  auto fits = place(next);
  if (!fits || !*fits) {
    remove(next);
    if (!at.adds_first) put(held.now);
    return fits;
  }
  if (at.adds_first) remove(held.now);
  held.now = std::move(next);
  return true;
}

void SitesRoom::Parts::remove(std::uint32_t replica) {
  const auto at = held_.find(replica);
  if (at == held_.end()) return;
  remove(at->second.now);
  held_.erase(at);
}

SitesRoom::SitesRoom(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SitesRoom::~SitesRoom() = default;

Result<std::unique_ptr<SitesRoom>> SitesRoom::make(Facts facts, RttMatrix rtt, LiveOptions options,
                                                   const std::vector<SiteWorkload>& workloads) {
  auto parts = std::make_unique<Parts>(std::move(options));
  GEDGE_TRY(parts->take(std::move(facts), std::move(rtt), workloads));
  return std::unique_ptr<SitesRoom>(new SitesRoom(std::move(parts)));
}

Result<bool> SitesRoom::add(std::uint32_t replica, std::uint32_t site) {
  return parts_->add(replica, site);
}
Result<bool> SitesRoom::resize(std::uint32_t replica, std::int64_t amount) {
  return parts_->resize(replica, amount);
}
void SitesRoom::remove(std::uint32_t replica) { parts_->remove(replica); }

std::vector<PodCost> deletion_costs(const Facts& facts, const RttMatrix& rtt,
                                    const std::string& rtt_by, const SiteRules& rules,
                                    const SiteWorkload& workload) {
  const auto name_of = [&](const Node& node) -> std::optional<NameIndex> {
    const std::string* const alias = rtt_by.empty() ? nullptr : node.labels.find(rtt_by);
    if (!rtt_by.empty() && alias == nullptr) return std::nullopt;
    return rtt.find(alias ? *alias : node.name.str());
  };
  std::vector<NameIndex> home;
  std::map<SharedText, NameIndex> nodes;
  for (const Node& node : facts.nodes) {
    const auto name = name_of(node);
    if (!name) continue;
    nodes.emplace(node.name, *name);
    const std::string* const site = node.labels.find(rules.label);
    if (site != nullptr && *site == rules.order.front()) home.push_back(*name);
  }
  std::vector<PodCost> costs;
  for (const Pod& pod : facts.pods) {
    const auto node = nodes.find(pod.bound_node);
    if (node == nodes.end() || !is_of(facts, pod, workload)) continue;
    std::uint64_t sum = 0, count = 0;
    for (const NameIndex from : home) {
      const Rtt one = from == node->second ? Rtt{0} : rtt.between(from, node->second);
      if (one == kUnmeasured) continue;
      sum += one.us;
      ++count;
    }
    const Rtt mean = count > 0 ? Rtt{static_cast<std::uint32_t>(sum / count)} : kUnmeasured;
    if (const auto cost = deletion_cost(mean))
      costs.push_back({pod.namespace_name.str(), pod.name.str(), pod.uid.str(), *cost});
  }
  const bool differ = std::any_of(costs.begin(), costs.end(), [&](const PodCost& one) {
    return one.cost != costs.front().cost;
  });
  return differ ? costs : std::vector<PodCost>{};
}

}  // namespace gedge
