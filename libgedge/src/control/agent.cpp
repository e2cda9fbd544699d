#include "gedge/control/agent.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace gedge {
namespace {

constexpr std::int64_t kNanosInSecond = 1'000'000'000;

ProbePlan plan_of(const AgentOptions& options) {
  const std::int64_t gap = options.bytes_per_second == 0
                               ? 0
                               : kNanosInSecond * options.probe_bytes / options.bytes_per_second;
  return {std::clamp(options.probes, 1U, AgentOptions::kKept), options.interval, options.timeout,
          Nanos{gap}};
}

void add(OddReplies& to, const OddReplies& more) {
  to.duplicate += more.duplicate;
  to.late += more.late;
  to.foreign += more.foreign;
  to.impossible += more.impossible;
}

}  // namespace

Nanos Agent::jitter() {
  const std::int64_t most = options_.period.count() / 100 * options_.jitter_percent;
  if (most <= 0) return Nanos{0};
  return Nanos{static_cast<std::int64_t>(dice_.next() % static_cast<std::uint64_t>(most))};
}

void Agent::set_targets(std::vector<AgentTarget> targets, Nanos now) {
  using Key = std::pair<AgentTargetKind, std::string>;
  std::map<Key, std::size_t> before;
  for (std::size_t i = 0; i < targets_.size(); ++i)
    before.emplace(Key{targets_[i].kind, targets_[i].name}, i);
  std::vector<History> histories(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto known = before.find(Key{targets[i].kind, targets[i].name});
    if (known != before.end() && targets_[known->second].address == targets[i].address)
      histories[i] = std::exchange(histories_[known->second], {});
  }
  if (round_) add(odd_, round_->odd_replies());
  next_round_ = now + jitter();
  round_.reset();
  targets_ = std::move(targets);
  histories_ = std::move(histories);
}

Nanos Agent::next_begin() const { return std::max(next_round_, gate_); }

void Agent::begin_round(Nanos now) {
  round_began_ = now;
  round_.emplace(plan_of(options_), static_cast<std::uint32_t>(targets_.size()), dice_.next(), now);
  next_round_ = now + options_.period + jitter();
}

void Agent::keep(History& history, Rtt rtt) const {
  const Outcome outcome{round_began_, rtt};
  if (history.ring.size() < AgentOptions::kKept) {
    history.ring.push_back(outcome);
    return;
  }
  history.ring[history.next] = outcome;
  history.next = (history.next + 1) % history.ring.size();
}

void Agent::end_round() {
  for (std::uint32_t i = 0; i < targets_.size(); ++i) {
    const RttSamples& samples = round_->samples(i);
    History& history = histories_[i];
    for (std::uint32_t lost = 0; lost < samples.lost(); ++lost) keep(history, kUnmeasured);
    for (const Rtt rtt : samples.answers()) keep(history, rtt);
    if (samples.answered() > 0) history.answered_at = round_began_;
    history.probes += samples.answered() + samples.lost();
    history.lost += samples.lost();
  }
  add(odd_, round_->odd_replies());
  round_.reset();
  ++rounds_;
}

std::size_t Agent::due(Nanos now, std::span<Probe> out) {
  if (!round_ && !targets_.empty() && next_begin() <= now) begin_round(now);
  const std::size_t count = round_ ? round_->due(now, out) : 0;
  if (count > 0) gate_ = now + plan_of(options_).gap;
  return count;
}

void Agent::sent(std::uint64_t cookie, Nanos at) {
  if (round_) round_->sent(cookie, at);
}

void Agent::refused(std::uint64_t cookie) {
  if (!round_) return;
  round_->refused(cookie);
  if (round_->done()) end_round();
}

Reply Agent::reply(std::uint32_t target, std::uint64_t cookie, Nanos at) {
  if (!round_) return ++odd_.late, Reply::kLate;
  const Reply reply = round_->reply(target, cookie, at);
  if (round_->done()) end_round();
  return reply;
}

void Agent::expire(Nanos now) {
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
  std::vector<std::size_t> order(targets_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return std::tie(targets_[a].kind, targets_[a].name) <
           std::tie(targets_[b].kind, targets_[b].name);
  });
  std::vector<TargetReport> reports;
  reports.reserve(order.size());
  for (const std::size_t i : order) {
    const History& history = histories_[i];
    TargetReport report{
        targets_[i], {}, {}, history.answered_at, history.probes, history.lost, history.probes > 0};
    RttSamples samples;
    for (std::size_t k = 0; k < history.ring.size(); ++k) {
      const Outcome& outcome = history.ring[(history.next + k) % history.ring.size()];
      if (now - outcome.at > options_.max_age) continue;
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
