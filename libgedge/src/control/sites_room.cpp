#include "gedge/control/sites_room.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "gedge/scale/site_split.hpp"

namespace gedge {
namespace {

bool is_of(const Facts& facts, const Pod& pod, const SiteWorkload& workload) {
  return pod.namespace_name == workload.namespace_name && pod.workload_name != workload.sample &&
         !pod.terminating && pod.phase != PodPhase::kSucceeded && pod.phase != PodPhase::kFailed &&
         workload.selector.matches(facts.spec_of(pod).labels);
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
  void remove(std::uint32_t replica);

 private:
  struct Site {
    Pod pod;  // a new one
    PodSpec spec;
    std::deque<PodName> bound, waiting;  // that no replica is yet
  };
  Status take_site(Facts& facts, const SiteWorkload& workload);
  Result<bool> place(const PodName& pod);
  void put(std::uint32_t replica, const Site& site);

  LiveCluster cluster_;
  std::vector<Site> sites_;
  std::map<std::uint32_t, PodName> held_;
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
  site.pod = *sample;
  site.spec = facts.spec_of(*sample);
  std::erase_if(facts.pods, is_sample);
  for (const Pod& pod : facts.pods) {
    if (!is_of(facts, pod, workload)) continue;
    if (!pod.bound_node.empty())
      site.bound.push_back(fact_name(pod));
    else if (waits(pod))
      site.waiting.push_back(fact_name(pod));
  }
  sites_.push_back(std::move(site));
  return {};
}

Status SitesRoom::Parts::take(Facts facts, RttMatrix rtt,
                              const std::vector<SiteWorkload>& workloads) {
  for (const SiteWorkload& workload : workloads) GEDGE_TRY(take_site(facts, workload));
  const auto is_own = [&](const Pod& pod) {
    return std::any_of(workloads.begin(), workloads.end(),
                       [&](const SiteWorkload& workload) { return is_of(facts, pod, workload); });
  };
  std::vector<PodName> others;
  for (const Pod& pod : facts.pods)
    if (waits(pod) && !is_own(pod)) others.push_back(fact_name(pod));
  cluster_.put(std::move(rtt));
  cluster_.put(std::move(facts));
  const auto placed = cluster_.place(others);
  if (!placed) return placed.error();
  return {};
}

Result<bool> SitesRoom::Parts::place(const PodName& pod) {
  const auto decisions = cluster_.place(std::span(&pod, 1));
  if (!decisions) return decisions.error();
  return !decisions->empty() && decisions->front().chosen;
}

void SitesRoom::Parts::put(std::uint32_t replica, const Site& site) {
  Facts facts;
  facts.files.emplace_back();
  facts.specs.push_back(site.spec);
  Pod pod = site.pod;
  pod.name = SharedText(pod.workload_name.str() + "-" + std::to_string(replica));
  pod.uid = SharedText();
  pod.ordinal = replica;
  pod.spec = SpecIndex{0};
  facts.pods.push_back(std::move(pod));
  cluster_.put(std::move(facts));
}

Result<bool> SitesRoom::Parts::add(std::uint32_t replica, std::uint32_t site) {
  Site& at = sites_[site];
  for (auto* const list : {&at.bound, &at.waiting}) {
    if (list->empty()) continue;
    PodName pod = list->front();
    list->pop_front();
    if (list == &at.waiting) {
      const auto fits = place(pod);
      if (!fits || !*fits) return fits;
    }
    held_.emplace(replica, std::move(pod));
    return true;
  }
  put(replica, at);
  PodName pod{at.pod.namespace_name,
              SharedText(at.pod.workload_name.str() + "-" + std::to_string(replica))};
  const auto fits = place(pod);
  if (fits && *fits)
    held_.emplace(replica, std::move(pod));
  else
    cluster_.remove(FactKind::kPod, pod.namespace_name, pod.name);
  return fits;
}

void SitesRoom::Parts::remove(std::uint32_t replica) {
  const auto at = held_.find(replica);
  if (at == held_.end()) return;
  cluster_.remove(FactKind::kPod, at->second.namespace_name, at->second.name);
  held_.erase(at);
}

SitesRoom::SitesRoom(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SitesRoom::~SitesRoom() = default;

Result<std::unique_ptr<SitesRoom>> SitesRoom::make(Facts facts, RttMatrix rtt, LiveOptions options,
                                                   std::vector<SiteWorkload> workloads) {
  auto parts = std::make_unique<Parts>(std::move(options));
  GEDGE_TRY(parts->take(std::move(facts), std::move(rtt), workloads));
  return std::unique_ptr<SitesRoom>(new SitesRoom(std::move(parts)));
}

Result<bool> SitesRoom::add(std::uint32_t replica, std::uint32_t site) {
  return parts_->add(replica, site);
}
Result<bool> SitesRoom::resize(std::uint32_t /*replica*/, std::int64_t /*amount*/) { return false; }
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
