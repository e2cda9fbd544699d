#include "gedge/scale/workloads.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <tuple>

namespace gedge {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMilli = 1'000;

std::int64_t to_milli(std::string_view resource, std::int64_t amount) {
  std::int64_t milli = 0;
  if (resource == kCpu) return amount;
  return __builtin_mul_overflow(amount, kMilli, &milli) ? std::numeric_limits<std::int64_t>::max()
                                                        : milli;
}

// What the containers that the metric is about ask for.
void add_requests(const ScaledPod& pod, const MetricSpec& metric, Compat compat, SampledPod& view) {
  const bool is_new = compat != Compat::k1_20;
  if (is_new && metric.container.empty() && pod.pod_requests) {
    if (const auto amount = pod.pod_requests->find(metric.name)) {
      view.request = to_milli(metric.name, *amount);
      return;
    }
  }
  bool is_found = false;
  const auto add = [&](const ScaledContainer& container) {
    if (!metric.container.empty() && container.name != metric.container) return;
    const auto amount = container.requests.find(metric.name);
    is_found = true;
    view.has_request = view.has_request && amount.has_value();
    view.request = saturating_add(view.request, to_milli(metric.name, amount.value_or(0)));
  };
  std::for_each(pod.containers.begin(), pod.containers.end(), add);
  if (is_new) std::for_each(pod.sidecars.begin(), pod.sidecars.end(), add);
  if (is_new && !metric.container.empty() && !is_found) view.has_request = false;
}

SampledPod view_of(const ScaledPod& pod) {
  SampledPod view;
  view.phase = pod.phase;
  view.ready = pod.ready;
  view.ready_since = pod.ready_since;
  view.started = pod.started;
  view.deleting = pod.deleting;
  return view;
}

void put_sample(std::int64_t milli, UnixSeconds at, Micros window, SampledPod& view) {
  view.value = milli;
  view.sampled = at;
  view.window = window;
  view.has_value = true;
}

template <typename T>
std::tuple<const std::string&, const std::string&> name_of(const T& object) {
  return {object.namespace_name.str(), object.name.str()};
}

// Indices by namespace and name; readers sort already.
template <typename T>
std::vector<std::uint32_t> sorted_by_name(const std::vector<T>& objects) {
  std::vector<std::uint32_t> order(objects.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return name_of(objects[a]) < name_of(objects[b]);
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  return order;
}

// Of the requirements, one that an index of labels answers.
const Requirement* indexed(const LabelSelector& selector) {
  for (const Requirement& requirement : selector.requirements) {
    const bool is_equal = requirement.op == SelectorOp::kEquals ||
                          requirement.op == SelectorOp::kDoubleEquals ||
                          requirement.op == SelectorOp::kIn;
    if (is_equal && requirement.values.size() == 1) return &requirement;
  }
  return nullptr;
}

}  // namespace

std::size_t WorkloadIndex::KeyHash::operator()(const Key& key) const {
  constexpr std::size_t kOdd = 0x9e3779b97f4a7c15U;
  std::size_t sum = 0;
  for (const std::string_view part : key) sum = (sum ^ std::hash<std::string_view>()(part)) * kOdd;
  return sum;
}

const std::vector<std::uint32_t>& WorkloadIndex::list_in(const Lists& lists, const Key& key) {
  static const std::vector<std::uint32_t> empty;
  const auto at = lists.find(key);
  return at == lists.end() ? empty : at->second;
}

WorkloadIndex::WorkloadIndex(const ScaleFacts& facts) : facts_(&facts) {
  for (std::uint32_t i = 0; i < facts.targets.size(); ++i) {
    const ScaleTarget& target = facts.targets[i];
    targets_.emplace(key_of(target.namespace_name, target.kind, target.name), i);
  }
  index_pods();
  index_values();
  count_autoscalers();
}

void WorkloadIndex::index_pods() {
  by_label_.reserve(facts_->pods.size());
  // Of the pod before: its neighbours mostly belong to one workload, and carry the same labels.
  const ScaledPod* before = nullptr;
  std::vector<std::vector<std::uint32_t>*> lists;
  for (std::uint32_t i = 0; i < facts_->pods.size(); ++i) {
    const ScaledPod& pod = facts_->pods[i];
    if (before == nullptr || pod.namespace_name != before->namespace_name ||
        pod.labels != before->labels) {
      lists.assign(1, &by_namespace_[key_of(pod.namespace_name)]);
      for (const auto& [name, value] : pod.labels)
        lists.push_back(&by_label_[key_of(pod.namespace_name, name, value)]);
    }
    for (std::vector<std::uint32_t>* const list : lists) list->push_back(i);
    before = &pod;
  }
  // Asked about values of objects alone: usages are joined by their order.
  if (facts_->metrics.objects.empty()) return;
  pods_.reserve(facts_->pods.size());
  for (std::uint32_t i = 0; i < facts_->pods.size(); ++i)
    pods_.emplace(key_of(facts_->pods[i].namespace_name, facts_->pods[i].name), i);
}

// Both by namespace and name, side by side.
void WorkloadIndex::join_usage() {
  const std::vector<PodUsage>& usages = facts_->metrics.usage;
  const std::vector<ScaledPod>& pods = facts_->pods;
  const std::vector<std::uint32_t> by_name = sorted_by_name(pods), used = sorted_by_name(usages);
  std::size_t next = 0;
  for (const std::uint32_t i : used) {
    while (next < by_name.size() && name_of(pods[by_name[next]]) < name_of(usages[i])) ++next;
    if (next < by_name.size() && name_of(pods[by_name[next]]) == name_of(usages[i]))
      usage_of_[by_name[next]] = i;
    else
      stray_usage_[key_of(usages[i].namespace_name)].push_back(i);
  }
}

void WorkloadIndex::index_values() {
  usage_of_.assign(facts_->pods.size(), kNone);
  join_usage();
  const MetricFacts& metrics = facts_->metrics;
  for (std::uint32_t i = 0; i < metrics.objects.size(); ++i) {
    const ObjectMetric& value = metrics.objects[i];
    objects_.emplace(
        key_of(value.namespace_name, value.object_kind, value.object_name, value.metric), i);
    if (value.object_kind == "Pod" &&
        pods_.find(key_of(value.namespace_name, value.object_name)) == pods_.end())
      stray_objects_[key_of(value.namespace_name, value.metric)].push_back(i);
  }
  for (std::uint32_t i = 0; i < metrics.external.size(); ++i)
    external_[key_of(metrics.external[i].metric)].push_back(i);
}

void WorkloadIndex::count_autoscalers() {
  autoscalers_of_.assign(facts_->pods.size(), 0);
  for (const Autoscaler& autoscaler : facts_->autoscalers) {
    const ScaleTarget* const target = target_of(autoscaler);
    if (target == nullptr || !target->has_selector) continue;
    for (const std::uint32_t pod : select(target->namespace_name, target->selector))
      if (autoscalers_of_[pod] < std::numeric_limits<std::uint16_t>::max()) ++autoscalers_of_[pod];
  }
}

const ScaleTarget* WorkloadIndex::target_of(const Autoscaler& autoscaler) const {
  const auto at = targets_.find(
      key_of(autoscaler.namespace_name, autoscaler.target.kind, autoscaler.target.name));
  return at == targets_.end() ? nullptr : &facts_->targets[at->second];
}

std::vector<std::uint32_t> WorkloadIndex::select(std::string_view namespace_name,
                                                 const LabelSelector& selector) const {
  const Requirement* const first = indexed(selector);
  const std::vector<std::uint32_t>& candidates =
      first != nullptr
          ? list_in(by_label_, key_of(namespace_name, first->key, first->values.front()))
          : list_in(by_namespace_, key_of(namespace_name));
  std::vector<std::uint32_t> found;
  found.reserve(candidates.size());
  for (const std::uint32_t pod : candidates)
    if (selector.matches(facts_->pods[pod].labels)) found.push_back(pod);
  return found;
}

// True if the pod has a value: the sum of its containers, if each has one, or that of one.
bool WorkloadIndex::read_usage(const PodUsage& usage, const MetricSpec& metric, SampledPod& view,
                               PodValues& values) const {
  std::int64_t sum = 0;
  std::size_t counted = 0, looked_at = 0;
  for (const PodUsage::OfContainer& container : usage.containers) {
    if (!metric.container.empty() && container.name != metric.container) continue;
    ++looked_at;
    for (const auto& [resource, milli] : container.milli) {
      if (resource != metric.name) continue;
      sum = saturating_add(sum, milli);
      ++counted;
    }
  }
  values.broken = values.broken || (!metric.container.empty() && looked_at == 0);
  if (counted == 0 || counted != looked_at) return false;
  put_sample(sum, usage.at, usage.window, view);
  values.any = true;
  return true;
}

WorkloadIndex::PodValues WorkloadIndex::values_of(const MetricSpec& metric,
                                                  const ScaleTarget& target,
                                                  const std::vector<std::uint32_t>& pods,
                                                  Compat compat) const {
  PodValues values;
  values.pods.reserve(pods.size());
  const MetricFacts& metrics = facts_->metrics;
  const bool is_resource =
      metric.kind == MetricKind::kResource || metric.kind == MetricKind::kContainerResource;
  for (const std::uint32_t index : pods) {
    const ScaledPod& pod = facts_->pods[index];
    SampledPod& view = values.pods.emplace_back(view_of(pod));
    if (is_resource) {
      if (metric.target == TargetKind::kUtilization) add_requests(pod, metric, compat, view);
      if (usage_of_[index] != kNone)
        read_usage(metrics.usage[usage_of_[index]], metric, view, values);
    } else if (metric.kind == MetricKind::kPodMetric) {
      const auto at = objects_.find(key_of(pod.namespace_name, "Pod", pod.name, metric.name));
      if (at == objects_.end()) continue;
      const MetricSample& sample = metrics.objects[at->second].sample;
      put_sample(sample.milli, sample.at, sample.window, view);
      values.any = true;
    }
  }
  const auto add_stray = [&](std::int64_t milli) {
    ++values.strays.count;
    values.strays.sum_milli = saturating_add(values.strays.sum_milli, milli);
    values.any = true;
  };
  if (is_resource) {
    for (const std::uint32_t i : list_in(stray_usage_, key_of(target.namespace_name))) {
      SampledPod view;
      if (!target.selector.matches(metrics.usage[i].labels)) continue;
      if (read_usage(metrics.usage[i], metric, view, values)) add_stray(view.value);
    }
  } else if (metric.kind == MetricKind::kPodMetric) {
    for (const std::uint32_t i :
         list_in(stray_objects_, key_of(target.namespace_name, metric.name)))
      add_stray(metrics.objects[i].sample.milli);
  }
  return values;
}

const ObjectMetric* WorkloadIndex::object_value(const MetricSpec& metric,
                                                std::string_view namespace_name) const {
  const auto at =
      objects_.find(key_of(namespace_name, metric.object.kind, metric.object.name, metric.name));
  return at == objects_.end() ? nullptr : &facts_->metrics.objects[at->second];
}

std::optional<WorkloadIndex::ExternalSum> WorkloadIndex::external_value(
    const MetricSpec& metric) const {
  std::optional<ExternalSum> sum;
  for (const std::uint32_t i : list_in(external_, key_of(metric.name))) {
    const ExternalMetric& value = facts_->metrics.external[i];
    if (metric.selector && !metric.selector->matches(value.labels)) continue;
    if (!sum) sum = ExternalSum{0, value.sample.at, value.sample.at};
    sum->milli = saturating_add(sum->milli, value.sample.milli);
    sum->oldest = std::min(sum->oldest, value.sample.at);
    sum->newest = std::max(sum->newest, value.sample.at);
  }
  return sum;
}

}  // namespace gedge
