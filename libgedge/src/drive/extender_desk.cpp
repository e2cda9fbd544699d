#include "gedge/drive/extender_desk.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr Nanos kLongest{60'000'000'000};
constexpr Micros kStill{150'000'000};      // the loop turns at least once a minute
constexpr Nanos kFresh{1'000'000'000};     // so long it is as it was when it was looked at
constexpr Nanos kPatience{2'000'000'000};  // of questions; kube-scheduler's is five seconds

}  // namespace

ExtenderDesk::ExtenderDesk(Extender extender, ClusterLink* link, const Clock& clock,
                           const ExtenderDeskOptions& options, ExtenderEvents events)
    : link_(link),
      clock_(clock),
      options_(options),
      events_(std::move(events)),
      extender_(std::move(extender)),
      was_synced_(link == nullptr),
      is_synced_(was_synced_),
      turned_(clock.now()) {}

void ExtenderDesk::stop() {
  stopping_ = true;
  if (link_ != nullptr) link_->wake();
}

Status ExtenderDesk::run() {
  while (link_ != nullptr && !stopping_) {
    look();
    reply_to_questions();
    send();
    GEDGE_TRY(link_->wait(patience(), *this));
  }
  return {};
}

// Whether what is known may be decided by. What has been silent for a minute is asked whether it
// still speaks, where anybody wants to know.
void ExtenderDesk::look() {
  const Nanos now = this->now();
  bool is_asked = false;
  {
    const std::lock_guard lock(mutex_);
    is_asked = asked_ && now - *asked_ <= kPatience;
  }
  if (is_asked) link_->refresh();
  const bool is_synced = link_->is_synced();
  std::vector<std::string> unsynced = options_.unsynced();
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    turned_ = clock_.now();
    unsynced_ = std::move(unsynced);
    is_synced_ = is_synced;
    if (is_synced) {
      looked_ = now;
      silent_since_.reset();
    } else if (was_synced_ && !silent_since_) {
      silent_since_ = now;
    }
    is_new = is_synced && !std::exchange(was_synced_, true);
  }
  if (is_new) events_.synced();
}

void ExtenderDesk::reply_to_questions() {
  std::vector<std::pair<HttpReplyTo, HttpReply>> replies;
  {
    const std::lock_guard lock(mutex_);
    while (!questions_.empty()) {
      if (!is_synced_ && now() - questions_.front().since < kPatience) break;
      Question question = std::move(questions_.front());
      questions_.pop_front();
      const ExtenderVerb verb = question.call.verb;
      auto reply = is_synced_ ? decide(std::move(question.call), question.reply_to)
                              : std::optional(extender_failure(verb, silence()));
      if (reply) replies.emplace_back(std::move(question.reply_to), *std::move(reply));
    }
  }
  for (auto& [reply_to, reply] : replies) reply_to(std::move(reply));
}

std::string ExtenderDesk::silence() const {
  std::string why = "gedge has not heard of the cluster for too long:";
  for (const std::string& path : unsynced_) why += ' ' + path;
  return why;
}

Nanos ExtenderDesk::patience() const {
  const std::lock_guard lock(mutex_);
  const Nanos now = this->now();
  Nanos until = now + kLongest;
  if (!questions_.empty()) until = std::min(until, questions_.front().since + kPatience);
  if (const auto next = extender_.next()) until = std::min(until, *next);
  return std::max(until - now, Nanos{0});
}

// Replies to binds that are settled, and what the cluster is asked next.
void ExtenderDesk::send() {
  std::vector<std::pair<Waiting, std::string>> settled;
  std::vector<BindRequest> binds;
  std::vector<ReadRequest> reads;
  {
    const std::lock_guard lock(mutex_);
    binds = extender_.take_binds();
    reads = extender_.take_reads(now());
    for (BindOutcome& outcome : extender_.take_settled()) {
      const auto at = waiting_.find(outcome.ticket);
      if (at == waiting_.end()) continue;
      settled.emplace_back(std::move(at->second), std::move(outcome.error));
      waiting_.erase(at);
    }
  }
  for (const auto& [waiting, error] : settled) {
    if (error.empty())
      events_.bound(waiting.bind);
    else
      events_.not_bound(waiting.bind, error);
    waiting.reply_to(bind_reply(error));
  }
  for (const BindRequest& bind : binds) link_->bind(bind);
  for (const ReadRequest& read : reads) link_->read(read);
}

void ExtenderDesk::put(Facts objects) {
  const std::lock_guard lock(mutex_);
  extender_.put(std::move(objects));
}

void ExtenderDesk::put_listed(Facts objects) {
  const std::lock_guard lock(mutex_);
  extender_.put_listed(std::move(objects), now());
}

void ExtenderDesk::remove(FactKind kind, std::string_view namespace_name, std::string_view name,
                          std::string_view uid) {
  const std::lock_guard lock(mutex_);
  extender_.remove(kind, namespace_name, name, uid);
}

void ExtenderDesk::keep_only(FactKind kind, std::vector<PodName> names) {
  const std::lock_guard lock(mutex_);
  extender_.keep_only(kind, std::move(names));
}

void ExtenderDesk::measured(RttMatrix&& rtt) {
  const std::lock_guard lock(mutex_);
  extender_.put(std::move(rtt));
}

