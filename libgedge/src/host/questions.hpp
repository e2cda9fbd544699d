// host/questions.hpp - the columns and the pod as a module sees them during one call.
//
// Every accessor checks that the policy said it reads this, and reports it if it did not.
#pragma once

#include <string>
#include <string_view>

#include "gedge/plugin.h"
#include "gedge/policy/policy.hpp"
#include "host/failure.hpp"
#include "host/library.hpp"

namespace gedge {

/// What one policy of one module is asked, and about whom. Made for a call and gone after it.
class Question {
 public:
  Question(const ClassContext& context, const LoadedPolicy& policy, const std::string& path,
           FailureBox& failures, bool preparing);
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  const gedge_nodes& nodes() const { return nodes_; }
  const gedge_pod& pod() const { return pod_; }

  const ClusterState& cluster() const { return context_.cluster; }
  const PodFacts& facts() const { return context_.pod; }
  bool has_row(std::uint32_t row) const { return row < nodes_.node_count; }
  bool preparing() const { return preparing_; }
  const LoadedPolicy& policy() const { return policy_; }

  /// True if the policy declared `what`; else reports that it read `words`.
  bool may_read(std::uint32_t what, std::string_view words) const;
  void report_undeclared(const std::string& words, std::string hint) const;
  /// RTT to the node of a row; remembers the last `from`, which usually stays the same.
  std::uint32_t rtt_us(std::string_view from, NodeIndex node) const;

 private:
  ClassContext context_;
  const LoadedPolicy& policy_;
  const std::string& path_;
  FailureBox& failures_;
  bool preparing_;
  gedge_nodes nodes_;
  gedge_pod pod_;

  struct From {
    std::string text;
    std::optional<NodeIndex> node;
    std::optional<NameIndex> name;
  };
  mutable std::optional<From> from_;
};

/// "policy 'X' did this" as an error at the module's path.
Error misbehaviour(const std::string& path, const LoadedPolicy& policy, const std::string& what,
                   std::string hint = "mend the module, or leave it out");

}  // namespace gedge
