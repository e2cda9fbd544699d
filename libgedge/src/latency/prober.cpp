#include "gedge/latency/prober.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr std::size_t kFirstRecords = 1024;
// A driver that comes a little late sends what it missed; what it missed before that is let go.
constexpr Nanos kCatchUp{1'000'000};

// A permutation of the 64-bit numbers, and its inverse: cookies of neighbours have nothing in
// common, and every cookie leads to one serial number. Source: splitmix64 (Steele, Lea, Flood 2014)
// without its counter; the inverses of the factors modulo 2^64 are from Newton's iteration.
constexpr std::uint64_t kFactor1 = 0xbf58476d1ce4e5b9, kFactor2 = 0x94d049bb133111eb;

constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;  // right in the last three bits; each step doubles them
  for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
  return x;
}

constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * kFactor1;
  x = (x ^ (x >> 27)) * kFactor2;
  return x ^ (x >> 31);
}

constexpr std::uint64_t unmix(std::uint64_t x) {
  x = (x ^ (x >> 31) ^ (x >> 62)) * inverse(kFactor2);
  x = (x ^ (x >> 27) ^ (x >> 54)) * inverse(kFactor1);
  return x ^ (x >> 30) ^ (x >> 60);
}
static_assert(unmix(mix(0x0123456789abcdef)) == 0x0123456789abcdef);

}  // namespace

Prober::Prober(const ProbePlan& plan, std::uint32_t targets, std::uint64_t key, Nanos start)
    : plan_(plan),
      key_(mix(key)),
      wheel_(targets, start),
      targets_(targets),
      due_of_(targets),
      records_(kFirstRecords),
      gate_(start),
      total_(std::uint64_t{targets} * plan.count) {
  for (std::uint32_t i = 0; i < targets; ++i) {
    targets_[i].left = plan.count;
    due_of_[i] = start + plan.interval * i / targets;
    if (plan.count > 0) wheel_.schedule(i, due_of_[i]);
  }
}

std::uint64_t Prober::cookie_of(std::uint64_t serial) const { return mix(serial + key_) ^ key_; }

std::uint64_t Prober::serial_of(std::uint64_t cookie) const { return unmix(cookie ^ key_) - key_; }

Prober::Record* Prober::find(std::uint64_t cookie) {
  const std::uint64_t serial = serial_of(cookie);
  if (serial >= next_ || next_ - serial > records_.size()) return nullptr;
  Record& found = record(serial);
  return found.state == State::kForgotten ? nullptr : &found;
}

// A record that is still under way is never overwritten: the ring grows, up to its bound.
bool Prober::make_room() {
  while (first_ < next_ && record(first_).state != State::kUnderWay) ++first_;
  if (next_ - first_ < records_.size()) return true;
  if (records_.size() >= kMaxUnderWay) return false;
  std::vector<Record> larger(records_.size() * 2);
  for (std::uint64_t serial = first_; serial < next_; ++serial)
    larger[serial & (larger.size() - 1)] = record(serial);
  records_ = std::move(larger);
  return true;
}

// Behind its time by a whole interval, a target loses those probes' places, but none of the probes.
void Prober::reschedule(std::uint32_t target, Nanos now) {
  Nanos& due = due_of_[target];
  due = std::max(due + plan_.interval, now);
  wheel_.schedule(target, due);
}

std::size_t Prober::due(Nanos now, std::span<Probe> out) {
  std::size_t count = 0;
  gate_ = std::max(gate_, now - kCatchUp);
  while (count < out.size() && gate_ <= now && make_room()) {
    const auto target = wheel_.pop(now);
    if (!target) break;
    out[count++] = {*target, cookie_of(next_)};
    record(next_++) = {now, *target, 0, State::kUnderWay};
    ++under_way_;
    gate_ += plan_.gap;
    if (--targets_[*target].left > 0) reschedule(*target, now);
  }
  return count;
}

void Prober::sent(std::uint64_t cookie, Nanos at) {
  Record* found = find(cookie);
  if (found != nullptr && found->state == State::kUnderWay) found->sent = at;
}

void Prober::departed_by(std::span<const Probe> probes, Nanos at) {
  constexpr std::int64_t kMostGrace = 65'535;
  for (const Probe& probe : probes) {
    Record* found = find(probe.cookie);
    if (found == nullptr || found->state != State::kUnderWay) continue;
    const auto late = std::chrono::ceil<std::chrono::milliseconds>(at - found->sent).count();
    found->grace_ms = static_cast<std::uint16_t>(std::clamp<std::int64_t>(late, 0, kMostGrace));
  }
}

void Prober::settle(Record& record, State state) {
  record.state = state;
  --under_way_;
  ++settled_;
}

void Prober::refused(std::uint64_t cookie) {
  Record* found = find(cookie);
  if (found == nullptr || found->state != State::kUnderWay) return;
  targets_[found->target].samples.add_lost();
  settle(*found, State::kLost);
}

Reply Prober::reply(std::uint32_t target, std::uint64_t cookie, Nanos at) {
  Record* found = find(cookie);
  if (found == nullptr && serial_of(cookie) < next_) return ++odd_.late, Reply::kLate;
  if (found == nullptr || found->target != target) return ++odd_.foreign, Reply::kForeign;
  if (found->state == State::kAnswered) return ++odd_.duplicate, Reply::kDuplicate;
  if (found->state == State::kLost) return ++odd_.late, Reply::kLate;
  if (at < found->sent) return ++odd_.impossible, Reply::kImpossible;
  if (at - found->latest_departure() > plan_.timeout) {
    targets_[target].samples.add_lost();
    settle(*found, State::kLost);
    return ++odd_.late, Reply::kLate;
  }
  targets_[target].samples.add(at - found->sent);
  settle(*found, State::kAnswered);
  return Reply::kCounted;
}

void Prober::expire(Nanos now) {
  for (; first_ < next_; ++first_) {
    Record& oldest = record(first_);
    if (oldest.state != State::kUnderWay) continue;
    if (now - oldest.latest_departure() <= plan_.timeout) return;
    targets_[oldest.target].samples.add_lost();
    settle(oldest, State::kLost);
  }
}

std::optional<Nanos> Prober::next() const {
  if (done()) return std::nullopt;
  std::uint64_t oldest = first_;
  while (oldest < next_ && record(oldest).state != State::kUnderWay) ++oldest;
  std::optional<Nanos> soonest;
  if (oldest < next_) soonest = record(oldest).latest_departure() + plan_.timeout + Nanos{1};
  if (next_ - oldest >= kMaxUnderWay) return soonest;
  if (const auto send = wheel_.next()) {
    const Nanos due = std::max(*send, gate_);
    soonest = soonest ? std::min(*soonest, due) : due;
  }
  return soonest;
}

}  // namespace gedge
