// control/scaler_metrics.cpp - which values a look needs, and what becomes of them.
#include <algorithm>
#include <utility>

#include "gedge/control/scaler.hpp"
#include "gedge/scale/explain.hpp"

namespace gedge {
namespace {

// Of clocks of other machines.
constexpr std::int64_t kMostAhead = 15;

MetricSource source_of(const MetricSpec& metric) {
  switch (metric.kind) {
    case MetricKind::kResource:
    case MetricKind::kContainerResource:
      return MetricSource::kUsage;
    case MetricKind::kPodMetric:
      return MetricSource::kOfPods;
    case MetricKind::kObject:
      return MetricSource::kObject;
    case MetricKind::kExternal:
      break;
  }
  return metric.is_query ? MetricSource::kQuery : MetricSource::kExternal;
}

// One value with two selectors is two values.
std::string name_with(const std::string& metric, const std::string& selector) {
  return selector.empty() ? metric : metric + "{" + selector + "}";
}

std::string selector_of(const MetricSpec& metric) {
  return metric.selector ? to_string(*metric.selector) : std::string();
}

std::string key_of(const MetricRead& read) {
  std::string key = std::to_string(static_cast<int>(read.source));
  for (const std::string* part :
       {&read.metric, &read.object.kind, &read.object.name, &read.pods, &read.selector})
    key.append("\n").append(*part);
  return key;
}

MetricRead read_of(const std::string& space, const MetricSpec& metric, const std::string& pods,
                   bool is_shared) {
  MetricRead read;
  read.source = source_of(metric);
  read.namespace_name = space;
  if (read.source == MetricSource::kUsage) {
    if (!is_shared) read.pods = pods;
    return read;
  }
  read.metric = metric.name;
  if (read.source == MetricSource::kOfPods) read.pods = pods;
  if (read.source == MetricSource::kObject) read.object = metric.object;
  read.selector = selector_of(metric);
  return read;
}

// As reconcile() is to look for what was read.
Autoscaler asked_as(const Autoscaler& spec) {
  Autoscaler asked = spec;
  for (MetricSpec& metric : asked.metrics) {
    if (source_of(metric) == MetricSource::kUsage) continue;
    metric.name = name_with(metric.name, selector_of(metric));
    metric.selector.reset();
  }
  return asked;
}

std::optional<std::int64_t> sum_of(const std::optional<MetricReading>& reading) {
  if (!reading || !reading->is_read || reading->values.external.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const ExternalMetric& value : reading->values.external)
    sum = saturating_add(sum, value.sample.milli);
  return sum;
}

// Selector of the pods whose values are read; those of several sites have none in common.
std::string pods_of(const Autoscaler& spec, const ScaleTarget& target) {
  return spec.sites ? std::string() : to_string(target.selector);
}

bool uses_usage(const Autoscaler& spec) {
  return std::any_of(spec.metrics.begin(), spec.metrics.end(), [](const MetricSpec& metric) {
    return source_of(metric) == MetricSource::kUsage;
  });
}

}  // namespace

void Scaler::ask(const std::string& name, const MetricSpec& metric, const std::string& pods,
                 bool is_shared, Space& space) {
  MetricRead read = read_of(name, metric, pods, is_shared);
  std::string key = key_of(read);
  const auto [at, is_new] = space.asked.try_emplace(key);
  if (!is_new) return;
  read.ticket = ++last_ticket_;
  tickets_.emplace(read.ticket, name);
  space.metric_reads.emplace(read.ticket, std::move(key));
  ++counts_.reads[static_cast<std::size_t>(read.source)];
  at->second.read = read;
  metric_reads_.push_back(std::move(read));
}

void Scaler::read_metrics(const std::string& name, Space& space) {
  space.state = State::kMetrics;
  join_sites(space);
  const auto users = std::count_if(space.entries.begin(), space.entries.end(),
                                   [](const auto& one) { return uses_usage(one.second.spec); });
  for (const auto& [key, entry] : space.entries) {
    const ScaleTarget* const target = target_of(key, entry, space);
    if (is_taken(space, entry) || target == nullptr) continue;
    const std::string pods = pods_of(entry.spec, *target);
    for (const MetricSpec& metric : entry.spec.metrics) ask(name, metric, pods, users > 1, space);
  }
}

void Scaler::answer(std::uint64_t ticket, MetricReading reading) {
  Space* const space = space_of(ticket);
  if (space == nullptr) return;
  const auto polled = space->polls.find(ticket);
  const bool is_poll = polled != space->polls.end();
  auto& under_way = is_poll ? space->polls : space->metric_reads;
  const auto at = under_way.find(ticket);
  const auto asked = space->asked.find(at->second);
  under_way.erase(at);
  if (asked == space->asked.end()) return;
  if (!reading.is_read) ++counts_.failed_reads[static_cast<std::size_t>(asked->second.read.source)];
  if (!is_poll) {
    asked->second.reading = std::move(reading);
    return;
  }
  if (space->state != State::kResting || sum_of(reading) == sum_of(asked->second.reading)) return;
  ++counts_.reactions;
  space->due = Nanos{0};
}

void Scaler::poll(const std::string& name, Space& space, Nanos now) {
  if (options_.react <= Nanos{0} || now < space.polls_at || !space.polls.empty()) return;
  space.polls_at = now + options_.react;
  for (const auto& [key, asked] : space.asked) {
    if (asked.read.source != MetricSource::kQuery) continue;
    MetricRead read = asked.read;
    read.ticket = ++last_ticket_;
    tickets_.emplace(read.ticket, name);
    space.polls.emplace(read.ticket, key);
    ++counts_.reads[static_cast<std::size_t>(read.source)];
    metric_reads_.push_back(std::move(read));
  }
}

// A sample that is too old, or of a time to come, is none.
bool Scaler::age(const MetricSample& sample, UnixSeconds date, std::string& why) const {
  if (sample.at > date + kMostAhead) {
    why = "the sample is " + std::to_string(sample.at - date) + " s ahead";
    return false;
  }
  const std::int64_t age = date - sample.at;
  if (options_.settings.max_age_s && age > *options_.settings.max_age_s) {
    why = "the sample is " + std::to_string(age) + " s old";
    return false;
  }
  return true;
}

void Scaler::gather_metrics(Space& space, UnixSeconds now, UnixSeconds date) const {
  const auto moved = [&](UnixSeconds at) {
    return at > date && at <= date + kMostAhead ? now : at + now - date;
  };
  MetricFacts& metrics = space.facts->metrics;
  for (const auto& [key, asked] : space.asked) {
    const MetricRead& read = asked.read;
    if (!asked.reading || !asked.reading->is_read) {
      space.failures.emplace(key, asked.reading ? asked.reading->why : "");
      continue;
    }
    const MetricFacts& values = asked.reading->values;
    const std::string name = name_with(read.metric, read.selector);
    std::string why = "the source has no such value";
    for (PodUsage usage : values.usage) {
      usage.at = moved(usage.at);
      metrics.usage.push_back(std::move(usage));
    }
    for (ObjectMetric value : values.objects) {
      value.metric = name;
      value.namespace_name = read.namespace_name;
      const bool is_pods = read.source == MetricSource::kOfPods;
      if (!is_pods && !age(value.sample, date, why)) continue;
      value.object_kind = is_pods ? "Pod" : read.object.kind;
      if (!is_pods) value.object_name = read.object.name;
      value.sample.at = moved(value.sample.at);
      metrics.objects.push_back(std::move(value));
    }
    // A sum without what is too old would be too small.
    const bool is_whole =
        std::all_of(values.external.begin(), values.external.end(),
                    [&](const ExternalMetric& value) { return age(value.sample, date, why); });
    for (ExternalMetric value : values.external) {
      if (!is_whole) break;
      value.metric = name;
      value.sample.at = moved(value.sample.at);
      metrics.external.push_back(std::move(value));
    }
    space.failures.emplace(key, std::move(why));  // asked for where there is no value
  }
  std::sort(metrics.usage.begin(), metrics.usage.end(),
            [](const PodUsage& a, const PodUsage& b) { return a.name.str() < b.name.str(); });
}

// All times as if the date had never been set while this runs.
void Scaler::gather(const std::string& name, Space& space, UnixSeconds now,
                    UnixSeconds date) const {
  const auto moved = [&](UnixSeconds at) { return at == kNever ? at : at + now - date; };
  ScaleFacts& facts = space.facts.emplace();
  for (const auto& [key, entry] : space.entries)
    if (!is_taken(space, entry)) facts.autoscalers.push_back(asked_as(entry.spec));
  for (const auto& [workload, target] : space.targets) facts.targets.push_back(target);
  for (const auto& [key, joined] : space.joined)
    for (ScaleTarget& target : facts.targets)
      if (target.kind == joined.kind && target.name == joined.name) target = joined;
  facts.pods.reserve(space.pods.size());
  for (const auto& [pod_name, known] : space.pods) {
    ScaledPod& pod = facts.pods.emplace_back(known);
    pod.namespace_name = name;
    pod.ready_since = moved(pod.ready_since);
    pod.started = moved(pod.started);
    mark_sites(space, pod);
  }
  gather_metrics(space, now, date);
}

// What is known of pods may lag behind the workload, as where a watch was cut. Fewer of them share
// more than they have, so nothing is scaled down by them. Empty: all are known.
std::string Scaler::unknown_pods(const Entry& entry, const ScaleTarget& target,
                                 const WorkloadIndex& index, const ScaleDecision& decision) const {
  const bool is_down =
      decision.step == ScaleStep::kComputed && decision.replicas < decision.current;
  const bool counts_pods = std::any_of(
      entry.spec.metrics.begin(), entry.spec.metrics.end(), [](const MetricSpec& metric) {
        const bool is_whole =
            metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal;
        return !is_whole || metric.target == TargetKind::kValue;
      });
  if (!is_down || !counts_pods || options_.settings.compat == Compat::k1_20) return {};
  std::int32_t known = 0;
  for (const std::uint32_t i : index.select(target.namespace_name, target.selector)) {
    const ScaledPod& pod = index.facts().pods[i];
    const bool is_over = pod.phase == PodPhase::kFailed || pod.phase == PodPhase::kSucceeded;
    known += is_over || pod.deleting ? 0 : 1;
  }
  if (known >= target.status_replicas) return {};
  return "there are " + std::to_string(target.status_replicas) + " pods, and " +
         std::to_string(known) + " are known";
}

std::string Scaler::why(const std::string& key, const Space& space, const Entry& entry,
                        const ScaleDecision& decision) const {
  const auto said = [&space](const std::string& about) {
    const auto at = space.failures.find(about);
    return at == space.failures.end() ? std::string() : at->second;
  };
  if (decision.step == ScaleStep::kNoTarget) {
    for (const ObjectName& one : site_workloads(entry.spec))
      if (std::string found = said(one.kind + "/" + one.name); !found.empty()) return found;
    return {};
  }
  const ScaleTarget* const target = target_of(key, entry, space);
  for (std::size_t i = 0; i < decision.metrics.size(); ++i) {
    const MetricAnswer& answer = decision.metrics[i];
    if (answer.ok()) continue;
    if (answer.failure != MetricFailure::kNoSource) return std::string(to_string(answer.failure));
    const std::string pods = target != nullptr ? pods_of(entry.spec, *target) : std::string();
    const std::string own = said(key_of(read_of("", entry.spec.metrics[i], pods, false)));
    return own.empty() ? said(key_of(read_of("", entry.spec.metrics[i], pods, true))) : own;
  }
  return {};
}

}  // namespace gedge
