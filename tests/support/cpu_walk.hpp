// support/cpu_walk.hpp - random allocations of one machine, held against a slow allocator.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gedge/pin/static_policy.hpp"
#include "support/dice.hpp"
#include "support/slow_cpus.hpp"

namespace gedge::test {

inline constexpr int kWalks = 1'000;  // a machine
inline constexpr int kWalkSteps = 6;

inline StaticOptions random_options(Dice& dice) {
  StaticOptions options;
  options.strict_cpu_reservation = dice.chance(20);
  options.align_by_socket = dice.chance(30);
  switch (dice.below(5)) {
    case 0:
      options.distribute_cpus_across_cores = true;
      break;
    case 1:
      options.distribute_cpus_across_numa = true;
      options.full_pcpus_only = dice.chance(50);
      break;
    case 2:
      options.prefer_align_cpus_by_uncorecache = true;
      break;
    case 3:
      options.full_pcpus_only = true;
      break;
    default:
      break;
  }
  return options;
}

inline SlowOptions slow(const StaticOptions& options) {
  return {options.full_pcpus_only, options.distribute_cpus_across_numa,
          options.distribute_cpus_across_cores, options.prefer_align_cpus_by_uncorecache,
          options.align_by_socket};
}

inline std::string text_of(const SlowOptions& options) {
  std::string text;
  if (options.whole_cores) text += " whole-cores";
  if (options.across_numa) text += " across-numa";
  if (options.across_cores) text += " across-cores";
  if (options.by_cache) text += " by-cache";
  if (options.by_socket) text += " by-socket";
  return text;
}

inline Cpus plain(const CpuSet& set) {
  const std::vector<int> list = set.list();
  return Cpus(list.begin(), list.end());
}

inline std::string text_of(const Cpus& cpus) {
  CpuSet set;
  for (const int cpu : cpus) set.add(cpu);
  return to_string(set);
}

/// A random walk through allocations: a policy, and beside it who holds what, kept by plain sets.
/// No CPU is given out twice, sets lie inside what is free, released sets come back, and a slow,
/// plain allocator gives the same answers.
class CpuWalk {
 public:
  CpuWalk(const Machine& machine, const CpuTopology& topology, std::uint64_t seed)
      : machine_(machine), dice_(seed), options_(random_options(dice_)) {
    const int reserved = static_cast<int>(dice_.between(1, topology.cpu_count() / 2));
    auto made = StaticPolicy::create(topology, options_, {reserved, {}});
    REQUIRE(made);
    story_ = text_of(slow(options_)) + " reserve " + std::to_string(reserved);
    policy_.emplace(*std::move(made));
    all_ = plain(topology.cpus());
    reserved_ = plain(policy_->reserved());
    free_ = all_;
    for (const int cpu : reserved_) free_.erase(cpu);
    ok(reserved_ == slow_take(machine, slow(options_), all_, reserved), "reserved");
  }

  /// Whether all was right to its end; `story` tells what happened.
  bool run() {
    for (int step = 0; step < kWalkSteps && right_; ++step)
      if (!held_.empty() && dice_.chance(35))
        release();
      else
        allocate(step);
    while (!held_.empty() && right_) release();
    Cpus all = free_;
    all.insert(reserved_.begin(), reserved_.end());
    ok(all == all_, "all came back");
    return right_;
  }

  const std::string& story() const { return story_; }

 private:
  void ok(bool right, const char* what) {
    if (right) return;
    right_ = false;
    story_ += std::string(" -- ") + what;
  }

  void allocate(int step) {
    const int most = static_cast<int>(free_.size()) + 1;
    int count = static_cast<int>(dice_.between(1, most));
    if (dice_.chance(50)) count = std::max(1, count / 4);
    const PodCpus pod{"pod-" + std::to_string(step), {{"c", ContainerRole::kApp, count}}};
    std::optional<NumaMask> affinity;
    const NumaHints hints = policy_->hints(pod, pod.containers[0]);
    if (!hints->empty() && dice_.chance(60)) affinity = dice_.pick(*hints).nodes;
    story_ += " take " + std::to_string(count);
    if (affinity) story_ += " near " + std::to_string(*affinity);
    const auto refusal = policy_->allocate(pod, pod.containers[0], affinity);
    if (refusal && refusal->reason == "SMTAlignmentError")
      return ok(options_.full_pcpus_only, "whole cores");
    std::set<int> nodes;
    for (int id = 0; affinity && id < kNumaIds; ++id)
      if ((*affinity & numa_bit(id)) != 0) nodes.insert(id);
    const auto expected = affinity ? slow_take_near(machine_, slow(options_), free_, count, nodes)
                                   : slow_take(machine_, slow(options_), free_, count);
    ok(expected.has_value() == !refusal.has_value(), "answered");
    if (!right_ || refusal) return check_pool();
    const Cpus got = plain(policy_->assignments().pods.at(pod.uid).at("c"));
    story_ += " -> " + to_string(policy_->assignments().pods.at(pod.uid).at("c"));
    ok(static_cast<int>(got.size()) == count, "as many as asked for");
    for (const int cpu : got) ok(free_.erase(cpu) == 1, "free before");
    if (got != *expected) story_ += " and not " + text_of(*expected);
    ok(got == *expected, "as the slow one");
    held_.emplace_back(pod.uid, got);
    check_pool();
  }

  void release() {
    const std::size_t which = dice_.below(held_.size());
    policy_->release(held_[which].first, "c");
    free_.insert(held_[which].second.begin(), held_[which].second.end());
    story_ += " release " + held_[which].first;
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
    check_pool();
  }

  void check_pool() { ok(plain(policy_->free()) == free_, "what is free"); }

  const Machine& machine_;
  Dice dice_;
  StaticOptions options_;
  std::optional<StaticPolicy> policy_;
  Cpus all_, reserved_, free_;
  std::vector<std::pair<std::string, Cpus>> held_;
  std::string story_;
  bool right_ = true;
};

/// kWalks of them.
inline void walk_all(const Machine& machine) {
  const CpuTopology topology(machine, KubeletForm::kToday);
  for (int seed = 0; seed < kWalks; ++seed) {
    CpuWalk walk(machine, topology, static_cast<std::uint64_t>(seed));
    const bool right = walk.run();
    REQUIRE_MESSAGE(right, "seed " << seed << ":" << walk.story());
  }
}

}  // namespace gedge::test
