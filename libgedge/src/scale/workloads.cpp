#include "gedge/scale/workloads.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <numeric>

#include "gedge/scale/requested.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kNone = HashedLists::kNone;
constexpr std::int64_t kMilli = 1'000;

std::int64_t to_milli(std::string_view resource, std::int64_t amount) {
  std::int64_t milli = 0;
  if (resource == kCpu) return amount;
  return __builtin_mul_overflow(amount, kMilli, &milli) ? std::numeric_limits<std::int64_t>::max()
                                                        : milli;
}

// What the containers that the metric is about ask for.
void add_requests(const ScaledTemplate& pod, const MetricSpec& metric, Compat compat,
                  SampledPod& view) {
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

// By namespace and name.
template <typename A, typename B>
std::strong_ordering order_of(const A& a, const B& b) {
  const std::strong_ordering spaces = a.namespace_name <=> b.namespace_name;
  return spaces != 0 ? spaces : a.name <=> b.name;
}
template <typename A, typename B>
bool is_same(const A& a, const B& b) {
  return a.name == b.name && a.namespace_name == b.namespace_name;
}

// Indices by namespace and name.
template <typename T>
std::vector<std::uint32_t> sorted_by_name(const std::vector<T>& objects) {
  std::vector<std::uint32_t> order(objects.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return order_of(objects[a], objects[b]) < 0;
  });
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

std::optional<std::int64_t> requested_milli(const ScaledTemplate& made_of, const MetricSpec& metric,
                                            Compat compat) {
  SampledPod view;
  add_requests(made_of, metric, compat, view);
  if (!view.has_request || view.request <= 0) return std::nullopt;
  return view.request;
}

WorkloadIndex::WorkloadIndex(const ScaleFacts& facts) : facts_(&facts) {
  for (std::uint32_t i = 0; i < facts.targets.size(); ++i) {
    const ScaleTarget& target = facts.targets[i];
    targets_.add(hash_of_texts(target.namespace_name, target.kind, target.name), i);
  }
  index_pods();
  join_usage();
  index_values();
  count_autoscalers();
}

void WorkloadIndex::index_pods() {
  const std::vector<ScaledPod>& pods = facts_->pods;
  for (std::uint32_t i = 0; i < pods.size(); ++i) {
    const ScaledPod& pod = pods[i];
    // Neighbours mostly belong to one workload.
    if (i > 0 && pod.namespace_name == pods[i - 1].namespace_name &&
        pod.labels == pods[i - 1].labels) {
      runs_.back().end = i + 1;
      continue;
    }
    const auto run = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back({i, i + 1});
    by_namespace_.add(hash_of_texts(pod.namespace_name), run);
    for (const auto& [name, value] : pod.labels)
      by_label_.add(hash_of_texts(pod.namespace_name, name, value), run);
  }
  // Asked about values of objects alone: usages are joined by their order.
  if (facts_->metrics.objects.empty()) return;
  for (std::uint32_t i = 0; i < pods.size(); ++i)
    pods_.add(hash_of_texts(pods[i].namespace_name, pods[i].name), i);
}

// Both by namespace and name, side by side; readers sort already.
void WorkloadIndex::join_usage() {
  usage_of_.assign(facts_->pods.size(), kNone);
  if (join_in_order()) return;
  usage_of_.assign(facts_->pods.size(), kNone);
  stray_usage_ = {};
  join_sorted();
}

// False: one of them is in no order, and what was joined is worth nothing.
bool WorkloadIndex::join_in_order() {
  const std::vector<PodUsage>& usages = facts_->metrics.usage;
  const std::vector<ScaledPod>& pods = facts_->pods;
  std::uint32_t next = 0;
  bool is_joined = false;  // the usage before, with the pod `next`
  const auto skip = [&] {
    ++next;
    return next >= pods.size() || order_of(pods[next - 1], pods[next]) <= 0;
  };
  for (std::uint32_t i = 0; i < usages.size(); ++i) {
    if (i > 0) {
      const std::strong_ordering order = order_of(usages[i - 1], usages[i]);
      if (order > 0) return false;
      // The next pod has the next usage: what was seen of the order of one is true of both.
      if (is_joined && order < 0 && next + 1 < pods.size() && is_same(pods[next + 1], usages[i])) {
        usage_of_[++next] = i;
        continue;
      }
    }
    while (next < pods.size() && order_of(pods[next], usages[i]) < 0)
      if (!skip()) return false;
    is_joined = next < pods.size() && is_same(pods[next], usages[i]);
    if (is_joined)
      usage_of_[next] = i;
    else
      stray_usage_.add(hash_of_texts(usages[i].namespace_name), i);
  }
  while (next < pods.size())
    if (!skip()) return false;
  return true;
}

void WorkloadIndex::join_sorted() {
  const std::vector<PodUsage>& usages = facts_->metrics.usage;
  const std::vector<ScaledPod>& pods = facts_->pods;
  const std::vector<std::uint32_t> by_name = sorted_by_name(pods), used = sorted_by_name(usages);
  std::size_t next = 0;
  for (const std::uint32_t i : used) {
    while (next < by_name.size() && order_of(pods[by_name[next]], usages[i]) < 0) ++next;
    if (next < by_name.size() && is_same(pods[by_name[next]], usages[i]))
      usage_of_[by_name[next]] = i;
    else
      stray_usage_.add(hash_of_texts(usages[i].namespace_name), i);
  }
}

void WorkloadIndex::index_values() {
  const MetricFacts& metrics = facts_->metrics;
  for (std::uint32_t i = 0; i < metrics.objects.size(); ++i) {
    const ObjectMetric& value = metrics.objects[i];
    objects_.add(
        hash_of_texts(value.namespace_name, value.object_kind, value.object_name, value.metric), i);
    if (value.object_kind != "Pod") continue;
    const std::uint32_t known =
        pods_.find(hash_of_texts(value.namespace_name, value.object_name), [&](std::uint32_t pod) {
          return facts_->pods[pod].name == value.object_name &&
                 facts_->pods[pod].namespace_name == value.namespace_name;
        });
    if (known == kNone) stray_objects_.add(hash_of_texts(value.namespace_name, value.metric), i);
  }
  for (std::uint32_t i = 0; i < metrics.external.size(); ++i)
    external_.add(hash_of_texts(metrics.external[i].metric), i);
}

void WorkloadIndex::count_autoscalers() {
  // Of workloads that share no pods this keeps all; where they do, not the square of them.
  const std::size_t most_kept = 8 * facts_->pods.size();
  autoscalers_of_.assign(facts_->pods.size(), 0);
  kept_.resize(facts_->targets.size());
  std::vector<std::uint32_t> room;
  for (const Autoscaler& autoscaler : facts_->autoscalers) {
    const std::uint32_t t = find_target(autoscaler);
    if (t == kNone || !facts_->targets[t].has_selector) continue;
    const ScaleTarget& target = facts_->targets[t];
    if (kept_[t].begin == kept_[t].end) {
      const auto begin = static_cast<std::uint32_t>(selected_.size());
      add_selected(target.namespace_name, target.selector, selected_);
      if (selected_.size() <= most_kept)
        kept_[t] = {begin, static_cast<std::uint32_t>(selected_.size())};
      else
        selected_.resize(begin);
    }
    for (const std::uint32_t pod : pods_of(target, room))
      if (autoscalers_of_[pod] < std::numeric_limits<std::uint16_t>::max()) ++autoscalers_of_[pod];
  }
}

std::uint32_t WorkloadIndex::find_target(const Autoscaler& autoscaler) const {
  const ObjectName& named = autoscaler.target;
  return targets_.find(hash_of_texts(autoscaler.namespace_name, named.kind, named.name),
                       [&](std::uint32_t i) {
                         const ScaleTarget& target = facts_->targets[i];
                         return target.name == named.name && target.kind == named.kind &&
                                target.namespace_name == autoscaler.namespace_name;
                       });
}

const ScaleTarget* WorkloadIndex::target_of(const Autoscaler& autoscaler) const {
  const std::uint32_t found = find_target(autoscaler);
  return found == kNone ? nullptr : &facts_->targets[found];
}

void WorkloadIndex::add_selected(std::string_view namespace_name, const LabelSelector& selector,
                                 std::vector<std::uint32_t>& found) const {
  const auto take = [&](std::uint32_t i) {
    const Run& run = runs_[i];
    const ScaledPod& pod = facts_->pods[run.begin];
    if (pod.namespace_name != namespace_name || !selector.matches(pod.labels)) return;
    for (std::uint32_t p = run.begin; p < run.end; ++p) found.push_back(p);
  };
  if (const Requirement* const first = indexed(selector))
    by_label_.each(hash_of_texts(namespace_name, first->key, first->values.front()), take);
  else
    by_namespace_.each(hash_of_texts(namespace_name), take);
}

std::vector<std::uint32_t> WorkloadIndex::select(std::string_view namespace_name,
                                                 const LabelSelector& selector) const {
  std::vector<std::uint32_t> found;
  add_selected(namespace_name, selector, found);
  return found;
}

std::span<const std::uint32_t> WorkloadIndex::pods_of(const ScaleTarget& target,
                                                      std::vector<std::uint32_t>& room) const {
  const Kept& kept = kept_[static_cast<std::size_t>(&target - facts_->targets.data())];
  if (kept.begin < kept.end) return std::span(selected_).subspan(kept.begin, kept.end - kept.begin);
  room.clear();
  add_selected(target.namespace_name, target.selector, room);
  return room;
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
                                                  std::span<const std::uint32_t> pods,
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
      const std::uint32_t at = find_object(pod.namespace_name, "Pod", pod.name, metric.name);
      if (at == kNone) continue;
      const MetricSample& sample = metrics.objects[at].sample;
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
    stray_usage_.each(hash_of_texts(target.namespace_name), [&](std::uint32_t i) {
      const PodUsage& usage = metrics.usage[i];
      SampledPod view;
      if (usage.namespace_name != target.namespace_name || !target.selector.matches(usage.labels))
        return;
      if (read_usage(usage, metric, view, values)) add_stray(view.value);
    });
  } else if (metric.kind == MetricKind::kPodMetric) {
    stray_objects_.each(hash_of_texts(target.namespace_name, metric.name), [&](std::uint32_t i) {
      const ObjectMetric& value = metrics.objects[i];
      if (value.namespace_name == target.namespace_name && value.metric == metric.name)
        add_stray(value.sample.milli);
    });
  }
  return values;
}

