#include "show.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

Plan only_shown(const Plan& plan, const Facts& facts, const ShowOptions& show,
                const InputOptions& input) {
  const bool one_namespace = !input.namespace_name.empty() && !show.all_namespaces;
  if (!one_namespace && show.selector.empty()) return plan;
  std::set<std::pair<std::string_view, std::string_view>> matching;
  if (!show.selector.empty()) {
    const auto selector = parse_selector(show.selector);
    for (const Pod& pod : facts.pods)
      if (selector && selector->matches(pod_labels(pod, facts.spec_of(pod))))
        matching.emplace(pod.namespace_name, pod.name);
  }
  const auto hidden = [&](const Decision& decision) {
    if (one_namespace && decision.namespace_name != input.namespace_name) return true;
    return !show.selector.empty() && matching.count({decision.namespace_name, decision.pod}) == 0;
  };
  Plan shown = plan;
  shown.decisions.erase(std::remove_if(shown.decisions.begin(), shown.decisions.end(), hidden),
                        shown.decisions.end());
  return shown;
}

}  // namespace gedge::cli
