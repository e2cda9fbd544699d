#include "show.hpp"

#include "gedge/model/selector.hpp"

namespace gedge::cli {

Status check_show(const ShowOptions& show) {
  if (show.selector.empty()) return {};
  auto selector = parse_selector(show.selector);
  if (selector) return {};
  Error error = std::move(selector).error();
  error.where.origin = "--selector";
  error.where.line = 1;
  error.where.excerpt = show.selector;
  return error;
}

ShownPods::ShownPods(const ShowOptions& show, const InputOptions& input)
    : only_namespace_(show.all_namespaces ? "" : input.namespace_name), selector_(show.selector) {}

void ShownPods::learn(const Facts& facts) {
  if (selector_.empty()) return;
  const auto selector = parse_selector(selector_);
  for (const Pod& pod : facts.pods)
    if (selector && selector->matches(pod_labels(pod, facts.spec_of(pod))))
      matching_.emplace(pod.namespace_name, pod.name);
}

bool ShownPods::shows(const std::string& namespace_name, const std::string& pod) const {
  if (!only_namespace_.empty() && namespace_name != only_namespace_) return false;
  return selector_.empty() || matching_.count({namespace_name, pod}) > 0;
}

Plan only_shown(const Plan& plan, const ShownPods& pods) {
  Plan shown = plan;
  std::erase_if(shown.decisions, [&](const Decision& decision) {
    return !pods.shows(decision.namespace_name, decision.pod);
  });
  return shown;
}

WhatIf only_shown(const WhatIf& what_if, const ShownPods& pods) {
  WhatIf shown{{}, only_shown(what_if.after, pods), what_if.differences};
  std::erase_if(shown.differences, [&](const Difference& difference) {
    return !pods.shows(difference.namespace_name, difference.pod);
  });
  return shown;
}

}  // namespace gedge::cli
