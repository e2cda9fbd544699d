// Machines of many shapes, a thousand random sequences each: no CPU is given out twice, sets lie
// inside what is free, released sets come back, and a slow, plain allocator gives the same answers.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gedge/pin/static_policy.hpp"
#include "support/dice.hpp"
#include "support/machines.hpp"
#include "support/slow_cpus.hpp"

namespace gedge {
namespace {

using test::Cpus;
using test::Dice;
using test::make_machine;
using test::Numbering;
using test::Shape;
using test::SlowOptions;

constexpr int kSequences = 1'000;
constexpr int kSteps = 6;

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const int threads : {1, 2, 4})
    for (const auto numbering :
         {Numbering::kSiblingsTogether, Numbering::kSiblingsApart, Numbering::kSocketsInTurn}) {
      all.push_back({1, 1, 4, threads, numbering, 2});
      all.push_back({2, 1, 3, threads, numbering, 1});
      all.push_back({2, 2, 4, threads, numbering, 2});
      all.push_back({2, 0, 3, threads, numbering, 1});
    }
  all.push_back({1, 4, 8, 2, Numbering::kSiblingsApart, 4});  // sub-NUMA clusters
  all.push_back({4, 2, 4, 1, Numbering::kSocketsInTurn, 1});  // 8 NUMA nodes
  all.push_back({8, 1, 2, 2, Numbering::kSiblingsTogether, 1});
  all.push_back({1, 2, 6, 2, Numbering::kSiblingsApart, 1});        // nodes smaller than the cache
  all.push_back({1, 1, 6, 2, Numbering::kSiblingsTogether, 1, 4});  // hybrid
  all.push_back({2, 1, 5, 2, Numbering::kSiblingsApart, 1, 2});
  all.push_back({2, 1, 4, 2, Numbering::kSiblingsApart, 2, 0, {3, 9}});  // CPUs offline
  all.push_back({2, 2, 4, 2, Numbering::kSiblingsTogether, 2, 0, {0, 1, 7}});
  return all;
}

StaticOptions random_options(Dice& dice) {
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

SlowOptions slow(const StaticOptions& options) {
  return {options.full_pcpus_only, options.distribute_cpus_across_numa,
          options.distribute_cpus_across_cores, options.prefer_align_cpus_by_uncorecache,
          options.align_by_socket};
}

Cpus plain(const CpuSet& set) {
  const std::vector<int> list = set.list();
  return Cpus(list.begin(), list.end());
}

// A policy, and beside it who holds what, kept by plain sets.
class Walk {
 public:
  Walk(const Machine& machine, const CpuTopology& topology, std::uint64_t seed)
      : machine_(machine), dice_(seed), options_(random_options(dice_)) {
    const int reserved = static_cast<int>(dice_.between(1, topology.cpu_count() / 2));
    auto made = StaticPolicy::create(topology, options_, {reserved, {}});
    REQUIRE(made);
    policy_.emplace(*std::move(made));
    all_ = plain(topology.cpus());
    reserved_ = plain(policy_->reserved());
    free_ = all_;
    for (const int cpu : reserved_) free_.erase(cpu);
    ok(reserved_ == test::slow_take(machine, slow(options_), all_, reserved), "reserved");
  }

  bool run() {
    for (int step = 0; step < kSteps && right_; ++step)
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
    story_ += " take " + std::to_string(count) + (affinity ? " near" : "");
    const auto refusal = policy_->allocate(pod, pod.containers[0], affinity);
    if (refusal && refusal->reason == "SMTAlignmentError")
      return ok(options_.full_pcpus_only, "whole cores");
    std::set<int> nodes;
    for (int id = 0; affinity && id < kNumaIds; ++id)
      if ((*affinity & numa_bit(id)) != 0) nodes.insert(id);
    const auto expected = affinity
                              ? test::slow_take_near(machine_, slow(options_), free_, count, nodes)
                              : test::slow_take(machine_, slow(options_), free_, count);
    ok(expected.has_value() == !refusal.has_value(), "answered");
    if (!right_ || refusal) return check_pool();
    const Cpus got = plain(policy_->assignments().pods.at(pod.uid).at("c"));
    story_ += " -> " + to_string(policy_->assignments().pods.at(pod.uid).at("c"));
    ok(static_cast<int>(got.size()) == count, "as many as asked for");
    for (const int cpu : got) ok(free_.erase(cpu) == 1, "free before");
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

}  // namespace

TEST_CASE("random allocations: on every shape of machine nothing is given out twice") {
  const std::vector<Shape> all = shapes();
  CHECK(all.size() >= 40);
  for (const Shape& shape : all) {
    CAPTURE(shape.text());
    const Machine machine = make_machine(shape);
    const CpuTopology topology(machine, KubeletForm::kToday);
    for (int seed = 0; seed < kSequences; ++seed) {
      Walk walk(machine, topology, static_cast<std::uint64_t>(seed));
      const bool right = walk.run();
      REQUIRE_MESSAGE(right, "seed " << seed << ":" << walk.story());
    }
  }
}

}  // namespace gedge
