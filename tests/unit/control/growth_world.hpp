// growth_world.hpp - two workloads, of which that of home may grow, for tests of the scaler.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scaler.hpp"
#include "unit/control/scaler_turns.hpp"

namespace gedge {

inline constexpr std::int64_t kBase = 500, kMost = 1'000;

/// Each node of home takes one pod, with so much; the other site takes so many.
struct Nodes final : SiteRoom {
  std::int32_t left, far;
  std::int64_t most;
  Nodes(std::int32_t places, std::int32_t elsewhere, std::int64_t each)
      : left(places), far(elsewhere), most(each) {}
  Result<bool> add(std::uint32_t /*replica*/, std::uint32_t site) override {
    return (site > 0 ? far : left)-- > 0;
  }
  Result<bool> resize(std::uint32_t /*replica*/, std::int64_t amount) override {
    return amount <= most;
  }
  void remove(std::uint32_t /*replica*/) override {}
};

/// Two workloads that have what they are given, as soon as the test says so.
struct World : ScalerTurns<World> {
  std::int64_t cpu = kBase;  // of web's template
  std::string grown, uid = "web-uid";
  RolloutRules rollout{RolloutRules::Kind::kRolling, 1, false, false, false};
  ScaleAnswer to_resizes = ScaleAnswer::kDone, to_writes = ScaleAnswer::kDone;
  bool writes_unknown = false;  // what is answered by kUnknown is done all the same
  std::int32_t nodes = 2, far = 1'000;
  std::int64_t node_cpu = kMost;
  std::int64_t quota = 1'000'000;  // of all pods of home
  ScaleFacts bounds;
  int version = 1;
  std::vector<ScaleWrite> resizes;
  // Somebody keeps web's template as it was declared, or all of web.
  bool is_put_back = false, drops_notes = false;
  using State = std::pair<std::pair<std::int32_t, std::int32_t>, std::int64_t>;
  std::vector<State> series;  // after each write

  std::map<std::string, std::int64_t> cpu_of;  // of pods; others have what the template says
  std::map<std::string, int> version_of;       // of pods; others have the first
  std::map<std::string, int> replaced;         // of pods: so many times
  bool is_seen = true;                         // false: pods are seen as they were
  std::string unresized, unplaced;             // of web.1
  bool is_resizing = false;                    // those that were resized
  std::vector<ScaledPod> strays;               // of nobody
  std::string refused;                         // what cannot be written: a workload, a pod

