#include "gedge/scale/site_run.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "scale/load_look.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kUnit = 1'000;

SiteScalerOptions scaler_options(const LoadSetting& setting, const SiteStage& stage) {
  const Autoscaler& autoscaler = setting.autoscaler;
  SiteScalerOptions options;
  options.rules = *autoscaler.sites;
  options.rtts = stage.rtts;
  options.max = autoscaler.max;
  options.min = autoscaler.min;
  options.base = autoscaler.sites->up.resource.empty() ? 0 : stage.base;
  return options;
}

// The demand of each site of the autoscaler at each point, [points][sites].
Result<std::vector<std::vector<double>>> demand_by_site(const LoadSeries& series,
                                                        const LoadOrigins& origins,
                                                        const SiteRules& rules) {
  std::vector<std::vector<double>> demand(series.size(),
                                          std::vector<double>(rules.order.size(), 0));
  for (std::size_t i = 0; i < series.size() && origins.sites.empty(); ++i)
    demand[i].front() = static_cast<double>(series[i].milli);
  for (std::size_t origin = 0; origin < origins.sites.size(); ++origin) {
    const auto at = std::find(rules.order.begin(), rules.order.end(), origins.sites[origin]);
    if (at == rules.order.end())
      return invalid_input(
          "demand comes from '" + origins.sites[origin] + "', which is none of the sites", {},
          "name it under `sites.order`");
    const auto site = static_cast<std::size_t>(at - rules.order.begin());
    for (std::size_t i = 0; i < series.size(); ++i)
      demand[i][site] = static_cast<double>(origins.milli[origin][i]);
  }
  return demand;
}

class SiteLoop {
 public:
  SiteLoop(const LoadSeries& series, std::vector<std::vector<double>> demand,
           const LoadSetting& setting, const ScaleSettings& settings, const SiteStage& stage,
           SiteRoom& room, std::int64_t target_milli)
      : series_(series),
        demand_(std::move(demand)),
        setting_(setting),
        rtts_(stage.rtts),
        look_(setting, settings, series.front().at),
        scaler_(scaler_options(setting, stage), room) {
    run_.name = setting.name;
    run_.target_milli = target_milli;
    run_.begin = now_ = series.front().at;
    run_.end = end_of(series, setting);
    wanted_ = first_replicas(series, setting, target_milli);
    const SiteRules& rules = *setting.autoscaler.sites;
    sites_.budget_us = rules.budget_us;
    for (std::uint32_t site = 0; site < rules.order.size(); ++site)
      sites_.sites.push_back({rules.order[site], rtts_.at(0, site), scaler_.may_use(site), 0, 0});
    measured_ = rtts_.is_whole();
  }

  Result<LoadRun> run() {
    GEDGE_TRY(place());
    for (const SiteReplica& replica : std::vector(scaler_.replicas()))
      scaler_.note_ready(replica.id);
    starting_.clear();
    run_.fewest = count();
    note();
    for (UnixSeconds look = run_.begin + setting_.every_s; look < run_.end;
         look += setting_.every_s) {
      pass_until(look);
      GEDGE_TRY(decide());
    }
    pass_until(run_.end);
    finish();
    return std::move(run_);
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(scaler_.replicas().size()); }
  std::int32_t whole(bool only_ready) const {
    return static_cast<std::int32_t>(scaler_.units_milli(only_ready) / kUnit);
  }
  SiteLook question() const {
    return {wanted_, now_, demand_[point_], static_cast<double>(run_.target_milli)};
  }
  bool is_short() const {
    return static_cast<double>(series_[point_].milli) * kUnit >
           static_cast<double>(run_.target_milli) * static_cast<double>(scaler_.units_milli(true));
  }

  void note() {
    const LoadStep step{now_, series_[point_].milli, whole(false), whole(true)};
    if (!run_.steps.empty() && run_.steps.back().at == now_)
      run_.steps.back() = step;
    else
      run_.steps.push_back(step);
    follow_users();
    if (is_short() && short_since_ == kNoTime) short_since_ = now_;
    if (is_short() || short_since_ == kNoTime) return;
    run_.reactions_s.push_back(now_ - short_since_);
    short_since_ = kNoTime;
  }

  void follow_users() {
    if (!measured_) return;
    std::vector<double> room = scaler_.units_by_site(true);
    const double of_one =
        static_cast<double>(run_.target_milli) * setting_.autoscaler.sites->full_percent / 100;
    for (double& amount : room) amount *= of_one;
    flows_ = route(rtts_, demand_[point_], room);
  }

