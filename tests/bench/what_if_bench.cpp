// What-ifs against planning anew: 5,000 nodes and 50,000 pods in memory, one session, several edits
// of each kind; and the same where every pod has rules about others, which no edit of pods can be
// followed through, and where every pod has a delay budget, so that RTTs are read. Every 25th plan
// that an answer stands for is checked by the verifier.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/what_if_session.hpp"

namespace gedge::bench {
namespace {

constexpr std::uint32_t kNodes = 5'000, kPods = 50'000, kTemplates = 10;
constexpr std::uint32_t kEdits = 101, kFewEdits = 5;  // of each kind
constexpr std::uint32_t kServicePods = 4'000, kServices = 100;
constexpr std::uint32_t kBoundedNodes = 1'000, kBoundedPods = 4'000;
constexpr int kPlans = 5;

// Of the processor: planning has one thread, and neighbours on the machine do not count.
double seconds(const timespec& since) {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec - since.tv_sec) +
         static_cast<double>(now.tv_nsec - since.tv_nsec) / 1e9;
}

timespec processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now;
}

struct Range {
  double median = 0, least = 0, most = 0;
};

Range range_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

template <typename T>
T need(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().what.c_str());
  std::exit(1);
}

// True if the plan after the edit holds in the edited facts.
bool holds_edited(const Workload& workload, const std::vector<Edit>& edits, const Plan& after) {
  Facts facts = workload.facts;
  RttMatrix rtt = workload.rtt;
  if (!apply_edits(edits, "", facts, rtt)) return false;
  return holds(facts, rtt, after);
}

// `make(i)` is the i-th edit of a kind, in words.
template <typename F>
void measure(const char* kind, const Workload& workload, WhatIfSession& session, double full,
             std::uint32_t edits_of_kind, F make) {
  constexpr std::uint32_t kVerifyEvery = 25;
  std::vector<double> times;
  bool good = true, followed = true;
  std::size_t changed = 0;
  for (std::uint32_t i = 0; i < edits_of_kind; ++i) {
    const std::vector<Edit> edits{need(parse_edit(make(i)))};
    const timespec start = processor_time();
    const WhatIfAnswer answer = need(session.answer(edits));
    times.push_back(seconds(start));
    followed = followed && answer.followed;
    changed += answer.differences.size();
    if (i % kVerifyEvery == 0)
      good = good && holds_edited(workload, edits, need(session.whole(edits)).after);
  }
  const Range edit = range_of(times);
  std::printf("%-12s %9.1f us (%.1f to %.1f)  1/%-6.0f  %5.1f pods moved%s%s\n", kind,
              edit.median * 1e6, edit.least * 1e6, edit.most * 1e6, full / edit.median,
              static_cast<double>(changed) / edits_of_kind, followed ? "" : "  planned as a whole",
              good ? "" : "  BREAKS A RULE");
  std::fflush(stdout);
}

std::string numbered(const char* prefix, std::uint32_t number) {
  const std::string digits = std::to_string(number);
  return prefix + std::string(7 - digits.size(), '0') + digits;
}

std::string node(std::uint32_t i) { return "node/" + numbered("node-", i * 37 % kNodes); }
std::string pod(std::uint32_t i) { return "pod/default/" + numbered("pod-", i * 411 % kPods); }

// Prints the plan of all, and makes the session that the edits are about.
std::unique_ptr<WhatIfSession> plan_first(const char* what, const Workload& workload,
                                          const PlanRequest& request, double& full) {
  std::vector<double> times;
  for (int i = 0; i < kPlans; ++i) {
    const timespec start = processor_time();
    static_cast<void>(need(make_plan(request)));
    times.push_back(seconds(start));
  }
  const Range range = range_of(times);
  full = range.median;
  std::printf("%-12s %9.1f us (%.1f to %.1f)  full plan, %zu nodes, %zu pods\n", what,
              range.median * 1e6, range.least * 1e6, range.most * 1e6, workload.facts.nodes.size(),
              workload.facts.pods.size());
  return need(WhatIfSession::start(request));
}

PlanRequest request_for(const Workload& workload, const char* profile = "kube") {
  PlanRequest request;
  request.facts = &workload.facts;
  request.rtt = &workload.rtt;
  request.profiles = {*builtin_profile(profile, Compat::k1_36)};
  return request;
}

std::string rtt(std::uint32_t i) {
  return "rtt/" + numbered("node-", i) + "," + numbered("node-", i + 1) + "=3ms";
}

void measure_templates() {
  const Workload workload = of_templates({kNodes, kPods}, kTemplates);
  const PlanRequest request = request_for(workload);
  double full = 0;
  const auto session = plan_first("templates", workload, request, full);
  const auto run = [&](const char* kind, auto make) {
    measure(kind, workload, *session, full, kEdits, make);
  };
  run("cpu more", [](std::uint32_t i) { return node(i) + ":cpu=+200m"; });
  run("cpu less", [](std::uint32_t i) { return node(i) + ":cpu=-15500m"; });
  run("label", [](std::uint32_t i) { return node(i) + ":label.disk=ssd"; });
  run("drain", [](std::uint32_t i) { return node(i) + ":drain"; });
  run("node delete", [](std::uint32_t i) { return node(i) + ":delete"; });
  run("pod delete", [](std::uint32_t i) { return pod(i) + ":delete"; });
  run("pod move", [](std::uint32_t i) { return pod(i) + ":node=" + numbered("node-", i); });
  run("rtt, read by nobody", rtt);
}

void measure_services() {
  const Workload workload = spread_services({kNodes, kServicePods}, kServices, Order::kInterleaved);
  const PlanRequest request = request_for(workload);
  double full = 0;
  const auto session = plan_first("services", workload, request, full);
  const auto run = [&](const char* kind, auto make) {
    measure(kind, workload, *session, full, kFewEdits, make);
  };
  run("cpu more", [](std::uint32_t i) { return node(i) + ":cpu=+200m"; });
  run("drain", [](std::uint32_t i) { return node(i) + ":drain"; });
  run("pod delete", [](std::uint32_t i) {
    return "pod/default/" + numbered("pod-", i * 411 % kServicePods) + ":delete";
  });
}

void measure_bounded() {
  const Workload workload = all_different_bounded({kBoundedNodes, kBoundedPods});
  const PlanRequest request = request_for(workload, "edge");
  double full = 0;
  const auto session = plan_first("budgets", workload, request, full);
  measure("cpu more", workload, *session, full, kFewEdits,
          [](std::uint32_t i) { return node(i) + ":cpu=+200m"; });
  measure("rtt", workload, *session, full, kFewEdits, rtt);
}

}  // namespace
}  // namespace gedge::bench

int main() {
  gedge::bench::measure_templates();
  gedge::bench::measure_services();
  gedge::bench::measure_bounded();
}
