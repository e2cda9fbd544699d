#include "gedge/drive/scale_loop.hpp"

#include <algorithm>
#include <utility>

#include "drive/object_watch.hpp"
#include "drive/workload_lists.hpp"
#include "gedge/base/split_mix.hpp"
#include "gedge/codec/api_requests.hpp"

namespace gedge {
namespace {

// Two servers are listened to by turns.
constexpr Nanos kTurnOfPrometheus{20'000'000};
// A watch that the server ends is begun again sooner.
constexpr Nanos kMostAge{1'000'000'000};
// Whoever waits for so much longer than it meant to was stopped, and what it knows is as old.
constexpr Nanos kStoodStill{5'000'000'000};

}  // namespace

ScaleLoop::ScaleLoop(Scaler scaler, ApiTransport& transport, ApiTransport* prometheus,
                     const Clock& clock, const WallClock& wall_clock, ScaleLoopOptions options,
                     ScaleEvents events)
    : scaler_(std::move(scaler)),
      transport_(transport),
      prometheus_(prometheus),
      clock_(clock),
      wall_clock_(wall_clock),
      options_(std::move(options)),
      events_(std::move(events)),
      last_event_(split_mix(options_.seed)),
      lists_(std::make_unique<WorkloadLists>()) {
  if (options_.lease) lease_.emplace(*options_.lease, options_.seed, options_.controller);
  watch_all();
}

ScaleLoop::~ScaleLoop() {
  for (const auto& [ticket, call] : calls_)
    (call.about == About::kQuery ? *prometheus_ : transport_).cancel(ticket);
  for (const auto& watch : watches_) transport_.cancel(watch->ticket());
  if (lease_) transport_.cancel(lease_->ticket());
}

void ScaleLoop::watch_all() {
  ObjectWatch::Listener pods;
  pods.put = [this](ScaleFacts&& facts) {
    for (ScaledPod& pod : facts.pods) scaler_.put(std::move(pod));
  };
  pods.remove = [this](const std::string& space, const std::string& name) {
    scaler_.remove_pod(space, name);
  };
  pods.keep_only = [this](const std::vector<PodName>& names) { scaler_.keep_pods(names); };
  pods.failed = [this](const Error& error) { events_.failed(error); };
  pods.recovered = [this] { events_.recovered(); };
  ObjectWatch::Listener objects = pods;
  objects.put = [this](ScaleFacts&& facts) {
    for (Autoscaler& one : facts.autoscalers) scaler_.put(std::move(one));
  };
  objects.remove = [this](const std::string& space, const std::string& name) {
    scaler_.remove_object(space, name);
  };
  objects.keep_only = [this](const std::vector<PodName>& names) { scaler_.keep_objects(names); };
  // Of two kinds each may ask as often as the one of a dozen that does while a server is away.
  ReflectorOptions often = options_.reflector;
  often.max_backoff = std::min(often.max_backoff, often.scout_backoff);
  watches_.push_back(
      std::make_unique<ObjectWatch>(WatchedKind{codec::pods_path(options_.namespace_name), "v1",
                                                "PodList", false, options_.grows},
                                    std::move(pods), options_.seed + 1, often));
  watches_.push_back(std::make_unique<ObjectWatch>(
      WatchedKind{codec::autoscalers_path(options_.autoscaling, options_.namespace_name),
                  options_.autoscaling, "HorizontalPodAutoscalerList", true},
      std::move(objects), options_.seed + 2, often));
}

void ScaleLoop::stop() {
  stopping_ = true;
  transport_.wake();
}

bool ScaleLoop::is_synced() const {
  return is_leading() && std::all_of(watches_.begin(), watches_.end(),
                                     [](const auto& watch) { return watch->is_synced(); });
}

std::vector<std::string> ScaleLoop::unsynced() const {
  std::vector<std::string> paths;
  for (const auto& watch : watches_)
    if (!watch->is_synced()) paths.push_back(watch->path());
  return paths;
}

ScaleLoopCounts ScaleLoop::counts() const {
  ScaleLoopCounts counts;
  counts.events_dropped = events_dropped_;
  if (lease_) {
    counts.lease_seizures = lease_->election().seizures();
    counts.events_dropped += lease_->events_dropped();
  }
  for (const auto& watch : watches_) {
    counts.lists += watch->reflector().lists();
    counts.watches += watch->reflector().watches();
    counts.objects += watch->objects();
    counts.unreadable += watch->unreadable();
  }
  return counts;
}

std::string ScaleLoop::leader() const { return lease_ ? lease_->election().holder() : ""; }

std::optional<Nanos> ScaleLoop::lease_deadline() const {
  return lease_ ? lease_->deadline(now()) : std::nullopt;
}

Status ScaleLoop::keep_lease(Nanos now) {
  if (!lease_) return {};
  const Status kept = lease_->advance(transport_, last_ticket_, now, wall_clock_.date());
  *write_until_ = lease_->election().writes_until(now).value_or(Nanos{0});
  return kept;
}

Status ScaleLoop::run() {
  for (;;) {
    const Nanos time = now();
    GEDGE_TRY(keep_lease(time));
    const bool may_decide = is_leading() && begin_turn(time);
    if (may_decide || give_up_) take_from_desk();
    if (may_decide && !give_up_) GEDGE_TRY(scaler_.advance(time, wall_clock_.date()));
    send();
    events_.turned();
    if (options_.is_one_pass && !was_synced_)
      for (const auto& watch : watches_)
        if (watch->failure()) return *watch->failure();
    if (is_over(now())) return {};
    GEDGE_TRY(wait(patience(now())));
  }
}

// Pods as they were before a watch broke may be fewer than those that share what is measured now.
bool ScaleLoop::is_current(Nanos now) const {
  return std::all_of(watches_.begin(), watches_.end(),
                     [now](const auto& watch) { return watch->is_current(now, kMostAge); });
}

// True: everything is known, as it is now.
bool ScaleLoop::begin_turn(Nanos now) {
  for (const auto& watch : watches_) watch->advance(transport_, last_ticket_, now);
  if (!is_synced()) return false;
  if (!std::exchange(was_synced_, true)) events_.synced();
  return is_current(now);
}

// What was sent is settled first, then told, and only then is given away what allowed us to write.
bool ScaleLoop::is_over(Nanos now) {
  if (stopping_ && !give_up_) give_up_ = now + options_.settle_within;
  const bool is_done = options_.is_one_pass && was_synced_ && scaler_.is_settled();
  if (!give_up_ && !is_done) return false;
  if (give_up_ && now >= *give_up_) return true;
  if (scaler_.writing() > 0 || !queued_.empty() || telling_ > 0) return false;
  if (!std::exchange(has_left_, true) && lease_) lease_->election().release();
  return !lease_ || !lease_->election().is_releasing();
}

Nanos ScaleLoop::patience(Nanos now) const {
  Nanos most = options_.turns_within;
  const auto meet = [&](std::optional<Nanos> next) {
    if (next) most = std::min(most, std::max(*next - now, Nanos{0}));
  };
  if (give_up_) meet(give_up_);
  if (lease_) meet(lease_->next());
  if (!is_leading()) return most;
  for (const auto& watch : watches_) meet(watch->next());
  if (is_synced() && is_current(now) && !give_up_) meet(scaler_.next());
  if (telling_ == 0) meet(held_until());
  return most;
}

Status ScaleLoop::wait(Nanos most) {
  const ApiListener taker{
      [this](std::uint64_t ticket, std::string_view line) { take_line(ticket, line); },
      [this](std::uint64_t ticket, const ApiAnswer& answer) { take(ticket, answer); },
      [this](std::uint64_t ticket) {
        for (const auto& watch : watches_)
          if (watch->ticket() == ticket) watch->opened(now());
      }};
  const Nanos begin = now();
  const bool asks_both = queries_ > 0;
  if (asks_both) GEDGE_TRY(prometheus_->wait(std::min(most, kTurnOfPrometheus), taker));
  GEDGE_TRY(transport_.wait(asks_both ? Nanos{0} : most, taker));
  if (now() - begin > most + kStoodStill)
    for (const auto& watch : watches_) watch->distrust(transport_, begin, now());
  return {};
}

}  // namespace gedge
