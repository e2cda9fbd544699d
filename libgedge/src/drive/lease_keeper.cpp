#include "gedge/drive/lease_keeper.hpp"

#include <utility>

#include "gedge/base/split_mix.hpp"
#include "gedge/codec/api_requests.hpp"
#include "gedge/control/reflector.hpp"

namespace gedge {
namespace {

constexpr unsigned kNotFound = 404, kConflict = 409;
constexpr Nanos kLastWord{500'000'000};  // for an Event to leave; of the 5 s that the end may take

}  // namespace

LeaseKeeper::LeaseKeeper(LeaseOptions options, std::uint64_t seed, std::string controller)
    : options_(std::move(options)),
      controller_(std::move(controller)),
      election_(options_.identity, seed, options_.election),
      checked_(options_.election.check()),
      last_event_(split_mix(~seed)) {}

Status LeaseKeeper::advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now,
                            UnixSeconds date) {
  GEDGE_TRY(checked_);
  tell_seizure(transport, last_ticket, now, date);
  if (election_.is_lost(now)) {
    if (ends_at_ && now < *ends_at_) return {};
    const std::string& holder = election_.holder();
    return Error{Errc::kDenied,
                 holder.empty() ? "the lease was lost" : "the lease was lost; it says " + holder,
                 {},
                 "start again: whoever leads now has what this one knew"};
  }
  const auto asked = election_.advance(now, date);
  if (!asked) return {};
  is_reading_ = asked->kind == LeaseCall::Kind::kRead;
  ticket_ = ++last_ticket;
  transport.send(ticket_, codec::lease_request(*asked, options_.namespace_name, options_.name));
  return {};
}

std::optional<Nanos> LeaseKeeper::next() const {
  const auto next = election_.next();
  return next || !ends_at_ ? next : ends_at_;
}

std::optional<Nanos> LeaseKeeper::deadline(Nanos now) const {
  const bool holds = election_.is_leading(now) || election_.is_releasing();
  return holds || election_.is_lost(now) ? std::optional(election_.deadline()) : std::nullopt;
}

// A write that decides nothing: it needs no lease.
void LeaseKeeper::tell_seizure(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now,
                               UnixSeconds date) {
  if (std::exchange(seizures_told_, election_.seizures()) == election_.seizures()) return;
  if (controller_.empty()) return;
  const std::string& holder = election_.holder();
  codec::ApiEvent event{"Lease",
                        {options_.namespace_name, options_.name},
                        {},
                        true,
                        "LeaseTaken",
                        "LeaderElection",
                        "Taken from " + election_.robbed() +
                            " before its time was over; held now by " +
                            (holder.empty() ? "nobody" : holder),
                        "coordination.k8s.io/v1"};
  const std::uint64_t number = last_event_;
  const EventFate fate = ledger_.take(options_.name, event.reason, event.note, number, now);
  if (fate.kind == EventFate::Kind::kSilent) {
    ++events_dropped_;
    return;
  }
  if (fate.is_combined) event.note = "(combined from similar events): " + event.note;
  ApiRequest request =
      fate.kind == EventFate::Kind::kAgain
          ? codec::event_again_request(event, fate.first, fate.times, date)
          : codec::event_request(event, {controller_, options_.identity, last_event_++}, date);
  request.is_answer_unread = true;
  transport.send(++last_ticket, std::move(request));
  if (election_.is_lost(now)) ends_at_ = now + kLastWord;
}

bool LeaseKeeper::bounds(ApiRequest& request, Nanos now) const {
  const auto until = election_.writes_until(now);
  if (!until) return false;
  request.send_by = *until;
  request.ends_by_then = true;
  return true;
}

void LeaseKeeper::take(const ApiAnswer& answer, Nanos now, const Failed& failed,
                       const std::function<void()>& recovered) {
  ticket_ = 0;
  has_gone_back_ = false;
  if (is_reading_ && codec::is_missing(answer)) return election_.take_read(std::nullopt, now);
  if (!is_reading_ && answer.status == kConflict) return election_.take_conflict(now);
  const auto lease = codec::read_lease(answer);
  if (lease) {
    if (failure_.clear()) recovered();
    const std::string before = std::exchange(version_, lease->version);
    has_gone_back_ = is_as_new(before, version_) && before != version_;
    return is_reading_ ? election_.take_read(*lease, now)
                       : election_.take_written(lease->version, now);
  }
  Error error = lease.error();
  if (answer.status == kNotFound)
    error.hint = "create its namespace: `kubectl create namespace " + options_.namespace_name + "`";
  if (failure_.note(error, now)) failed(error);
  election_.take_failure(now);
}

}  // namespace gedge
