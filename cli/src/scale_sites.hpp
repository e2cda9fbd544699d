// scale_sites.hpp - autoscalers with several sites, played against the planner.
#pragma once

#include <optional>
#include <vector>

#include "exit.hpp"
#include "gedge/base/result.hpp"
#include "gedge/codec/load_series.hpp"
#include "gedge/scale/load_run.hpp"
#include "gedge/scale/settings.hpp"
#include "input.hpp"
#include "io.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "term/progress.hpp"

namespace gedge::cli {

class ScaleSites {
 public:
  ScaleSites(Io& io, const InputOptions& input, const RuleOptions& rules)
      : io_(io), options_(input), rule_options_(rules) {}

  /// Nodes, pods, RTTs and policies; an exit code if that failed, and everything is printed then.
  std::optional<Exit> read(ProgressLine& progress, const OutputOptions& output);
  /// One run, in a cluster as it was read.
  Result<LoadRun> play(const LoadReading& load, const LoadSetting& setting,
                       const ScaleSettings& settings) const;
  const std::vector<Warning>& warnings() const { return input_.facts.warnings; }

 private:
  Io& io_;
  const InputOptions& options_;
  const RuleOptions& rule_options_;
  Input input_;
  Rules rules_;
};

}  // namespace gedge::cli
