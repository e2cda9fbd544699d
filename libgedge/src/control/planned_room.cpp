#include "gedge/control/planned_room.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/sized.hpp"
#include "gedge/scale/resize.hpp"

namespace gedge {
namespace {

const std::string* site_of(const Node& node, const SiteRules& rules) {
  return node.labels.find(rules.label);
}

bool is_of(const Pod& pod, const Autoscaler& autoscaler) {
  return pod.namespace_name == autoscaler.namespace_name &&
         pod.workload_kind == autoscaler.target.kind && pod.workload_name == autoscaler.target.name;
}

// What there is instead of a site that nobody knows.
std::string known_sites(const Facts& facts, const SiteRules& rules) {
  constexpr std::size_t kMost = 5;
  std::set<std::string> known;
  for (const Node& node : facts.nodes)
    if (const std::string* const own = site_of(node, rules)) known.insert(*own);
  if (known.empty()) return "; no node has that label";
  std::string text = "; there ";
  text += known.size() == 1 ? "is " : "are ";
  std::size_t said = 0;
  for (const std::string& site : known) {
    if (said++ == kMost) return text + " and " + std::to_string(known.size() - kMost) + " more";
    text += (said > 1 ? ", " : "") + site;
  }
  return text;
}

Status check_sites(const Facts& facts, const SiteRules& rules) {
  for (const std::string& site : rules.order) {
    const bool has_node =
        std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](const Node& node) {
          const std::string* const own = site_of(node, rules);
          return own != nullptr && *own == site;
        });
    if (!has_node)
      return invalid_input(
          "site '" + site + "' has no node", {},
          "nodes of it have the label " + rules.label + "=" + site + known_sites(facts, rules));
  }
  return {};
}

}  // namespace

SiteRtts site_rtts(const Facts& facts, const RttMatrix& rtt, std::string_view rtt_by,
                   const SiteRules& rules) {
  const std::size_t count = rules.order.size();
  std::vector<std::vector<NameIndex>> names(count);
  for (const Node& node : facts.nodes) {
    const std::string* const site = site_of(node, rules);
    if (site == nullptr) continue;
    const auto at = std::find(rules.order.begin(), rules.order.end(), *site);
    const std::string* const alias = rtt_by.empty() ? nullptr : node.labels.find(rtt_by);
    if (at == rules.order.end() || (!rtt_by.empty() && alias == nullptr)) continue;
    if (const auto name = rtt.find(alias ? *alias : node.name.str()))
      names[static_cast<std::size_t>(at - rules.order.begin())].push_back(*name);
  }
  std::vector<Rtt> cells(count * count, kUnmeasured);
  for (std::size_t from = 0; from < count; ++from)
    for (std::size_t to = 0; to < count; ++to) {
      Rtt& cell = cells[from * count + to];
      for (const NameIndex a : names[from])
        for (const NameIndex b : names[to]) {
          const Rtt found = rtt.between(a, b);
          if (found != kUnmeasured) cell = cell == kUnmeasured ? found : std::max(cell, found);
        }
    }
  return {count, std::move(cells)};
}

class PlannedRoom::Parts {
 public:
  Parts(LiveOptions options, SiteRules rules)
      : cluster_(std::move(options)), rules_(std::move(rules)) {}

  Status take(Facts facts, RttMatrix rtt, const Autoscaler& autoscaler);
  Result<bool> add(std::uint32_t replica, std::uint32_t site);
  Result<bool> resize(std::uint32_t replica, std::int64_t amount);
  void remove(std::uint32_t replica);

  LiveCluster cluster_;
  SiteRules rules_;
  std::int64_t base_ = 0;
  struct Held {
    std::uint32_t site = 0;
    std::int64_t amount = 0;
    SharedText node;
  };
  std::map<std::uint32_t, Held> held_;

 private:
  PodName name_of(std::uint32_t replica) const;
  Result<SharedText> ask(std::uint32_t replica, const Held& held);
  void put(std::uint32_t replica, const Held& held, bool is_there);

  Pod pod_;  // of the workload, without a node
  PodSpec spec_;
};

Status PlannedRoom::Parts::take(Facts facts, RttMatrix rtt, const Autoscaler& autoscaler) {
  GEDGE_TRY(check_sites(facts, rules_));
  const auto is_own = [&](const Pod& pod) { return is_of(pod, autoscaler); };
  const auto first = std::find_if(facts.pods.begin(), facts.pods.end(), is_own);
  if (first == facts.pods.end()) {
    Error missing = invalid_input("no pod of " + autoscaler.target.kind + " " +
                                      autoscaler.namespace_name + "/" + autoscaler.target.name,
                                  {}, "give its manifest, with a replica or more: `-f FILE`");
    missing.code = Errc::kNotFound;
    return missing;
  }
  pod_ = *first;
  spec_ = facts.spec_of(pod_);
  pod_.bound_node = SharedText();
  pod_.nominated_node = SharedText();
  pod_.uid = SharedText();
  pod_.phase = PodPhase::kPending;
  pod_.terminating = false;
  if (!rules_.up.resource.empty()) {
    const auto main = main_container(spec_, rules_.up.resource);
    if (!main)
      return invalid_input(
          "pods of " + autoscaler.target.name + " request no " + rules_.up.resource, {},
          "what they grow by is a multiple of what they request");
    base_ = spec_.containers[*main].requests.amount(rules_.up.resource);
    const GrowRule& up = rules_.up;
    if (up.most - base_ < up.step)
      return invalid_input("pods of " + autoscaler.target.name + " request " +
                               resource_text(up.resource, base_) + " of " + up.resource +
                               ", and one step more is above the most, " +
                               resource_text(up.resource, up.most),
                           {}, "write a larger `most`, or leave out `up`");
  }
  std::erase_if(facts.pods, is_own);
  std::vector<PodName> waiting;
  for (const Pod& pod : facts.pods)
    if (pod.bound_node.empty() && pod.phase == PodPhase::kPending && !pod.terminating)
      waiting.push_back(fact_name(pod));
  cluster_.put(std::move(rtt));
  cluster_.put(std::move(facts));
  const auto placed = cluster_.place(waiting);
  if (!placed) return placed.error();
  return {};
}

