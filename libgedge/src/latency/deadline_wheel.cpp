#include "gedge/latency/deadline_wheel.hpp"

#include <algorithm>
#include <bit>

namespace gedge {

DeadlineWheel::DeadlineWheel(std::uint32_t size, Nanos start)
    : start_(start), deadline_of_(size), next_of_(size, kNone), slots_(kSlots) {}

std::uint64_t DeadlineWheel::tick_of(Nanos time) const {
  const Nanos since = std::max(time - start_, Nanos{0});
  return static_cast<std::uint64_t>(since.count()) >> kTickBits;
}

void DeadlineWheel::mark(std::uint64_t slot, bool used) {
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  used_[slot / 64] = used ? used_[slot / 64] | bit : used_[slot / 64] & ~bit;
}

void DeadlineWheel::schedule(std::uint32_t thing, Nanos deadline) {
  // Behind the present tick nobody would look.
  const std::uint64_t tick = std::max(tick_of(deadline), tick_);
  deadline_of_[thing] = deadline;
  next_of_[thing] = kNone;
  Slot& slot = slot_of(tick);
  if (slot.first == kNone)
    slot.first = thing;
  else
    next_of_[slot.last] = thing;
  slot.last = thing;
  mark(tick % kSlots, true);
  ++scheduled_;
}

std::optional<std::uint32_t> DeadlineWheel::pop_of_tick(std::uint64_t tick, Nanos now) {
  Slot& slot = slot_of(tick);
  std::uint32_t before = kNone;
  for (std::uint32_t thing = slot.first; thing != kNone; before = thing, thing = next_of_[thing]) {
    if (deadline_of_[thing] > now) continue;
    (before == kNone ? slot.first : next_of_[before]) = next_of_[thing];
    if (slot.last == thing) slot.last = before;
    if (slot.first == kNone) mark(tick % kSlots, false);
    --scheduled_;
    return thing;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> DeadlineWheel::pop(Nanos now) {
  const std::uint64_t last = tick_of(now);
  // More than one turn ago is as good as one turn ago: every slot is looked at once.
  if (scheduled_ > 0 && last >= tick_ + kSlots) tick_ = last - kSlots + 1;
  while (scheduled_ > 0) {
    const std::uint64_t tick = next_used(tick_);
    if (tick > last) break;
    tick_ = tick;
    if (const auto thing = pop_of_tick(tick, now)) return thing;
    if (tick == last) return std::nullopt;
    ++tick_;
  }
  tick_ = std::max(tick_, last);
  return std::nullopt;
}

// The first tick from `tick` on whose slot holds anything, in this turn; there is one.
std::uint64_t DeadlineWheel::next_used(std::uint64_t tick) const {
  for (std::uint64_t ahead = 0; ahead <= kSlots;) {
    const std::uint64_t slot = (tick + ahead) % kSlots;
    const std::uint64_t word = used_[slot / 64] >> (slot % 64);
    if (word != 0) return tick + ahead + static_cast<std::uint64_t>(std::countr_zero(word));
    ahead += 64 - slot % 64;
  }
  return tick + kSlots;
}

std::optional<Nanos> DeadlineWheel::earliest_of(std::uint64_t tick) const {
  const Nanos begin = start_ + Nanos{static_cast<std::int64_t>(tick << kTickBits)};
  std::optional<Nanos> earliest;
  for (std::uint32_t thing = slots_[tick % kSlots].first; thing != kNone; thing = next_of_[thing]) {
    const Nanos deadline = deadline_of_[thing];
    if (deadline <= begin) return deadline;  // overdue is all that anybody needs to know
    if (tick_of(deadline) <= tick && (!earliest || deadline < *earliest)) earliest = deadline;
  }
  return earliest;
}

std::optional<Nanos> DeadlineWheel::next() const {
  if (scheduled_ == 0) return std::nullopt;
  const std::uint64_t end = tick_ + kSlots;
  for (std::uint64_t tick = next_used(tick_); tick < end; tick = next_used(tick + 1))
    if (const auto earliest = earliest_of(tick)) return earliest;
  Nanos earliest = Nanos::max();
  for (const Slot& slot : slots_)
    for (std::uint32_t thing = slot.first; thing != kNone; thing = next_of_[thing])
      earliest = std::min(earliest, deadline_of_[thing]);
  return earliest;
}

}  // namespace gedge
