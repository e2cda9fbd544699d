#include "gedge/scale/recommend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "gedge/scale/usage_histogram.hpp"

namespace gedge {
namespace {

constexpr double kSampleWeight = 0.1;
constexpr UnixSeconds kDay = 24 * 3'600;
constexpr double kSamplesADay = 24 * 60;
constexpr std::int64_t kKillStep = std::int64_t{100} << 20;  // bytes
constexpr double kKillRatio = 1.2;

std::int64_t amount_of(double amount) {
  if (!(amount > 0)) return 0;
  return amount > static_cast<double>(kAnyRequest) ? kAnyRequest
                                                   : static_cast<std::int64_t>(amount);
}
std::int64_t scaled(std::int64_t amount, double factor) {
  return amount_of(static_cast<double>(amount) * factor);
}

// All containers of one name.
struct Usage {
  UsageHistogram cores{UsageHistogram::kCores}, peaks{UsageHistogram::kBytes};
  UnixSeconds first = kNever, last = 0;  // of cpu
  std::size_t cpu_samples = 0, memory_samples = 0, kills = 0;

  double days() const {
    if (cpu_samples == 0) return 0;
    return std::min(static_cast<double>(last - first) / static_cast<double>(kDay),
                    static_cast<double>(cpu_samples) / kSamplesADay);
  }
};

// One container of one pod: of memory the peak of each day counts, at the end of the day.
class Container {
 public:
  explicit Container(Usage& usage) : usage_(usage) {}

  void add_cpu(std::int64_t milli, UnixSeconds at) {
    if (at <= last_cpu_) return;
    last_cpu_ = at;
    usage_.cores.add(static_cast<double>(milli) / 1e3, kSampleWeight, at);
    usage_.first = std::min(usage_.first, at);
    usage_.last = std::max(usage_.last, at);
    ++usage_.cpu_samples;
  }

  void add_memory(std::int64_t bytes, UnixSeconds at) {
    if (at < last_memory_) return;
    add_peak(bytes, at, peak_);
    ++usage_.memory_samples;
  }

  void add_kill(std::int64_t request, UnixSeconds at) {
    if (at < day_end_ - kDay) return;
    const std::int64_t used = std::max(request, peak_);
    add_peak(std::max(used + kKillStep, scaled(used, kKillRatio)), at, killed_peak_);
    ++usage_.kills;
  }

 private:
  void add_peak(std::int64_t bytes, UnixSeconds at, std::int64_t& peak) {
    last_memory_ = at;
    if (day_end_ == 0) day_end_ = at;
    if (at < day_end_) {
      const std::int64_t before = std::max(peak_, killed_peak_);
      if (before == 0 || bytes <= before) return;
      usage_.peaks.subtract(static_cast<double>(before), 1, day_end_);
    } else {
      day_end_ += (at - day_end_) / kDay * kDay + kDay;
      peak_ = killed_peak_ = 0;
    }
    usage_.peaks.add(static_cast<double>(bytes), 1, day_end_);
    peak = bytes;
  }

  Usage& usage_;
  UnixSeconds last_cpu_ = 0, last_memory_ = 0, day_end_ = 0;
  std::int64_t peak_ = 0, killed_peak_ = 0;
};

// The pods of a workload, their samples in order.
class History {
 public:
  History(const ScaleFacts& facts, const ScaleTarget& workload, UnixSeconds now,
          const RecommendSettings& settings)
      : facts_(facts), workload_(workload), now_(now), settings_(settings) {}

  void read(Recommendation& out) {
    const std::vector<PodUsage>& all = facts_.metrics.usage;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && all[end].name == all[i].name &&
             all[end].namespace_name == all[i].namespace_name)
        ++end;
      if (all[i].namespace_name == workload_.namespace_name) read_pod(i, end, out);
      i = end;
    }
  }

  std::map<std::string, Usage, std::less<>>& usages() { return usages_; }

 private:
  const ScaledPod* pod_named(const SharedText& name) const {
    const auto key = std::tie(workload_.namespace_name.str(), name.str());
    const auto at = std::lower_bound(
        facts_.pods.begin(), facts_.pods.end(), key, [](const ScaledPod& pod, const auto& wanted) {
          return std::tie(pod.namespace_name.str(), pod.name.str()) < wanted;
        });
    const bool is_found = at != facts_.pods.end() && at->name == name &&
                          at->namespace_name == workload_.namespace_name;
    return is_found ? &*at : nullptr;
  }

