#include "pin_kubelet.hpp"

#include <utility>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/codec/kubelet_configuration.hpp"

namespace gedge::cli {

void add_kubelet_flags(FlagSet& flags, KubeletOptions& options) {
  flags.heading("Which kubelet");
  flags.add({.name = "kubelet-config",
             .value = "FILE",
             .help = "Its KubeletConfiguration",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.config);
  flags.add({.name = "state",
             .value = "FILE",
             .help = "Go on from its cpu_manager_state",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.state);
  flags.add({.name = "reserved",
             .value = "CPUS",
             .help = "CPUs that no pod gets for itself: 0-1,8",
             .fallback = "0",
             .shapes_answer = true},
            options.reserved);
}

void add_device_flag(FlagSet& flags, std::vector<DeviceResource>& devices) {
  flags.add({.name = "device",
             .value = "RESOURCE=DEVICE",
             .help = "What a resource is: nvidia.com/gpu=gpu",
             .repeats = true,
             .shapes_answer = true},
            [&devices](const std::string& text) -> Status {
              const std::size_t at = text.find('=');
              if (at == std::string::npos || at == 0 || at + 1 == text.size())
                return invalid_input("'" + text + "' names no resource and device", {},
                                     "write for example `nvidia.com/gpu=gpu`");
              devices.push_back({text.substr(0, at), device_wish(text.substr(at + 1))});
              return {};
            });
}

Status check_kubelet_flags(const KubeletOptions& options) {
  if (!options.config.empty() && !options.reserved.empty())
    return invalid_input("`--reserved` and `--kubelet-config` say the same thing", {},
                         "put reservedSystemCPUs into the configuration");
  return {};
}

Result<KubeletRules> KubeletFiles::default_rules() const {
  KubeletRules rules;
  rules.form = compat_ == Compat::k1_20 ? KubeletForm::k1_20 : KubeletForm::kToday;
  rules.is_static = true;
  auto reserved = parse_cpu_set(options_.reserved.empty() ? "0" : options_.reserved);
  if (!reserved) return std::move(reserved).error();
  rules.reservation = {reserved->size(), *std::move(reserved)};
  return rules;
}

void KubeletFiles::take(Errors errors) {
  for (Error& error : errors) errors_.push_back(std::move(error));
}

const std::string* KubeletFiles::bytes_of(const std::string& path) {
  const std::string* const bytes = reader_.bytes_of(path);
  if (bytes == nullptr) take(reader_.take_errors());
  return bytes;
}

std::optional<KubeletRules> KubeletFiles::rules() {
  if (options_.config.empty()) {
    auto rules = default_rules();
    if (rules) return *std::move(rules);
    errors_.push_back(std::move(rules).error());
    return std::nullopt;
  }
  const std::string* const bytes = bytes_of(options_.config);
  if (bytes == nullptr) return std::nullopt;
  auto reading = read_kubelet_configuration({options_.config, *bytes}, compat_);
  warnings_ = std::move(reading.warnings);
  take(std::move(reading.errors));
  return std::move(reading.rules);
}

Status KubeletFiles::restore(Kubelet& kubelet) {
  if (options_.state.empty()) return {};
  const std::string* const bytes = bytes_of(options_.state);
  if (bytes == nullptr) return {};
  auto reading = read_cpu_manager_state({options_.state, *bytes});
  take(std::move(reading.errors));
  if (!reading.state) return {};
  const std::string policy = kubelet.rules().is_static ? "static" : "none";
  const SourceSpan where{options_.state, 0, 0, {}, 1};
  if (reading.state->policy != policy)
    return invalid_input("configured policy \"" + policy +
                             "\" differs from state checkpoint policy \"" + reading.state->policy +
                             '"',
                         where, "drain the node, then remove the state file");
  if (policy == "none") return {};
  Status restored = kubelet.restore(std::move(reading.state->cpus));
  if (restored) return {};
  Error error = std::move(restored).error();
  error.code = Errc::kInvalidInput;
  error.where = where;
  return error;
}

}  // namespace gedge::cli
