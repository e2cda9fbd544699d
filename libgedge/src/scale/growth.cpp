#include "gedge/scale/growth.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/quantity.hpp"
#include "gedge/base/saturated.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kAnyAmount = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostRatio = 1'000;  // of what has grown and what was declared

std::optional<std::int64_t> amount_of(const std::string& resource, std::string_view text) {
  return resource == kCpu ? parse_milli(text) : parse_units(text);
}

// Empty: no annotation, or none that anybody understands.
std::optional<HomeSize> read_note(const std::string& text) {
  HomeSize size;
  std::istringstream words(text);
  std::vector<std::pair<std::string, std::string>> said;
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos) return std::nullopt;
    said.emplace_back(word.substr(0, at), word.substr(at + 1));
    if (said.back().first == "container") size.container = said.back().second;
    if (said.back().first == "resource") size.resource = said.back().second;
  }
  for (const auto& [key, value] : said) {
    if (key == "container" || key == "resource") continue;
    const auto amount = amount_of(size.resource, value);
    if (!amount) return std::nullopt;
    if (key == "base") size.base = *amount;
    if (key == "now") size.amount = *amount;
    if (key == "limit") size.base_limit = *amount;
    if (key == "now-limit") size.limit = *amount;
  }
  // What nobody would have written is damaged: it leads nowhere.
  const bool has_grown = size.base > 0 && size.amount > size.base &&
                         size.amount <= saturated_product(size.base, kMostRatio) &&
                         size.base_limit.value_or(size.base) >= size.base;
  return has_grown ? std::optional(std::move(size)) : std::nullopt;
}

// The annotation is about the template as it is, or was.
bool is_of(const HomeSize& noted, const ScaledTemplate& made, std::int64_t amount,
           std::optional<std::int64_t> limit) {
  return std::any_of(
      made.containers.begin(), made.containers.end(), [&](const ScaledContainer& one) {
        return one.name == noted.container && one.requests.find(noted.resource) == amount &&
               one.limits.find(noted.resource) == limit;
      });
}

Resources without(const Resources& amounts, const std::string& resource) {
  Resources rest;
  for (const auto& [name, amount] : amounts)
    if (name != resource) rest.set(name, amount);
  return rest;
}

// As it was declared.
ScaleTarget declared(const ScaleTarget& workload, const HomeSize& size) {
  ScaleTarget made = workload;
  for (ScaledContainer& one : made.made_of.containers) {
    if (one.name != size.container) continue;
    one.requests.set(size.resource, size.base);
    one.limits = without(one.limits, size.resource);
    if (size.base_limit) one.limits.set(size.resource, *size.base_limit);
  }
  return made;
}

std::optional<std::int64_t> size_of(const ScaledPod& pod, const HomeSize& size) {
  for (const ScaledContainer& one : pod.containers)
    if (one.name == size.container) return one.requests.find(size.resource);
  return std::nullopt;
}

// Those that are smaller than declared are of a template of before: they count as what replaces
// them. Those that were put off count as they were declared: they have that for sure.
void measure(std::span<const ScaledPod* const> pods, HomeSize& size) {
  for (const ScaledPod* const pod : pods)
    if (const auto own = size_of(*pod, size))
      size.sizes.push_back(pod->unresized.empty() ? std::max(*own, size.base) : size.base);
  std::sort(size.sizes.begin(), size.sizes.end());
}

// What all of them are to have is said by the largest.
void aim_at_largest(HomeSize& size) {
  if (size.sizes.empty()) return;
  size.least = size.sizes.front();
  size.amount = size.sizes.back();
}

// What so many have, if none of them had more than `most`: those that run first, the least of them
// first.
std::int64_t sum_of(std::int32_t replicas, const HomeSize& size, std::int64_t most) {
  const auto known = std::min<std::int64_t>(replicas, static_cast<std::int64_t>(size.sizes.size()));
  std::int64_t sum = saturated_product(replicas - known, std::min(size.amount, most));
  for (std::int64_t i = 0; i < known; ++i)
    sum = saturated_sum(sum, std::min(size.sizes[static_cast<std::size_t>(i)], most));
  return sum;
}

