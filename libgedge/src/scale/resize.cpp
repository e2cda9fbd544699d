#include "gedge/scale/resize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "gedge/base/quantity.hpp"
#include "gedge/base/saturated.hpp"

namespace gedge {
namespace {

constexpr double kSecondsADay = 24 * 3'600;
constexpr std::int64_t kHour = 3'600;
constexpr std::array<std::string_view, 2> kResources{kCpu, kMemory};

const RequestRange* range_of(const ContainerRecommendation& container, std::string_view resource) {
  const auto& range = resource == kCpu ? container.cpu : container.memory;
  return range ? &*range : nullptr;
}

class Resizer {
 public:
  Resizer(const ScaleFacts& facts, const SharedText& space, const Recommendation& recommendation,
          const ResizeOptions& options)
      : facts_(facts), recommendation_(recommendation), options_(options) {
    for (const ContainerLimits& limits : facts.limits)
      if (limits.namespace_name == space) limits_.push_back(&limits);
    plan_.way = options.way;
  }

  /// `object` says which one it is.
  void add(ObjectResize object, const ScaledTemplate& before) {
    ScaledTemplate after = before;
    for (auto* const list : {&after.containers, &after.sidecars})
      for (ScaledContainer& container : *list) {
        ContainerResize change{container.name, list == &after.sidecars, {}};
        change_container(container, change);
        if (!change.resources.empty()) object.containers.push_back(std::move(change));
      }
    if (object.containers.empty()) return;
    check_pod(after);
    plan_.objects.push_back(std::move(object));
  }

  ResizePlan take() { return std::move(plan_); }

 private:
  void change_container(ScaledContainer& container, ContainerResize& change);
  std::optional<std::int64_t> limit_after(const ScaledContainer& container,
                                          std::string_view resource, std::int64_t request) const;
  void check_container(const ContainerRecommendation& known, const ScaledContainer& container,
                       std::string_view resource);
  void check_pod(const ScaledTemplate& after);
  void check_sum(const ScaledTemplate& after, std::string_view resource);
  bool has_node_for(const ScaledTemplate& after) const;
  void hold(std::string what, std::string hint) {
    if (!plan_.held) plan_.held = Error{Errc::kConflict, std::move(what), {}, std::move(hint)};
  }

