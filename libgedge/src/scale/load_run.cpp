#include "gedge/scale/load_run.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "scale/load_look.hpp"

namespace gedge {
namespace {

class Loop {
 public:
  Loop(const LoadSeries& series, const LoadSetting& setting, const ScaleSettings& settings,
       std::int64_t target_milli)
      : series_(series), setting_(setting), look_(setting, settings, series.front().at) {
    run_.name = setting.name;
    run_.target_milli = target_milli;
    run_.begin = series.front().at;
    run_.end = end_of(series, setting);
    ready_ = first_replicas(series, setting, target_milli);
    run_.most = run_.fewest = ready_;
    now_ = run_.begin;
  }

  LoadRun run() {
    demand_ = series_.front().milli;
    note();
    for (UnixSeconds look = run_.begin + setting_.every_s; look < run_.end;
         look += setting_.every_s) {
      pass_until(look);
      decide();
    }
    pass_until(run_.end);
    return std::move(run_);
  }

 private:
  std::int32_t replicas() const { return ready_ + static_cast<std::int32_t>(starting_.size()); }
  bool is_short() const { return pods_for(demand_, run_.target_milli) > ready_; }

  void note() {
    const LoadStep step{now_, demand_, replicas(), ready_};
    if (!run_.steps.empty() && run_.steps.back().at == now_)
      run_.steps.back() = step;
    else
      run_.steps.push_back(step);
    if (is_short() && short_since_ == kNoTime) short_since_ = now_;
    if (is_short() || short_since_ == kNoTime) return;
    run_.reactions_s.push_back(now_ - short_since_);
    short_since_ = kNoTime;
  }

  void pass(UnixSeconds until) {
    run_.replica_seconds += replicas() * (until - now_);
    if (is_short()) run_.short_seconds += until - now_;
    now_ = until;
  }

  // Pods become ready and the demand changes on the way.
  void pass_until(UnixSeconds until) {
    for (;;) {
      const bool has_point = next_ < series_.size();
      const UnixSeconds point = has_point ? series_[next_].at : until + 1;
      const UnixSeconds start = starting_.empty() ? until + 1 : starting_.front();
      const UnixSeconds first = std::min(point, start);
      if (first > until) break;
      pass(first);
      for (; next_ < series_.size() && series_[next_].at == now_; ++next_)
        demand_ = series_[next_].milli;
      for (; !starting_.empty() && starting_.front() <= now_; starting_.pop_front()) ++ready_;
      note();
    }
    pass(until);
  }

  void decide() {
    const std::int32_t current = replicas();
    const std::int32_t then = look_.wanted({demand_, ready_, current - ready_, now_});
    if (then == current) return;
    ++(then > current ? run_.outs : run_.ins);
    for (std::int32_t i = current; i < then; ++i) starting_.push_back(now_ + setting_.startup_s);
    for (std::int32_t i = then; i < current; ++i) {
      if (starting_.empty())
        --ready_;
      else
        starting_.pop_back();
    }
    for (; !starting_.empty() && starting_.front() <= now_; starting_.pop_front()) ++ready_;
    run_.most = std::max(run_.most, then);
    run_.fewest = std::min(run_.fewest, then);
    note();
  }

  const LoadSeries& series_;
  const LoadSetting& setting_;
  LoadLook look_;
  LoadRun run_;
  std::deque<UnixSeconds> starting_;  // when each is ready
  std::int32_t ready_ = 0;
  std::int64_t demand_ = 0;
  std::size_t next_ = 1;
  UnixSeconds now_ = 0, short_since_ = kNoTime;
};

}  // namespace

std::int32_t pods_for(std::int64_t demand_milli, std::int64_t target_milli) {
  const std::int64_t pods =
      demand_milli / target_milli + (demand_milli % target_milli != 0 ? 1 : 0);
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(pods, std::numeric_limits<std::int32_t>::max()));
}

Result<LoadRun> run_load(const LoadSeries& series, const LoadSetting& setting,
                         const ScaleSettings& settings) {
  const auto target = load_target(series, setting);
  if (!target) return target.error();
  return Loop(series, setting, settings, *target).run();
}

}  // namespace gedge
