// control/reflector.cpp - when to list, when to watch, and how long to wait in between.
#include "gedge/control/reflector.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr unsigned kOk = 200, kForbidden = 403, kNotFound = 404, kTooMany = 429;
// A watch that the server ends so soon has not worked, nor one that is broken so soon after it has
// told what happened before.
constexpr Nanos kShort{1'000'000'000};

bool is_number(const std::string& text) {
  const bool has_digits =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return has_digits && !text.empty() && text.front() != '0';
}

bool is_passing(unsigned status) { return status == 0 || status == kTooMany || status >= 500; }

}  // namespace

bool is_as_new(const std::string& version, const std::string& as) {
  if (as.empty()) return false;
  if (version == as) return true;
  if (!is_number(version) || !is_number(as)) return false;
  return version.size() != as.size() ? version.size() > as.size() : version > as;
}

Reflector::Reflector(std::uint64_t seed, const ReflectorOptions& options)
    : options_(options), random_(seed) {}

std::optional<ReflectorCall> Reflector::advance(Nanos now, bool is_pinged) {
  if (is_under_way_ || now < until_) return std::nullopt;
  if (needs_list(now)) list_again();
  is_under_way_ = true;
  ReflectorCall call;
  call.is_list = lists_next_;
  if (lists_next_) {
    call.next = page_;
    if (page_.empty()) listed_ = now;
    lists_ += page_.empty() ? 1U : 0U;
    return call;
  }
  ++watches_;
  begun_ = heard_ = now;
  call.version = version_;
  terms_ = is_pinged ? options_.pinged : options_.unpinged;
  const std::uint32_t spread = terms_.most_seconds - terms_.least_seconds + 1;
  call.watch_seconds = terms_.least_seconds + static_cast<std::uint32_t>(random_.below(spread));
  ends_ = now + Nanos{call.watch_seconds * 1'000'000'000LL};
  return call;
}

std::optional<Nanos> Reflector::next() const {
  if (!is_under_way_) return until_;
  if (lists_next_) return std::nullopt;
  const Nanos silent = heard_ + terms_.longest_silence;
  return is_behind() ? std::min(silent, catch_up_until_) : silent;
}

bool Reflector::is_vain(Nanos now) const {
  return (is_watching() && now >= heard_ + terms_.longest_silence) ||
         (is_under_way_ && needs_list(now));
}

void Reflector::require(Nanos since, const std::string& heard, Nanos now) {
  if (since <= required_) return;
  const bool needs_whole = heard.empty() || (is_behind() && heard_of_others_.empty());
  required_ = since;
  has_caught_up_ = false;
  heard_of_others_ = needs_whole ? std::string() : heard;
  catch_up_until_ = needs_whole ? now : now + options_.catch_up_within;
  if (is_synced_ && !lists_next_) catch_up();
  if (!is_behind()) return;
  if (is_absent_) failures_ = 0;  // every call has failed
  if (is_under_way_) return;
  if (needs_list(now)) list_again();
  until_ = std::min(until_, std::max(now, not_before_));
}

void Reflector::catch_up() {
  const bool is_sure = !is_lost_ && !has_doubt_;
  has_caught_up_ = has_caught_up_ || (is_sure && is_as_new(version_, heard_of_others_));
}

void Reflector::start_over(Nanos now) {
  newest_.clear();
  if (!std::exchange(has_gone_back_, false)) require(now, {}, now);
}

// A list that is under way may be the one.
bool Reflector::needs_list(Nanos now) const {
  const bool may_come = lists_next_ ? listed_ >= required_ : now < catch_up_until_;
  return is_behind() && !may_come;
}

bool Reflector::is_unheard(Nanos now) const {
  return is_watching() && now > heard_ + options_.most_age;
}

void Reflector::resume(Nanos now) {
  if (is_open_ && now - begun_ >= options_.healthy_after) failures_ = 0;
  is_lost_ = is_lost_ || is_watching();
  is_under_way_ = is_open_ = false;
  until_ = now;
  if (needs_list(now))
    list_again();
  else
    renew(now);
}

void Reflector::answered() { has_returned_ = has_returned_ || std::exchange(is_away_, false); }

void Reflector::hasten(Nanos now) {
  if (is_under_way_ || !is_away_) return;
  const double jitter = random_.even() * static_cast<double>(options_.hurry_within.count());
  const Nanos soon = now + Nanos{static_cast<std::int64_t>(jitter)};
  until_ = std::min(until_, std::max(soon, not_before_));
}

void Reflector::opened(Nanos now) {
  answered();
  has_doubt_ = has_doubt_ || std::exchange(is_lost_, false);
  is_open_ = true;
  heard_ = known_at_ = now;
}

void Reflector::distrust(Nanos since) {
  is_open_ = false;
  known_at_ = std::min(known_at_, since);
}

bool Reflector::take_page(const ListMeta& page, Nanos now) {
  answered();
  is_under_way_ = is_absent_ = false;
  refused_at_.reset();
  until_ = now;
  page_ = page.next;
  if (!page_.empty()) return false;
  has_gone_back_ = is_as_new(newest_, page.version) && newest_ != page.version;
  version_ = changed_ = newest_ = page.version;
  lists_next_ = false;
  is_second_try_ = false;
  is_synced_ = true;
  is_renewing_ = false;
  known_at_ = whole_ = listed_;
  return true;
}

bool Reflector::take_line(const WatchLine& line, Nanos now) {
  heard_ = now;
  if (line.type == WatchType::kError) {
    failed(line.code > 0 ? static_cast<unsigned>(line.code) : 500, line.retry_after, now);
    return false;
  }
  is_open_ = true;
  known_at_ = now;
  if (now - begun_ >= kShort) failures_ = 0;
  if (line.type == WatchType::kOther) return true;
  if (!line.version.empty()) version_ = line.version;
  if (!line.version.empty() && !is_as_new(newest_, version_)) newest_ = version_;
  if (line.type != WatchType::kBookmark) changed_ = version_;
  if (is_behind()) catch_up();
  is_second_try_ = false;
  return true;
}

void Reflector::list_again() {
  lists_next_ = true;
  is_renewing_ = is_second_try_ = false;
  is_lost_ = has_doubt_ = false;
  page_.clear();
}

void Reflector::renew(Nanos now) {
  if (now - whole_ < options_.list_again_after) return;
  list_again();
  is_renewing_ = true;
}

void Reflector::failed(unsigned status, std::optional<Nanos> retry_after, Nanos now) {
  const bool was_open = is_open_, was_list = lists_next_;
  is_under_way_ = is_open_ = false;
  if (!was_list && now - begun_ >= options_.healthy_after) failures_ = 0;
  is_lost_ = is_lost_ || (!was_list && (status != kOk || now + kShort < ends_));
  if (!was_list && status == kOk && now - begun_ >= kShort) {
    failures_ = 0;
    until_ = now;  // its time was over
    // It may have been cut, and have been silent before.
    if (was_open) known_at_ = std::max(known_at_, now - terms_.gone_within);
    return renew(now);
  }
  if (was_list && (status == kForbidden || status == kNotFound)) refused(status, now);
  const bool is_error = status >= 500;
  is_away_ = is_away_ || is_error || status == 0;
  // Whoever has no time for a list may have some for a watch; the next one that ends lists again.
  if (is_renewing_ && page_.empty() && is_passing(status)) {
    lists_next_ = is_renewing_ = false;
    is_lost_ = true;
  }
  if (!is_passing(status) && (was_list || status != kOk)) list_again();
  if (is_error && !was_list && is_second_try_)
    list_again();
  else if (is_error && !was_list)
    is_second_try_ = true;
  // Who is behind is not decided by before its list.
  has_doubt_ = has_doubt_ || ((is_error || status == 0) && is_synced_ && !is_behind());
  begin_again(now, std::clamp(retry_after.value_or(Nanos{0}), Nanos{0}, options_.most_retry_after));
}

void Reflector::refused(unsigned status, Nanos now) {
  const bool is_first = !refused_at_;
  if (is_first) refused_at_ = now;
  const bool was_never = !is_synced_ && (status == kNotFound || !is_first);
  if (was_never || now - *refused_at_ >= options_.absent_after) is_absent_ = true;
  if (is_absent_) newest_.clear();
  if (is_absent_ && listed_ >= required_) has_caught_up_ = true;
}

void Reflector::begin_again(Nanos now, Nanos at_least) {
  Nanos wait = options_.first_backoff;
  for (std::uint32_t i = 0; i < failures_ && wait < options_.max_backoff; ++i) wait *= 2;
  wait = std::min(wait, options_.max_backoff);
  ++failures_;
  const double jitter = random_.even() * static_cast<double>(wait.count());
  wait += Nanos{static_cast<std::int64_t>(jitter)};
  not_before_ = now + at_least;
  until_ = std::max(now + wait, not_before_);
  // Until it is known whether the kind is gone nobody decides.
  if (!refused_at_ || !is_synced_ || is_absent_ || at_least > Nanos{0}) return;
  if (const Nanos known = *refused_at_ + options_.absent_after; known > now)
    until_ = std::min(until_, known);
}

}  // namespace gedge