  void pass(UnixSeconds until) {
    run_.replica_seconds += count() * (until - now_);
    for (const SiteReplica& replica : scaler_.replicas())
      sites_.sites[replica.site].replica_seconds += until - now_;
    if (is_short()) run_.short_seconds += until - now_;
    sites_.users.add(flows_, until - now_);
    now_ = until;
  }

  void start_pods() {
    for (; !starting_.empty() && starting_.front().first <= now_; starting_.pop_front())
      scaler_.note_ready(starting_.front().second);
  }

  // Pods become ready and the demand changes on the way.
  void pass_until(UnixSeconds until) {
    for (;;) {
      const UnixSeconds next = point_ + 1 < series_.size() ? series_[point_ + 1].at : run_.end + 1;
      const UnixSeconds start = starting_.empty() ? until + 1 : starting_.front().first;
      const UnixSeconds first = std::min(next, start);
      if (first > until) break;
      pass(first);
      while (point_ + 1 < series_.size() && series_[point_ + 1].at <= now_) ++point_;
      start_pods();
      note();
    }
    pass(until);
  }

  Status decide() {
    const std::int32_t ready = std::min(whole(true), wanted_);
    wanted_ = look_.wanted({series_[point_].milli, ready, wanted_ - ready, now_});
    GEDGE_TRY(place());
    note();
    return {};
  }

  Status place() {
    const auto effects = scaler_.decide(question());
    if (!effects) return effects.error();
    bool grows = false, shrinks = false;
    for (const SiteEffect& effect : *effects) {
      sites_.changes.push_back({now_, effect});
      (effect.step < SiteStep::kBack ? grows : shrinks) = true;
      if (effect.step == SiteStep::kOut || effect.step == SiteStep::kOver)
        starting_.emplace_back(now_ + setting_.startup_s, effect.replica);
    }
    run_.outs += grows ? 1 : 0;
    run_.ins += shrinks ? 1 : 0;
    sites_.moves += is_move(*effects) ? 1 : 0;
    start_pods();
    run_.most = std::max(run_.most, count());
    run_.fewest = std::min(run_.fewest, count());
    std::vector<std::int32_t> here(sites_.sites.size(), 0);
    for (const SiteReplica& replica : scaler_.replicas()) ++here[replica.site];
    for (std::size_t i = 0; i < here.size(); ++i)
      sites_.sites[i].most = std::max(sites_.sites[i].most, here[i]);
    return {};
  }

  // Whether it is one of those that a hysteresis bounds.
  bool is_move(const SiteEffects& effects) const {
    const auto has = [&](SiteStep step) {
      return std::any_of(effects.begin(), effects.end(),
                         [step](const SiteEffect& effect) { return effect.step == step; });
    };
    if (setting_.autoscaler.sites->choice == SiteChoice::kOrder)
      return has(SiteStep::kOver) || has(SiteStep::kBack);
    return has(SiteStep::kOut) && has(SiteStep::kIn);
  }

  void finish() {
    const std::vector<std::int32_t> costs = scaler_.deletion_costs(question());
    for (std::size_t i = 0; i < costs.size(); ++i)
      sites_.rest.push_back({scaler_.replicas()[i], costs[i]});
    run_.sites = std::move(sites_);
  }

  const LoadSeries& series_;
  std::vector<std::vector<double>> demand_;  // [points][sites]
  const LoadSetting& setting_;
  const SiteRtts& rtts_;
  LoadLook look_;
  SiteScaler scaler_;
  LoadRun run_;
  SitesOfRun sites_;
  std::vector<UserFlow> flows_;
  std::deque<std::pair<UnixSeconds, std::uint32_t>> starting_;  // when each is ready
  std::int32_t wanted_ = 0;
  std::size_t point_ = 0;
  bool measured_ = false;
  UnixSeconds now_ = 0, short_since_ = kNoTime;
};

}  // namespace

Result<LoadRun> run_site_load(const LoadSeries& series, const LoadOrigins& origins,
                              const LoadSetting& setting, const ScaleSettings& settings,
                              const SiteStage& stage, SiteRoom& room) {
  const Autoscaler& autoscaler = setting.autoscaler;
  if (!autoscaler.sites || autoscaler.sites->order.size() != stage.rtts.size())
    return invalid_input("autoscaler '" + autoscaler.name + "' has no sites");
  const auto target = load_target(series, setting);
  if (!target) return target.error();
  auto demand = demand_by_site(series, origins, *autoscaler.sites);
  if (!demand) return std::move(demand).error();
  if (autoscaler.sites->choice == SiteChoice::kDemand && !stage.rtts.is_whole())
    return invalid_input("the RTT between some sites is unknown", {},
                         "without it nobody knows where latency is least: give it by `--rtt`");
  SiteLoop loop(series, *std::move(demand), setting, settings, stage, room, *target);
  return loop.run();
}

}  // namespace gedge
