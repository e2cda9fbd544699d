// control/extender.cpp - which of the nodes a pod may go to, and which places are held meanwhile.
#include "gedge/control/extender.hpp"

#include <algorithm>

#include "gedge/policy/delay.hpp"

namespace gedge {
namespace {

constexpr std::string_view kOfKubeScheduler = "kube-scheduler";
constexpr std::int64_t kMostScore = 100;    // of a normalised policy
constexpr std::int64_t kMostPriority = 10;  // of an extender
constexpr Nanos kSweepEvery{10'000'000'000};

std::string key_of(const PodName& pod) { return pod.namespace_name + "/" + pod.name; }

bool is_of_kube_scheduler(std::string_view policy) {
  static const std::vector<PolicyInfo> all = policy_catalogue();
  return std::any_of(all.begin(), all.end(), [&](const PolicyInfo& known) {
    return known.name == policy && known.source.starts_with(kOfKubeScheduler);
  });
}

// Nodes are in name order.
const NodeExplanation* find_node(const std::vector<NodeExplanation>& nodes,
                                 const std::string& name) {
  const auto at = std::lower_bound(
      nodes.begin(), nodes.end(), name,
      [](const NodeExplanation& node, const std::string& wanted) { return node.node < wanted; });
  return at == nodes.end() || at->node != name ? nullptr : &*at;
}

std::string reason_of(const std::vector<Rejection>& rejections, Compat compat) {
  std::vector<std::string> texts;
  for (const Rejection& rejection : rejections)
    for (std::string& text : reason_texts(rejection.evidence, compat))
      if (std::find(texts.begin(), texts.end(), text) == texts.end())
        texts.push_back(std::move(text));
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

NodeVerdict verdict_of(const NodeExplanation* node, Compat compat) {
  NodeVerdict verdict;
  if (node == nullptr) {
    verdict.why = "node(s) were not known to gedge yet";
    return verdict;
  }
  verdict.passes = node->feasible;
  if (node->feasible) return verdict;
  verdict.why = reason_of(node->rejections, compat);
  verdict.is_unresolvable =
      std::any_of(node->rejections.begin(), node->rejections.end(),
                  [](const Rejection& r) { return r.evidence.verdict == Verdict::kUnresolvable; });
  return verdict;
}

/// What the scores say of a node that kube-scheduler does not have, and the most that they may say
/// if they are normalised.
struct OwnScore {
  std::int64_t total = 0, most = 0;
};

OwnScore own_score(const NodeExplanation& node) {
  OwnScore own;
  for (const PolicyScore& score : node.scores) {
    if (is_of_kube_scheduler(score.policy)) continue;
    own.total += score.weight * score.normalized;
    own.most += score.weight * kMostScore;
  }
  return own;
}

// 0..10 each. Scores without a range lie between the least and the most of those that were asked.
std::vector<int> priorities(const std::vector<std::optional<OwnScore>>& scores) {
  std::int64_t low = 0, high = 0;
  bool is_first = true;
  for (const auto& score : scores) {
    if (!score) continue;
    if (std::exchange(is_first, false)) low = high = score->total;
    high = std::max(high, score->total);
    low = std::min(low, score->total);
  }
  std::vector<int> all(scores.size(), 0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i]) continue;
    const bool is_ranged = low >= 0 && high <= scores[i]->most;
    const std::int64_t from = is_ranged ? 0 : low, to = is_ranged ? scores[i]->most : high;
    if (to > from)
      all[i] = static_cast<int>(kMostPriority * (scores[i]->total - from) / (to - from));
  }
  return all;
}

}  // namespace

Result<Profile> extender_profile(Profile profile) {
  std::erase_if(profile.filters,
                [](const ProfileEntry& entry) { return is_of_kube_scheduler(entry.policy); });
  const bool scores_anything =
      std::any_of(profile.scores.begin(), profile.scores.end(),
                  [](const ProfileEntry& entry) { return !is_of_kube_scheduler(entry.policy); });
  if (profile.filters.empty() && !scores_anything)
    return invalid_input("profile '" + profile.name + "' has no policy that kube-scheduler lacks",
                         {}, "use one that has, for example `--profile edge`");
  return profile;
}

Extender::Extender(LiveCluster cluster, ExtenderOptions options)
    : cluster_(std::move(cluster)), options_(options) {}

bool Extender::is_binding(const PodName& pod) const {
  const auto held = held_.find(key_of(pod));
  return held != held_.end() && held->second.place == Place::kBinding;
}

// What is held for a pod is not for the next one of its name. But servers bind by name: a bind that
// is under way may mean the next one.
void Extender::put(Facts objects) {
  std::vector<PodName> arrived, binding;
  for (const Pod& pod : objects.pods) {
    const PodName name{pod.namespace_name, pod.name};
    const Pod* const known = cluster_.find_pod(name);
    const bool is_next = known == nullptr || known->uid != pod.uid;
    if (!pod.bound_node.empty() || pod.is_finished())
      arrived.push_back(name);
    else if (is_next && is_binding(name))
      binding.push_back(name);
    if (known != nullptr && is_next && !is_binding(name)) release(name);
  }
  cluster_.put(std::move(objects));
  for (const PodName& pod : arrived) drop(pod);
  for (const PodName& pod : binding)
    cluster_.assume(pod, SharedText(held_.at(key_of(pod)).tried.back()));
}

// A list has a pod without the node that the server has said to have bound it to: the list may be
// older than the bind, or the storage was restored. The pod is read.
void Extender::put_listed(Facts objects, Nanos now) {
  std::vector<PodName> doubted;
  for (const Pod& pod : objects.pods) {
    const auto held = held_.find(key_of({pod.namespace_name, pod.name}));
    const bool is_bound = held != held_.end() && held->second.place == Place::kBound;
    const Pod* const known = is_bound ? cluster_.find_pod(held->second.pod) : nullptr;
    if (known != nullptr && known->uid == pod.uid && pod.bound_node.empty())
      doubted.push_back(held->second.pod);
  }
  put(std::move(objects));
  for (const PodName& pod : doubted) {
    const auto held = held_.find(key_of(pod));
    const Pod* const known = cluster_.find_pod(pod);
    if (held == held_.end() || known == nullptr) continue;
    Bind& bind = begin(pod, known->uid, known->bound_node, now);
    bind.is_told = true;
    bind.read_at = now;
  }
}

void Extender::remove(FactKind kind, std::string_view namespace_name, std::string_view name,
                      std::string_view uid) {
  if (kind == FactKind::kPod) {
    const PodName pod{namespace_name, name};
    const Pod* const known = cluster_.find_pod(pod);
    if (known != nullptr && !uid.empty() && known->uid != uid) return;  // told late, or again
    if (!is_binding(pod)) drop(pod);
  }
  cluster_.remove(kind, namespace_name, name);
}

// A list may have begun before the other scheduler was told of a pod: what is held for one stays
// until it is seen, or for its time.
void Extender::keep_only(FactKind kind, std::vector<PodName> names) {
  std::sort(names.begin(), names.end());
  for (const PodName& known : cluster_.names(kind)) {
    const auto held = held_.find(key_of(known));
    const bool is_held =
        kind == FactKind::kPod && held != held_.end() && held->second.place != Place::kBound;
    if (!is_held && !std::binary_search(names.begin(), names.end(), known))
      remove(kind, known.namespace_name, known.name);
  }
}

// Nothing is held for it any more; a place that was seen stays.
void Extender::drop(const PodName& pod) {
  held_.erase(key_of(pod));
  open_.erase(key_of(pod));
}

void Extender::release(const PodName& pod) {
  cluster_.forget(pod);
  drop(pod);
}

// Whether it is still the pod that was to be bound, and not the next one of its name.
bool Extender::is_known(const BindRequest& bind) const {
  const Pod* const known = cluster_.find_pod(bind.pod);
  return known != nullptr && known->uid == bind.uid;
}

// Null: a later one has its place, or the pod was seen.
Extender::Held* Extender::held_by(std::uint64_t ticket, const PodName& pod) {
  const auto held = held_.find(key_of(pod));
  const bool is_its =
      held != held_.end() && held->second.place == Place::kBinding && held->second.bind == ticket;
  return is_its ? &held->second : nullptr;
}

// It may come to several nodes: until it is seen on one, those that mean it wait.
void Extender::leave_open(const PodName& pod, Nanos now) {
  drop(pod);
  open_[key_of(pod)] = now + options_.hold;
}

void Extender::hold(const PodName& pod, const std::string& node, Nanos now) {
  Held& held = held_[key_of(pod)];
  held.pod = pod;
  held.place = Place::kNamed;
  held.until = now + options_.hold;
  held.tried.push_back(node);
  cluster_.assume(pod, SharedText(node));
}

void Extender::forget_old(Nanos now) {
  if (now - swept_ < kSweepEvery) return;
  swept_ = now;
  std::vector<PodName> old;
  for (const auto& [key, held] : held_)
    if (held.place == Place::kNamed && held.until <= now) old.push_back(held.pod);
  for (const PodName& pod : old) release(pod);
  std::erase_if(open_, [&](const auto& entry) { return entry.second <= now; });
}

// Errors: it has a place, or may have.
Status Extender::check_waits(const Pod& known) const {
  const std::string key = key_of({known.namespace_name, known.name});
  const auto held = held_.find(key);
  if (held != held_.end() && held->second.place == Place::kBinding)
    return Error{Errc::kConflict, "a bind of pod " + key + " is under way", {}, {}};
  const bool is_named = held != held_.end() && held->second.place == Place::kNamed;
  if (known.bound_node.empty() || is_named) return {};
  return Error{Errc::kConflict, "pod " + key + " is on node " + known.bound_node, {}, {}};
}

// The other scheduler may know a pod, or of a change, before it is told here.
Result<PodName> Extender::meet(Facts pod) {
  if (pod.pods.size() != 1)
    return invalid_input("one pod is to be asked about, not " + std::to_string(pod.pods.size()));
  const PodName name{pod.pods.front().namespace_name, pod.pods.front().name};
  const Pod* const known = cluster_.find_pod(name);
  if (known != nullptr && known->uid != pod.pods.front().uid && !is_binding(name))
    release(name);
  else
    GEDGE_TRY(check_waits(known != nullptr ? *known : pod.pods.front()));
  cluster_.put(std::move(pod));
  return name;
}

// kube-scheduler asks about the pods of all its profiles.
bool Extender::is_served(const PodName& pod) const {
  const std::vector<Profile>& profiles = cluster_.profiles();
  const PodSpec* const spec = cluster_.find_spec(pod);
  return profiles.size() == 1 || spec == nullptr ||
         std::any_of(profiles.begin(), profiles.end(), [&](const Profile& profile) {
           return profile.scheduler_name == spec->scheduler_name;
         });
}

Result<PodView> Extender::view(const PodName& pod) {
  auto found = cluster_.look(pod);
  if (!found) return std::move(found).error();
  if (!*found) return Error{Errc::kNotFound, "pod " + key_of(pod) + " does not wait", {}, {}};
  return **found;
}

// Errors: why it may not go there.
Status Extender::judge(const PodName& pod, const std::string& node) {
  if (!is_served(pod)) return {};
  auto seen = view(pod);
  if (!seen) return std::move(seen).error();
  const NodeIndex row = *seen->cluster.find_node(node);
  if (seen->engine.fits(seen->pod, row)) return {};
  std::string why =
      reason_of(seen->engine.rejections(seen->pod, row), seen->engine.profile().compat);
  drop(pod);
  return Error{Errc::kConflict, std::move(why), {}, {}};
}

// A pod that the budgets mean and that may come to one of several nodes; empty: none.
std::string Extender::peer_under_way(const PodView& view) const {
  if (open_.empty()) return {};
  const PodFacts& facts = view.cluster.pod_facts(view.pod);
  for (const DelayBudget& budget : facts.spec->budgets) {
    if (budget.nearest) continue;
    for (const PodIndex peer : find_target(view.cluster, budget, facts).pods) {
      const Pod& known = view.cluster.pod(peer);
      std::string key = key_of({known.namespace_name, known.name});
      if (peer != view.pod && !view.cluster.is_placed(peer) && open_.contains(key)) return key;
    }
  }
  return {};
}

// The best of them that was not named before, or of all, once each was.
void Extender::name_one(const PodName& pod, const std::vector<NodeExplanation>& nodes,
                        std::span<const std::string> asked, std::vector<NodeVerdict>& verdicts,
                        Nanos now) {
  std::vector<std::string>& tried = held_[key_of(pod)].tried;
  const auto best = [&]() -> std::optional<std::size_t> {
    std::optional<std::size_t> chosen;
    std::pair<std::int64_t, std::string> least;  // -total, name
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!verdicts[i].passes || std::find(tried.begin(), tried.end(), asked[i]) != tried.end())
        continue;
      std::pair rank{-find_node(nodes, asked[i])->total.value_or(0), asked[i]};
      if (chosen && least <= rank) continue;
      chosen = i;
      least = std::move(rank);
    }
    return chosen;
  };
  std::optional<std::size_t> chosen = best();
  if (!chosen) {
    tried.clear();
    chosen = best();
  }
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i].passes = i == chosen;
  hold(pod, asked[*chosen], now);
  ++counts_.narrowed;
}

