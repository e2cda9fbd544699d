// support/site_builder.hpp - small clusters for tests, written as one would sketch them.
//
//   SiteBuilder b;
//   b.node("a", {{"zone", "z1"}});
//   b.node("b", {{"zone", "z2"}});
//   b.rtt("a", "b", 10'000);
//   b.pod("web-0", {{"app", "web"}}).on("a");
//   b.pods("api", 3).spec.budgets = {budget("web-0", 5'000)};
//   const auto site = b.build();
//   site->state->bind(site->pod("api-0"), site->node("b"));
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gedge/model/facts.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge::test {

/// Equality requirements on all of `labels`; matches everything where there are none.
inline LabelSelector selector(const Labels& labels) {
  LabelSelector all;
  for (const auto& [key, value] : labels)
    all.requirements.push_back({key, SelectorOp::kIn, {value}});
  return all;
}

inline PodAffinityTerm pod_term(const Labels& labels, std::string topology_key) {
  PodAffinityTerm term;
  term.selector = selector(labels);
  term.topology_key = std::move(topology_key);
  return term;
}

inline TopologySpread spread(const Labels& labels, std::string topology_key, std::int32_t max_skew,
                             bool hard = true) {
  TopologySpread constraint;
  constraint.selector = selector(labels);
  constraint.topology_key = std::move(topology_key);
  constraint.max_skew = max_skew;
  constraint.hard = hard;
  return constraint;
}

inline NodeSelectorTerm node_term(std::string key, std::vector<std::string> values) {
  NodeSelectorTerm term;
  term.expressions.push_back({std::move(key), SelectorOp::kIn, std::move(values)});
  return term;
}

inline DelayBudget budget(std::string from, std::int64_t limit_us, PeerKind kind = PeerKind::kAny) {
  DelayBudget made;
  made.name = from;
  made.from = std::move(from);
  made.limit_us = limit_us;
  made.kind = kind;
  return made;
}

/// One pod or several equal ones, until build(); fields may be set at will.
struct PodDraft {
  Pod pod;  ///< of the first; the others get their own name and ordinal
  PodSpec spec;
  std::size_t count = 0;  ///< 0: one pod named as `pod.name`; else NAME-0, NAME-1, ...

  PodDraft& on(std::string node) {
    pod.bound_node = std::move(node);
    pod.phase = PodPhase::kRunning;
    return *this;
  }
  PodDraft& in(std::string namespace_name) {
    pod.namespace_name = std::move(namespace_name);
    return *this;
  }
  PodDraft& request(std::string_view resource, std::int64_t amount) {
    spec.containers.edit().front().requests.set(resource, amount);
    return *this;
  }
};

/// Facts, matrix and state that belong together. Not copied: the state points into the facts.
struct Site {
  Facts facts;
  RttMatrix matrix;
  std::unique_ptr<ClusterState> state;

  NodeIndex node(std::string_view name) const { return state->find_node(name).value(); }
  PodIndex pod(std::string_view name, std::string_view namespace_name = "default") const {
    return state->find_pod(namespace_name, name).value();
  }
  const PodFacts& pod_facts(std::string_view name) const { return state->pod_facts(pod(name)); }
};

class SiteBuilder {
 public:
  /// 4 cores, 8 GiB, 110 pods, and the hostname label.
  Node& node(const std::string& name, const Labels& labels = {}) {
    Node& made = nodes_.emplace_back();
    made.name = name;
    made.labels = labels;
    made.labels.set("kubernetes.io/hostname", name);
    made.allocatable = {{std::string(kCpu), 4'000},
                        {std::string(kMemory), std::int64_t{8} << 30},
                        {std::string(kPods), 110}};
    return made;
  }
  /// A pending pod in namespace default with one container that requests nothing.
  PodDraft& pod(const std::string& name, const Labels& labels = {}) {
    PodDraft& made = drafts_.emplace_back();
    made.pod.name = name;
    made.pod.workload_kind = "Pod";
    made.pod.workload_name = name;
    made.spec.labels = labels;
    made.spec.containers.push_back({"main", "image", {}, {}, false});
    return made;
  }
  /// A Deployment of `count` equal pending pods NAME-0, NAME-1, ...
  PodDraft& pods(const std::string& name, std::size_t count, const Labels& labels = {}) {
    PodDraft& made = pod(name, labels);
    made.count = count;
    made.pod.workload_kind = "Deployment";
    return made;
  }
  /// Both directions.
  SiteBuilder& rtt(const std::string& a, const std::string& b, std::uint32_t us) {
    rtts_.push_back({a, b, Rtt{us}});
    return *this;
  }
  /// Everything else of the facts: volumes, claims, services, namespaces.
  Facts& facts() { return facts_; }
  StateOptions& options() { return options_; }

  std::unique_ptr<Site> build() const {
    auto site = std::make_unique<Site>();
    site->facts = facts_;
    site->facts.files = {""};
    site->facts.nodes.assign(nodes_.begin(), nodes_.end());
    for (const PodDraft& draft : drafts_) add(site->facts, draft);
    std::vector<std::string> names;
    for (const Pair& pair : rtts_) names.insert(names.end(), {pair.a, pair.b});
    site->matrix = RttMatrix(names);
    for (const Pair& pair : rtts_) {
      const NameIndex a = site->matrix.find(pair.a).value(), b = site->matrix.find(pair.b).value();
      site->matrix.set(a, b, pair.rtt);
      site->matrix.set(b, a, pair.rtt);
    }
    site->state = std::make_unique<ClusterState>(site->facts, site->matrix, options_);
    return site;
  }

 private:
  struct Pair {
    std::string a, b;
    Rtt rtt;
  };
  static void add(Facts& facts, const PodDraft& draft) {
    Pod pod = draft.pod;
    pod.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(draft.spec);
    if (draft.count == 0) facts.pods.push_back(pod);
    for (std::size_t i = 0; i < draft.count; ++i) {
      pod.name = draft.pod.name + "-" + std::to_string(i);
      pod.ordinal = static_cast<std::int64_t>(i);
      facts.pods.push_back(pod);
    }
  }

  std::deque<Node> nodes_;
  std::deque<PodDraft> drafts_;
  std::vector<Pair> rtts_;
  Facts facts_;
  StateOptions options_;
};

}  // namespace gedge::test
