#include "scale_input.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>

#include "input.hpp"
#include "live_source.hpp"

namespace gedge::cli {
namespace {

std::int64_t seconds(Nanos span) {
  return std::chrono::duration_cast<std::chrono::seconds>(span).count();
}

FlagSet::Take share_into(double& target) {
  return [&target](const std::string& text) -> Status {
    double share = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), share);
    const bool fits = share >= 0 && share <= 10;  // false for NaN
    if (code != std::errc{} || end != text.data() + text.size() || !fits)
      return invalid_input("'" + text + "' is no share", {}, "write for example `0.1`");
    target = share;
    return {};
  };
}

}  // namespace

ScaleSettings ScaleOptions::settings() const {
  ScaleSettings settings;
  settings.tolerance = tolerance;
  settings.downscale_window_s = seconds(downscale_window);
  settings.cpu_initialization_s = seconds(cpu_initialization);
  settings.initial_readiness_delay_s = seconds(readiness_delay);
  settings.compat = rules.compat();
  if (input.max_age)
    settings.max_age_s = std::chrono::duration_cast<std::chrono::seconds>(*input.max_age).count();
  return settings;
}

void add_controller_flags(FlagSet& flags, ScaleOptions& options) {
  flags.heading("How the controller runs");
  add_compat_flag(flags, options.rules);
  flags.add({.name = "tolerance",
             .value = "SHARE",
             .help = "Ratios so near to 1 change nothing",
             .fallback = "0.1",
             .shapes_answer = true},
            share_into(options.tolerance));
  flags.add({.name = "downscale-stabilization",
             .value = "DURATION",
             .help = "How long a recommendation holds replicas",
             .fallback = "300s",
             .shapes_answer = true},
            span_into(options.downscale_window, true));
  flags.add({.name = "cpu-initialization-period",
             .value = "DURATION",
             .help = "How long the cpu of a new pod may be left out",
             .fallback = "300s",
             .shapes_answer = true},
            span_into(options.cpu_initialization, true));
  flags.add({.name = "initial-readiness-delay",
             .value = "DURATION",
             .help = "How soon unready pods count as never ready",
             .fallback = "30s",
             .shapes_answer = true},
            span_into(options.readiness_delay, true));
}

void add_look_flags(FlagSet& flags, ScaleOptions& options, const LookHelp& help) {
  flags.heading("What it looks at");
  flags.add({.name = "filename",
             .letter = 'f',
             .value = "FILE|DIR|-",
             .help = help.files,
             .live = Live::kFiles,
             .shapes_answer = true},
            options.input.files);
  flags.add({.name = "metrics",
             .value = "FILE|DIR|-",
             .help = help.metrics,
             .live = Live::kFiles,
             .shapes_answer = true},
            options.metrics);
  flags.add({.name = "cluster",
             .value = "SOURCE",
             .help = "live: ask the API server and its metrics",
             .shapes_answer = true},
            options.input.cluster);
  flags.add({.name = "recursive",
             .letter = 'R',
             .help = "Read the directories below too",
             .shapes_answer = true},
            options.input.recursive);
}

Status check_cluster(const std::vector<std::string>& cluster) {
  if (cluster.size() > 1) return invalid_input("one cluster is asked at a time");
  if (!cluster.empty() && !is_live(cluster.front()))
    return invalid_input("'" + cluster.front() + "' is no live cluster", {},
                         "name files with `-f`, or write `--cluster live`");
  return {};
}

Result<std::vector<std::string>> look_files(const ScaleOptions& options) {
  std::vector<std::string> paths = options.input.files;
  paths.insert(paths.end(), options.metrics.begin(), options.metrics.end());
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    return invalid_input("standard input can be read only once");
  return paths;
}

ScopedName scoped_name(const std::string& text, const InputOptions& options) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) return {text.substr(0, slash), text.substr(slash + 1)};
  return {options.namespace_name.empty() ? "default" : options.namespace_name, text};
}

Error in_file(Error error, const Autoscaler& autoscaler, const ScaleFacts& facts) {
  const std::uint32_t file = autoscaler.place.file;
  if (error.where.line > 0 && error.where.origin.empty() && file < facts.files.size())
    error.where.origin = facts.files[file];
  return error;
}

ScaleLoadResult read_scale_files(Io& io, const ScaleOptions& options,
                                 const std::vector<std::string>& paths, ProgressLine& progress) {
  constexpr std::size_t kPadding = 64;  // FileStore::read leaves that much room
  InputReader reader(io, options.input, options.rules.compat(), progress);
  ScaleLoadOptions loading;
  if (!options.input.namespace_name.empty()) loading.namespace_name = options.input.namespace_name;
  loading.max_bytes = options.input.max_input;
  loading.keep_history = options.keep_history;
  loading.keep_objects = options.keep_objects;
  ScaleLoader loader(loading);
  for (const std::string& path : reader.expand(paths)) {
    const std::string* const bytes = reader.bytes_of(path);
    if (bytes == nullptr) continue;
    loader.add({path == "-" ? "<stdin>" : path, *bytes, kPadding});
  }
  ScaleLoadResult result = loader.finish();
  Errors errors = reader.take_errors();
  std::move(result.errors.begin(), result.errors.end(), std::back_inserter(errors));
  result.errors = std::move(errors);
  if (!result.errors.empty()) result.facts.reset();
  return result;
}

}  // namespace gedge::cli