Result<std::vector<NodeVerdict>> Extender::filter(Facts pod, std::span<const std::string> nodes,
                                                  Nanos now) {
  forget_old(now);
  ++counts_.filters;
  const auto name = meet(std::move(pod));
  if (!name) return name.error();
  cluster_.forget(*name);
  open_.erase(key_of(*name));
  if (!is_served(*name)) {
    leave_open(*name, now);
    return std::vector<NodeVerdict>(nodes.size(), {true, false, {}});
  }
  auto seen = view(*name);
  if (!seen) return std::move(seen).error();
  Engine& engine = seen->engine;
  const Compat compat = engine.profile().compat;
  const bool heeds_pods = engine.heeds_pods(seen->pod);
  const std::vector<NodeExplanation> explained = engine.explain(seen->pod);
  std::vector<NodeVerdict> verdicts;
  verdicts.reserve(nodes.size());
  for (const std::string& node : nodes)
    verdicts.push_back(verdict_of(find_node(explained, node), compat));
  if (const std::string peer = peer_under_way(*seen); !peer.empty())
    verdicts.assign(nodes.size(), {false, false, "node(s) had to wait for pod " + peer});
  const auto passing = std::count_if(verdicts.begin(), verdicts.end(),
                                     [](const NodeVerdict& verdict) { return verdict.passes; });
  if (passing == 0) {
    ++counts_.refused;
    drop(*name);
  } else if (heeds_pods) {
    name_one(*name, explained, nodes, verdicts, now);
  } else {
    leave_open(*name, now);
  }
  return verdicts;
}

