#include "scale_command.hpp"

namespace gedge::cli {

ScaleSettings ScaleCommand::live_settings() const {
  ScaleSettings settings = ScaleOptions::settings();
  settings.max_age_s = std::chrono::duration_cast<std::chrono::seconds>(max_age).count();
  return settings;
}

void add_prometheus_flag(FlagSet& flags, std::string& url) {
  flags.add({.name = "prometheus",
             .value = "URL",
             .help = "Where queries are asked",
             .shapes_answer = true},
            url);
}

}  // namespace gedge::cli
