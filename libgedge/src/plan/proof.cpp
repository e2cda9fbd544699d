// plan/proof.cpp
#include "plan/proof.hpp"

#include <algorithm>

#include "plan/what_if.hpp"

namespace gedge {
namespace {

// An explanation may cost as much as this many pods and nodes looked at, and at least a few plans.
constexpr std::size_t kWork = 200'000;
constexpr std::size_t kLeastPlans = 20, kMostPlans = 1000;
constexpr int kMostRounds = 10;

// Stops at the end of int64. Amounts are never negative.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kNoBound : sum;
}

bool is_amount_of(const Edit& edit, const std::string& node, const std::string& resource) {
  return edit.kind == Edit::Kind::kAddResource && edit.node == node && edit.name == resource;
}

}  // namespace

Proof::Proof(Session& session, const PlanRequest& request, PodIndex pod)
    : session_(session), request_(request), pod_(pod) {
  const ClusterState& cluster = session.cluster();
  left_ = std::clamp(kWork / (cluster.pod_count() + cluster.slots()), kLeastPlans, kMostPlans);
}

std::optional<Plan> Proof::plan_after(const EditSet& set, bool replan) {
  if (left_ == 0) return std::nullopt;
  --left_;
  if (!before_) {
    auto before = make_plan(request_);
    if (!before) return std::nullopt;
    before_ = *std::move(before);
  }
  std::vector<Edit> edits;
  for (const Candidate& c : set) edits.push_back(c.edit);
  auto edited = plan_edited(request_, *before_, edits, replan);
  if (!edited) return std::nullopt;
  return std::move(edited->plan);
}

std::optional<std::string> Proof::place_in(const Plan& plan) const {
  const Pod& pod = session_.cluster().pod(pod_);
  for (const Decision& d : plan.decisions)
    if (d.namespace_name == pod.namespace_name && d.pod == pod.name && d.chosen)
      return d.chosen->node;
  return std::nullopt;
}

std::optional<std::string> Proof::place_after(const EditSet& set, bool replan) {
  const auto plan = plan_after(set, replan);
  return plan ? place_in(*plan) : std::nullopt;
}

// Raises the amounts of `target` by what comes to it in `plan`. False where they suffice already.
bool Proof::add_room(EditSet& set, NodeIndex target, const Plan& plan) const {
  const ClusterState& cluster = session_.cluster();
  const std::string& name = cluster.node(target).name;
  std::vector<Amount> wanted = cluster.pod_facts(pod_).requests;
  wanted.push_back({ResourceIndex::kPodsColumn, 1});
  bool raised = false;
  for (const Amount& own : wanted) {
    if (own.amount == 0) continue;
    std::int64_t used = plus(cluster.requested(own.resource)[raw(target)], own.amount);
    for (const Decision& d : plan.decisions) {
      if (!d.chosen || d.chosen->node != name) continue;
      const auto other = cluster.find_pod(d.namespace_name, d.pod);
      if (!other || *other == pod_ || cluster.node_of(*other) == target) continue;
      const bool slots = own.resource == ResourceIndex::kPodsColumn;
      used = plus(used, slots ? 1 : cluster.pod_facts(*other).request(own.resource));
    }
    const std::int64_t has = cluster.allocatable(own.resource)[raw(target)];
    if (used <= has) continue;
    const std::string& resource = cluster.resource_name(own.resource);
    const auto known = std::find_if(set.begin(), set.end(), [&](const Candidate& c) {
      return is_amount_of(c.edit, name, resource);
    });
    if (known != set.end() && known->edit.amount >= used - has) continue;
    Edit edit;
    edit.kind = Edit::Kind::kAddResource;
    edit.node = name;
    edit.name = resource;
    edit.amount = used - has;
    Candidate more = candidate(std::move(edit), used - has, has);
    raised = true;
    if (known != set.end())
      *known = std::move(more);
    else
      set.push_back(std::move(more));
  }
  return raised;
}

std::optional<EditSet> Proof::with_room(EditSet set, NodeIndex target) {
  for (int round = 0; round < kMostRounds && !spent(); ++round) {
    const auto plan = plan_after(set, false);
    if (!plan) return std::nullopt;
    if (place_in(*plan)) return set;
    if (!add_room(set, target, *plan)) return std::nullopt;
  }
  return std::nullopt;
}

EditSet Proof::shrink(EditSet set) {
  for (std::size_t i = 0; set.size() > 1 && i < set.size() && !spent();) {
    EditSet fewer = set;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (place_after(fewer, false)) {
      set = std::move(fewer);
      i = 0;
    } else {
      ++i;
    }
  }
  return set;
}

}  // namespace gedge
