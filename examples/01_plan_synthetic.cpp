// examples/01_plan_synthetic.cpp - plans an application on a made-up edge site: no cluster, no
// files. Prints:
//
//   detect-0 on edge-1, 0.0 ms of 5.0 ms
//   detect-1 on edge-3, 0.2 ms of 5.0 ms
//   train-0 on no node: 0/6 nodes are available: 6 Insufficient cpu.
#include <cstdio>

#include "gedge/codec/synthetic.hpp"
#include "gedge/gedge.hpp"

constexpr char kApp[] = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: detect}
spec:
  replicas: 2
  selector: {matchLabels: {app: detect}}
  template:
    metadata: {labels: {app: detect, delay_edge-1: "5"}}
    spec: {containers: [{name: detect, image: "detect:1", resources: {requests: {cpu: 3}}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec: {containers: [{name: train, image: "train:1", resources: {requests: {cpu: 64}}}]}
)";

int fail(const gedge::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.where.origin.c_str(), error.what.c_str());
  return 3;
}

double ms(std::int64_t us) { return static_cast<double>(us) / 1000; }

int main() {
  const auto site = gedge::read_synthetic("synthetic:tiers=3/2/1,zones=2,cpu=4,memory=8Gi");
  if (!site) return fail(site.error());

  gedge::FactsLoader loader;
  loader.add_nodes(site->nodes, "synthetic");
  loader.add_manifests({.name = "app.yaml", .bytes = kApp});
  const gedge::LoadResult read = loader.finish();
  if (!read.loaded) return fail(read.errors.front());

  gedge::PlanRequest request;
  request.facts = &read.loaded->facts;
  request.rtt = &site->rtt;
  request.profiles = {*gedge::builtin_profile("edge", gedge::Compat::k1_36)};
  const auto plan = gedge::make_plan(request);
  if (!plan) return fail(plan.error());

  for (const gedge::Decision& decision : plan->decisions) {
    std::printf("%s on ", decision.pod.c_str());
    if (decision.chosen)
      std::printf("%s", decision.chosen->node.c_str());
    else
      std::printf("no node: %s", decision.message.c_str());
    for (const gedge::BudgetReport& budget : decision.budgets)
      std::printf(", %.1f ms of %.1f ms", ms(budget.rtt_us.value_or(-1)), ms(budget.limit_us));
    std::printf("\n");
  }
}