  explicit World(bool writes_any = true, ResizeWay way = ResizeWay::kTemplate,
                 bool in_place = false)
      : ScalerTurns(options(writes_any, in_place)) {
    bounds.nodes.push_back({{"cpu", 8'000}, {"memory", 1}});
    scaler.put(web(way));
  }
  static ScalerOptions options(bool writes_any, bool in_place) {
    ScalerOptions made = ScalerTurns::options();
    made.writes = writes_any;
    made.resizes_pods = in_place;
    return made;
  }
  static Autoscaler web(ResizeWay way) {
    Autoscaler autoscaler = web_on_sites();
    SiteRules& sites = *autoscaler.sites;
    sites.up = {"cpu", 250, kMost, way};
    sites.over_after_s = 0;
    sites.return_after_s = 30;
    return autoscaler;
  }
  ScaleReading reading_of(const ScaleRead& read) const {
    ScaleReading reading = found(read.target.name);
    ScaleTarget& scale = reading.scale;
    if (read.target.name == "web") scale.uid = uid;
    scale.version = std::to_string(version);
    CHECK(read.is_whole == (read.target.name == "web"));
    if (!read.is_whole) return reading;
    scale.made_of.containers.push_back({"main", {{"cpu", cpu}}, {}, {}});
    scale.rollout = rollout;
    if (replicas.at("web") > of_quota()) scale.rollout.failure = "exceeded quota: small";
    scale.grown = grown;
    return reading;
  }
  std::string pod_version(const std::string& name) const {
    const auto known = version_of.find(name);
    return std::to_string(known == version_of.end() ? 5 : known->second);
  }
  std::string pod_uid(const std::string& name) const {
    const auto known = replaced.find(name);
    return name + "-uid" + (known == replaced.end() ? "" : std::to_string(known->second));
  }
  // Another pod of that name, as the template says.
  void replace(const std::string& name) {
    cpu_of.erase(name);
    ++replaced[name];
  }
  bool is_carried_out(ScaleAnswer answer) const {
    return answer == ScaleAnswer::kDone || (answer == ScaleAnswer::kUnknown && writes_unknown);
  }
  // So many pods of home may there be.
  std::int32_t of_quota() const { return static_cast<std::int32_t>(quota / cpu); }
  void make_pods() {
    if (is_put_back) put_back();
    if (!is_seen) return;
    std::vector<PodName> names;
    for (const auto& [workload, count] : replicas)
      for (std::int32_t i = 0; i < (workload == "web" ? std::min(count, of_quota()) : count); ++i) {
        ScaledPod pod = pod_of(workload, i);
        pod.labels.set("pod-template-hash", "5b8");
        pod.controller = {"ReplicaSet", workload + "-5b8", "rs-uid"};
        pod.uid = pod_uid(pod.name.str());
        pod.version = pod_version(pod.name.str());
        const auto known = cpu_of.find(pod.name.str());
        pod.containers.push_back({"main", {{"cpu", known == cpu_of.end() ? cpu : known->second}}});
        if (pod.name == "web.1") pod.unresized = unresized;
        pod.is_resizing = is_resizing && known != cpu_of.end();
        if (pod.name == "web.1" && !unplaced.empty()) {
          pod.phase = PodPhase::kPending;
          pod.unplaced = unplaced;
        }
        names.push_back({pod.namespace_name, pod.name});
        scaler.put(std::move(pod));
      }
    for (const ScaledPod& pod : strays) {
      names.push_back({pod.namespace_name, pod.name});
      scaler.put(pod);
    }
    scaler.keep_pods(names);
  }
  // Another LimitRange.
  ContainerLimits& limit(const std::string& name) {
    ContainerLimits& made = bounds.limits.emplace_back();
    made.name = name;
    made.namespace_name = "shop";
    return made;
  }
  MetricReading metrics() const {
    MetricReading reading;
    reading.is_read = true;
    reading.values.external.push_back({"load", {}, {load * 100'000, date, {}}});
    return reading;
  }
  SiteAnswer room() const {
    SiteAnswer answer;
    answer.room = std::make_unique<Nodes>(nodes, far, node_cpu);
    answer.rtts = SiteRtts(2, std::vector<Rtt>(4, Rtt{1}));
    answer.bounds = bounds;
    return answer;
  }
  void take(const ScaleWrite& write) {
    if (!write.resize) {
      writes.push_back(write);
      if (write.target.name == refused)
        return scaler.answer(write.ticket, ScaleAnswer::kRefused, "no");
      if (is_carried_out(to_writes)) {
        std::int32_t& count = replicas[write.target.name];
        for (std::int32_t gone = write.replicas; gone < count; ++gone)
          replace(write.target.name + "." + std::to_string(gone));
        count = write.replicas;
        series.push_back(state());
      }
      return scaler.answer(write.ticket, to_writes, "as told");
    }
    resizes.push_back(write);
    if (write.resize->kind == "Pod") {
      const std::string name = write.resize->name.str();
      CHECK(write.resize->uid == pod_uid(name));
      if (write.resize->version != pod_version(name)) {
        CHECK_FALSE(is_seen);
        return scaler.answer(write.ticket, ScaleAnswer::kConflict, "changed");
      }
      CHECK_FALSE(write.resize->grown);
      if (name == refused) return scaler.answer(write.ticket, ScaleAnswer::kRefused, "no");
      if (is_carried_out(to_resizes)) {
        cpu_of[name] = write.resize->containers.front().resources.front().request;
        version_of[name] = std::stoi(pod_version(name)) + 1;
      }
      return scaler.answer(write.ticket, to_resizes, "as told");
    }
    CHECK(write.resize->version == std::to_string(version));
    if (is_carried_out(to_resizes)) {
      cpu = write.resize->containers.front().resources.front().request;
      grown = write.resize->grown.value_or("not said");
      ++version;
      series.push_back(state());
    }
    scaler.answer(write.ticket, to_resizes, "as told");
  }
  void put_back() {
    for (const auto& [name, amount] : cpu_of) version_of[name] = std::stoi(pod_version(name)) + 1;
    cpu_of.clear();
    if (cpu == kBase) return;
    cpu = kBase;
    if (drops_notes) grown.clear();
    ++version;
  }
  State state() const { return {{replicas.at("web"), replicas.at("web-far")}, cpu}; }
  std::vector<std::string> told() const {
    std::vector<std::string> said;
    for (const ScaleReport& report : reports)
      if (!report.keeps_size.empty()) said.push_back(report.keeps_size);
    return said;
  }
};

/// As long as it takes to have what so much load needs.
inline World settled(std::int64_t load, ResizeWay way = ResizeWay::kTemplate) {
  World world(true, way, way == ResizeWay::kInPlace);
  world.load = load;
  world.pass(20);
  return world;
}

inline World::State state(std::int32_t home, std::int32_t far, std::int64_t cpu) {
  return {{home, far}, cpu};
}

}  // namespace gedge