Recommendation exactly(const ScaleTarget& workload, const HomeSize& size, std::int64_t amount) {
  Recommendation wanted;
  wanted.namespace_name = workload.namespace_name;
  wanted.kind = workload.kind;
  wanted.name = workload.name;
  ContainerRecommendation& container = wanted.containers.emplace_back();
  container.name = size.container;
  RequestRange range;
  range.lower = range.target = range.upper = range.uncapped = amount;
  (size.resource == kCpu ? container.cpu : container.memory) = range;
  return wanted;
}

}  // namespace

std::int32_t units_of(std::int32_t replicas, const HomeSize& size) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(sum_of(replicas, size, kAnyAmount) / size.base, kMost));
}

std::int64_t step_below(std::int64_t amount, std::int64_t base, std::int64_t step) {
  const std::int64_t by = std::max<std::int64_t>(step, 1);
  return amount > base ? base + (amount - base - 1) / by * by : base;
}

bool has_spare(std::int32_t replicas, const HomeSize& size, std::int64_t step, std::int64_t units) {
  return size.amount > size.base &&
         sum_of(replicas, size, step_below(size.amount, size.base, step)) >=
             saturated_product(units, size.base);
}

// A Deployment makes them by a ReplicaSet, whose name ends with the hash that they carry.
bool is_made_by(const ScaledPod& pod, const ScaleTarget& workload) {
  const ControllerRef& by = pod.controller;
  if (by.kind == workload.kind) return by.name == workload.name && by.uid == workload.uid;
  const std::string* const hash = pod.labels.find("pod-template-hash");
  return workload.kind == "Deployment" && by.kind == "ReplicaSet" && hash != nullptr &&
         by.name == workload.name + "-" + *hash;
}

Result<HomeSize> home_size(const GrowRule& rule, const ScaleTarget& workload,
                           std::span<const ScaledPod* const> pods) {
  const std::string name = workload.kind + " " + workload.name;
  if (auto noted = read_note(workload.grown);
      noted && is_of(*noted, workload.made_of, noted->amount, noted->limit)) {
    if (rule.way == ResizeWay::kInPlace) return invalid_input(name + " has grown by its template");
    if (noted->resource == rule.resource) {
      noted->least = noted->amount;
      if (!lacks_rollout(workload).empty()) measure(pods, *noted);
      return *std::move(noted);
    }
    return invalid_input(name + " has grown by " + noted->resource);
  }
  const ScaledContainer* main = nullptr;
  for (const ScaledContainer& one : workload.made_of.containers) {
    const std::int64_t amount = one.requests.amount(rule.resource);
    if (amount > 0 && (!main || amount > main->requests.amount(rule.resource))) main = &one;
  }
  if (main == nullptr) return invalid_input("pods of " + name + " request no " + rule.resource);
  const std::int64_t amount = main->requests.amount(rule.resource);
  const auto limit = main->limits.find(rule.resource);
  HomeSize size{main->name, rule.resource, amount, amount, limit, amount, {}, limit};
  // A template that is not carried out does not say what its pods have.
  const bool in_place = rule.way == ResizeWay::kInPlace;
  if (in_place || !lacks_rollout(workload).empty()) measure(pods, size);
  if (in_place) aim_at_largest(size);
  return size;
}

std::string grown_note(const HomeSize& size) {
  if (size.amount <= size.base) return {};
  std::string text = "container=" + size.container + " resource=" + size.resource +
                     " base=" + resource_text(size.resource, size.base);
  if (size.base_limit) text += " limit=" + resource_text(size.resource, *size.base_limit);
  text += " now=" + resource_text(size.resource, size.amount);
  if (size.limit) text += " now-limit=" + resource_text(size.resource, *size.limit);
  return text;
}

bool is_put_back(const ScaleTarget& workload) {
  const auto noted = read_note(workload.grown);
  return noted && is_of(*noted, workload.made_of, noted->base, noted->base_limit);
}

std::string lacks_rollout(const ScaleTarget& workload) {
  const std::string name = workload.kind + " " + workload.name;
  switch (workload.rollout.kind) {
    case RolloutRules::Kind::kNone:
      return name + " replaces no pods by itself";
    case RolloutRules::Kind::kRecreate:
      return name + " would stop all of its pods at once";
    case RolloutRules::Kind::kRolling:
      break;
  }
  return workload.rollout.is_partial ? name + " is paused, or leaves some pods as they are"
                                     : std::string();
}