  const ScaleFacts& facts_;
  const Recommendation& recommendation_;
  const ResizeOptions& options_;
  std::vector<const ContainerLimits*> limits_;  // of the namespace
  ResizePlan plan_;
};

std::int64_t sum_of(const ScaledTemplate& pod, std::string_view resource,
                    Resources ScaledContainer::*amounts) {
  std::int64_t sum = 0;
  for (const auto* const list : {&pod.containers, &pod.sidecars})
    for (const ScaledContainer& container : *list)
      sum = saturated_sum(sum, (container.*amounts).amount(resource));
  return sum;
}

void Resizer::change_container(ScaledContainer& container, ContainerResize& change) {
  const auto known =
      std::find_if(recommendation_.containers.begin(), recommendation_.containers.end(),
                   [&](const ContainerRecommendation& one) { return one.name == container.name; });
  if (known == recommendation_.containers.end()) return;
  for (const std::string_view resource : kResources) {
    const RequestRange* const range = range_of(*known, resource);
    if (range == nullptr) continue;
    const auto declared = container.requests.find(resource);
    // Pods of a template without a request may have been given one.
    const bool is_template = options_.way == ResizeWay::kTemplate;
    const auto request = declared || !is_template ? declared : range->request;
    if (advice_for(request, *range) == RequestAdvice::kKeep || declared == range->target) continue;
    ResourceResize resize{std::string(resource), declared, container.limits.find(resource),
                          range->target, limit_after(container, resource, range->target)};
    container.requests.set(resource, resize.request);
    if (resize.limit) container.limits.set(resource, *resize.limit);
    check_container(*known, container, resource);
    change.resources.push_back(std::move(resize));
  }
}

// In proportion, as far as LimitRanges let it. A limit that a LimitRange gives to whoever declares
// none is left to it while it suffices.
std::optional<std::int64_t> Resizer::limit_after(const ScaledContainer& container,
                                                 std::string_view resource,
                                                 std::int64_t request) const {
  const auto declared = container.limits.find(resource);
  const auto before = container.requests.find(resource);
  if (!declared) {
    for (const ContainerLimits* const limits : limits_)
      if (const auto given = limits->unless_said.find(resource); given && *given < request)
        return request;
    return std::nullopt;
  }
  if (!before || *before == 0 || *before == *declared) return request;
  const double ratio = static_cast<double>(*declared) / static_cast<double>(*before);
  const double scaled = std::ceil(static_cast<double>(request) * ratio);
  std::int64_t limit =
      scaled < static_cast<double>(kAnyRequest) ? static_cast<std::int64_t>(scaled) : kAnyRequest;
  for (const ContainerLimits* const limits : limits_)
    limit = std::min(limit, limits->most.find(resource).value_or(limit));
  return std::max(limit, request);
}

void Resizer::check_container(const ContainerRecommendation& known,
                              const ScaledContainer& container, std::string_view resource) {
  const std::string name = "container " + container.name;
  const std::int64_t known_s = std::llround(known.days * kSecondsADay);
  if (known_s < options_.least_known_s)
    hold("too little is known of " + name + ": " + std::to_string(known_s / kHour) +
             " h of one sample a minute, and " + std::to_string(options_.least_known_s / kHour) +
             " h are wanted",
         "record more, and give it by `--metrics`");
  const std::int64_t request = container.requests.amount(resource);
  for (const ContainerLimits* const limits : limits_) {
    const auto least = limits->least.find(resource), most = limits->most.find(resource);
    const std::int64_t limit = container.limits.find(resource).value_or(request);
    if ((!least || request >= *least) && (!most || std::max(request, limit) <= *most)) continue;
    hold("LimitRange " + limits->name + " forbids " + resource_text(resource, request) + " of " +
             std::string(resource) + " for " + name,
         "no node holds what it allows");
  }
}

void Resizer::check_sum(const ScaledTemplate& after, std::string_view resource) {
  const std::int64_t requests = sum_of(after, resource, &ScaledContainer::requests);
  const std::int64_t limit_sum = sum_of(after, resource, &ScaledContainer::limits);
  for (const ContainerLimits* const limits : limits_) {
    const auto least = limits->pod_least.find(resource), most = limits->pod_most.find(resource);
    if ((least && requests < *least) || (most && std::max(requests, limit_sum) > *most))
      hold("LimitRange " + limits->name + " forbids a pod with " +
               resource_text(resource, requests) + " of " + std::string(resource) + ", up to " +
               resource_text(resource, std::max(requests, limit_sum)),
           "");
  }
}

bool Resizer::has_node_for(const ScaledTemplate& after) const {
  return std::any_of(facts_.nodes.begin(), facts_.nodes.end(), [&](const Resources& node) {
    return std::all_of(kResources.begin(), kResources.end(), [&](std::string_view resource) {
      return sum_of(after, resource, &ScaledContainer::requests) <= node.amount(resource);
    });
  });
}

void Resizer::check_pod(const ScaledTemplate& after) {
  if (after.pod_requests)
    hold("its pods declare what they request as a whole", "change that amount by hand");
  for (const std::string_view resource : kResources) check_sum(after, resource);
  if (facts_.nodes.empty()) return hold("no node is known", "nobody knows what one can give");
  if (has_node_for(after)) return;
  std::string needs;
  for (const std::string_view resource : kResources)
    needs += (needs.empty() ? "" : " and ") +
             resource_text(resource, sum_of(after, resource, &ScaledContainer::requests)) + " of " +
             std::string(resource);
  hold("no node can give a pod " + needs, "a container that nobody measured counts as declared");
}

bool may_be_resized(const ScaledPod& pod) {
  return !pod.deleting && (pod.phase == PodPhase::kRunning || pod.phase == PodPhase::kPending);
}

}  // namespace

std::string_view to_string(ResizeWay way) {
  return way == ResizeWay::kInPlace ? "pods" : "template";
}

std::string resource_text(std::string_view resource, std::int64_t amount) {
  return resource == kCpu ? format_milli(amount) : format_bytes(amount);
}

std::string_view to_string(ResizeOutcome outcome) {
  constexpr std::array<std::string_view, 7> kWords{"planned", "applied",  "conflict", "gone",
                                                   "refused", "not-sent", "unclear"};
  return kWords[static_cast<std::size_t>(outcome)];
}

ResizeRun planned(ResizePlan plan) {
  ResizeRun run;
  run.way = plan.way;
  run.held = std::move(plan.held);
  for (ObjectResize& object : plan.objects)
    run.objects.push_back({std::move(object), ResizeOutcome::kPlanned, {}});
  return run;
}

ResizePlan plan_resize(const ScaleFacts& facts, const ScaleTarget& workload,
                       const Recommendation& recommendation, const ResizeOptions& options) {
  Resizer resizer(facts, workload.namespace_name, recommendation, options);
  if (options.way == ResizeWay::kTemplate) {
    resizer.add({workload.kind,
                 workload.namespace_name,
                 SharedText(workload.name),
                 workload.uid,
                 workload.version,
                 {}},
                workload.made_of);
    return resizer.take();
  }
  for (const ScaledPod& pod : facts.pods)
    if (pod.namespace_name == workload.namespace_name && workload.selector.matches(pod.labels) &&
        may_be_resized(pod))
      resizer.add({"Pod", pod.namespace_name, pod.name, pod.uid, pod.version, {}}, pod);
  return resizer.take();
}

}  // namespace gedge
