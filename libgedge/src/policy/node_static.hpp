// policy/node_static.hpp - policies whose answer depends on the pod and the node's own facts alone:
// computed for all nodes in `prepare`, copied afterwards.
#pragma once

#include <memory>
#include <vector>

#include "gedge/policy/policy.hpp"

namespace gedge {

/// A filter that asks one question of every node. Cost: O(nodes) a class, O(1) a word afterwards.
class NodeStaticFilter : public FilterPolicy {
 public:
  std::uint8_t reads() const final { return kRowStatic; }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const final;
  bool on_facts(ClassState* state, const ClassContext& context, const FactsChange& change,
                Touched& touched) const final;
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const final;

 protected:
  /// False: this pod passes everywhere, no node needs to be asked.
  virtual bool concerns(const PodFacts& pod) const = 0;
  virtual bool admits(const PodFacts& pod, const Node& node) const = 0;
  /// Why `node`, which is not admitted, is not.
  virtual Evidence evidence(const PodFacts& pod, const Node& node) const = 0;
};

/// A score that is one number a node.
class NodeStaticScore : public ScorePolicy {
 public:
  std::uint8_t reads() const final { return kRowStatic; }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const final;
  bool on_facts(ClassState* state, const ClassContext& context, const FactsChange& change,
                Touched& touched) const final;
  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const final;

 protected:
  /// Writes the scores of the live nodes into `scores` [slots], which comes filled with zeros.
  virtual void fill(const ClassContext& context, std::vector<std::int64_t>& scores) const = 0;
  /// What `fill` reads of nodes beside their presence, any of FactPart.
  virtual std::uint8_t parts_read() const = 0;
};

}  // namespace gedge
