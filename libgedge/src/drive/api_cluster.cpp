#include "gedge/drive/api_cluster.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "drive/api_kind.hpp"
#include "drive/condition_queue.hpp"
#include "drive/latency_watch.hpp"
#include "gedge/base/split_mix.hpp"

namespace gedge {
namespace {

constexpr unsigned kOk = 200, kUnauthorized = 401, kForbidden = 403, kTooMany = 429;
constexpr Nanos kLeastRest{1'000'000'000}, kMostRest{300'000'000'000};  // that a server asks for
// Whoever ends waits so long for a server that asks to get no Events.
constexpr Nanos kShortRest{2'000'000'000};
constexpr Nanos kLasting{10'000'000'000};  // of what fails

// A wait that takes so much longer than it was to was no wait: the process stood still, and what it
// reads now was sent to it meanwhile.
constexpr Nanos kLongestWait{15'000'000'000}, kStoodStill{15'000'000'000};

// Where no answer is under way, and so many turns had waited no longer than that for what they were
// told, changes are gathered from then on: a turn costs more than one of them, and a server at its
// limit, which wrote 400 a second, made 170 turns of them. It is slow once in a while: a turn that
// waited longer halves their number.
constexpr int kTurnsInHaste = 8;
constexpr Nanos kHaste{10'000'000}, kGatherChanges{25'000'000};

// Finished pods take no place: a server tells of them as if they were gone.
constexpr const char* kUnfinished = "status.phase!=Succeeded,status.phase!=Failed";

constexpr int kPolicyV1 = 21;  // the minor version that has policy/v1
constexpr std::array<ApiPath, 11> kPaths{{
    {FactKind::kNode, "/api/v1/nodes", "v1", "NodeList"},
    {FactKind::kPod, "/api/v1/pods", "v1", "PodList", kUnfinished},
    {FactKind::kNamespace, "/api/v1/namespaces", "v1", "NamespaceList", "", true},
    {FactKind::kService, "/api/v1/services", "v1", "ServiceList", "", true},
    {FactKind::kReplicationController, "/api/v1/replicationcontrollers", "v1",
     "ReplicationControllerList", "", true},
    {FactKind::kReplicaSet, "/apis/apps/v1/replicasets", "apps/v1", "ReplicaSetList", "", true},
    {FactKind::kStatefulSet, "/apis/apps/v1/statefulsets", "apps/v1", "StatefulSetList", "", true},
    {FactKind::kStorageClass, "/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1",
     "StorageClassList", "", true},
    {FactKind::kVolume, "/api/v1/persistentvolumes", "v1", "PersistentVolumeList", "", true},
    {FactKind::kClaim, "/api/v1/persistentvolumeclaims", "v1", "PersistentVolumeClaimList", "",
     true},
    {FactKind::kPodGroup, "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
     "scheduling.x-k8s.io/v1alpha1", "PodGroupList", "", true},
}};

}  // namespace

ApiCluster::ApiCluster(ApiTransport& transport, const Clock& clock, const WallClock& wall_clock,
                       ApiClusterOptions options)
    : transport_(transport),
      clock_(clock),
      wall_clock_(wall_clock),
      options_(std::move(options)),
      last_event_(split_mix(options_.seed)),
      conditions_(std::make_unique<ConditionQueue>()) {
  options_.load.keeps_unread = true;
  if (options_.lease)
    lease_.emplace(*options_.lease, options_.seed,
                   options_.events == EventsTold::kNone ? std::string() : options_.controller);
  std::vector<ApiPath> paths(kPaths.begin(), kPaths.end());
  paths.push_back(kBudgetPaths[options_.minor >= kPolicyV1 ? 1 : 0]);
  for (const ApiPath& path : paths)
    kinds_.push_back(
        std::make_unique<Kind>(path, options_, options_.seed + kinds_.size(), *conditions_));
  if (options_.latency)
    latency_ = std::make_unique<LatencyWatch>(*options_.latency, options_.reflector,
                                              options_.seed + kinds_.size());
}

ApiCluster::~ApiCluster() {
  for (const auto& [ticket, call] : calls_) transport_.cancel(ticket);
  if (latency_) latency_->cancel(transport_);
  if (lease_) transport_.cancel(lease_->ticket());
}

std::uint64_t ApiCluster::send(ApiRequest request, Call call) {
  const std::uint64_t ticket = ++last_ticket_;
  calls_.emplace(ticket, std::move(call));
  transport_.send(ticket, std::move(request));
  return ticket;
}

bool ApiCluster::may_write(ApiRequest& request) const {
  return !lease_ || lease_->bounds(request, now());
}

bool ApiCluster::send_write(ApiRequest request, Call call) {
  if (!may_write(request)) {
    unsent_.push_back(std::move(call));
    return false;
  }
  send(std::move(request), std::move(call));
  return true;
}

void ApiCluster::refuse_unsent(ClusterListener& listener) {
  for (const Call& call : std::exchange(unsent_, {})) {
    if (call.about == About::kBind) listener.answer(call.ticket, BindAnswer::kRefused);
    if (call.about == About::kVictim || call.about == About::kEvict)
      listener.answer(call.ticket, EvictAnswer::kFailed);
    if (call.about == About::kClaim) listener.answer(call.ticket, ClaimAnswer::kRefused);
  }
}

// Where others may still write, whoever came next would take it that nobody does.
void ApiCluster::leave(bool is_told_back) {
  if (!lease_ || (is_leading() && may_others_write(now()))) return;
  lease_->election().release(is_told_back ? heard() : HeardVersions());
}

// Who does not know what was done before says nothing, and nothing of what its own claims changed:
// nobody waits until that is told back.
HeardVersions ApiCluster::heard() const {
  HeardVersions all;
  if (!is_synced()) return all;
  for (const auto& kind : kinds_) {
    const FactKind what = kind->path().kind;
    if (has_claimed_ && (what == FactKind::kVolume || what == FactKind::kClaim)) continue;
    if (std::string version = kind->reflector().heard(); !version.empty())
      all.emplace(kind->path().path, std::move(version));
  }
  return all;
}

std::size_t ApiCluster::untold() const {
  const bool is_releasing = lease_ && lease_->election().is_releasing();
  const bool are_held =
      holds_events() && refused_since_ && events_from_ > *refused_since_ + kShortRest;
  const std::size_t events = are_held ? 0 : queued_.size();
  return events + conditions_->ready(now()) + telling_ + (is_releasing ? 1 : 0);
}

std::string ApiCluster::leader() const { return lease_ ? lease_->election().holder() : ""; }

std::optional<Nanos> ApiCluster::lease_deadline() const {
  return lease_ ? lease_->deadline(now()) : std::nullopt;
}

void ApiCluster::bind(const BindRequest& request) {
  Call call;
  call.about = About::kBind;
  call.ticket = request.ticket;
  call.bind = request;
  conditions_->forget(request.pod);
  send_write(codec::bind_request(request), std::move(call));
}

void ApiCluster::read(const ReadRequest& request) {
  Call call;
  call.about = About::kRead;
  call.ticket = request.ticket;
  call.read = request.pod;
  send(codec::read_request(request), std::move(call));
}

// An Eviction tells the victim by itself.
bool ApiCluster::tells_first(const EvictRequest& request) const {
  return !request.within_budgets && options_.minor >= codec::kTellsVictims;
}

void ApiCluster::evict(const EvictRequest& request) {
  const bool tells = tells_first(request);
  Call call;
  call.about = tells ? About::kVictim : About::kEvict;
  call.ticket = request.ticket;
  call.evict = request;
  send_write(tells ? codec::victim_request(request, false, options_.controller, wall_clock_.date())
                   : codec::evict_request(request, options_.minor),
             std::move(call));
}

void ApiCluster::claim(const ClaimRequest& request) {
  Call call;
  call.about = About::kClaim;
  call.ticket = request.ticket;
  call.claim = request.claim;
  has_claimed_ = true;
  send_write(codec::claim_request(request), std::move(call));
}

void ApiCluster::nominate(const Nomination& nomination) {
  Call call;
  call.about = About::kUnawaited;
  send_write(codec::nomination_request(nomination), std::move(call));
}

bool ApiCluster::is_listed() const {
  return std::all_of(kinds_.begin(), kinds_.end(),
                     [](const auto& kind) { return kind->is_synced(); });
}

bool ApiCluster::is_synced() const {
  const Nanos now = this->now();
  return is_leading() && !may_others_write(now) && !is_doubtful_ && !is_looking_ &&
         (!latency_ || latency_->is_current(now)) &&
         std::all_of(kinds_.begin(), kinds_.end(),
                     [now](const auto& kind) { return kind->is_current(now); });
}

const Error* ApiCluster::failing() const {
  const Nanos now = this->now();
  for (const auto& kind : kinds_)
    if (!kind->is_missing() && !kind->is_current(now))
      if (const Error* const failure = kind->failure().lasting(kLasting)) return failure;
  if (const Error* const failure = look_failure_.lasting(kLasting)) return failure;
  if (lease_)
    if (const Error* const failure = lease_->failure().lasting(kLasting)) return failure;
  return latency_ ? latency_->failing(now, kLasting) : nullptr;
}

void ApiCluster::refresh() {
  if (!is_leading()) return;
  const Nanos now = this->now();
  for (const auto& kind : kinds_) {
    if (!kind->reflector().is_unheard(now)) continue;
    end_call(*kind);
    kind->reflector().resume(now);
  }
  if (latency_) latency_->refresh(transport_, now);
}

void ApiCluster::distrust(Nanos since) {
  const Nanos now = this->now();
  for (const auto& kind : kinds_) {
    kind->reflector().distrust(since);
    if (!kind->reflector().is_watching()) continue;
    end_call(*kind);
    kind->reflector().resume(now);
  }
  if (latency_) latency_->distrust(transport_, since, now);
}

std::vector<std::string> ApiCluster::unsynced() const {
  std::vector<std::string> paths;
  for (const auto& kind : kinds_)
    if (!kind->is_current(now())) paths.emplace_back(kind->path().path);
  if (is_leading() && may_others_write(now()))
    paths.emplace_back("(who led before may not know that the lease is gone)");
  if (is_doubtful_ || is_looking_)
    paths.emplace_back("(a connection was lost, and the store may have been put back since)");
  if (latency_) latency_->add_unsynced(now(), paths);
  return paths;
}

ApiClusterCounts ApiCluster::counts() const {
  ApiClusterCounts counts;
  counts.events_dropped = events_dropped_;
  if (lease_) {
    counts.lease_seizures = lease_->election().seizures();
    counts.events_dropped += lease_->events_dropped();
  }
  for (const auto& kind : kinds_) {
    counts.lists += kind->reflector().lists();
    counts.watches += kind->reflector().watches();
    counts.objects += kind->objects();
    counts.unreadable += kind->unreadable();
    counts.unknown_changes += kind->unknown_changes();
  }
  if (latency_) {
    counts.lists += latency_->lists();
    counts.watches += latency_->watches();
    counts.objects += latency_->objects();
    counts.unknown_changes += latency_->unknown_changes();
  }
  return counts;
}

// Returns how long nothing more is to be sent.
Nanos ApiCluster::begin_calls(Nanos now) {
  if (is_leading() && !std::exchange(expects_writes_, true)) transport_.expect_writes();
  for (const auto& kind : kinds_) {
    if (kind->reflector().is_vain(now)) {
      end_call(*kind);
      kind->reflector().resume(now);
    }
    begin_call(*kind, now);
  }
  if (latency_) latency_->advance(transport_, last_ticket_, now);
  hasten(now);
  look(now);
  Nanos pause = Nanos::max();
  const auto meet = [&](std::optional<Nanos> next) {
    if (next) pause = std::min(pause, std::max(*next - now, Nanos{0}));
  };
  for (const auto& kind : kinds_)
    if (has_its_turn(*kind)) meet(kind->reflector().next());
  if (latency_) meet(latency_->next());
  meet(next_look(now));
  return pause;
}

// What watches say is of use once everything was listed: until then lists have the way to
// themselves.
bool ApiCluster::has_its_turn(const Kind& kind) const {
  return kind.reflector().is_listing() || is_listed();
}

void ApiCluster::begin_call(Kind& kind, Nanos now) {
  if (!has_its_turn(kind)) return;
  const auto asked = kind.reflector().advance(now, transport_.pings());
  if (!asked) return;
  Call call;
  call.about = About::kCollection;
  call.kind = &kind;
  kind.ticket = send(kind.request(*asked), std::move(call));
}

void ApiCluster::end_call(Kind& kind) {
  transport_.cancel(kind.ticket);
  calls_.erase(std::exchange(kind.ticket, 0));
}

// Nothing is under way but watches. What does not ping is read a line of each a turn, so that who
// made fewer turns would fall behind.
bool ApiCluster::is_quiet(Nanos now) const {
  return transport_.pings() && (!lease_ || lease_->ticket() == 0) &&
         (!latency_ || latency_->is_current(now)) &&
         std::all_of(kinds_.begin(), kinds_.end(),
                     [now](const auto& kind) { return kind->is_current(now); }) &&
         std::all_of(calls_.begin(), calls_.end(),
                     [](const auto& call) { return call.second.about == About::kCollection; });
}

Status ApiCluster::wait(Nanos most, ClusterListener& listener) {
  const Nanos begin = now();
  GEDGE_TRY(keep_lease(begin));
  if (lease_)
    if (const auto next = lease_->next()) most = std::min(most, std::max(*next - begin, Nanos{0}));
  most = std::min(most, catch_up(begin));
  if (follows()) most = std::min(most, begin_calls(begin));
  send_queued();
  if (const auto next = next_to_tell()) most = std::min(most, std::max(*next - begin, Nanos{0}));
  most = std::min(most, kLongestWait);
  const bool may_gather = most >= kGatherChanges && is_quiet(begin);
  if (may_gather && turns_in_haste_ == kTurnsInHaste) {
    transport_.push();
    transport_.gather(kGatherChanges);
  }
  const Nanos since = now();
  std::optional<Nanos> came;
  const ApiListener taker{
      [&](std::uint64_t ticket, std::string_view line) {
        if (!came) came = now();
        take(ticket, line, listener);
      },
      [&](std::uint64_t ticket, const ApiAnswer& answer) { take(ticket, answer, listener); },
      [&](std::uint64_t ticket) { opened(ticket, listener); }};
  GEDGE_TRY(transport_.wait(std::max(most - (since - begin), Nanos{0}), taker));
  if (!may_gather)
    turns_in_haste_ = 0;
  else if (came && *came - since <= kHaste)
    turns_in_haste_ = std::min(turns_in_haste_ + 1, kTurnsInHaste);
  else
    turns_in_haste_ /= 2;
  if (now() - begin > most + kStoodStill) distrust(begin);
  note_doubts(now(), listener);
  refuse_unsent(listener);
  flush(listener);
  catch_up(now());  // who has just come to lead is not asked for decisions before
  return keep_lease(now());
}

Status ApiCluster::keep_lease(Nanos now) {
  return lease_ ? lease_->advance(transport_, last_ticket_, now, wall_clock_.date()) : Status{};
}

// While nobody leads, what would be listed now may have to be listed again as soon as we do.
bool ApiCluster::follows() const { return is_leading() || !lease_->election().holder().empty(); }

bool ApiCluster::may_others_write(Nanos now) const {
  return lease_ && now < lease_->election().alone_from();
}

// Returns how long nobody has to look again.
Nanos ApiCluster::catch_up(Nanos now) {
  if (!lease_ || !is_leading()) return Nanos::max();
  const Nanos alone_from = lease_->election().alone_from();
  if (now < alone_from) return alone_from - now;
  const HeardVersions& heard = lease_->election().handed_over();
  for (const auto& kind : kinds_) {
    const auto at = heard.find(kind->path().path);
    kind->reflector().require(alone_from, at == heard.end() ? std::string() : at->second, now);
  }
  return Nanos::max();
}

void ApiCluster::flush(ClusterListener& listener) {
  if (page_reader_ && is_listed()) page_reader_.reset();
  for (const auto& kind : kinds_) kind->flush(listener);
  if (latency_) latency_->flush(now(), listener);
}

void ApiCluster::opened(std::uint64_t ticket, ClusterListener& listener) {
  if (latency_ && latency_->owns(ticket))
    latency_->opened(ticket, now(), listener);
  else if (const auto at = calls_.find(ticket); at != calls_.end())
    at->second.kind->opened(now(), listener);
  note_doubts(now(), listener);  // before what is told next
}

void ApiCluster::take(std::uint64_t ticket, std::string_view line, ClusterListener& listener) {
  if (latency_ && latency_->owns(ticket)) {
    if (!latency_->take_line(ticket, line, now(), listener)) transport_.cancel(ticket);
    return;
  }
  const auto at = calls_.find(ticket);
  if (at == calls_.end()) return;
  if (at->second.kind->take_line(line, now(), listener)) return;
  calls_.erase(at);
  transport_.cancel(ticket);
}

void ApiCluster::take(std::uint64_t ticket, const ApiAnswer& answer, ClusterListener& listener) {
  if (lease_ && ticket == lease_->ticket()) {
    lease_->take(
        answer, now(), [&](const Error& error) { listener.failed(error); },
        [&] { listener.recovered(); });
    if (lease_->has_gone_back()) list_all(now(), listener);
    return;
  }
  if (latency_ && latency_->owns(ticket)) return latency_->take(ticket, answer, now(), listener);
  const auto at = calls_.find(ticket);
  if (at == calls_.end()) return;
  Call call = std::move(at->second);
  calls_.erase(at);
  switch (call.about) {
    case About::kCollection:
      return take_collection(*call.kind, answer, listener);
    case About::kBind:
      return take_bound(call, answer, listener);
    case About::kRead:
      return take_read(call, answer, listener);
    case About::kVictim:
      return take_victim(std::move(call), answer, listener);
    case About::kEvict:
      return take_evicted(call, answer, listener);
    case About::kClaim:
      return take_claimed(call, answer, listener);
    case About::kUnawaited:
      return;
    case About::kCondition:
      --telling_;
      conditions_->answered(call.condition, answer.status, answer.retry_after, now());
      tell_forbidden(answer.status, listener);
      return send_queued();
    case About::kTold:
      take_told(call, answer);
      return send_queued();
    case About::kLook:
      return take_looked(answer, listener);
  }
}

void ApiCluster::heed(const ApiAnswer& answer, ClusterListener& listener) {
  if (answer.status == kTooMany)
    listener.rest(std::clamp(answer.retry_after.value_or(kLeastRest), kLeastRest, kMostRest));
}

void ApiCluster::take_bound(const Call& call, const ApiAnswer& answer, ClusterListener& listener) {
  const BindAnswer meaning = codec::bind_answer(answer);
  const std::string pod = call.bind.pod.namespace_name + "/" + call.bind.pod.name;
  if (meaning == BindAnswer::kBound && options_.events == EventsTold::kAll)
    report({"Pod", call.bind.pod, call.bind.uid, false, "Scheduled", "Binding",
            "Successfully assigned " + pod + " to " + call.bind.node});
  heed(answer, listener);
  if (meaning == BindAnswer::kRefused)
    listener.failed(codec::refusal(answer, "cannot bind " + pod));
  if (meaning == BindAnswer::kNotSent) listener.failed(answer.error);
  listener.answer(call.ticket, meaning);
}

// Whoever may read no pods never learns what became of one: somebody has to know.
void ApiCluster::take_read(const Call& call, const ApiAnswer& answer, ClusterListener& listener) {
  const bool is_refused = answer.status == kUnauthorized || answer.status == kForbidden;
  if (is_refused && !std::exchange(are_reads_refused_, true)) {
    Error error =
        codec::refusal(answer, "cannot read pod " + call.read.namespace_name + "/" +
                                   call.read.name + ", of which nobody knows whether it was bound");
    error.hint = "grant get of pods; see gedge manifests";
    listener.failed(error);
  }
  if (answer.status == kOk) are_reads_refused_ = false;
  heed(answer, listener);
  listener.answer(call.ticket, codec::pod_reading(answer));
}

void ApiCluster::take_victim(Call call, const ApiAnswer& answer, ClusterListener& listener) {
  if (answer.status != kOk) return take_evicted(call, answer, listener);
  call.about = About::kEvict;
  ApiRequest request = codec::evict_request(call.evict, options_.minor);
  send_write(std::move(request), std::move(call));
}

void ApiCluster::take_evicted(const Call& call, const ApiAnswer& answer,
                              ClusterListener& listener) {
  const EvictRequest& evict = call.evict;
  const EvictAnswer meaning = codec::evict_answer(answer);
  if (meaning == EvictAnswer::kRefused && call.about == About::kEvict && tells_first(evict)) {
    Call taken_back;
    taken_back.about = About::kUnawaited;
    send_write(codec::victim_request(evict, true, options_.controller, wall_clock_.date()),
               std::move(taken_back));
  }
  if (meaning == EvictAnswer::kGoing)
    (evict.within_budgets ? are_evictions_refused_ : are_deletions_refused_) = false;
  if (meaning != EvictAnswer::kGoing)
    tell_not_evicted(evict, answer, listener);
  else if (evict.is_repair() && options_.events != EventsTold::kNone)
    report({"Pod", evict.pod, evict.uid, true, "Evicted", "Evicting",
            "Evicted from node " + evict.node + ", whose pods ask for " + evict.too_much});
  else if (!evict.is_repair() && options_.events == EventsTold::kAll)
    report({"Pod", evict.pod, evict.uid, false, "Preempted", "Preempting",
            "Preempted by " + evict.by.namespace_name + "/" + evict.by.name + " on node " +
                evict.node});
  listener.answer(call.ticket, meaning);
}

// Who may evict nobody is told so once, and not for each pod that could make room.
void ApiCluster::tell_not_evicted(const EvictRequest& evict, const ApiAnswer& answer,
                                  ClusterListener& listener) {
  Error error =
      codec::refusal(answer, "cannot evict " + evict.pod.namespace_name + "/" + evict.pod.name);
  if (answer.status == kUnauthorized || answer.status == kForbidden) {
    bool& is_told = evict.within_budgets ? are_evictions_refused_ : are_deletions_refused_;
    if (std::exchange(is_told, true)) return;
    error.hint = evict.within_budgets
                     ? "grant create of pods/eviction: gedge manifests --mode repair"
                     : "grant delete of pods: gedge manifests --mode preemption";
  }
  listener.failed(error);
}

void ApiCluster::take_claimed(const Call& call, const ApiAnswer& answer,
                              ClusterListener& listener) {
  const ClaimAnswer meaning = codec::claim_answer(answer);
  if (meaning != ClaimAnswer::kAsked)
    listener.failed(codec::refusal(
        answer, "cannot bind the claim " + call.claim.namespace_name + "/" + call.claim.name));
  heed(answer, listener);
  listener.answer(call.ticket, meaning);
}

void ApiCluster::take_collection(Kind& kind, const ApiAnswer& answer, ClusterListener& listener) {
  const bool is_page = kind.reflector().is_listing() && answer.status == 200;
  if (!is_page) return kind.failed(answer, now(), listener);
  if (!page_reader_) page_reader_.emplace();
  const auto page = kind.read_page(answer.body, *page_reader_);
  if (!page) return kind.failed(page.error(), now(), listener);
  // The server is at work on the next one while this one is read.
  const bool is_last = page->next.empty();
  if (!is_last) {
    kind.reflector().take_page(*page, now());
    begin_call(kind, now());
    transport_.push();
  }
  if (const Status taken = kind.take_page(answer.body, listener); !taken) {
    if (!is_last) end_call(kind);
    return kind.failed(taken.error(), now(), listener);
  }
  if (!is_last) return;
  kind.reflector().take_page(*page, now());
  kind.end_list(listener);
}

}  // namespace gedge
