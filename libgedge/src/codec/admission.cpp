#include "codec/admission.hpp"

#include <algorithm>
#include <array>

namespace gedge::codec {
namespace {

void complete(Resources& target, const Resources& from) {
  for (const auto& [name, amount] : from)
    if (!target.find(name)) target.set(name, amount);
}

// One text each, for all pods.
const std::array<SharedText, 2>& default_keys() {
  static const std::array<SharedText, 2> keys = {"node.kubernetes.io/not-ready",
                                                 "node.kubernetes.io/unreachable"};
  return keys;
}

void add_toleration(PodSpec& spec, SharedText key, TaintEffect effect) {
  Toleration toleration{std::move(key), true, {}, effect};
  if (std::find(spec.tolerations.begin(), spec.tolerations.end(), toleration) ==
      spec.tolerations.end())
    spec.tolerations.push_back(std::move(toleration));
}

// DefaultTolerationSeconds: unless the pod says itself how long it stays.
void add_default_tolerations(PodSpec& spec) {
  if (spec.tolerations.empty()) {
    static const SharedList<Toleration> defaults = [] {
      std::vector<Toleration> both;
      for (const SharedText& key : default_keys())
        both.push_back({key, true, {}, TaintEffect::kNoExecute});
      return both;
    }();
    spec.tolerations = defaults;
    return;
  }
  for (const SharedText& key : default_keys()) {
    const bool has_own = std::any_of(
        spec.tolerations.begin(), spec.tolerations.end(), [&](const Toleration& toleration) {
          return (toleration.key.empty() || toleration.key == key) &&
                 (!toleration.effect || *toleration.effect == TaintEffect::kNoExecute);
        });
    if (!has_own) add_toleration(spec, key, TaintEffect::kNoExecute);
  }
}

}  // namespace

void add_daemon_tolerations(PodSpec& spec) {
  for (const SharedText& key : default_keys()) add_toleration(spec, key, TaintEffect::kNoExecute);
  for (const std::string_view name :
       {"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"})
    add_toleration(spec, "node.kubernetes.io/" + std::string(name), TaintEffect::kNoSchedule);
  if (spec.host_network)
    add_toleration(spec, "node.kubernetes.io/network-unavailable", TaintEffect::kNoSchedule);
}

Admission::Admission(Drafts& drafts)
    : drafts_(drafts),
      node_critical_{"system-node-critical", 2'000'001'000, false, true},
      cluster_critical_{"system-cluster-critical", 2'000'000'000, false, true} {
  std::vector<std::string> defaults;
  for (const PriorityClass& one : drafts.facts.priority_classes) {
    if (!one.global_default) continue;
    defaults.push_back(one.name);
    if (default_class_ == nullptr || one.value < default_class_->value) default_class_ = &one;
  }
  if (defaults.size() < 2 || default_class_ == nullptr) return;
  std::string names;
  for (const std::string& name : defaults) names.append(names.empty() ? "" : ", ").append(name);
  drafts.diagnostics.warn("SeveralDefaultPriorityClasses",
                          "several PriorityClasses are the global default (" + names +
                              "); the lowest, " + default_class_->name + ", counts",
                          {});
}

const PriorityClass* Admission::find_class(std::string_view name) const {
  const auto& classes = drafts_.facts.priority_classes;
  const auto found = std::lower_bound(
      classes.begin(), classes.end(), name,
      [](const PriorityClass& one, std::string_view wanted) { return one.name < wanted; });
  if (found != classes.end() && found->name == name) return &*found;
  if (name == node_critical_.name) return &node_critical_;
  return name == cluster_critical_.name ? &cluster_critical_ : nullptr;
}

Admission::Priority Admission::known_priority(const PodTemplate& pod) const {
  const PriorityClass* one = find_class(pod.spec.priority_class);
  Priority priority;
  if (one != nullptr) priority = {one->value, one->preempts};
  if (pod.has_priority) priority.value = pod.priority;
  if (pod.has_preemption_policy) priority.preempts = pod.spec.preempts;
  return priority;
}

Admission::Priority Admission::admit_priority(const PodTemplate& pod, const PodSpec& spec,
                                              const std::string& who) {
  const std::string& name = spec.priority_class;
  const PriorityClass* one = name.empty() ? default_class_ : find_class(name);
  if (one == nullptr && !name.empty())
    drafts_.diagnostics.warn("MissingPriorityClass",
                             "PriorityClass " + name + " of " + who + " does not exist",
                             drafts_.facts.span(spec.place));
  Priority priority;
  if (one != nullptr) priority = {one->value, one->preempts};
  if (pod.has_priority && name.empty()) priority.value = pod.priority;
  if (pod.has_priority && !name.empty() && pod.priority != priority.value)
    drafts_.diagnostics.warn("PriorityIgnored",
                             "priority " + std::to_string(pod.priority) + " of " + who +
                                 " is not that of its PriorityClass " + name + ", which counts",
                             drafts_.facts.span(spec.place));
  if (pod.has_preemption_policy) priority.preempts = spec.preempts;
  return priority;
}

void Admission::apply_limit_ranges(const std::string& namespace_name, PodSpec& spec) const {
  for (const LimitRange& range : drafts_.limit_ranges) {
    if (range.namespace_name != namespace_name) continue;
    for (SharedList<Container>* list : {&spec.containers, &spec.init_containers}) {
      if (list->empty()) continue;
      for (Container& container : list->edit()) {
        complete(container.limits, range.limits);
        complete(container.requests, range.requests);
      }
    }
  }
}

void Admission::apply_runtime_class(const PodTemplate& pod, const std::string& who, PodSpec& spec) {
  if (spec.runtime_class.empty()) return;
  const auto& classes = drafts_.runtime_classes;
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const RuntimeClass& one) {
    return one.name == spec.runtime_class;
  });
  if (found == classes.end()) {
    drafts_.diagnostics.warn(
        "MissingRuntimeClass",
        "RuntimeClass " + spec.runtime_class + " of " + who + " does not exist",
        drafts_.facts.span(spec.place));
    return;
  }
  if (!pod.has_overhead) spec.overhead = found->overhead;
  for (const auto& [key, value] : found->node_selector) spec.node_selector.set(key, value);
  for (const Toleration& toleration : found->tolerations)
    if (std::find(spec.tolerations.begin(), spec.tolerations.end(), toleration) ==
        spec.tolerations.end())
      spec.tolerations.push_back(toleration);
}

void Admission::admit(const PodTemplate& pod, const std::string& namespace_name,
                      const std::string& who, PodSpec& spec) {
  apply_limit_ranges(namespace_name, spec);
  apply_runtime_class(pod, who, spec);
  add_default_tolerations(spec);
}

}  // namespace gedge::codec
