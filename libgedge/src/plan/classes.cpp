// plan/classes.cpp
#include "plan/classes.hpp"

#include <algorithm>

namespace gedge {
namespace {

// Every live class is told of every bind, and keeps some 40 bytes a row: more of them cost more
// than preparing one anew now and then.
constexpr std::size_t kLeastLive = 64, kMostLive = 256, kMostLiveRows = 1'280'000;

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
  Live* found = live(pod);
  return found != nullptr ? found->prepared : single(pod);
}

PreparedClass& ClassCache::once(PodIndex pod) {
  if (!boards_) return get(pod);
  const auto known = known_.find(&cluster_->pod_facts(pod));
  const bool is_live = known != known_.end() && known->second.live != nullptr &&
                       known->second.generation == generation_ && cluster_->joint_group(pod) == 0;
  return is_live ? known->second.live->prepared : single(pod);
}

PreparedClass& ClassCache::single(PodIndex pod) {
  single_ = prepare({*cluster_, cluster_->pod_facts(pod), cluster_->joint_group(pod)});
  return single_;
}

Board* ClassCache::board(PodIndex pod) {
  if (!boards_) return nullptr;
  Live* found = live(pod);
  if (found == nullptr || !found->suits_board) return nullptr;
  if (!found->board)
    found->board = std::make_unique<Board>(*cluster_, *filters_, *scores_, found->prepared,
                                           tie_keys_(std::string(signature(pod))));
  return found->board.get();
}

// Null for a class that is seen for the first time, and for pods that are no class.
ClassCache::Live* ClassCache::live(PodIndex pod) {
  follow();
  const PodFacts& facts = cluster_->pod_facts(pod);
  const ClassContext context{*cluster_, facts, cluster_->joint_group(pod)};
  auto [at, fresh] = known_.try_emplace(&facts);
  Known& known = at->second;
  if (fresh) known.signature = sign(facts, *filters_, *scores_);
  if (known.signature.empty() || context.joint_group != 0) return nullptr;
  if (known.live == nullptr || known.generation != generation_) {
    const bool is_new = seen_.insert(std::hash<std::string>()(known.signature)).second;
    if (is_new && boards_) return nullptr;
    known.live = live(known, context);
    known.generation = generation_;
  }
  known.live->last_used = ++clock_;
  return known.live;
}

ClassCache::Live* ClassCache::live(Known& known, const ClassContext& context) {
  if (const auto at = live_.find(known.signature); at != live_.end()) return &at->second;
  make_room();
  Live& made = live_[known.signature];
  made.prepared = prepare(context);
  made.reads_domains = reads_domains(made.prepared);
  made.suits_board = boards_ && Board::suits(*filters_, *scores_, made.prepared, context);
  return &made;
}

void ClassCache::follow() {
  const auto changes = cluster_->since(epoch_);
  epoch_ = cluster_->epoch();
  if (changes.empty()) return;
  const bool is_static = cluster_->static_epoch() != static_epoch_;
  static_epoch_ = cluster_->static_epoch();
  if (changes.size() > 1) {
    if (is_static) static_answers_.forget();
    live_.clear();
    ++generation_;
  } else if (is_static) {
    follow_facts(changes.front());
  } else {
    for (auto& [signature, entry] : live_) tell(entry, changes.front());
  }
}

void ClassCache::follow_facts(const Change& change) {
  const FactsChange facts{change.kind == Change::Kind::kSetRtt ? kNoNode : change.node,
                          change.parts};
  Touched shared;
  const bool followed = static_answers_.follow(*cluster_, facts, shared);
  if (!followed) static_answers_.forget();
  const auto is_void = [&](const auto& entry) {
    return !followed || !tell_facts(entry.second, facts, shared);
  };
  if (std::erase_if(live_, is_void) > 0) ++generation_;
}

PreparedClass ClassCache::prepare(const ClassContext& context) {
  PreparedClass prepared;
  prepared.sample = &context.pod;
  const auto own = [&](const Policy& policy) {
    return prepared.own.emplace_back(policy.prepare(context)).get();
  };
  for (std::size_t i = 0; i < filters_->size(); ++i) {
    const FilterPolicy& policy = *(*filters_)[i].policy;
    const StaticRows* rows = boards_ ? static_answers_.rows(i, policy, context) : nullptr;
    prepared.filters.push_back(rows != nullptr ? rows->state.get() : own(policy));
    prepared.static_filters.push_back(rows);
  }
  for (std::size_t i = 0; i < scores_->size(); ++i) {
    const ScorePolicy& policy = *(*scores_)[i].policy;
    const StaticScores* scores = boards_ ? static_answers_.scores(i, policy, context) : nullptr;
    prepared.scores.push_back(scores != nullptr ? scores->state.get() : own(policy));
    prepared.static_scores.push_back(scores);
  }
  return prepared;
}

bool ClassCache::reads_domains(const PreparedClass& prepared) const {
  for (std::size_t i = 0; i < filters_->size(); ++i)
    if (prepared.filters[i] && ((*filters_)[i].policy->reads() & kDomains) != 0) return true;
  for (std::size_t i = 0; i < scores_->size(); ++i)
    if (prepared.scores[i] && ((*scores_)[i].policy->reads() & kDomains) != 0) return true;
  return false;
}

void ClassCache::tell(Live& live, const Change& change) const {
  const ClassContext context{*cluster_, *live.prepared.sample, 0};
  const int delta = change.kind == Change::Kind::kBind ? 1 : -1;
  for (std::size_t i = 0; i < filters_->size(); ++i)
    if (live.prepared.filters[i] && !live.prepared.static_filters[i])
      (*filters_)[i].policy->on_pod(*live.prepared.filters[i], context, change.pod, change.node,
                                    delta, live.touched);
  for (std::size_t i = 0; i < scores_->size(); ++i)
    if (live.prepared.scores[i] && !live.prepared.static_scores[i])
      (*scores_)[i].policy->on_pod(*live.prepared.scores[i], context, change.pod, change.node,
                                   delta, live.touched);
  if (!live.board) return;
  live.board->mark(change.node);
  if (!live.reads_domains) return;
  if (!live.touched.all && live.touched.rows.size() == 0) return;  // made by the first row
  live.board->mark(live.touched);
  live.touched = {};
}

// `shared`: rows whose shared static answers changed.
bool ClassCache::tell_facts(const Live& live, const FactsChange& change,
                            const Touched& shared) const {
  const ClassContext context{*cluster_, *live.prepared.sample, 0};
  Touched touched;
  const auto follows = [&](const Policy& policy, ClassState* state) {
    return policy.on_facts(state, context, change, touched);
  };
  for (std::size_t i = 0; i < filters_->size(); ++i)
    if (!live.prepared.static_filters[i] &&
        !follows(*(*filters_)[i].policy, live.prepared.filters[i]))
      return false;
  for (std::size_t i = 0; i < scores_->size(); ++i)
    if (!live.prepared.static_scores[i] && !follows(*(*scores_)[i].policy, live.prepared.scores[i]))
      return false;
  if (!live.board) return true;
  if (change.node != kNoNode) live.board->mark(change.node);
  live.board->mark(shared);
  live.board->mark(touched);
  return true;
}

void ClassCache::make_room() {
  const std::size_t by_rows = kMostLiveRows / std::max<std::size_t>(cluster_->slots(), 1);
  if (live_.size() < std::clamp(by_rows, kLeastLive, kMostLive)) return;
  const auto oldest = std::min_element(
      live_.begin(), live_.end(),
      [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; });
  live_.erase(oldest);
  ++generation_;
}

}  // namespace gedge
