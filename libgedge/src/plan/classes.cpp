// plan/classes.cpp
#include "plan/classes.hpp"

#include <algorithm>
#include <utility>

#include "plan/fetch_ahead.hpp"
#include "plan/normalize.hpp"

namespace gedge {
namespace {

// Every board is told of every bind, and keeps some 40 bytes a row: more of them cost more than
// asking anew now and then.
constexpr std::size_t kLeastBoards = 64, kMostBoards = 256, kMostBoardRows = 1'280'000;
// Classes keep a few masks where they share a board, else columns.
constexpr std::size_t kLeastClasses = 64, kMostClassBytes = std::size_t{64} << 20;
constexpr std::size_t kMaskBytes = 1, kColumnBytes = 40;  // a row

bool bars(const FilterPolicy& policy) {
  return policy.keeps_barred() && (policy.reads() & kOpaque) == 0;
}

bool reads_domains(const ScorePolicy& policy) { return (policy.reads() & kDomains) != 0; }

bool sign_by(const std::vector<const Policy*>& policies, const PodFacts& pod,
             Signature& signature) {
  for (const Policy* const policy : policies)
    if (!policy->sign(pod, signature)) return false;
  return true;
}

std::size_t hash_of(std::string_view bytes, std::size_t salt) {
  return std::hash<std::string_view>()(bytes) + salt;
}

}  // namespace

struct ClassCache::Split {
  AskedPolicies asked;                    // by the board
  std::vector<std::size_t> of_the_class;  // asked scores that no other class shares
};

ClassCache::ClassCache(const ClusterState& cluster, const std::vector<FilterSlot>& filters,
                       const std::vector<ScoreSlot>& scores, TieKeys tie_keys, bool boards)
    : cluster_(&cluster),
      filters_(&filters),
      scores_(&scores),
      tie_keys_(std::move(tie_keys)),
      has_boards_(boards),
      epoch_(cluster.epoch()),
      static_epoch_(cluster.static_epoch()) {
  for (std::size_t i = 0; i < filters.size(); ++i)
    (bars(*filters[i].policy) ? own_policies_ : shared_).filters.push_back(i);
  for (std::size_t i = 0; i < scores.size(); ++i)
    (reads_domains(*scores[i].policy) ? own_policies_ : shared_).scores.push_back(i);
  shared_signers_ = signers(shared_);
  own_signers_ = signers(own_policies_);
  at_once_.kept.resize(own_policies_.filters.size());
}

PreparedClass& ClassCache::get(PodIndex pod) {
  Live* found = live(pod);
  return found != nullptr ? found->prepared : single(pod);
}

PreparedClass& ClassCache::once(PodIndex pod) {
  if (!has_boards_) return get(pod);
  const Known* found = find(pod);
  const bool is_live = found != nullptr && found->live != nullptr &&
                       found->generation == generation_ && cluster_->joint_group(pod) == 0;
  return is_live ? found->live->prepared : single(pod);
}

PreparedClass& ClassCache::single(PodIndex pod) {
  const PodFacts& facts = cluster_->pod_facts(pod);
  if (single_.sample == nullptr) single_ = PreparedClass(&facts, *filters_, *scores_);
  single_.restart(&facts);
  prepare({*cluster_, facts, cluster_->joint_group(pod)}, single_);
  return single_;
}

bool ClassCache::choose(PodIndex pod, Choice& choice) {
  if (!has_boards_) return false;
  follow();
  const ClassContext context{*cluster_, cluster_->pod_facts(pod), cluster_->joint_group(pod)};
  const bool comes_again = note_asked(context.pod);
  if (!comes_again) fetch_ahead(*cluster_, pod);
  if (is_passed_over(comes_again)) return false;
  if (Boarded* const board = comes_again ? nullptr : board_at_once(context)) {
    board->board->choose(context, exclusions_, choice);
    return true;
  }
  Live* found = live(pod, known(context.pod), comes_again);
  if (found == nullptr || found->shared == nullptr) return false;
  exclusions_.clear();
  for (const std::size_t i : found->beside.filters)
    if (const NodeMask* barred = (*filters_)[i].policy->barred(found->prepared.filters[i]))
      exclusions_.push_back({i, barred, Exclusion::Mask::kBarred});
  found->shared->board->choose(context, exclusions_, choice);
  for (const std::size_t i : found->beside.scores) {
    const ScoreSlot& slot = (*scores_)[i];
    const ClassState* state = found->prepared.scores[i];
    const std::int64_t score =
        normalized_alone(slot.policy->normalize(context, state), *slot.policy->constant(state));
    if (choice.winner != kNoNode)
      choice.winner_total = plus_weighted(choice.winner_total, slot.weight, score);
    if (choice.runner_up != kNoNode)
      choice.runner_up_total = plus_weighted(choice.runner_up_total, slot.weight, score);
  }
  return true;
}

// What the policies read of a pod: first of those that every board asks, then of the others. Lives
// until the next call.
std::string_view ClassCache::sign(const PodFacts& pod, Known& known) {
  known.is_unique = true;
  if (!sign_shared(pod)) return {};
  own_.clear();
  if (!sign_by(own_signers_, pod, own_)) return {};
  known.is_unique = false;
  known.shared = signed_.bytes().size();
  signed_.append(own_);
  return signed_.bytes();
}

std::vector<const Policy*> ClassCache::signers(const AskedPolicies& policies) const {
  std::vector<const Policy*> all;
  for (const std::size_t i : policies.filters) all.push_back((*filters_)[i].policy.get());
  for (const std::size_t i : policies.scores) all.push_back((*scores_)[i].policy.get());
  return all;
}

// Into signed_. False: no two pods are equal.
bool ClassCache::sign_shared(const PodFacts& pod) {
  signed_.clear();
  if (!sign_by(shared_signers_, pod, signed_)) return false;
  signed_.add("end");  // never empty: empty means "unknown"
  return true;
}

// The board for a pod that is like no other so far, where all that it has for itself is found at
// once, into exclusions_: no class is made of it. Null where that is not so, and where the board is
// not known to be worth it.
ClassCache::Boarded* ClassCache::board_at_once(const ClassContext& context) {
  if (tie_keys_ || context.joint_group != 0) return nullptr;
  if (own_policies_.filters.empty() || !own_policies_.scores.empty()) return nullptr;
  exclusions_.clear();
  for (std::size_t next = 0; const std::size_t i : own_policies_.filters) {
    NodeMask& kept = at_once_.kept[next++];
    if ((*filters_)[i].policy->passes_always(context.pod)) continue;
    kept = cluster_->alive();
    if (!(*filters_)[i].policy->keep_at_once(context, kept)) return nullptr;
    exclusions_.push_back({i, &kept, Exclusion::Mask::kKept});
  }
  Boarded* const board = shared_board(context);
  if (board != nullptr) board->last_used = ++clock_;
  return board;
}

ClassCache::Boarded* ClassCache::shared_board(const ClassContext& context) {
  if (!sign_shared(context.pod)) return nullptr;
  const std::string_view shared = signed_.bytes();
  if (at_once_.is_known && at_once_.shared == shared) return at_once_.board;
  if (!seen_.contains(hash_of(shared, 1))) return nullptr;
  at_once_.board = board_for(shared, shared, {shared_, {}}, context, false);
  at_once_.shared = shared;
  at_once_.is_known = true;
  return at_once_.board;
}

ClassCache::Known& ClassCache::known(const PodFacts& facts) {
  if (known_.size() <= facts.index) known_.resize(cluster_->distinct_pods());
  std::unique_ptr<Known>& found = known_[facts.index];
  if (!found) found = std::make_unique<Known>();
  return *found;
}

bool ClassCache::note_asked(const PodFacts& facts) {
  if (was_asked_.size() <= facts.index) was_asked_.resize(cluster_->distinct_pods());
  const bool comes_again = was_asked_[facts.index];
  was_asked_[facts.index] = true;
  return comes_again;
}

// Where no pod is like another, most are not even signed: a class that comes back is noticed a
// little later.
bool ClassCache::is_passed_over(bool comes_again) {
  constexpr std::uint32_t kPatience = 256, kSample = 16;
  return !comes_again && !tie_keys_ && has_boards_ && strangers_ >= kPatience &&
         ++passed_over_ % kSample != 0;
}

// Null for a class that is seen for the first time, and for pods that are no class.
ClassCache::Live* ClassCache::live(PodIndex pod) {
  follow();
  const PodFacts& facts = cluster_->pod_facts(pod);
  const bool comes_again = note_asked(facts);
  return is_passed_over(comes_again) ? nullptr : live(pod, known(facts), comes_again);
}

ClassCache::Live* ClassCache::live(PodIndex pod, Known& found, bool comes_again) {
  const PodFacts& facts = cluster_->pod_facts(pod);
  const ClassContext context{*cluster_, facts, cluster_->joint_group(pod)};
  const bool is_kept = found.is_unique || !found.signature.empty();
  if (found.live != nullptr && found.generation == generation_ && context.joint_group == 0 &&
      is_true(*found.live))
    return use(*found.live);
  const std::string_view signature = is_kept ? found.signature : sign(facts, found);
  if ((tie_keys_ || comes_again) && !is_kept) found.signature = signature;
  if (found.is_unique || context.joint_group != 0) return nullptr;
  // Another pod of this class may have made it live since.
  if (found.generation != generation_ || found.live == nullptr) {
    const auto at = live_.find(signature);
    found.live = at != live_.end() ? &at->second : nullptr;
  }
  if (found.live != nullptr && !is_true(*found.live)) {
    drop([&](const Live& live) { return &live == found.live; });
    found.live = nullptr;
  }
  if (found.live == nullptr) found.live = make_live(found, signature, context);
  found.generation = generation_;
  return found.live != nullptr ? use(*found.live) : nullptr;
}

ClassCache::Live* ClassCache::use(Live& live) {
  live.last_used = ++clock_;
  if (live.shared != nullptr) live.shared->last_used = clock_;
  return &live;
}

// Scores that were the same on every row still are.
bool ClassCache::is_true(const Live& live) const {
  if (live.shared == nullptr) return true;
  return std::all_of(live.beside.scores.begin(), live.beside.scores.end(), [&](std::size_t i) {
    return (*scores_)[i].policy->constant(live.prepared.scores[i]).has_value();
  });
}

ClassCache::Split ClassCache::split(const ClassContext& context, Live& live) {
  Split split{{shared_.filters, {}}, {}};
  live.beside.filters = own_policies_.filters;
  for (const std::size_t i : own_policies_.filters) prepare_filter(i, context, live.prepared);
  for (std::size_t i = 0; i < scores_->size(); ++i) {
    const ScorePolicy& policy = *(*scores_)[i].policy;
    if (!reads_domains(policy)) {
      split.asked.scores.push_back(i);
      continue;
    }
    prepare_score(i, context, live.prepared);
    const ClassState* state = live.prepared.scores[i];
    if (policy.constant(state) && !policy.reads_feasible(state) &&
        policy.normalize(context, state) != Normalize::kOwn) {
      live.beside.scores.push_back(i);
    } else {
      split.asked.scores.push_back(i);
      split.of_the_class.push_back(i);
    }
  }
  return split;
}

ClassCache::Live* ClassCache::make_live(const Known& known, std::string_view signature,
                                        const ClassContext& context) {
  if (!has_boards_) return enter(signature, unshared(context), context);
  const std::string_view shared = signature.substr(0, known.shared);
  const bool shares_nothing = seen_.insert(hash_of(shared, 1));
  strangers_ = shares_nothing ? strangers_ + 1 : 0;
  if (shares_nothing) return nullptr;
  const bool is_new = seen_.insert(hash_of(signature, 0));
  Live made;
  made.prepared = PreparedClass(&context.pod, *filters_, *scores_);
  const Split parts = split(context, made);
  made.shared = board_for(signature, shared, parts, context, is_new);
  if (made.shared == nullptr) {
    if (is_new) return nullptr;
    return enter(signature, unshared(context), context);
  }
  const PreparedClass& common = made.shared->board->prepared();
  for (const std::size_t i : parts.asked.filters) {
    made.prepared.filters[i] = common.filters[i];
    made.prepared.static_filters[i] = common.static_filters[i];
  }
  for (const std::size_t i : parts.of_the_class) made.prepared.disown(made.prepared.scores[i]);
  for (const std::size_t i : parts.asked.scores) {
    made.prepared.scores[i] = common.scores[i];
    made.prepared.static_scores[i] = common.static_scores[i];
  }
  return enter(signature, std::move(made), context);
}

// A class without a board: every policy is its own business.
ClassCache::Live ClassCache::unshared(const ClassContext& context) {
  Live made;
  made.prepared = PreparedClass(&context.pod, *filters_, *scores_);
  prepare(context, made.prepared);
  for (std::size_t i = 0; i < filters_->size(); ++i) made.beside.filters.push_back(i);
  for (std::size_t i = 0; i < scores_->size(); ++i) made.beside.scores.push_back(i);
  return made;
}

// Null where the class cannot have one, or need not: nobody shares it and it is new.
ClassCache::Boarded* ClassCache::board_for(std::string_view signature, std::string_view shared,
                                           const Split& split, const ClassContext& context,
                                           bool is_new) {
  std::vector<std::uint64_t> ties;
  if (tie_keys_) ties = tie_keys_(signature);
  Signature key;
  key.add(ties.empty() ? shared : signature);
  for (const std::size_t i : split.asked.scores) key.add(i);
  for (const std::size_t i : split.of_the_class) (*scores_)[i].policy->sign(context.pod, key);
  if (const auto at = boards_.find(key.bytes()); at != boards_.end()) return &at->second;
  if (is_new && (!split.of_the_class.empty() || !ties.empty())) return nullptr;
  PreparedClass prepared(&context.pod, *filters_, *scores_);
  for (const std::size_t i : split.asked.filters) prepare_filter(i, context, prepared);
  for (const std::size_t i : split.asked.scores) prepare_score(i, context, prepared);
  if (!Board::suits(*filters_, *scores_, split.asked, prepared, context)) return nullptr;
  make_room_for_board();
  at_once_.is_known = false;
  Boarded& made = boards_[std::string(key.bytes())];
  made.board = std::make_unique<Board>(*cluster_, *filters_, *scores_, split.asked,
                                       std::move(prepared), std::move(ties));
  return &made;
}

ClassCache::Live* ClassCache::enter(std::string_view signature, Live made,
                                    const ClassContext& context) {
  make_room();
  made.topics = topics_for(made.prepared, context);
  live_bytes_ += bytes_of(made);
  Live& live = live_[std::string(signature)] = std::move(made);
  for (const Topic topic : live.topics) listeners_[topic].push_back(&live);
  return &live;
}

void ClassCache::forget(const Live& live) {
  for (const Topic topic : live.topics) std::erase(listeners_[topic], &live);
  live_bytes_ -= bytes_of(live);
  ++generation_;
}

// About what it keeps.
std::size_t ClassCache::bytes_of(const Live& live) const {
  return (live.shared != nullptr ? kMaskBytes : kColumnBytes) * cluster_->slots();
}

template <typename F>
void ClassCache::drop(F&& is_meant) {
  std::erase_if(live_, [&](const auto& entry) {
    if (!is_meant(entry.second)) return false;
    forget(entry.second);
    return true;
  });
}

void ClassCache::forget_all() {
  live_.clear();
  boards_.clear();
  at_once_.is_known = false;
  listeners_.clear();
  live_bytes_ = 0;
  ++generation_;
}

void ClassCache::follow() {
  const auto changes = cluster_->since(epoch_);
  epoch_ = cluster_->epoch();
  if (changes.empty()) return;
  const bool is_static = cluster_->static_epoch() != static_epoch_;
  static_epoch_ = cluster_->static_epoch();
  if (changes.size() > 1) {
    if (is_static) static_answers_.forget();
    forget_all();
  } else if (is_static) {
    follow_facts(changes.front());
  } else {
    follow_pod(changes.front());
  }
}

// Whether the policies' states are true to changed facts again; `touched`: rows beyond the node's
// own whose answers changed.
bool ClassCache::follows(const PreparedClass& prepared, const AskedPolicies& asked,
                         const FactsChange& change, Touched& touched) const {
  const ClassContext context{*cluster_, *prepared.sample, 0};
  const auto all_follow = [&](const auto& indexes, const auto& slots, const auto& states,
                              const auto& statics) {
    return std::all_of(indexes.begin(), indexes.end(), [&](std::size_t i) {
      return statics[i] != nullptr ||
             slots[i].policy->on_facts(states[i], context, change, touched);
    });
  };
  return all_follow(asked.filters, *filters_, prepared.filters, prepared.static_filters) &&
         all_follow(asked.scores, *scores_, prepared.scores, prepared.static_scores);
}

void ClassCache::follow_facts(const Change& change) {
  const FactsChange facts{change.kind == Change::Kind::kSetRtt ? kNoNode : change.node,
                          change.parts};
  Touched shared;
  if (!static_answers_.follow(*cluster_, facts, shared)) {
    static_answers_.forget();
    return forget_all();
  }
  at_once_.is_known = false;
  std::erase_if(boards_, [&](auto& entry) {
    Board& board = *entry.second.board;
    Touched touched;
    if (follows(board.prepared(), board.asked(), facts, touched)) {
      if (facts.node != kNoNode) board.mark(facts.node);
      board.mark(shared);
      board.mark(touched);
      return false;
    }
    drop([&](const Live& live) { return live.shared == &entry.second; });
    return true;
  });
  drop([&](const Live& live) {
    Touched touched;
    return !follows(live.prepared, live.beside, facts, touched);
  });
}

void ClassCache::follow_pod(const Change& change) {
  for (auto& [key, boarded] : boards_) boarded.board->tell(change);
  if (listeners_.empty()) return;
  for (const Topic topic : cluster_->topics(cluster_->pod_facts(change.pod))) {
    const auto at = listeners_.find(topic);
    if (at == listeners_.end()) continue;
    for (Live* listener : at->second) {
      if (listener->told == epoch_) continue;  // of another topic
      listener->told = epoch_;
      tell(listener->prepared, *cluster_, change, listener->touched);
    }
  }
}

void ClassCache::prepare_filter(std::size_t i, const ClassContext& context,
                                PreparedClass& prepared) {
  const FilterPolicy& policy = *(*filters_)[i].policy;
  const StaticRows* rows = has_boards_ ? static_answers_.rows(i, policy, context) : nullptr;
  prepared.filters[i] = rows != nullptr ? rows->state.get() : prepared.prepare(policy, context);
  prepared.static_filters[i] = rows;
}

void ClassCache::prepare_score(std::size_t i, const ClassContext& context,
                               PreparedClass& prepared) {
  const ScorePolicy& policy = *(*scores_)[i].policy;
  const StaticScores* scores = has_boards_ ? static_answers_.scores(i, policy, context) : nullptr;
  prepared.scores[i] = scores != nullptr ? scores->state.get() : prepared.prepare(policy, context);
  prepared.static_scores[i] = scores;
}

void ClassCache::prepare(const ClassContext& context, PreparedClass& prepared) {
  for (std::size_t i = 0; i < filters_->size(); ++i) prepare_filter(i, context, prepared);
  for (std::size_t i = 0; i < scores_->size(); ++i) prepare_score(i, context, prepared);
}

void ClassCache::make_room_for_board() {
  const std::size_t by_rows = kMostBoardRows / std::max<std::size_t>(cluster_->slots(), 1);
  if (boards_.size() < std::clamp(by_rows, kLeastBoards, kMostBoards)) return;
  const auto oldest = std::min_element(
      boards_.begin(), boards_.end(),
      [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; });
  drop([&](const Live& live) { return live.shared == &oldest->second; });
  boards_.erase(oldest);
}

// Where there are too many, the half goes that was not used for longest.
void ClassCache::make_room() {
  if (live_.size() < kLeastClasses || live_bytes_ < kMostClassBytes) return;
  std::vector<std::uint64_t> uses;
  for (const auto& [signature, live] : live_) uses.push_back(live.last_used);
  const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  drop([&](const Live& live) { return live.last_used < *middle; });
}

}  // namespace gedge
