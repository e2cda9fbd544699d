#include "gedge/control/event_ledger.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace gedge {
namespace {

constexpr unsigned kSuccess = 2, kNotFound = 404;

}  // namespace

EventLedger::Object& EventLedger::find(const std::string& name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    objects_.splice(objects_.begin(), objects_, known->second);
    return objects_.front();
  }
  if (objects_.size() == limits_.most_objects) {
    by_name_.erase(objects_.back().name);
    objects_.pop_back();
  }
  objects_.emplace_front().name = name;
  by_name_.emplace(name, objects_.begin());
  return objects_.front();
}

// Of whom nothing is known any more that would make a difference.
void EventLedger::forget_old(Nanos now) {
  const auto is_as_new = [&](const Object& object) {
    return object.paid_up_to <= now &&
           std::all_of(object.said.begin(), object.said.end(), [&](const Said& said) {
             return said.last + limits_.forgotten_after <= now;
           });
  };
  while (!objects_.empty() && is_as_new(objects_.back())) {
    by_name_.erase(objects_.back().name);
    objects_.pop_back();
  }
}

bool EventLedger::pay(Object& object, Nanos now) const {
  const Nanos debt = std::max(object.paid_up_to, now) + limits_.next_after - now;
  if (debt > limits_.next_after * limits_.burst) return false;
  object.paid_up_to = now + debt;
  return true;
}

EventFate EventLedger::take(const std::string& object, std::string_view reason,
                            std::string_view note, std::uint64_t number, Nanos now) {
  forget_old(now);
  Object& about = find(object);
  std::erase_if(about.said,
                [&](const Said& said) { return said.last + limits_.forgotten_after <= now; });
  if (!pay(about, now)) return {EventFate::Kind::kSilent, false, 0, 0};

  Said said{std::string(reason), std::hash<std::string_view>()(note), false, number, 1, now};
  const auto same_of = [&about](const Said& one) {
    return std::find_if(about.said.begin(), about.said.end(), [&](const Said& other) {
      return other.is_combined == one.is_combined && other.reason == one.reason &&
             other.note == one.note;
    });
  };
  auto known = same_of(said);
  if (known == about.said.end()) {
    const auto similar = std::count_if(
        about.said.begin(), about.said.end(),
        [&](const Said& other) { return !other.is_combined && other.reason == reason; });
    if (static_cast<std::size_t>(similar) >= limits_.most_similar) {
      said.is_combined = true;
      said.note = 0;
      known = same_of(said);
    }
  }
  if (known != about.said.end()) {
    known->last = now;
    return {EventFate::Kind::kAgain, known->is_combined, known->number, ++known->times};
  }
  const bool is_combined = said.is_combined;
  about.said.push_back(std::move(said));
  return {EventFate::Kind::kTold, is_combined, number, 1};
}

void EventLedger::answered(const SentEvent& event, unsigned status) {
  const bool is_there = event.is_new ? status / 100 == kSuccess : status != kNotFound;
  if (is_there) return;
  const auto is_it = [&](const Said& said) { return said.number == event.number; };
  for (Object& object : objects_)
    if (std::erase_if(object.said, is_it) > 0) return;
}

}  // namespace gedge