ResizePlan plan_growth(const ScaleFacts& bounds, const ScaleTarget& workload, const HomeSize& size,
                       std::int64_t amount) {
  ResizeOptions options;
  options.way = ResizeWay::kTemplate;
  options.least_known_s = 0;
  ResizePlan plan =
      plan_resize(bounds, declared(workload, size), exactly(workload, size, amount), options);
  HomeSize after = size;
  after.amount = amount;
  if (plan.objects.empty()) {
    // As it was declared, and so is its limit.
    ObjectResize back{workload.kind,
                      workload.namespace_name,
                      SharedText(workload.name),
                      workload.uid,
                      workload.version,
                      {{size.container, false, {{size.resource, {}, {}, amount, size.base_limit}}}},
                      {}};
    plan.objects.push_back(std::move(back));
  }
  ObjectResize& object = plan.objects.front();
  for (ContainerResize& container : object.containers)
    for (ResourceResize& one : container.resources) {
      one.request_before = size.amount;
      one.limit_before = size.limit;
      one.drops_limit = size.limit && !one.limit;
      after.limit = one.limit;
    }
  object.grown = grown_note(after);
  return plan;
}

ResizePlan plan_growth_of_pods(const ScaleFacts& bounds, const ScaleTarget& workload,
                               std::span<const ScaledPod* const> pods, const HomeSize& size,
                               std::int64_t amount) {
  const ResizePlan whole = plan_growth(bounds, workload, size, amount);
  ResizePlan plan;
  plan.way = ResizeWay::kInPlace;
  plan.held = whole.held;
  for (const ScaledPod* const pod : pods) {
    const auto own = size_of(*pod, size);
    if (!own || *own == amount) continue;
    ObjectResize one{"Pod",    pod->namespace_name, pod->name,
                     pod->uid, pod->version,        whole.objects.front().containers,
                     {}};
    for (ContainerResize& container : one.containers)
      for (ResourceResize& resource : container.resources) {
        resource.request_before = own;
        resource.drops_limit = false;
      }
    plan.objects.push_back(std::move(one));
  }
  return plan;
}

std::int64_t least_growth(const ScaleFacts& bounds, const ScaleTarget& workload,
                          const HomeSize& size) {
  std::int64_t others = 0;
  for (const auto* const list : {&workload.made_of.containers, &workload.made_of.sidecars})
    for (const ScaledContainer& one : *list)
      if (one.name != size.container)
        others = saturated_sum(others, one.requests.amount(size.resource));
  std::int64_t least = size.base;
  for (const ContainerLimits& limits : bounds.limits) {
    if (limits.namespace_name != workload.namespace_name) continue;
    least = std::max({least, limits.least.amount(size.resource),
                      limits.pod_least.amount(size.resource) - others});
  }
  return least;
}

std::int64_t most_growth(const ScaleFacts& bounds, const ScaleTarget& workload,
                         const GrowRule& rule, const HomeSize& size, std::string& why) {
  if (rule.step <= 0 || rule.most <= size.amount) return size.amount;
  // What a LimitRange wants at least holds back smaller ones; all else that holds one back holds
  // back all that are larger.
  const std::int64_t first = std::min(
      std::max(saturated_sum(size.amount, rule.step), least_growth(bounds, workload, size)),
      rule.most);
  if (const ResizePlan plan = plan_growth(bounds, workload, size, first); plan.held) {
    why = plan.held->what;
    return size.amount;
  }
  const std::int64_t whole = (rule.most - first) / rule.step;
  const auto amount_at = [&](std::int64_t steps) {
    return steps > whole ? rule.most : first + steps * rule.step;
  };
  const bool has_rest = (rule.most - first) % rule.step > 0;
  std::int64_t fits = 0, beyond = whole + (has_rest ? 2 : 1);
  while (fits + 1 < beyond) {
    const std::int64_t middle = fits + (beyond - fits) / 2;
    const ResizePlan plan = plan_growth(bounds, workload, size, amount_at(middle));
    (plan.held ? beyond : fits) = middle;
    if (plan.held) why = plan.held->what;
  }
  return amount_at(fits);
}

}  // namespace gedge