void ExtenderDesk::answer(std::uint64_t ticket, BindAnswer answer) {
  const std::lock_guard lock(mutex_);
  extender_.answer(ticket, answer, now());
}

void ExtenderDesk::answer(std::uint64_t ticket, const PodReading& reading) {
  const std::lock_guard lock(mutex_);
  extender_.answer(ticket, reading, now());
}

ExtenderFacts ExtenderDesk::facts() const {
  const std::lock_guard lock(mutex_);
  ExtenderFacts facts;
  facts.is_alive = link_ == nullptr || clock_.now() - turned_ < kStill;
  facts.is_synced = is_synced_;
  facts.unsynced = unsynced_;
  facts.counts = extender_.counts();
  facts.held = extender_.held();
  facts.nodes = extender_.cluster().node_count();
  facts.pods = extender_.cluster().pod_count();
  facts.rebuilds = extender_.cluster().rebuilds();
  facts.refused_requests = refused_requests_;
  return facts;
}

HttpService ExtenderDesk::service() {
  HttpService service;
  service.answer_or_wait = [this](const HttpRequest& request, const HttpReplyTo& reply_to) {
    return reply(request, reply_to);
  };
  service.refuse = [this](HttpFault fault) {
    const std::lock_guard lock(mutex_);
    ++refused_requests_;
    return extender_refusal(fault);
  };
  return service;
}

std::optional<HttpReply> ExtenderDesk::reply(const HttpRequest& request,
                                             const HttpReplyTo& reply_to) {
  if (!is_extender_call(request) && (request.method == "GET" || request.method == "HEAD"))
    return extender_status_reply(request, facts());
  auto read = read_extender_call(request, options_.compat);
  if (auto* const call = std::get_if<ExtenderCall>(&read)) return reply(std::move(*call), reply_to);
  const std::lock_guard lock(mutex_);
  ++refused_requests_;
  return std::get<HttpReply>(std::move(read));
}

std::optional<HttpReply> ExtenderDesk::reply(ExtenderCall call, const HttpReplyTo& reply_to) {
  const std::lock_guard lock(mutex_);
  if (link_ == nullptr) return decide(std::move(call), reply_to);
  if (!was_synced_) return extender_failure(call.verb, "gedge does not know the whole cluster yet");
  const Nanos now = this->now();
  asked_ = now;
  if (silent_since_ && now - *silent_since_ >= kPatience)
    return extender_failure(call.verb, silence());
  const bool is_fresh = is_synced_ && looked_ && now - *looked_ <= kFresh;
  if (is_fresh && questions_.empty()) return decide(std::move(call), reply_to);
  questions_.push_back({std::move(call), reply_to, now});
  link_->wake();
  return std::nullopt;
}

std::optional<HttpReply> ExtenderDesk::decide(ExtenderCall call, const HttpReplyTo& reply_to) {
  const Nanos now = this->now();
  if (call.verb == ExtenderVerb::kBind) return bind(call, reply_to, now);
  if (const Status met = meet_nodes(call); !met)
    return extender_failure(call.verb, met.error().what);
  switch (call.verb) {
    case ExtenderVerb::kFilter:
      return filter(std::move(call), now);
    case ExtenderVerb::kPrioritize:
      return prioritize(std::move(call));
    case ExtenderVerb::kPreempt:
    case ExtenderVerb::kBind:
      break;
  }
  return preempt(std::move(call));
}

// The other scheduler may have been told of a node first.
Status ExtenderDesk::meet_nodes(const ExtenderCall& call) {
  std::vector<std::string_view> unknown;
  for (std::size_t i = 0; i < call.node_objects.size(); ++i)
    if (extender_.cluster().find_node(call.nodes[i]) == nullptr)
      unknown.push_back(call.node_objects[i]);
  if (unknown.empty()) return {};
  auto nodes = read_extender_nodes(unknown, options_.compat);
  if (!nodes) return std::move(nodes).error();
  extender_.put(*std::move(nodes));
  return {};
}

HttpReply ExtenderDesk::filter(ExtenderCall call, Nanos now) {
  const auto verdicts = extender_.filter(std::move(call.pod), call.nodes, now);
  return verdicts ? filter_reply(call, *verdicts)
                  : extender_failure(call.verb, verdicts.error().what);
}

HttpReply ExtenderDesk::prioritize(ExtenderCall call) {
  const auto scores = extender_.prioritize(std::move(call.pod), call.nodes);
  return scores ? prioritize_reply(call, *scores)
                : extender_failure(call.verb, scores.error().what);
}

HttpReply ExtenderDesk::preempt(ExtenderCall call) {
  const auto may = extender_.preempt(std::move(call.pod), call.victims);
  return may ? preempt_reply(call, *may) : extender_failure(call.verb, may.error().what);
}

std::optional<HttpReply> ExtenderDesk::bind(const ExtenderCall& call, const HttpReplyTo& reply_to,
                                            Nanos now) {
  if (!options_.binds) return bind_reply("this gedge binds no pods");
  const auto ticket = extender_.bind(call.pod_name, call.uid, call.node, now);
  if (!ticket) return bind_reply(ticket.error().what);
  if (!*ticket) return bind_reply({});
  waiting_.emplace(
      **ticket,
      Waiting{{**ticket, call.pod_name, SharedText(call.uid), SharedText(call.node)}, reply_to});
  link_->wake();
  return std::nullopt;
}

}  // namespace gedge
