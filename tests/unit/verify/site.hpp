// A few nodes and pods to verify, written in as few words as possible.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/verify/verify.hpp"

namespace gedge::test {

/// One requirement "key in (value)".
inline LabelSelector selecting(const std::string& key, const std::string& value) {
  return {false, {{key, SelectorOp::kIn, {value}}}};
}

class Site {
 public:
  Facts facts;
  RttMatrix rtt;
  std::string rtt_by;
  Compat compat = Compat::k1_36;
  bool bound_pods_too = false;

  /// A node of 4 cores, 8 GiB and 10 pods, with its name as label kubernetes.io/hostname.
  Node& node(const std::string& name, const Labels& labels = {}) {
    Node out;
    out.name = name;
    out.labels = labels;
    out.labels.set("kubernetes.io/hostname", name);
    out.allocatable = {{"cpu", 4000}, {"memory", std::int64_t{8} << 30}, {"pods", 10}};
    return facts.nodes.emplace_back(std::move(out));
  }

  /// A pod with a spec of its own; bound if `node` is given. The workload is Deployment `app`.
  Pod& pod(const std::string& name, PodSpec spec = {}, const std::string& node = "") {
    Pod out;
    out.name = name;
    out.bound_node = node;
    out.workload_kind = "Deployment";
    out.workload_name = name.substr(0, name.find('-'));
    out.phase = node.empty() ? PodPhase::kPending : PodPhase::kRunning;
    out.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(std::move(spec));
    return facts.pods.emplace_back(std::move(out));
  }

  void place(const std::string& pod, const std::string& node) {
    placements_.push_back({"default", pod, node});
  }

  /// Both directions; names that the matrix lacks are added.
  void link(const std::string& a, const std::string& b, std::uint32_t us) {
    rtt.merge(RttMatrix({a, b}));
    rtt.set(*rtt.find(a), *rtt.find(b), Rtt{us});
    rtt.set(*rtt.find(b), *rtt.find(a), Rtt{us});
  }

  std::vector<Violation> violations() const {
    return verify({facts, rtt, rtt_by, compat, placements_, bound_pods_too});
  }

  /// "pod: rule" of every violation, comma separated.
  std::string broken() const {
    std::string out;
    for (const Violation& violation : violations()) {
      out += (out.empty() ? "" : ", ") + violation.pod + ": " + violation.rule;
    }
    return out;
  }

  /// The text of the only violation.
  std::string text() const {
    const auto all = violations();
    return all.size() == 1 ? all[0].text : std::to_string(all.size()) + " violations";
  }

 private:
  std::vector<Placement> placements_;
};

/// A container that requests `resources`.
inline PodSpec asking(const Resources& resources) {
  PodSpec spec;
  spec.containers.push_back({"main", "", resources, {}, false});
  return spec;
}

}  // namespace gedge::test