  void read_pod(std::size_t begin, std::size_t end, Recommendation& out) {
    const std::vector<PodUsage>& all = facts_.metrics.usage;
    const ScaledPod* const pod = pod_named(all[begin].name);
    const Labels& labels = pod != nullptr ? pod->labels : all[begin].labels;
    if (!workload_.selector.matches(labels)) return;
    std::map<std::string, Container, std::less<>> containers;
    bool counts = false;
    UnixSeconds previous = 0;  // sample that counts
    for (std::size_t i = begin; i < end; ++i) {
      const UnixSeconds at = all[i].at;
      if (at == 0 || at > now_ || at < now_ - settings_.history_s) {
        ++(at == 0 ? out.undated_samples : at > now_ ? out.future_samples : out.old_samples);
        continue;
      }
      counts = true;
      if (pod != nullptr) add_kills(*pod, previous, at, containers);
      previous = at;
      for (const PodUsage::OfContainer& of : all[i].containers) add_sample(of, at, containers);
    }
    if (pod != nullptr && counts) add_kills(*pod, previous, now_ + 1, containers);
    if (counts) ++out.pods;
  }

  Container& container(std::map<std::string, Container, std::less<>>& containers,
                       const std::string& name) {
    return containers.try_emplace(name, usages_.try_emplace(name).first->second).first->second;
  }

  void add_sample(const PodUsage::OfContainer& of, UnixSeconds at,
                  std::map<std::string, Container, std::less<>>& containers) {
    Container& to = container(containers, of.name);
    for (const auto& [resource, milli] : of.milli) {
      if (resource == kCpu) to.add_cpu(milli, at);
      if (resource == kMemory) to.add_memory(milli / 1'000 + (milli % 1'000 != 0 ? 1 : 0), at);
    }
  }

  // Those between two samples.
  void add_kills(const ScaledPod& pod, UnixSeconds from, UnixSeconds until,
                 std::map<std::string, Container, std::less<>>& containers) {
    for (const auto* list : {&pod.containers, &pod.sidecars})
      for (const ScaledContainer& of : *list)
        if (of.out_of_memory && *of.out_of_memory >= std::max(from, now_ - settings_.history_s) &&
            *of.out_of_memory < until)
          container(containers, of.name).add_kill(of.requests.amount(kMemory), *of.out_of_memory);
  }

  const ScaleFacts& facts_;
  const ScaleTarget& workload_;
  UnixSeconds now_ = 0;
  const RecommendSettings& settings_;
  std::map<std::string, Usage, std::less<>> usages_;
};

// Percentile, margin, confidence, least: in this order.
RequestRange range_of(const UsageHistogram& histogram, double unit, double days, std::int64_t least,
                      const RecommendSettings& settings) {
  const auto with_margin = [&](double share) {
    const std::int64_t base = amount_of(histogram.percentile(share) * unit);
    return base + scaled(base, settings.margin);
  };
  RequestRange range;
  range.target = range.uncapped = std::max(with_margin(settings.target), least);
  range.lower =
      std::max(scaled(with_margin(settings.lower), std::pow(1 + 0.001 / days, -2.0)), least);
  range.upper =
      days > 0 ? std::max(scaled(with_margin(settings.upper), 1 + 1 / days), least) : kAnyRequest;
  return range;
}

using Member = std::optional<RequestRange> ContainerRecommendation::*;
constexpr std::array<std::pair<std::string_view, Member>, 2> kMembers{
    {{kCpu, &ContainerRecommendation::cpu}, {kMemory, &ContainerRecommendation::memory}}};
constexpr std::array<std::int64_t RequestRange::*, 3> kBounds{
    &RequestRange::lower, &RequestRange::target, &RequestRange::upper};

void cap_by_limits(const ScaleFacts& facts, Recommendation& out) {
  for (const ContainerLimits& limits : facts.limits) {
    if (limits.namespace_name != out.namespace_name) continue;
    for (ContainerRecommendation& container : out.containers)
      for (const auto& [resource, member] : kMembers) {
        if (!(container.*member)) continue;
        RequestRange& range = *(container.*member);
        const std::int64_t before = range.target;
        for (const auto bound : kBounds) {
          if (const auto most = limits.most.find(resource))
            range.*bound = std::min(range.*bound, *most);
          if (const auto least = limits.least.find(resource))
            range.*bound = std::max(range.*bound, *least);
        }
        if (range.target != before) range.cap = RequestCap::kLimitRange;
      }
  }
}

struct Room {
  std::int64_t amount = kAnyRequest;
  RequestCap cap = RequestCap::kNone;
};

