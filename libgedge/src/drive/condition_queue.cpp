#include "drive/condition_queue.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr unsigned kUnauthorized = 401, kTooMany = 429;
constexpr Nanos kFirstRest{1'000'000'000}, kLongestRest{30'000'000'000};
constexpr Nanos kLongestAsked{300'000'000'000};  // that a server may ask for

// 401: credentials that are renewed.
bool is_passing(unsigned status) {
  return status == 0 || status == kUnauthorized || status == kTooMany || status >= 500;
}

}  // namespace

void ConditionQueue::put(Unschedulable pod) {
  Entry& entry = entries_[pod.pod];
  entry.is_forgotten = false;
  // What was to be written first has not been: the server knows of no transition.
  if (entry.waiting && entry.waiting->uid == pod.uid)
    pod.is_again = pod.is_again && entry.waiting->is_again;
  if (!entry.waiting && !entry.is_under_way) {
    order_.push_back(pod.pod);
    ++waiting_;
  }
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
  --waiting_;
  entries_.erase(at);
}

void ConditionQueue::clear() {
  entries_.clear();
  order_.clear();
  waiting_ = 0;
}

std::optional<Unschedulable> ConditionQueue::take(Nanos now) {
  if (now < rest_until_) return std::nullopt;
  while (!order_.empty()) {
    const auto at = entries_.find(order_.front());
    order_.pop_front();
    if (at == entries_.end() || !at->second.waiting || at->second.is_under_way) continue;
    at->second.is_under_way = true;
    --waiting_;
    return *std::exchange(at->second.waiting, std::nullopt);
  }
  return std::nullopt;
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
  order_.push_back(pod.pod);
  ++waiting_;
}

std::optional<Nanos> ConditionQueue::next() const {
  return waiting_ > 0 ? std::optional(rest_until_) : std::nullopt;
}

}  // namespace gedge
