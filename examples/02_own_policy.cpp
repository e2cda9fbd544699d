// examples/02_own_policy.cpp - adds a policy of one's own, in C++, and plans with it. Prints:
//
//   without: api-0 on cloud-1, api-1 on cloud-2, api-2 on edge-1
//   with OuterFirst: api-0 on edge-1, api-1 on edge-2, api-2 on edge-3
#include <cstdio>
#include <memory>
#include <string>

#include "gedge/codec/synthetic.hpp"
#include "gedge/gedge.hpp"

namespace {

// Three equal pods that would go anywhere.
constexpr char kApp[] = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 3
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: api, image: "api:1", resources: {requests: {cpu: 500m}}}]}
)";

// 100 at the edge, 50 near it, 0 elsewhere: keeps what anybody can run away from the cloud's bill.
class OuterFirst final : public gedge::ScorePolicy {
 public:
  std::string_view name() const override { return "OuterFirst"; }
  std::uint8_t reads() const override { return gedge::kRowStatic; }  // of a row: only its labels
  // Reads no field of the pod, so there is nothing to sign, and all pods are equal.
  bool sign(const gedge::PodFacts&, gedge::Signature&) const override { return true; }
  gedge::Normalize normalize(const gedge::ClassContext&, const gedge::ClassState*) const override {
    return gedge::Normalize::kNone;  // raw scores are 0..100 already
  }
  void score(const gedge::ClassContext& context, const gedge::ClassState*, gedge::Rows rows,
             std::span<std::int64_t> raw) const override {
    for (std::uint32_t row = rows.first; row < rows.last; ++row)
      raw[row - rows.first] = points(context.cluster.node(gedge::NodeIndex{row}));
  }

 private:
  static std::int64_t points(const gedge::Node& node) {
    const std::string* tier = node.labels.find("gedge.io/tier");
    if (tier == nullptr) return 0;
    return *tier == "edge" ? 100 : *tier == "near-edge" ? 50 : 0;
  }
};

// Where the planner looks for names that gedge itself does not have.
class OwnPolicies final : public gedge::PolicySource {
 public:
  std::unique_ptr<gedge::FilterPolicy> filter(std::string_view) const override { return nullptr; }
  std::unique_ptr<gedge::ScorePolicy> score(std::string_view name) const override {
    return name == "OuterFirst" ? std::make_unique<OuterFirst>() : nullptr;
  }
};

int fail(const gedge::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.where.origin.c_str(), error.what.c_str());
  return 3;
}

void print(const char* title, const gedge::Plan& plan) {
  std::printf("%s:", title);
  const char* separator = "";
  for (const gedge::Decision& decision : plan.decisions) {
    std::printf("%s %s on %s", separator, decision.pod.c_str(),
                decision.chosen ? decision.chosen->node.c_str() : "no node");
    separator = ",";
  }
  std::printf("\n");
}

}  // namespace

int main() {
  const auto site = gedge::read_synthetic("synthetic:tiers=3/2/2");
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
  const auto without = gedge::make_plan(request);
  if (!without) return fail(without.error());
  print("without", *without);

  const OwnPolicies own;
  request.modules = &own;
  request.profiles[0].scores.push_back({"OuterFirst", 3, {}});  // with weight 3
  const auto with = gedge::make_plan(request);
  if (!with) return fail(with.error());
  print("with OuterFirst", *with);
}
