// scaler_turns.hpp - a scaler of web_on_sites() that is driven look by look, for tests of it.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scaler.hpp"
#include "unit/control/web_on_sites.hpp"

namespace gedge {

/// World answers what the scaler asks: make_pods(), reading_of() of a read of a workload,
/// metrics(), room() of what fits where, and take() of a write.
template <class World>
struct ScalerTurns {
  Scaler scaler;
  Nanos now{1'000 * kSecond};
  UnixSeconds date = 1'795'000'000;
  std::map<std::string, std::int32_t> replicas{{"web", 1}, {"web-far", 0}};
  std::int64_t load = 1;
  std::vector<ScaleReport> reports;
  std::vector<ScaleWrite> writes;
  int questions = 0;  // what fits where

  explicit ScalerTurns(ScalerOptions options) : scaler(std::move(options)) {}
  static ScalerOptions options() {
    ScalerOptions made;
    made.settings.downscale_window_s = 0;
    return made;
  }
  /// It is there, and as it is said to be.
  ScaleReading found(const std::string& name) const {
    ScaleReading reading;
    reading.kind = ScaleReading::Kind::kFound;
    ScaleTarget& scale = reading.scale;
    scale.namespace_name = "shop";
    scale.kind = "Deployment";
    scale.name = name;
    scale.spec_replicas = scale.status_replicas = replicas.at(name);
    scale.selector.requirements.push_back({"app", SelectorOp::kEquals, {name}});
    scale.has_selector = true;
    scale.uid = name + "-uid";
    scale.version = "1";
    return reading;
  }
  /// It runs, and answers.
  static ScaledPod pod_of(const std::string& workload, std::int32_t number) {
    ScaledPod pod;
    pod.namespace_name = "shop";
    pod.name = workload + "." + std::to_string(number);
    pod.labels = {{"app", workload}};
    pod.phase = PodPhase::kRunning;
    pod.ready = ReadyState::kTrue;
    return pod;
  }
  void turn() {
    World& world = static_cast<World&>(*this);
    for (int round = 0; round < 8; ++round) {
      world.make_pods();
      REQUIRE(scaler.advance(now, date));
      for (const ScaleRead& read : scaler.take_scale_reads())
        scaler.answer(read.ticket, world.reading_of(read));
      for (const MetricRead& read : scaler.take_metric_reads())
        scaler.answer(read.ticket, world.metrics());
      for (const SiteQuestion& question : scaler.take_site_questions()) {
        ++questions;
        scaler.answer(question.ticket, world.room());
      }
      for (const ScaleWrite& write : scaler.take_writes()) world.take(write);
      for (ScaleReport& report : scaler.take_reports()) reports.push_back(std::move(report));
    }
  }
  void pass(std::int64_t seconds) {
    for (std::int64_t i = 0; i < seconds; ++i) {
      now += kSecond;
      ++date;
      turn();
    }
  }
};

}  // namespace gedge