Result<std::vector<int>> Extender::prioritize(Facts pod, std::span<const std::string> nodes) {
  ++counts_.prioritizes;
  const auto name = meet(std::move(pod));
  if (!name) return name.error();
  const bool is_named = held_.contains(key_of(*name));
  if (is_named || !is_served(*name)) return std::vector<int>(nodes.size(), 0);
  auto seen = view(*name);
  if (!seen) return std::move(seen).error();
  const std::vector<NodeExplanation> explained = seen->engine.explain(seen->pod);
  std::vector<std::optional<OwnScore>> scores;
  scores.reserve(nodes.size());
  for (const std::string& asked : nodes) {
    const NodeExplanation* const node = find_node(explained, asked);
    scores.push_back(node != nullptr && node->feasible ? std::optional(own_score(*node))
                                                       : std::nullopt);
  }
  return priorities(scores);
}

Result<std::vector<bool>> Extender::preempt(Facts pod, std::span<const NodeVictims> nodes) {
  ++counts_.preempts;
  const auto name = meet(std::move(pod));
  if (!name) return name.error();
  release(*name);
  if (!is_served(*name)) return std::vector<bool>(nodes.size(), true);
  auto seen = view(*name);
  if (!seen) return std::move(seen).error();
  ClusterState& cluster = seen->cluster;
  std::vector<bool> may;
  for (const NodeVictims& victims : nodes) {
    const auto node = cluster.find_node(victims.node);
    may.push_back(false);
    if (!node || !cluster.alive().test(*node)) continue;
    const ClusterState::Mark mark = cluster.mark();
    const auto here = cluster.pods_on(*node);
    for (const PodIndex other : std::vector<PodIndex>(here.begin(), here.end()))
      if (std::find(victims.uids.begin(), victims.uids.end(), cluster.pod(other).uid.str()) !=
          victims.uids.end())
        cluster.unbind(other);
    may.back() = seen->engine.fits(seen->pod, *node);
    cluster.undo(mark);
  }
  return may;
}

