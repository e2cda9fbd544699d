#include "gedge/drive/schedule_loop.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr Nanos kReadAgain{200'000'000};  // how often after a stop, of pods that may be bound

}  // namespace

ScheduleLoop::ScheduleLoop(Scheduler scheduler, ClusterLink& link, const Clock& clock,
                           const ScheduleLoopOptions& options, ScheduleEvents events)
    : scheduler_(std::move(scheduler)),
      link_(link),
      clock_(clock),
      options_(options),
      events_(std::move(events)) {}

void ScheduleLoop::stop() {
  stopping_ = true;
  link_.wake();
}

Status ScheduleLoop::run() {
  for (;;) {
    if (give_up_)
      scheduler_.read_again(now());
    else if (Status decided = decide(); !decided)
      fail(decided.error());
    send();
    events_.turned();
    // Whoever tries once is not one who waits for better times.
    if (options_.is_one_pass && !stopping_ && !link_.is_synced())
      if (const Error* const why = link_.failing()) fail(*why);
    if (is_over(now())) return failure_ ? Status(*failure_) : Status();
    GEDGE_TRY(link_.wait(patience(now()), *this));
  }
}

// Nothing can be decided any more, which is no reason to leave what was sent unsettled.
void ScheduleLoop::fail(const Error& error) {
  failure_ = error;
  stopping_ = true;
}

Status ScheduleLoop::decide() {
  const bool wants_to_decide = scheduler_.active() + scheduler_.backing_off() +
                                   scheduler_.parked() + scheduler_.awaiting() +
                                   scheduler_.overcommitted() >
                               0;
  if (wants_to_decide) link_.refresh();
  const bool is_synced = link_.is_synced();
  if (!was_synced_) {
    if (!is_synced) return {};
    was_synced_ = true;
    events_.synced();
  }
  scheduler_.hold_back(!is_synced);
  return scheduler_.advance(now());
}

void ScheduleLoop::send() {
  for (BindRequest& bind : scheduler_.take_binds()) {
    events_.placed(bind);
    if (options_.is_dry_run) {
      scheduler_.answer(bind.ticket, BindAnswer::kBound, now());
      continue;
    }
    link_.bind(bind);
    const std::uint64_t ticket = bind.ticket;
    binds_.emplace(ticket, SentBind{std::move(bind), now()});
  }
  for (const Overcommit& node : scheduler_.take_overcommits()) {
    events_.overcommitted(node);
    if (!options_.is_dry_run) link_.tell(node);
  }
  for (const Misplaced& pod : scheduler_.take_misplaced()) {
    events_.misplaced(pod);
    if (!options_.is_dry_run) link_.tell(pod);
  }
  for (const EvictRequest& victim : scheduler_.take_evictions()) {
    events_.evicted(victim);
    if (options_.is_dry_run) continue;
    victims_.emplace(victim.ticket, Going{victim.pod, victim.uid});
    link_.evict(victim);
    ++asked_;
  }
  for (const ClaimRequest& claim : scheduler_.take_claims()) {
    link_.claim(claim);
    ++asked_;
  }
  for (const Nomination& nomination : scheduler_.take_nominations())
    if (!options_.is_dry_run) link_.nominate(nomination);
  for (const ReadRequest& read : scheduler_.take_reads()) link_.read(read);
  for (const Unschedulable& pod : scheduler_.take_unschedulable()) {
    events_.unschedulable(pod);
    if (!options_.is_dry_run) link_.tell(pod);
  }
}

// What was sent is settled first, then told, and only then is given away what allowed us to write.
bool ScheduleLoop::is_over(Nanos now) {
  if (stopping_ && !give_up_) give_up_ = now + options_.settle_within;
  const bool is_done = options_.is_one_pass && was_synced_ && scheduler_.active() == 0 &&
                       scheduler_.awaiting() == 0 && scheduler_.unsearched() == 0;
  if (!give_up_ && !is_done) return false;
  if (give_up_ && now >= *give_up_) return true;
  const bool is_settled = scheduler_.in_flight() == 0 && scheduler_.unclear() == 0 && asked_ == 0;
  if (!is_settled || link_.untold() > 0) return false;
  if (!leave_by_) leave_by_ = now + options_.told_back_within;
  if (has_left_) return link_.untold() == 0;
  drop_gone();
  const bool is_told_back = scheduler_.bound() == 0 && going_.empty();
  if (!is_told_back && now < *leave_by_) return false;
  has_left_ = true;
  link_.leave(is_told_back);
  return link_.untold() == 0;
}

void ScheduleLoop::drop_gone() {
  std::erase_if(going_, [this](const Going& one) {
    const Pod* const known = scheduler_.cluster().find_pod(one.pod);
    return known == nullptr || known->uid != one.uid || known->terminating;
  });
}

Nanos ScheduleLoop::patience(Nanos now) const {
  // Once it is over, what was settled before is not any more: its answer is waited for.
  const bool may_be_told_back = leave_by_ && !has_left_ && now < *leave_by_;
  if (give_up_) {
    const Nanos left = std::max((may_be_told_back ? *leave_by_ : *give_up_) - now, Nanos{0});
    return scheduler_.unclear() > 0 ? std::min(left, kReadAgain) : left;
  }
  if (may_be_told_back) return *leave_by_ - now;
  if (!was_synced_) return options_.turns_within;
  const auto next = scheduler_.next();
  return next ? std::clamp(*next - now, Nanos{0}, options_.turns_within) : options_.turns_within;
}

void ScheduleLoop::put(Facts objects) { scheduler_.put(std::move(objects)); }

void ScheduleLoop::put_listed(Facts objects) { scheduler_.put_listed(std::move(objects)); }

void ScheduleLoop::remove(FactKind kind, std::string_view namespace_name, std::string_view name,
                          std::string_view uid) {
  scheduler_.remove(kind, namespace_name, name, uid);
}

void ScheduleLoop::keep_only(FactKind kind, std::vector<PodName> names) {
  scheduler_.keep_only(kind, std::move(names));
}

void ScheduleLoop::measured(RttMatrix&& rtt) {
  events_.measured(rtt);
  scheduler_.put(std::move(rtt));
}

void ScheduleLoop::answer(std::uint64_t ticket, BindAnswer answer) {
  const auto sent = binds_.extract(ticket);
  if (!sent.empty()) {
    const auto& [bind, at] = sent.mapped();
    if (answer == BindAnswer::kBound)
      events_.bound(bind, now() - at);
    else
      events_.not_bound(bind, now() - at, answer);
  }
  scheduler_.answer(ticket, answer, now());
}

void ScheduleLoop::answer(std::uint64_t ticket, const PodReading& reading) {
  scheduler_.answer(ticket, reading, now());
}

void ScheduleLoop::answer(std::uint64_t ticket, EvictAnswer answer) {
  --asked_;
  const auto victim = victims_.extract(ticket);
  if (!victim.empty() && answer == EvictAnswer::kGoing) {
    drop_gone();
    going_.push_back(std::move(victim.mapped()));
  }
  scheduler_.answer(ticket, answer, now());
}

void ScheduleLoop::answer(std::uint64_t ticket, ClaimAnswer answer) {
  --asked_;
  scheduler_.answer(ticket, answer, now());
}

void ScheduleLoop::rest(Nanos how_long) { scheduler_.rest(now() + how_long); }

void ScheduleLoop::failed(const Error& error) { events_.failed(error); }

}  // namespace gedge
