// drive/scale_calls.cpp - what a scaler asks for, sent; and what came of it.
#include <algorithm>
#include <utility>

#include "drive/object_watch.hpp"
#include "drive/workload_lists.hpp"
#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/resize_requests.hpp"
#include "gedge/codec/workload_sample.hpp"
#include "gedge/drive/scale_loop.hpp"
#include "gedge/drive/site_desk.hpp"
#include "gedge/scale/status_text.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostQueued = 4'096, kMostTelling = 8;
constexpr Nanos kHold{1'000'000'000};  // what is told, at most, while replicas are written

std::string key_of(const ObjectName& object) { return object.api_version + "/" + object.kind; }

MetricReading unread(std::string why) {
  MetricReading reading;
  reading.why = std::move(why);
  return reading;
}

const char* words_of(ScaleAnswer answer) {
  switch (answer) {
    case ScaleAnswer::kConflict:
      return "it was changed meanwhile";
    case ScaleAnswer::kGone:
      return "there is no such workload";
    case ScaleAnswer::kNotSent:
      return "the server cannot be asked";
    case ScaleAnswer::kUnknown:
      return "nobody knows whether it was done";
    default:
      return "the server refused it";
  }
}

}  // namespace

void ScaleLoop::send(ApiRequest request, Call call) {
  const std::uint64_t ticket = ++last_ticket_;
  ApiTransport& to = call.about == About::kQuery ? *prometheus_ : transport_;
  calls_.emplace(ticket, std::move(call));
  to.send(ticket, std::move(request));
}

void ScaleLoop::send() {
  std::vector<ScaleRead> reads = scaler_.take_scale_reads();
  for (std::vector<ScaleRead>& listed : lists_->take(reads, now())) send_list(std::move(listed));
  for (const ScaleRead& read : reads) send(read);
  for (const MetricRead& read : scaler_.take_metric_reads()) send(read);
  for (SiteQuestion& question : scaler_.take_site_questions()) send(std::move(question));
  for (ScaleWrite& write : scaler_.take_writes()) send(std::move(write));
  for (const ScaleReport& report : scaler_.take_reports()) {
    events_.reported(report);
    if (options_.writes) tell(report);
  }
  send_queued();
}

std::optional<codec::KindName> ScaleLoop::kind_of(const ObjectName& object) const {
  const auto found = kinds_.find(key_of(object));
  return found == kinds_.end() ? codec::kind_name(object) : found->second;
}

void ScaleLoop::ask_kind(const ObjectName& object, Waiting waiting) {
  const auto [at, is_new] = waiting_.try_emplace(key_of(object));
  at->second.scales.insert(at->second.scales.end(), waiting.scales.begin(), waiting.scales.end());
  at->second.metrics.insert(at->second.metrics.end(), waiting.metrics.begin(),
                            waiting.metrics.end());
  if (!is_new) return;
  Call call;
  call.about = About::kKind;
  call.object = object;
  send(codec::kinds_request(object.api_version), std::move(call));
}

void ScaleLoop::take_kind(const ObjectName& object, const ApiAnswer& answer) {
  const auto at = waiting_.find(key_of(object));
  const Waiting waiting = std::move(at->second);
  waiting_.erase(at);
  const auto kind = codec::read_kind_name(answer, object);
  if (kind) {
    kinds_.insert_or_assign(key_of(object), *kind);
    for (const ScaleRead& read : waiting.scales) send(read);
    for (const MetricRead& read : waiting.metrics) send(read);
    return;
  }
  ScaleReading nothing;
  nothing.why = kind.error().what;
  for (const ScaleRead& read : waiting.scales) scaler_.answer(read.ticket, nothing);
  for (const MetricRead& read : waiting.metrics)
    scaler_.answer(read.ticket, unread(kind.error().what));
}

void ScaleLoop::send(const ScaleRead& read) {
  if (read.is_whole) return send_whole(read);
  const auto kind = kind_of(read.target);
  if (!kind) return ask_kind(read.target, {{read}, {}});
  Call call;
  call.about = About::kScale;
  call.ticket = read.ticket;
  call.object = read.target;
  send(codec::scale_request(read, *kind), std::move(call));
}

void ScaleLoop::send_list(std::vector<ScaleRead> reads) {
  auto request = WorkloadLists::request(reads);
  Call call;
  call.about = About::kScales;
  call.scales = std::move(reads);
  send(*std::move(request), std::move(call));
}

void ScaleLoop::take_list(std::vector<ScaleRead> reads, const ApiAnswer& answer) {
  for (auto& [ticket, reading] : lists_->answer(answer, reads, now()))
    scaler_.answer(ticket, std::move(reading));
  if (give_up_) return;
  for (const ScaleRead& read : reads) send(read);
}

