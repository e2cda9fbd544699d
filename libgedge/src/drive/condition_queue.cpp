#include "drive/condition_queue.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gedge {
namespace {

constexpr unsigned kUnauthorized = 401, kForbidden = 403, kTooMany = 429;
constexpr Nanos kFirstRest{1'000'000'000}, kLongestRest{30'000'000'000};
constexpr Nanos kLongestAsked{300'000'000'000};  // that a server may ask for

// 401: credentials that are renewed; 403: rights that may be granted, or a server that starts.
bool is_passing(unsigned status) {
  return status == 0 || status == kUnauthorized || status == kForbidden || status == kTooMany ||
         status >= 500;
}

}  // namespace

void ConditionQueue::line_up(Entry& entry, const PodName& pod) {
  entry.turn = ++last_turn_;
  order_.emplace(entry.turn, pod);
}

void ConditionQueue::leave_line(Entry& entry) { order_.erase(std::exchange(entry.turn, 0)); }

void ConditionQueue::put(Unschedulable pod) {
  Entry& entry = entries_[pod.pod];
  entry.is_forgotten = false;
  // What was to be written first has not been: the server knows of no transition.
  if (entry.waiting && entry.waiting->uid == pod.uid)
    pod.is_again = pod.is_again && entry.waiting->is_again;
  if (!entry.waiting && !entry.is_under_way) line_up(entry, pod.pod);
  entry.waiting = std::move(pod);
}

void ConditionQueue::forget(const PodName& pod) {
  const auto at = entries_.find(pod);
  if (at == entries_.end()) return;
  if (at->second.is_under_way) {
    at->second.waiting.reset();
    at->second.is_forgotten = true;
    return;
  }
  leave_line(at->second);
  entries_.erase(at);
}

void ConditionQueue::keep_only(const std::vector<PodName>& pods) {
  const std::set<PodName> there(pods.begin(), pods.end());
  std::vector<PodName> gone;
  for (const auto& [pod, entry] : entries_)
    if (!there.contains(pod)) gone.push_back(pod);
  for (const PodName& pod : gone) forget(pod);
}

void ConditionQueue::clear() {
  entries_.clear();
  order_.clear();
}

std::optional<Unschedulable> ConditionQueue::take(Nanos now) {
  if (now < rest_until_ || order_.empty()) return std::nullopt;
  Entry& entry = entries_.at(order_.begin()->second);
  leave_line(entry);
  entry.is_under_way = true;
  return *std::exchange(entry.waiting, std::nullopt);
}

void ConditionQueue::answered(const Unschedulable& pod, unsigned status,
                              std::optional<Nanos> retry_after, Nanos now) {
  if (is_passing(status)) {
    // Of those that were under way together only the first lengthens it.
    if (now >= rest_until_) rest_ = std::min(std::max(rest_ * 2, kFirstRest), kLongestRest);
    Nanos rest = rest_;
    if (retry_after) rest = std::max(rest, std::min(*retry_after, kLongestAsked));
    rest_until_ = std::max(rest_until_, now + rest);
  } else {
    rest_ = Nanos{0};
  }
  const auto at = entries_.find(pod.pod);
  if (at == entries_.end()) return;
  Entry& entry = at->second;
  entry.is_under_way = false;
  if (is_passing(status) && !entry.is_forgotten) {
    if (!entry.waiting)
      entry.waiting = pod;
    else if (entry.waiting->uid == pod.uid)
      entry.waiting->is_again = entry.waiting->is_again && pod.is_again;
  }
  if (!entry.waiting) {
    entries_.erase(at);
    return;
  }
  line_up(entry, pod.pod);
}

std::optional<Nanos> ConditionQueue::next() const {
  return order_.empty() ? std::nullopt : std::optional(rest_until_);
}

}  // namespace gedge