Room room_of_pod(const ScaleFacts& facts, std::string_view resource, const Recommendation& of) {
  Room room;
  if (const auto largest = facts.largest.find(resource)) room = {*largest, RequestCap::kNode};
  for (const ContainerLimits& limits : facts.limits) {
    const auto most = limits.pod_most.find(resource);
    if (limits.namespace_name == of.namespace_name && most && *most < room.amount)
      room = {*most, RequestCap::kLimitRange};
  }
  return room;
}

// A pod that no node could hold, or that a LimitRange forbids, is shrunk, each container by the
// same share.
void cap_by_rooms(const ScaleFacts& facts, Recommendation& out) {
  for (const auto& [resource, member] : kMembers) {
    const Room room = room_of_pod(facts, resource, out);
    if (room.cap == RequestCap::kNone) continue;
    for (const auto bound : kBounds) {
      double sum = 0;
      for (const ContainerRecommendation& container : out.containers)
        if (container.*member) sum += static_cast<double>((*(container.*member)).*bound);
      if (sum <= static_cast<double>(room.amount)) continue;
      for (ContainerRecommendation& container : out.containers) {
        if (!(container.*member)) continue;
        RequestRange& range = *(container.*member);
        range.*bound = scaled(range.*bound, static_cast<double>(room.amount) / sum);
        if (bound == &RequestRange::target) range.cap = room.cap;
      }
    }
  }
}

void compare_with_requests(const ScaleFacts& facts, const ScaleTarget& workload,
                           Recommendation& out) {
  for (const ScaledPod& pod : facts.pods) {
    if (pod.namespace_name != out.namespace_name || !workload.selector.matches(pod.labels))
      continue;
    for (const auto* list : {&pod.containers, &pod.sidecars})
      for (const ScaledContainer& of : *list)
        for (ContainerRecommendation& container : out.containers)
          for (const auto& [resource, member] : kMembers) {
            const auto request = of.requests.find(resource);
            if (of.name != container.name || !(container.*member) || !request) continue;
            auto& most = (*(container.*member)).request;
            most = std::max(most.value_or(*request), *request);
          }
  }
  for (ContainerRecommendation& container : out.containers)
    for (const auto& [resource, member] : kMembers) {
      if (!(container.*member)) continue;
      RequestRange& range = *(container.*member);
      if (!range.request) continue;
      range.advice = advice_for(range.request, range);
    }
}

}  // namespace

RequestAdvice advice_for(std::optional<std::int64_t> request, const RequestRange& range) {
  if (!request) return RequestAdvice::kDeclare;
  if (*request < range.lower) return RequestAdvice::kRaise;
  return *request > range.upper ? RequestAdvice::kLower : RequestAdvice::kKeep;
}

std::string_view to_string(RequestAdvice advice) {
  switch (advice) {
    case RequestAdvice::kKeep:
      return "keep";
    case RequestAdvice::kRaise:
      return "raise";
    case RequestAdvice::kLower:
      return "lower";
    case RequestAdvice::kDeclare:
      return "declare";
  }
  return "";
}

std::string_view to_string(RequestCap cap) {
  switch (cap) {
    case RequestCap::kNone:
      return "";
    case RequestCap::kLimitRange:
      return "LimitRange";
    case RequestCap::kNode:
      return "node";
  }
  return "";
}

Result<Recommendation> recommend(const ScaleFacts& facts, const ScaleTarget& workload,
                                 UnixSeconds now, const RecommendSettings& settings) {
  if (!workload.has_selector)
    return invalid_input(workload.kind + " '" + workload.name + "' selects no pods", {},
                         "a selector says whose usage counts");
  Recommendation out;
  out.namespace_name = workload.namespace_name;
  out.kind = workload.kind;
  out.name = workload.name;
  out.now = now;
  History history(facts, workload, now, settings);
  history.read(out);
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(history.usages().size(), 1));
  const std::int64_t least_cpu = scaled(settings.least_cpu_milli, share);
  const std::int64_t least_memory = scaled(settings.least_memory, share);
  for (const auto& [name, usage] : history.usages()) {
    ContainerRecommendation container;
    container.name = name;
    container.samples = usage.cpu_samples > 0 ? usage.cpu_samples : usage.memory_samples;
    container.days = usage.days();
    container.out_of_memory = usage.kills;
    if (!usage.cores.empty())
      container.cpu = range_of(usage.cores, 1e3, container.days, least_cpu, settings);
    if (!usage.peaks.empty())
      container.memory = range_of(usage.peaks, 1, container.days, least_memory, settings);
    out.containers.push_back(std::move(container));
  }
  cap_by_limits(facts, out);
  cap_by_rooms(facts, out);
  compare_with_requests(facts, workload, out);
  return out;
}

}  // namespace gedge
