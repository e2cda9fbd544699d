#include "scale_command.hpp"

#include <initializer_list>

namespace gedge::cli {

ScaleSettings ScaleCommand::live_settings() const {
  ScaleSettings settings = ScaleOptions::settings();
  settings.max_age_s = std::chrono::duration_cast<std::chrono::seconds>(max_age).count();
  return settings;
}

void add_prometheus_flags(FlagSet& flags, PrometheusOptions& options) {
  flags.add({.name = "prometheus",
             .value = "URL",
             .help = "Where queries are asked",
             .shapes_answer = true},
            options.url);
  flags.add({.name = "prometheus-token",
             .value = "FILE",
             .help = "Show Prometheus the token of this file",
             .live = Live::kFiles},
            options.token_file);
  flags.add({.name = "prometheus-ca",
             .value = "FILE",
             .help = "Trust these certificates of it, in PEM",
             .live = Live::kFiles},
            options.ca_file);
}

Status check_prometheus(const PrometheusOptions& options) {
  const std::string& url = options.url;
  if (!url.empty() && url.find("://") == std::string::npos)  // before a '@' stands a password
    return invalid_input(
        url.find('@') == std::string::npos ? "'" + url + "' is no URL" : "this is no URL", {},
        "write for example `--prometheus http://prometheus:9090`");
  const bool has_more = !options.token_file.empty() || !options.ca_file.empty();
  if (options.url.empty() && has_more)
    return invalid_input("a token or certificates, and nobody says where Prometheus is", {},
                         "write for example `--prometheus https://prometheus:9090`");
  if (has_more && !options.url.starts_with("https://"))
    return invalid_input("a token and certificates need TLS", {},
                         "write `--prometheus https://...`");
  for (const std::string* file : {&options.token_file, &options.ca_file})
    if (*file == "-")
      return invalid_input("certificates and tokens are read again: standard input will not do", {},
                           "name a file");
  return {};
}

}  // namespace gedge::cli
