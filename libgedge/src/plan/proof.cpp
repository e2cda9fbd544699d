// plan/proof.cpp
#include "plan/proof.hpp"

#include <algorithm>
#include <utility>

#include "plan/run_plan.hpp"

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

std::vector<Edit> edits_of(const EditSet& set) {
  std::vector<Edit> edits;
  for (const Candidate& c : set) edits.push_back(c.edit);
  return edits;
}

}  // namespace

Proof::Proof(Session& session, const PlanRequest& request, PodIndex pod,
             std::vector<Decision>* decided)
    : session_(session), request_(request), pod_(pod), decided_(decided) {
  const ClusterState& cluster = session.cluster();
  left_ = std::clamp(kWork / (cluster.pod_count() + cluster.slots()), kLeastPlans, kMostPlans);
}

Result<std::unique_ptr<WhatIfSession>> Proof::finish_plan() {
  std::vector<Decision> decided = std::move(*std::exchange(decided_, nullptr));
  session_.decide(Group(&pod_, 1), decided);
  auto plan = run_plan(session_, request_, std::move(decided));
  if (!plan) return std::move(plan).error();
  return WhatIfSession::over(session_, request_, *std::move(plan));
}

WhatIfSession* Proof::what_ifs() {
  if (what_ifs_) return what_ifs_.get();
  auto started = decided_ != nullptr ? finish_plan() : WhatIfSession::start(request_);
  if (started) what_ifs_ = *std::move(started);
  return what_ifs_.get();
}

std::optional<WhatIfAnswer> Proof::answer_after(const EditSet& set) {
  if (left_ == 0 || what_ifs() == nullptr) return std::nullopt;
  --left_;
  auto answer = what_ifs_->answer(edits_of(set));
  if (!answer) return std::nullopt;
  return *std::move(answer);
}

std::optional<std::string> Proof::place_in(const std::vector<Decision>& decisions) const {
  const Pod& pod = session_.cluster().pod(pod_);
  for (const Decision& d : decisions)
    if (d.namespace_name == pod.namespace_name && d.pod == pod.name && d.chosen)
      return d.chosen->node;
  return std::nullopt;
}

std::optional<std::string> Proof::place_in(const WhatIfAnswer& answer, const EditSet& set) const {
  const Pod& pod = session_.cluster().pod(pod_);
  const auto is_this = [&](const auto& of) {
    return of.namespace_name == pod.namespace_name && of.pod == pod.name;
  };
  const auto names_it = [&](const Candidate& c) {
    return c.edit.namespace_name == pod.namespace_name && c.edit.name == pod.name;
  };
  const bool stayed = std::none_of(answer.decided.begin(), answer.decided.end(), is_this) &&
                      std::none_of(set.begin(), set.end(), names_it);
  return place_in(stayed ? what_ifs_->before().decisions : answer.decided);
}

std::optional<std::string> Proof::place_replanned(const EditSet& set) {
  if (left_ == 0 || what_ifs() == nullptr) return std::nullopt;
  --left_;
  const auto answer = what_ifs_->whole(edits_of(set), true);
  return answer ? place_in(answer->after.decisions) : std::nullopt;
}

std::optional<std::string> Proof::place_after(const EditSet& set, bool replan) {
  if (replan) return place_replanned(set);
  const auto answer = answer_after(set);
  return answer ? place_in(*answer, set) : std::nullopt;
}

// Raises the amounts of `target` by what comes to it. False where they suffice already.
bool Proof::add_room(EditSet& set, NodeIndex target, const WhatIfAnswer& answer) const {
  const ClusterState& cluster = session_.cluster();
  const std::string& name = cluster.node(target).name;
  const std::span<const Amount> requests = cluster.pod_facts(pod_).requests;
  std::vector<Amount> wanted(requests.begin(), requests.end());
  wanted.push_back({ResourceIndex::kPodsColumn, 1});
  bool raised = false;
  for (const Amount& own : wanted) {
    if (own.amount == 0) continue;
    std::int64_t used = plus(cluster.requested(own.resource)[raw(target)], own.amount);
    for (const Decision& d : answer.decided) {
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
    const auto answer = answer_after(set);
    if (!answer) return std::nullopt;
    if (place_in(*answer, set)) return set;
    if (!add_room(set, target, *answer)) return std::nullopt;
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
