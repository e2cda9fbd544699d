#include "gedge/sim/cluster_link.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::size_t kMostRepeated = 8;   // events of a watch, as after a reconnect
constexpr Nanos kMostAge{60'000'000'000};  // of what is told, as of a real link

std::vector<PodName> names_of(const std::vector<Node>& nodes) {
  std::vector<PodName> names;
  for (const Node& node : nodes) names.push_back(fact_name(node));
  return names;
}
std::vector<PodName> names_of(const std::vector<Pod>& pods) {
  std::vector<PodName> names;
  for (const Pod& pod : pods) names.push_back(fact_name(pod));
  return names;
}

// Who watches pods that are not finished is told that one went when it ends, with what it was.
bool is_end(const ClusterEvent& event) {
  return event.is_removed ||
         (event.kind == FactKind::kPod && event.object.pods.front().is_finished());
}

}  // namespace

SimLink::SimLink(SimWorld& world, Pace& pace, const SimLinkOptions& options, Nanos begin)
    : world_(world),
      pace_(pace),
      options_(options),
      begin_(begin),
      dice_(split_mix(options.seed + 1)) {}

SimLink::~SimLink() {
  for (const auto& [at, message] : requests_) {
    if (message.evict && !message.is_lost) world_.evict(*message.evict);
    if (message.claim && !message.is_lost) world_.claim(*message.claim);
    if (message.read || message.evict || message.claim || message.is_lost) continue;
    const SharedText uid = world_.read(message.bind.pod).uid;
    const BindAnswer answer = world_.bind(message.bind);
    if (options_.witness != nullptr) options_.witness->done(message.bind, uid, answer);
  }
}

bool SimLink::chance(std::uint32_t parts_per_million) {
  if (parts_per_million == 0) return false;
  const bool happens = dice_.below(kMillion) < parts_per_million;
  faults_ += happens ? 1U : 0U;
  return happens;
}

Nanos SimLink::up_to(Nanos most) {
  if (most <= Nanos{0}) return Nanos{0};
  return Nanos(static_cast<std::int64_t>(dice_.below(static_cast<std::size_t>(most.count()))));
}

void SimLink::bind(const BindRequest& request) {
  if (options_.witness != nullptr) options_.witness->sent(request);
  if (chance(options_.faults.restarts)) wants_restart_ = true;
  Message message;
  message.bind = request;
  message.is_lost = chance(options_.faults.lost_binds);
  message.is_mute = !message.is_lost && chance(options_.faults.lost_answers);
  const Nanos half = options_.timing.answer_after / 2;
  message.answered_after = half + up_to(options_.faults.slow_answers);
  requests_.emplace(now() + half + up_to(options_.faults.slow_answers), std::move(message));
}

void SimLink::read(const ReadRequest& request) {
  Message message;
  message.read = request;
  message.is_lost = chance(options_.faults.lost_reads);
  const Nanos half = options_.timing.answer_after / 2;
  message.answered_after = half + up_to(options_.faults.slow_answers);
  requests_.emplace(now() + half + up_to(options_.faults.slow_answers), std::move(message));
}

void SimLink::evict(const EvictRequest& request) {
  Message message;
  message.evict = request;
  message.is_lost = chance(options_.faults.lost_binds);
  message.answered_after = options_.timing.answer_after / 2;
  requests_.emplace(now() + message.answered_after, std::move(message));
}

void SimLink::claim(const ClaimRequest& request) {
  Message message;
  message.claim = request;
  message.is_lost = chance(options_.faults.lost_binds);
  message.answered_after = options_.timing.answer_after / 2;
  requests_.emplace(now() + message.answered_after, std::move(message));
}

void SimLink::tell(const Unschedulable& pod) { world_.tell(pod); }

void SimLink::act(const Message& message, Nanos now) {
  Nanos at = now + message.answered_after;
  if (message.is_lost || message.is_mute) at = now + options_.faults.timeout;
  SimWitness* const witness = options_.witness;
  if (message.read) {
    const PodReading reading = message.is_lost ? PodReading{} : world_.read(message.read->pod);
    answers_.emplace(at, [witness, read = *message.read, reading](ClusterListener& listener) {
      if (witness != nullptr) witness->answered(read, reading);
      listener.answer(read.ticket, reading);
    });
    return;
  }
  if (message.evict) {
    const EvictAnswer answer =
        message.is_lost ? EvictAnswer::kFailed : world_.evict(*message.evict);
    answers_.emplace(at, [ticket = message.evict->ticket, answer](ClusterListener& listener) {
      listener.answer(ticket, answer);
    });
    return;
  }
  if (message.claim) {
    const ClaimAnswer answer =
        message.is_lost ? ClaimAnswer::kUnknown : world_.claim(*message.claim);
    answers_.emplace(at, [ticket = message.claim->ticket, answer](ClusterListener& listener) {
      listener.answer(ticket, answer);
    });
    return;
  }
  BindAnswer answer = BindAnswer::kUnknown;
  if (!message.is_lost && chance(options_.faults.refused_binds)) {
    answer = BindAnswer::kRefused;
  } else if (!message.is_lost) {
    const SharedText uid = world_.read(message.bind.pod).uid;
    answer = world_.bind(message.bind);
    if (witness != nullptr) witness->done(message.bind, uid, answer);
  }
  if (message.is_mute) answer = BindAnswer::kUnknown;
  answers_.emplace(at, [witness, bind = message.bind, answer](ClusterListener& listener) {
    if (witness != nullptr) witness->answered(bind, answer);
    listener.answer(bind.ticket, answer);
  });
}

