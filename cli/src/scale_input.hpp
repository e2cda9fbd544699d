// scale_input.hpp - from flags to the facts that autoscalers look at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gedge/codec/autoscaling.hpp"
#include "gedge/scale/settings.hpp"
#include "io.hpp"
#include "options.hpp"
#include "term/progress.hpp"

namespace gedge::cli {

struct ScaleOptions {
  InputOptions input;  ///< files, namespace, --now, --max-age, limits
  std::vector<std::string> metrics;
  RuleOptions rules;  ///< --compat
  OutputOptions output;
  double tolerance = ScaleSettings{}.tolerance;
  Nanos downscale_window = std::chrono::seconds(ScaleSettings{}.downscale_window_s);
  Nanos cpu_initialization = std::chrono::seconds(ScaleSettings{}.cpu_initialization_s);
  Nanos readiness_delay = std::chrono::seconds(ScaleSettings{}.initial_readiness_delay_s);
  bool keep_history = false;  ///< of PodMetrics
  bool keep_objects = false;  ///< templates of workloads

  ScaleSettings settings() const;
};

/// --tolerance, --downscale-stabilization, --cpu-initialization-period, --initial-readiness-delay,
/// --compat.
void add_controller_flags(FlagSet& flags, ScaleOptions& options);

/// What `-f` and `--metrics` are for, in help.
struct LookHelp {
  std::string files, metrics;
};
/// Where a look comes from: --filename, --metrics, --cluster, --recursive.
void add_look_flags(FlagSet& flags, ScaleOptions& options, const LookHelp& help);
/// No cluster, or one that is live. Errors: kInvalidInput.
Status check_cluster(const std::vector<std::string>& cluster);
/// All of --filename and --metrics. Errors: kInvalidInput, standard input twice.
Result<std::vector<std::string>> look_files(const ScaleOptions& options);

struct ScopedName {
  std::string space, name;
};
/// "[NAMESPACE/]NAME"; without one, that of --namespace, else "default".
ScopedName scoped_name(const std::string& text, const InputOptions& options);

/// An error that knows the line of the autoscaler, with the name of the file too.
Error in_file(Error error, const Autoscaler& autoscaler, const ScaleFacts& facts);

/// Everything in these files and directories; errors are in the result.
ScaleLoadResult read_scale_files(Io& io, const ScaleOptions& options,
                                 const std::vector<std::string>& paths, ProgressLine& progress);

}  // namespace gedge::cli
