// show.hpp - which pods of an answer are shown: -n, -A, -l.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "gedge/base/result.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/plan/edit.hpp"
#include "options.hpp"

namespace gedge::cli {

/// Errors: kInvalidInput where the selector of -l cannot be read.
Status check_show(const ShowOptions& show);

/// Not pods of other namespaces (with -n and without -A), nor pods whose labels the selector does
/// not match. What is not shown was planned all the same.
class ShownPods {
 public:
  ShownPods(const ShowOptions& show, const InputOptions& input);

  /// Learns the labels of these pods; a pod that was never learned matches no selector.
  void learn(const Facts& facts);
  bool shows_all() const { return only_namespace_.empty() && selector_.empty(); }
  bool shows(const std::string& namespace_name, const std::string& pod) const;

 private:
  std::string only_namespace_;  // "": all of them
  std::string selector_;
  std::set<std::pair<std::string, std::string>> matching_;
};

/// The plan without the decisions about other pods.
Plan only_shown(const Plan& plan, const ShownPods& pods);
/// The differences about those pods, and what of the plan afterwards is about them.
WhatIf only_shown(const WhatIf& what_if, const ShownPods& pods);

}  // namespace gedge::cli