void SimLink::list(Nanos at) {
  Facts all = world_.cluster().list();
  std::erase_if(all.pods, [](const Pod& pod) { return pod.is_finished(); });
  seen_ = world_.cluster().version();
  told_.emplace_back(at, [this, all = std::move(all)](ClusterListener& listener) {
    if (options_.witness != nullptr) options_.witness->listed(all);
    std::vector<PodName> nodes = names_of(all.nodes), pods = names_of(all.pods);
    listener.put_listed(Facts(all));
    listener.keep_only(FactKind::kNode, std::move(nodes));
    listener.keep_only(FactKind::kPod, std::move(pods));
    is_listed_ = true;
    broken_at_.reset();
  });
}

void SimLink::calm_down() {
  if (list_at_ && options_.faults.watch_outage > Nanos{0}) list_at_ = std::min(*list_at_, now());
  options_.faults = {};
}

bool SimLink::is_synced() const {
  return is_listed_ && (!broken_at_ || now() - *broken_at_ <= kMostAge);
}

bool SimLink::has_told_all() const {
  return is_listed_ && !list_at_ && told_.empty() && under_way() == 0 &&
         seen_ == world_.cluster().version();
}

void SimLink::tell_event(std::size_t version, Nanos at) {
  const ClusterEvent& known = world_.cluster().event(version);
  told_.emplace_back(at, [this, event = known](ClusterListener& listener) mutable {
    if (options_.witness != nullptr) options_.witness->told(event);
    if (is_end(event))
      listener.remove(event.kind, event.name.namespace_name, event.name.name,
                      event.is_removed ? SharedText() : event.object.pods.front().uid);
    else
      listener.put(std::move(event.object));
  });
}

// A watch may repeat what an object was, but never takes it away again, or its successor.
bool SimLink::is_still_there(std::size_t version) const {
  const SimCluster& cluster = world_.cluster();
  const ClusterEvent& event = cluster.event(version);
  for (std::size_t i = version; i < seen_; ++i) {
    const ClusterEvent& later = cluster.event(i);
    if (is_end(later) && later.kind == event.kind && later.name == event.name) return false;
  }
  return true;
}

// Everything in its order, however late it is.
void SimLink::watch(Nanos now) {
  const auto due = [&] {
    const Nanos at = now + options_.timing.watch_after + up_to(options_.faults.late_watch);
    return told_.empty() ? at : std::max(at, told_.back().first);
  };
  if (rtt_seen_ != world_.rtt_version()) {
    rtt_seen_ = world_.rtt_version();
    if (rtt_seen_ > 1 || !world_.rtt().empty())
      told_.emplace_back(due(), [rtt = world_.rtt()](ClusterListener& listener) {
        listener.measured(RttMatrix(rtt));
      });
  }
  if (list_at_) {
    if (now < *list_at_) return;
    list_at_.reset();
    return list(due());
  }
  for (; seen_ < world_.cluster().version(); ++seen_) {
    if (chance(options_.faults.watch_breaks)) {
      list_at_ = due() + up_to(options_.faults.watch_outage);  // until then nothing is told
      broken_at_ = now;
      if (options_.witness != nullptr) options_.witness->broke();
      return;
    }
    if (seen_ > 0 && chance(options_.faults.watch_repeats)) {
      const std::size_t back = std::min(seen_, 1 + dice_.below(kMostRepeated));
      for (std::size_t i = seen_ - back; i < seen_; ++i)
        if (is_still_there(i)) tell_event(i, due());
    }
    tell_event(seen_, due());
  }
}

Status SimLink::run(Nanos now) {
  while (!requests_.empty() && requests_.begin()->first <= now) {
    const Nanos at = requests_.begin()->first;
    GEDGE_TRY(world_.advance(at));
    const Message message = std::move(requests_.begin()->second);
    requests_.erase(requests_.begin());
    act(message, at);
  }
  GEDGE_TRY(world_.advance(now));
  watch(now);
  world_.forget_before(seen_ - std::min(seen_, kMostRepeated));
  return {};
}

bool SimLink::deliver(Nanos now, ClusterListener& listener) {
  bool any = false;
  for (; !told_.empty() && told_.front().first <= now; any = true) {
    const Deliver tell = std::move(told_.front().second);
    told_.pop_front();
    tell(listener);
  }
  for (; !answers_.empty() && answers_.begin()->first <= now; any = true) {
    const Deliver tell = std::move(answers_.begin()->second);
    answers_.erase(answers_.begin());
    tell(listener);
  }
  return any;
}

std::optional<Nanos> SimLink::next() const {
  std::optional<Nanos> next = world_.next();
  const auto sooner = [&](Nanos at) { next = next ? std::min(*next, at) : at; };
  if (!requests_.empty()) sooner(requests_.begin()->first);
  if (!answers_.empty()) sooner(answers_.begin()->first);
  if (!told_.empty()) sooner(told_.front().first);
  if (list_at_) sooner(*list_at_);
  return next;
}

Status SimLink::wait(Nanos most, ClusterListener& listener) {
  const Nanos end = now() + most;
  for (;;) {
    const Nanos before = now();
    GEDGE_TRY(run(before));
    if (deliver(before, listener) || before >= end) return {};
    const auto soonest = next();
    const Nanos until = soonest ? std::min(*soonest, end) : end;
    pace_.rest_until(begin_ + until);
    if (now() < until) return {};  // woken
  }
}

}  // namespace gedge