PodName PlannedRoom::Parts::name_of(std::uint32_t replica) const {
  return {pod_.namespace_name,
          SharedText(std::string(pod_.workload_name) + "-at-site-" + std::to_string(replica))};
}

void PlannedRoom::Parts::put(std::uint32_t replica, const Held& held, bool is_there) {
  Facts facts;
  facts.files.emplace_back();
  PodSpec spec = base_ > 0 ? sized(spec_, rules_.up.resource, held.amount) : spec_;
  spec.node_selector.set(rules_.label, rules_.order[held.site]);
  if (!held.node.empty()) spec.node_name = held.node;
  facts.specs.push_back(std::move(spec));
  Pod pod = pod_;
  pod.name = name_of(replica).name;
  pod.ordinal = replica;
  if (is_there) pod.bound_node = held.node;
  if (is_there) pod.phase = PodPhase::kRunning;
  facts.pods.push_back(std::move(pod));
  cluster_.put(std::move(facts));
}

// Where it would be; empty: nowhere. Then it is not there.
Result<SharedText> PlannedRoom::Parts::ask(std::uint32_t replica, const Held& held) {
  const PodName name = name_of(replica);
  put(replica, held, false);
  const auto decisions = cluster_.place(std::span(&name, 1));
  if (!decisions) return decisions.error();
  if (!decisions->empty() && decisions->front().chosen) return decisions->front().chosen->node;
  cluster_.remove(FactKind::kPod, name.namespace_name, name.name);
  return SharedText();
}

Result<bool> PlannedRoom::Parts::add(std::uint32_t replica, std::uint32_t site) {
  Held held{site, base_, {}};
  auto node = ask(replica, held);
  if (!node) return std::move(node).error();
  if (node->empty()) return false;
  held.node = *std::move(node);
  held_.insert_or_assign(replica, std::move(held));
  return true;
}

Result<bool> PlannedRoom::Parts::resize(std::uint32_t replica, std::int64_t amount) {
  Held& held = held_.at(replica);
  const PodName name = name_of(replica);
  Held then = held;
  then.amount = amount;
  cluster_.remove(FactKind::kPod, name.namespace_name, name.name);
  if (amount > held.amount) {
    const auto node = ask(replica, then);
    if (!node) return node.error();
    if (node->empty()) {
      put(replica, held, true);
      return false;
    }
  } else {
    put(replica, then, true);
  }
  held = std::move(then);
  return true;
}

void PlannedRoom::Parts::remove(std::uint32_t replica) {
  if (held_.erase(replica) == 0) return;
  const PodName name = name_of(replica);
  cluster_.remove(FactKind::kPod, name.namespace_name, name.name);
}

Result<PlannedRoom> PlannedRoom::make(Facts facts, RttMatrix rtt, LiveOptions options,
                                      const Autoscaler& autoscaler) {
  auto parts = std::make_unique<Parts>(std::move(options), autoscaler.sites.value_or(SiteRules{}));
  GEDGE_TRY(parts->take(std::move(facts), std::move(rtt), autoscaler));
  return PlannedRoom(std::move(parts));
}

PlannedRoom::PlannedRoom(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PlannedRoom::PlannedRoom(PlannedRoom&&) noexcept = default;
PlannedRoom& PlannedRoom::operator=(PlannedRoom&&) noexcept = default;
PlannedRoom::~PlannedRoom() = default;

Result<bool> PlannedRoom::add(std::uint32_t replica, std::uint32_t site) {
  return parts_->add(replica, site);
}
Result<bool> PlannedRoom::resize(std::uint32_t replica, std::int64_t amount) {
  return parts_->resize(replica, amount);
}
void PlannedRoom::remove(std::uint32_t replica) { parts_->remove(replica); }
std::int64_t PlannedRoom::base() const { return parts_->base_; }
SharedText PlannedRoom::node_of(std::uint32_t replica) const {
  const auto at = parts_->held_.find(replica);
  return at == parts_->held_.end() ? SharedText() : at->second.node;
}
LiveCluster& PlannedRoom::cluster() { return parts_->cluster_; }

}  // namespace gedge