std::uint32_t WorkloadIndex::find_object(std::string_view namespace_name, std::string_view kind,
                                         std::string_view name, std::string_view metric) const {
  return objects_.find(hash_of_texts(namespace_name, kind, name, metric), [&](std::uint32_t i) {
    const ObjectMetric& value = facts_->metrics.objects[i];
    return value.object_name == name && value.metric == metric && value.object_kind == kind &&
           value.namespace_name == namespace_name;
  });
}

const ObjectMetric* WorkloadIndex::object_value(const MetricSpec& metric,
                                                std::string_view namespace_name) const {
  const std::uint32_t at =
      find_object(namespace_name, metric.object.kind, metric.object.name, metric.name);
  return at == kNone ? nullptr : &facts_->metrics.objects[at];
}

std::optional<WorkloadIndex::ExternalSum> WorkloadIndex::external_value(
    const MetricSpec& metric) const {
  std::optional<ExternalSum> sum;
  external_.each(hash_of_texts(metric.name), [&](std::uint32_t i) {
    const ExternalMetric& value = facts_->metrics.external[i];
    if (value.metric != metric.name) return;
    if (metric.selector && !metric.selector->matches(value.labels)) return;
    if (!sum) sum = ExternalSum{0, value.sample.at, value.sample.at};
    sum->milli = saturating_add(sum->milli, value.sample.milli);
    sum->oldest = std::min(sum->oldest, value.sample.at);
    sum->newest = std::max(sum->newest, value.sample.at);
  });
  return sum;
}

}  // namespace gedge
