// plan/classes.cpp
#include "plan/classes.hpp"

#include <algorithm>

namespace gedge {
namespace {

// Every live class is told of every bind: more of them cost more than preparing one anew now and
// then.
constexpr std::size_t kMaxLive = 64;

std::string sign(const PodFacts& pod, const std::vector<FilterSlot>& filters,
                 const std::vector<ScoreSlot>& scores) {
  Signature signature;
  for (const FilterSlot& slot : filters)
    if (!slot.policy->sign(pod, signature)) return {};
  for (const ScoreSlot& slot : scores)
    if (!slot.policy->sign(pod, signature)) return {};
  signature.add("end");  // never empty: empty means "no signature"
  return signature.bytes();
}

}  // namespace

PreparedClass& ClassCache::get(PodIndex pod) {
  catch_up();
  const PodFacts& facts = cluster_->pod_facts(pod);
  const ClassContext context{*cluster_, facts, cluster_->joint_group(pod)};
  auto [known, fresh] = signature_of_.try_emplace(&facts);
  if (fresh) known->second = sign(facts, *filters_, *scores_);
  if (known->second.empty() || context.joint_group != 0) {
    single_ = prepare(context);
    return single_;
  }
  auto at = live_.find(known->second);
  if (at == live_.end()) {
    make_room();
    at = live_.emplace(known->second, prepare(context)).first;
  }
  at->second.last_used = ++clock_;
  return at->second;
}

void ClassCache::catch_up() {
  const auto changes = cluster_->since(epoch_);
  epoch_ = cluster_->epoch();
  if (changes.empty()) return;
  const bool one_pod = changes.size() == 1 && cluster_->static_epoch() == static_epoch_;
  static_epoch_ = cluster_->static_epoch();
  if (!one_pod) {
    live_.clear();
    return;
  }
  for (auto& [signature, prepared] : live_) tell(prepared, changes.front());
}

PreparedClass ClassCache::prepare(const ClassContext& context) const {
  PreparedClass prepared;
  prepared.sample = &context.pod;
  for (const FilterSlot& slot : *filters_)
    prepared.filters.push_back(slot.policy->prepare(context));
  for (const ScoreSlot& slot : *scores_) prepared.scores.push_back(slot.policy->prepare(context));
  return prepared;
}

void ClassCache::tell(PreparedClass& prepared, const Change& change) const {
  const ClassContext context{*cluster_, *prepared.sample, 0};
  const int delta = change.kind == Change::Kind::kBind ? 1 : -1;
  Touched touched{NodeMask(cluster_->slots()), false};
  for (std::size_t i = 0; i < filters_->size(); ++i)
    if (prepared.filters[i])
      (*filters_)[i].policy->on_pod(*prepared.filters[i], context, change.pod, change.node, delta,
                                    touched);
  for (std::size_t i = 0; i < scores_->size(); ++i)
    if (prepared.scores[i])
      (*scores_)[i].policy->on_pod(*prepared.scores[i], context, change.pod, change.node, delta,
                                   touched);
}

void ClassCache::make_room() {
  if (live_.size() < kMaxLive) return;
  const auto oldest = std::min_element(
      live_.begin(), live_.end(),
      [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; });
  live_.erase(oldest);
}

}  // namespace gedge