void ScaleLoop::send_whole(const ScaleRead& read) {
  auto request = codec::workload_request(read.target, read.namespace_name);
  if (!request) {
    ScaleReading nothing;
    nothing.why = std::move(request).error().what;
    return scaler_.answer(read.ticket, std::move(nothing));
  }
  Call call;
  call.about = About::kWorkload;
  call.ticket = read.ticket;
  call.object = read.target;
  send(*std::move(request), std::move(call));
}

void ScaleLoop::send(const MetricRead& read) {
  Call call;
  call.ticket = read.ticket;
  call.read = read;
  if (read.source == MetricSource::kQuery) {
    if (prometheus_ == nullptr)
      return scaler_.answer(read.ticket, unread("nobody says where Prometheus is"));
    call.about = About::kQuery;
    ++queries_;
    return send(codec::query_request(read), std::move(call));
  }
  call.about = About::kMetric;
  codec::KindName object;
  if (read.source == MetricSource::kObject) {
    const auto kind = kind_of(read.object);
    if (!kind) return ask_kind(read.object, {{}, {read}});
    object = *kind;
  }
  send(codec::metric_request(read, object), std::move(call));
}

bool ScaleLoop::may_write(ApiRequest& request) const {
  return !lease_ || lease_->bounds(request, now());
}

void ScaleLoop::send(SiteQuestion question) {
  if (options_.sites != nullptr && !give_up_) return options_.sites->ask(std::move(question));
  SiteAnswer nobody;
  nobody.why = "nobody looks";
  scaler_.answer(question.ticket, std::move(nobody));
}

// After stop() no answer leads to anything new; what is to be written is.
void ScaleLoop::take_from_desk() {
  if (options_.sites == nullptr) return;
  while (auto news = options_.sites->take()) {
    if (news->answer && !give_up_) scaler_.answer(news->ticket, *std::move(news->answer));
    auto marked = marking_.extract(news->ticket);
    if (!marked) continue;
    // Pods may leave in another order then, but they do leave.
    if (!news->marked) events_.failed(news->marked.error());
    send(std::move(marked.mapped()));
  }
}

void ScaleLoop::send(ScaleWrite write) {
  if (!write.costs.empty() && options_.sites != nullptr && is_leading()) {
    const std::uint64_t ticket = write.ticket;
    std::vector<PodCost> costs = std::exchange(write.costs, {});
    marking_.emplace(ticket, std::move(write));
    return options_.sites->mark(ticket, std::move(costs), write_until_);
  }
  const auto kind = kind_of(write.target);
  ApiRequest request;
  if (write.resize)
    request = codec::resize_request(
        *write.resize, write.resize->kind == "Pod" ? ResizeWay::kInPlace : ResizeWay::kTemplate);
  else if (kind)
    request = codec::scale_write_request(write, *kind);
  if (!kind || !may_write(request))
    return scaler_.answer(write.ticket, ScaleAnswer::kNotSent, words_of(ScaleAnswer::kNotSent));
  Call call;
  call.about = About::kWrite;
  call.ticket = write.ticket;
  call.object = write.target;
  send(std::move(request), std::move(call));
}

void ScaleLoop::take_line(std::uint64_t ticket, std::string_view line) {
  for (const auto& watch : watches_)
    if (watch->ticket() == ticket) return watch->take_line(transport_, line, now());
}

void ScaleLoop::take(std::uint64_t ticket, const ApiAnswer& answer) {
  if (lease_ && lease_->ticket() == ticket)
    return lease_->take(
        answer, now(), [this](const Error& error) { events_.failed(error); }, events_.recovered);
  for (const auto& watch : watches_)
    if (watch->ticket() == ticket) return watch->take(answer, now());
  const auto at = calls_.find(ticket);
  if (at == calls_.end()) return;
  Call call = std::move(at->second);
  calls_.erase(at);
  switch (call.about) {
    case About::kScale:
      return scaler_.answer(call.ticket, codec::scale_reading(answer, call.object));
    case About::kScales:
      return take_list(std::move(call.scales), answer);
    case About::kWorkload:
      return scaler_.answer(call.ticket, codec::workload_reading(answer, call.object));
    case About::kMetric:
      return scaler_.answer(call.ticket, codec::metric_reading(answer, call.read));
    case About::kQuery:
      --queries_;
      return scaler_.answer(call.ticket, codec::query_reading(answer, call.read));
    case About::kKind:
      return take_kind(call.object, answer);
    case About::kWrite: {
      const ScaleAnswer meaning = codec::scale_answer(answer);
      std::string why;
      if (meaning != ScaleAnswer::kDone) why = codec::refusal(answer, words_of(meaning)).what;
      return scaler_.answer(call.ticket, meaning, std::move(why));
    }
    case About::kTold:
      --telling_;
      if (call.event) ledger_.answered(*call.event, answer.status);
      return;
  }
}

void ScaleLoop::queue(QueuedEvent event) {
  if (queued_.size() == kMostQueued) {
    if (const auto& sent = queued_.front().sent) ledger_.answered(*sent, 0);
    queued_.pop_front();
    ++events_dropped_;
  }
  if (queued_.empty()) queued_since_ = now();
  queued_.push_back(std::move(event));
}

