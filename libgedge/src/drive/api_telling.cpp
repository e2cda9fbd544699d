// drive/api_telling.cpp - what pods and nodes are told: Events and conditions.
#include <algorithm>
#include <utility>

#include "drive/condition_queue.hpp"
#include "gedge/drive/api_cluster.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostQueued = 4'096, kMostTelling = 64;
// What is told waits so long for more of it, unless there is as much: several in one piece take
// less of both sides, and a server that writes an Event later shows the bind sooner.
constexpr Nanos kGather{25'000'000};
constexpr std::size_t kGathered = 32;

constexpr unsigned kOk = 200, kCreated = 201, kForbidden = 403, kTooMany = 429;
constexpr Nanos kLeastRest{1'000'000'000}, kMostRest{300'000'000'000};  // that a server asks for

}  // namespace

void ApiCluster::queue(QueuedEvent event) {
  if (queued_.size() == kMostQueued) {
    if (const auto& sent = queued_.front().sent) ledger_.answered(*sent, 0);
    queued_.pop_front();
    ++events_dropped_;
  }
  if (is_told()) queued_since_ = now();
  queued_.push_back(std::move(event));
  if (queued_.size() >= kGathered) send_queued();
}

bool ApiCluster::is_told() const {
  return (queued_.empty() || holds_events()) && conditions_->ready(now()) == 0;
}

void ApiCluster::send_conditions() {
  while (telling_ < kMostTelling) {
    const auto pod = conditions_->take(now());
    if (!pod) return;
    ApiRequest request = codec::condition_request(*pod, wall_clock_.date());
    if (!may_write(request)) return conditions_->clear();
    request.is_answer_unread = true;
    Call call;
    call.about = About::kCondition;
    call.condition = *pod;
    send(std::move(request), std::move(call));
    ++telling_;
  }
}

void ApiCluster::tell_forbidden(unsigned status, ClusterListener& listener) {
  if (status == kForbidden && !std::exchange(are_conditions_forbidden_, true))
    listener.failed({Errc::kDenied,
                     "conditions of pods cannot be written: the server says 403",
                     {},
                     "grant patch of pods/status; see gedge manifests"});
  if (status == kOk) are_conditions_forbidden_ = false;
}

void ApiCluster::send_queued() {
  const std::size_t waiting = (holds_events() ? 0 : queued_.size()) + conditions_->ready(now());
  if (waiting < kGathered && now() < queued_since_ + kGather) return;
  send_conditions();
  for (; !queued_.empty() && !holds_events() && telling_ < kMostTelling; ++telling_) {
    QueuedEvent& event = queued_.front();
    if (!may_write(event.request)) return queued_.clear();
    event.request.is_answer_unread = true;
    Call call;
    call.event = event.sent;
    send(std::move(event.request), std::move(call));
    queued_.pop_front();
  }
}

void ApiCluster::take_told(const Call& call, const ApiAnswer& answer) {
  --telling_;
  if (call.event) ledger_.answered(*call.event, answer.status);
  const bool is_taken = answer.status == kOk || answer.status == kCreated;
  if (is_taken && !holds_events()) refused_since_.reset();
  if (answer.status != kTooMany) return;
  ++events_dropped_;
  if (!refused_since_) refused_since_ = now();
  const Nanos rest = std::clamp(answer.retry_after.value_or(kLeastRest), kLeastRest, kMostRest);
  events_from_ = std::max(events_from_, now() + rest);
}

void ApiCluster::report(const codec::ApiEvent& event, bool may_come_again) {
  const SentEvent sent{last_event_++};
  const codec::EventReporter reporter{options_.controller, options_.instance, sent.number};
  queue({codec::event_request(event, reporter, wall_clock_.date()),
         may_come_again ? std::optional(sent) : std::nullopt});
}

// What may be said of one object more than once. Whatever else is reported happens to a pod once.
void ApiCluster::warn(codec::ApiEvent event) {
  const std::uint64_t number = last_event_;
  const std::string object =
      event.kind + '/' + event.about.namespace_name + '/' + event.about.name + '/' + event.uid;
  const EventFate fate = ledger_.take(object, event.reason, event.note, number, now());
  if (fate.kind == EventFate::Kind::kSilent) {
    ++events_dropped_;
    return;
  }
  event.is_warning = true;
  if (fate.kind == EventFate::Kind::kAgain)
    return queue({codec::event_again_request(event, fate.first, fate.times, wall_clock_.date()),
                  SentEvent{fate.first, false}});
  if (fate.is_combined) event.note = "(combined from similar events): " + event.note;
  report(event, true);
}

void ApiCluster::tell(const Unschedulable& pod) {
  if (options_.tells_conditions) {
    if (is_told()) queued_since_ = now();
    conditions_->put(pod);
    if (conditions_->ready(now()) >= kGathered) send_queued();
  }
  if (options_.events == EventsTold::kNone) return;
  warn({"Pod", pod.pod, pod.uid, true, "FailedScheduling", "Scheduling", pod.message});
}

// As kubelets do, Events of a node say its name where others have a UID.
void ApiCluster::tell(const Overcommit& node) {
  if (options_.events == EventsTold::kNone) return;
  warn({"Node",
        {{}, node.node},
        node.node,
        true,
        "Overcommitted",
        "Scheduling",
        "Pods ask for " + to_string(node.amounts)});
}

void ApiCluster::tell(const Misplaced& pod) {
  if (options_.events == EventsTold::kNone) return;
  warn({"Pod", pod.pod, pod.uid, true, "Misplaced", "Binding",
        "Bound to node " + pod.node +
            ", where it does not fit: the pod of this name or the node was another one when that "
            "was decided"});
}

std::optional<Nanos> ApiCluster::next_to_tell() const {
  if (telling_ >= kMostTelling) return std::nullopt;
  const Nanos gathered = queued_since_ + kGather;
  std::optional<Nanos> next = conditions_->next();
  if (next) next = std::max(*next, gathered);
  if (queued_.empty()) return next;
  const Nanos of_events = std::max(gathered, events_from_);
  return next ? std::min(*next, of_events) : of_events;
}

}  // namespace gedge
