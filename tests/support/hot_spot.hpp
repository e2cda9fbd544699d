// hot_spot.hpp - three sites, and most of those who ask at one of them, then at another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"
#include "gedge/scale/site_run.hpp"
#include "support/shelf_room.hpp"

namespace gedge::test {

/// Four hours: 6 to 20 replicas' worth of demand that rises and falls, seven tenths of it at a site
/// that changes every 15 to 35 minutes, within three. The formula asks for replicas by the demand
/// alone, so that it asks for the same ones wherever they are.
class HotSpot {
 public:
  static constexpr std::size_t kSites = 3;
  static constexpr std::int64_t kPod = 100'000, kBase = 500;

  /// `full_percent`: SiteRules::full_percent.
  explicit HotSpot(std::uint64_t seed, std::int32_t full_percent = 125)
      : random_(seed), full_percent_(full_percent) {
    draw_rtts();
    draw_load();
  }

  LoadSetting setting(SiteChoice choice) const {
    MetricSpec metric;
    metric.kind = MetricKind::kExternal;
    metric.name = "requests";
    metric.target = TargetKind::kAverageValue;
    metric.amount = kPod;
    LoadSetting made;
    made.autoscaler.name = "web";
    made.autoscaler.target = {"apps/v1", "Deployment", "web"};
    made.autoscaler.max = 30;
    made.autoscaler.metrics.push_back(metric);
    SiteRules& sites = made.autoscaler.sites.emplace();
    sites.order = {"site-0", "site-1", "site-2"};
    sites.choice = choice;
    sites.full_percent = full_percent_;
    return made;
  }
  const LoadSeries& series() const { return series_; }
  const LoadOrigins& origins() const { return origins_; }
  const SiteRtts& rtts() const { return rtts_; }

  /// In a room for 24 replicas at each site. Errors end the test.
  LoadRun play(SiteChoice choice) const {
    ShelfRoom room({{0, 24 * kBase}, {1, 24 * kBase}, {2, 24 * kBase}}, kBase);
    return play(choice, room);
  }
  LoadRun play(SiteChoice choice, SiteRoom& room) const {
    auto run = run_site_load(series_, origins_, setting(choice), {}, {rtts_, 0}, room);
    return *std::move(run);
  }

 private:
  void draw_rtts() {
    std::vector<Rtt> cells(kSites * kSites);
    for (std::size_t a = 0; a < kSites; ++a)
      for (std::size_t b = a; b < kSites; ++b) {
        const std::size_t us =
            a == b ? 1'000 + random_.below(2'000) : 8'000 + random_.below(22'000);
        cells[a * kSites + b] = cells[b * kSites + a] = Rtt{static_cast<std::uint32_t>(us)};
      }
    rtts_ = {kSites, std::move(cells)};
  }

  void draw_load() {
    constexpr UnixSeconds kEnd = 4 * 3'600, kPoint = 60, kChange = 180;
    constexpr double kHot = 0.7, kTurn = 2 * 3.14159265358979;
    origins_.sites = {"site-0", "site-1", "site-2"};
    origins_.milli.resize(kSites);
    std::size_t hot = random_.below(kSites), before = hot;
    UnixSeconds since = -kChange, until = 0;
    const double phase = kTurn * random_.even();
    for (UnixSeconds at = 0; at < kEnd; at += kPoint) {
      if (at >= until && at > 0) {
        before = hot;
        hot = (hot + 1 + random_.below(kSites - 1)) % kSites;
        since = at;
      }
      if (at >= until) until = at + 900 + static_cast<UnixSeconds>(random_.below(1'200));
      const double wave = std::sin(phase + kTurn * static_cast<double>(at) / kEnd);
      const double all = kPod * (13 + 7 * wave) * (0.95 + 0.1 * random_.even());
      const double done = std::min(1.0, static_cast<double>(at - since) / kChange);
      std::int64_t sum = 0;
      for (std::size_t site = 0; site < kSites; ++site) {
        double share = (1 - kHot) / (kSites - 1);
        const double more = kHot - share;
        share += more * ((site == hot ? done : 0) + (site == before ? 1 - done : 0));
        origins_.milli[site].push_back(static_cast<std::int64_t>(all * share));
        sum += origins_.milli[site].back();
      }
      series_.push_back({at, sum});
    }
  }

  SplitMix random_;
  std::int32_t full_percent_;
  SiteRtts rtts_;
  LoadSeries series_;
  LoadOrigins origins_;
};

}  // namespace gedge::test