Result<std::optional<std::uint64_t>> Extender::bind(const PodName& pod, std::string_view uid,
                                                    const std::string& node, Nanos now) {
  const std::string key = key_of(pod);
  const auto refused = [&](Errc code, const std::string& why) {
    ++counts_.not_bound;
    return Error{code, "cannot bind pod " + key + " to node " + node + ": " + why, {}, {}};
  };
  const Pod* const known = cluster_.find_pod(pod);
  if (known == nullptr) return refused(Errc::kNotFound, "there is no such pod");
  if (known->uid != uid) return refused(Errc::kConflict, "it is another pod by now");
  if (known->terminating) return refused(Errc::kConflict, "it is being deleted");
  if (const Status waits = check_waits(*known); !waits) {
    const auto held = held_.find(key);
    const bool is_there = held == held_.end() || held->second.place == Place::kBound;
    if (is_there && known->bound_node == node) return std::optional<std::uint64_t>();
    return refused(waits.error().code, waits.error().what);
  }
  if (cluster_.find_node(node) == nullptr) return refused(Errc::kNotFound, "there is no such node");
  cluster_.forget(pod);
  if (const Status fits = judge(pod, node); !fits)
    return refused(fits.error().code, fits.error().what);
  open_.erase(key);
  hold(pod, node, now);
  const Bind& bind = begin(pod, SharedText(uid), SharedText(node), now);
  binds_.push_back(bind.request);
  return std::optional(bind.request.ticket);
}

