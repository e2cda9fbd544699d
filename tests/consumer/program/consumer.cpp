// A program outside the tree: reads two YAML documents and asks where the pod goes.
#include <iostream>
#include <string_view>

#include "gedge/gedge.hpp"

namespace {

constexpr std::string_view kSite = R"(
apiVersion: v1
kind: Node
metadata: {name: edge-1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1", resources: {requests: {cpu: 500m, memory: 1Gi}}}
)";

int fail(const gedge::Error& error) {
  std::cerr << error.where.origin << ":" << error.where.line << ": " << error.what << "\n";
  return 1;
}

}  // namespace

int main() {
  gedge::FactsLoader loader;
  loader.add_manifests({.name = "site.yaml", .bytes = kSite});
  const gedge::LoadResult read = loader.finish();
  if (!read.loaded) return fail(read.errors.front());

  auto profile = gedge::builtin_profile("edge", gedge::Compat::k1_36);
  if (!profile) return fail(profile.error());
  const gedge::RttMatrix rtt;
  gedge::PlanRequest request;
  request.facts = &read.loaded->facts;
  request.rtt = &rtt;
  request.profiles = {*profile};
  const auto plan = gedge::make_plan(request);
  if (!plan) return fail(plan.error());

  std::cout << "gedge " << gedge::version();
  for (const gedge::Decision& decision : plan->decisions)
    std::cout << " puts " << decision.namespace_name << "/" << decision.pod << " on "
              << (decision.chosen ? decision.chosen->node : "no node");
  std::cout << "\n";
  return 0;
}