// When what is told is sent even so; empty: it is not held back.
std::optional<Nanos> ScaleLoop::held_until() const {
  if (queued_.empty() || scaler_.writing() == 0) return std::nullopt;
  return queued_since_ + kHold;
}

// Replicas have the way to themselves.
void ScaleLoop::send_queued() {
  if (const auto until = held_until(); until && now() < *until) return;
  for (; !queued_.empty() && telling_ < kMostTelling; ++telling_) {
    QueuedEvent& event = queued_.front();
    if (!may_write(event.request)) return queued_.clear();
    event.request.is_answer_unread = true;
    Call call;
    call.event = event.sent;
    send(std::move(event.request), std::move(call));
    queued_.pop_front();
  }
}

// As upstream's controller, about the object; where there is none, about the workload.
void ScaleLoop::tell_event(const ScaleReport& report, bool is_warning, std::string reason,
                           std::string note) {
  const Autoscaler& autoscaler = report.autoscaler;
  const bool is_short = autoscaler.api_version == kShortAutoscaler;
  codec::ApiEvent event;
  event.kind = is_short ? autoscaler.target.kind : "HorizontalPodAutoscaler";
  event.about = {autoscaler.namespace_name,
                 is_short ? SharedText(autoscaler.target.name) : autoscaler.name};
  event.uid = is_short ? report.target_uid : autoscaler.uid;
  if (is_short && report.target_uid.empty()) return;  // there is nothing to tell about
  event.api_version = is_short ? autoscaler.target.api_version : options_.autoscaling;
  if (event.api_version.empty())
    event.api_version = event.kind == "ReplicationController" ? "v1" : "apps/v1";
  event.is_warning = is_warning;
  event.reason = std::move(reason);
  event.action = "Scaling";
  event.note = std::move(note);
  const std::string object = event.kind + '/' + event.about.namespace_name + '/' +
                             event.about.name + '/' + event.uid.str();
  const UnixSeconds date = wall_clock_.date();
  const std::uint64_t number = last_event_;
  const EventFate fate = ledger_.take(object, event.reason, event.note, number, now());
  if (fate.kind == EventFate::Kind::kSilent) {
    ++events_dropped_;
    return;
  }
  if (fate.kind == EventFate::Kind::kAgain)
    return queue({codec::event_again_request(event, fate.first, fate.times, date),
                  SentEvent{fate.first, false}});
  if (fate.is_combined) event.note = "(combined from similar events): " + event.note;
  const codec::EventReporter reporter{options_.controller, options_.instance, last_event_++};
  queue({codec::event_request(event, reporter, date), SentEvent{reporter.unique}});
}

void ScaleLoop::tell_status(const ScaleReport& report) {
  const bool is_object = report.autoscaler.api_version != kShortAutoscaler;
  if (is_object && report.is_news) queue({codec::status_request(report, options_.autoscaling), {}});
}

void ScaleLoop::tell_size(const ScaleReport& report) {
  using Outcome = ScaleReport::Outcome;
  const ScaleReport::Size& one = *report.size;
  const std::string whose = one.pod.empty() ? "each replica" : "pod " + one.pod;
  const std::string size = "New " + one.resource + " of " + whose + ": " +
                           resource_text(one.resource, one.to) +
                           "; reason: " + change_reason(report);
  if (report.outcome == Outcome::kRescaled) tell_event(report, false, "SuccessfulResize", size);
  if (report.outcome == Outcome::kNotRescaled)
    tell_event(report, true, "FailedResize", size + "; error: " + report.why);
}

void ScaleLoop::tell(const ScaleReport& report) {
  using Outcome = ScaleReport::Outcome;
  const ScaleDecision& decision = report.decision;
  tell_status(report);
  if (!report.keeps_size.empty()) tell_event(report, true, "FailedResize", report.keeps_size);
  if (report.size) return tell_size(report);
  const std::string size =
      "New size: " + std::to_string(decision.replicas) + "; reason: " + change_reason(report);
  if (report.outcome == Outcome::kRescaled)
    return tell_event(report, false, "SuccessfulRescale", size);
  if (report.outcome == Outcome::kNotRescaled)
    return tell_event(report, true, "FailedRescale", size + "; error: " + report.why);
  if (!report.is_news || report.outcome != Outcome::kKept) return;
  if (decision.step == ScaleStep::kNoTarget)
    return tell_event(report, true, "FailedGetScale", report.why);
  if (!report.is_frozen) return;
  for (const auto& [condition, since] : report.conditions)
    if (condition.type == ScaleConditionType::kScalingActive)
      tell_event(report, true, std::string(to_string(condition.reason)),
                 condition_message(report.autoscaler, decision, condition, report.why));
}

}  // namespace gedge
