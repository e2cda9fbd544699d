// drive/api_telling.cpp - what pods and nodes are told: Events and conditions.
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

constexpr unsigned kOk = 200, kForbidden = 403;

}  // namespace

void ApiCluster::queue(ApiRequest request) {
  if (queued_.size() == kMostQueued) {
    queued_.pop_front();
    ++events_dropped_;
  }
  if (is_told()) queued_since_ = now();
  queued_.push_back(std::move(request));
  if (queued_.size() >= kGathered) send_queued();
}

bool ApiCluster::is_told() const { return queued_.empty() && conditions_->ready(now()) == 0; }

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
  const std::size_t waiting = queued_.size() + conditions_->ready(now());
  if (waiting < kGathered && now() < queued_since_ + kGather) return;
  send_conditions();
  for (; !queued_.empty() && telling_ < kMostTelling; ++telling_) {
    if (!may_write(queued_.front())) return queued_.clear();
    queued_.front().is_answer_unread = true;
    send(std::move(queued_.front()), {});
    queued_.pop_front();
  }
}

void ApiCluster::report(const codec::ApiEvent& event) {
  const codec::EventReporter reporter{options_.controller, options_.instance, last_event_++};
  queue(codec::event_request(event, reporter, wall_clock_.date()));
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
    return queue(codec::event_again_request(event, fate.first, fate.times, wall_clock_.date()));
  if (fate.is_combined) event.note = "(combined from similar events): " + event.note;
  report(event);
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
  if (!queued_.empty()) return gathered;
  const auto next = conditions_->next();
  return next ? std::optional(std::max(*next, gathered)) : std::nullopt;
}

}  // namespace gedge
