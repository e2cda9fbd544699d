#include "gedge/control/agent.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace gedge {
namespace {

constexpr std::int64_t kNanosInSecond = 1'000'000'000;
constexpr int kAges = 6;                             // rounds until an answer is too old
constexpr Nanos kMostPass{86'400 * kNanosInSecond};  // whatever the bandwidth: keeps ages in range

ProbePlan plan_of(const AgentOptions& options) {
  const std::int64_t gap = options.bytes_per_second == 0
                               ? 0
                               : kNanosInSecond * options.probe_bytes / options.bytes_per_second;
  return {std::clamp(options.probes, 1U, AgentOptions::kKept), options.interval, options.timeout,
          Nanos{gap}};
}

/// Finds targets in a list by what they are called.
class Places {
 public:
  explicit Places(const std::vector<AgentTarget>& targets) : targets_(targets) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      places_.emplace(std::pair(targets[i].kind, std::string_view(targets[i].name)), i);
  }

  /// Where it stands with the same address.
  std::optional<std::size_t> find(const AgentTarget& target) const {
    const auto found = places_.find(std::pair(target.kind, std::string_view(target.name)));
    if (found == places_.end() || targets_[found->second].address != target.address)
      return std::nullopt;
    return found->second;
  }

 private:
  const std::vector<AgentTarget>& targets_;
  std::map<std::pair<AgentTargetKind, std::string_view>, std::size_t> places_;
};

// What a round takes where somebody is silent.
Nanos length_of(const ProbePlan& plan, std::size_t targets) {
  const Nanos pass = std::min(plan.gap * static_cast<std::int64_t>(targets), kMostPass);
  return std::max(plan.interval, pass) * std::int64_t{plan.count} + plan.timeout;
}

}  // namespace

Nanos Agent::jitter() {
  const std::int64_t most = options_.period.count() / 100 * options_.jitter_percent;
  if (most <= 0) return Nanos{0};
  return Nanos{static_cast<std::int64_t>(dice_.next() % static_cast<std::uint64_t>(most))};
}

void Agent::set_targets(std::vector<AgentTarget> targets, Nanos now) {
  const Places before(targets_);
  std::vector<History> histories(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (const auto known = before.find(targets[i]))
      histories[i] = std::exchange(histories_[*known], {});
  if (round_) odd_ += round_->odd_replies();
  latest_ = now;
  next_round_ = now + jitter();
  round_.reset();
  targets_ = std::move(targets);
  histories_ = std::move(histories);
  left_out_.assign(targets_.size(), false);
}

std::size_t Agent::keep_only(const std::vector<AgentTarget>& next) {
  const Places staying(next);
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (!staying.find(targets_[i])) left_out_[i] = true;
  return static_cast<std::size_t>(std::count(left_out_.begin(), left_out_.end(), false));
}

Nanos Agent::next_begin() const { return std::max(next_round_, gate_); }

Nanos Agent::max_age() const {
  if (options_.max_age > Nanos{0}) return options_.max_age;
  const Nanos planned = length_of(plan_of(options_), targets_.size());
  return kAges * std::max({options_.period, planned, round_took_});
}

void Agent::begin_round(Nanos now) {
  round_began_ = now;
  round_.emplace(plan_of(options_), static_cast<std::uint32_t>(targets_.size()), dice_.next(), now);
  left_at_.assign(targets_.size(), {});
  next_round_ = now + options_.period + jitter();
}

void Agent::keep(History& history, Outcome outcome) {
  if (history.ring.size() < AgentOptions::kKept) {
    history.ring.push_back(outcome);
    return;
  }
  history.ring[history.next] = outcome;
  history.next = (history.next + 1) % history.ring.size();
}

void Agent::keep_round(std::uint32_t target) {
  if (left_out_[target]) return;
  const RttSamples& samples = round_->samples(target);
  const std::vector<Nanos>& left_at = left_at_[target];
  History& history = histories_[target];
  for (std::uint32_t lost = 0; lost < samples.lost(); ++lost) keep(history, {latest_, kUnmeasured});
  for (std::size_t i = 0; i < left_at.size(); ++i)
    keep(history, {left_at[i], samples.answers()[i]});
  if (!left_at.empty()) history.answered_at = left_at.back();
  history.probes += samples.answered() + samples.lost();
  history.lost += samples.lost();
}

// Who answered every probe did not wait for those that are silent: it is known already.
void Agent::end_round() {
  const std::uint32_t count = plan_of(options_).count;
  for (std::uint32_t i = 0; i < targets_.size(); ++i)
    if (round_->samples(i).answered() < count) keep_round(i);
  odd_ += round_->odd_replies();
  round_took_ = latest_ - round_began_;
  round_.reset();
  left_at_.clear();
  ++rounds_;
}

std::size_t Agent::due(Nanos now, std::span<Probe> out) {
  latest_ = now;
  if (!round_ && !targets_.empty() && next_begin() <= now) begin_round(now);
  if (!round_) return 0;
  const std::size_t count = round_->due(now, out);
  if (count > 0) gate_ = now + plan_of(options_).gap;
  std::size_t leaving = 0;
  for (const Probe& probe : out.first(count))
    if (left_out_[probe.target])
      round_->refused(probe.cookie);
    else
      out[leaving++] = probe;
  if (round_->done()) end_round();
  return leaving;
}

void Agent::sent(std::uint64_t cookie, Nanos at) {
  if (round_) round_->sent(cookie, at);
}

void Agent::refused(std::uint64_t cookie) {
  if (!round_) return;
  round_->refused(cookie);
  if (round_->done()) end_round();
}

void Agent::answered(std::uint32_t target, Nanos at) {
  const RttSamples& samples = round_->samples(target);
  // Times are rounded up, so that no answer is younger than it is.
  left_at_[target].push_back(at - Micros{samples.answers().back().us});
  if (samples.answered() == plan_of(options_).count) keep_round(target);
}

Reply Agent::reply(std::uint32_t target, std::uint64_t cookie, Nanos at) {
  if (!round_) return ++odd_.late, Reply::kLate;
  const Reply reply = round_->reply(target, cookie, at);
  if (reply == Reply::kCounted) answered(target, at);
  if (round_->done()) end_round();
  return reply;
}

void Agent::expire(Nanos now) {
  latest_ = now;
  if (!round_) return;
  round_->expire(now);
  if (round_->done()) end_round();
}

std::optional<Nanos> Agent::next() const {
  if (round_) return round_->next();
  if (targets_.empty()) return std::nullopt;
  return next_begin();
}

std::vector<TargetReport> Agent::report(Nanos now) const {
  std::vector<std::size_t> order;
  order.reserve(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (!left_out_[i]) order.push_back(i);
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return std::tie(targets_[a].kind, targets_[a].name) <
           std::tie(targets_[b].kind, targets_[b].name);
  });
  const Nanos oldest = now - max_age();
  std::vector<TargetReport> reports;
  reports.reserve(order.size());
  for (const std::size_t i : order) {
    const History& history = histories_[i];
    TargetReport report{
        targets_[i], {}, {}, history.answered_at, history.probes, history.lost, history.probes > 0};
    RttSamples samples;
    for (std::size_t k = 0; k < history.ring.size(); ++k) {
      const Outcome& outcome = history.ring[(history.next + k) % history.ring.size()];
      if (outcome.at < oldest) continue;
      if (outcome.rtt == kUnmeasured) {
        samples.add_lost();
        continue;
      }
      samples.add(Micros{outcome.rtt.us});
      report.recent.push_back(outcome.rtt);
    }
    report.rtt = samples.summary();
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace gedge