Extender::Bind& Extender::begin(const PodName& pod, SharedText uid, SharedText node, Nanos now) {
  const std::uint64_t ticket = ++last_ticket_;
  Bind& bind = under_way_[ticket];
  bind.request = {ticket, pod, std::move(uid), std::move(node)};
  bind.begun = now;
  Held& held = held_.at(key_of(pod));
  held.place = Place::kBinding;
  held.bind = ticket;
  return bind;
}

std::vector<ReadRequest> Extender::take_reads(Nanos now) {
  std::vector<ReadRequest> reads;
  for (auto& [ticket, bind] : under_way_) {
    tell_late(ticket, bind, now);
    if (!bind.read_at || now < *bind.read_at) continue;
    bind.read_at.reset();
    reads.push_back({++last_ticket_, bind.request.pod});
    read_.emplace(last_ticket_, ticket);
  }
  return reads;
}

std::optional<Nanos> Extender::next() const {
  std::optional<Nanos> next;
  for (const auto& [ticket, bind] : under_way_) {
    if (bind.read_at) next = std::min(next.value_or(*bind.read_at), *bind.read_at);
    const Nanos late = bind.begun + options_.settle_within;
    if (!bind.is_told) next = std::min(next.value_or(late), late);
  }
  return next;
}

void Extender::tell(std::uint64_t ticket, std::string error) {
  ++(error.empty() ? counts_.bound : counts_.not_bound);
  settled_.push_back({ticket, std::move(error)});
}

void Extender::settle(std::uint64_t ticket, std::string error) {
  const auto at = under_way_.find(ticket);
  const Bind bind = std::move(at->second);
  under_way_.erase(at);
  if (Held* const held = held_by(ticket, bind.request.pod); held != nullptr && error.empty()) {
    held->place = Place::kBound;
    if (!is_known(bind.request)) drop(bind.request.pod);
  }
  if (!bind.is_told) tell(ticket, std::move(error));
}

void Extender::give_up(std::uint64_t ticket, std::string error) {
  const PodName pod = under_way_.at(ticket).request.pod;
  if (held_by(ticket, pod) != nullptr) release(pod);
  settle(ticket, std::move(error));
}

void Extender::answer(std::uint64_t ticket, BindAnswer answer, Nanos now) {
  const auto at = under_way_.find(ticket);
  if (at == under_way_.end()) return;
  const PodName pod = at->second.request.pod;
  switch (answer) {
    case BindAnswer::kBound:
      if (is_known(at->second.request)) return settle(ticket, {});
      at->second.read_at = now;  // which of two was bound
      return;
    case BindAnswer::kGone:
      return give_up(ticket, "pod " + key_of(pod) + " has gone");
    case BindAnswer::kRefused:
    case BindAnswer::kNotSent:
      return give_up(ticket, "the API server did not bind pod " + key_of(pod));
    case BindAnswer::kConflict:
    case BindAnswer::kUnknown:
      at->second.read_at = now;
      return;
  }
}

void Extender::tell_late(std::uint64_t ticket, Bind& bind, Nanos now) {
  if (bind.is_told || now < bind.begun + options_.settle_within) return;
  bind.is_told = true;
  tell(ticket, "nobody knows whether pod " + key_of(bind.request.pod) + " was bound");
}

// Where nobody knows, the place stays held and nothing is bound anew: the pod may be there.
void Extender::look_again(std::uint64_t ticket, Bind& bind, Nanos now) {
  const Nanos due = bind.begun + options_.settle_within;
  tell_late(ticket, bind, now);
  Nanos pause = options_.first_pause;
  for (std::uint32_t i = 0; i < bind.looks && pause < options_.max_pause; ++i) pause *= 2;
  ++bind.looks;
  const Nanos next = now + std::min(pause, options_.max_pause);
  bind.read_at = bind.is_told ? next : std::min(next, due);
}

void Extender::answer(std::uint64_t ticket, const PodReading& reading, Nanos now) {
  const auto of = read_.find(ticket);
  if (of == read_.end()) return;
  const std::uint64_t bind = of->second;
  read_.erase(of);
  const auto at = under_way_.find(bind);
  if (at == under_way_.end()) return;
  if (reading.kind == PodReading::Kind::kUnreadable) return look_again(bind, at->second, now);
  const BindRequest request = at->second.request;
  const std::string pod = "pod " + key_of(request.pod);
  const bool is_it = reading.kind == PodReading::Kind::kFound && reading.uid == request.uid;
  const bool is_there = reading.kind == PodReading::Kind::kFound && reading.node == request.node;
  if (is_it && is_there) return settle(bind, {});
  // The next one of its name keeps the place that it came to.
  if (is_there && held_by(bind, request.pod) != nullptr) drop(request.pod);
  if (!is_it) return give_up(bind, pod + " has gone");
  give_up(bind,
          reading.node.empty() ? pod + " was not bound" : pod + " is on node " + reading.node);
}

}  // namespace gedge
