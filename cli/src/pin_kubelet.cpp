#include "pin_kubelet.hpp"

#include <utility>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/codec/kubelet_configuration.hpp"
#include "gedge/codec/memory_manager_state.hpp"

namespace gedge::cli {
namespace {

SourceSpan whole(const std::string& file) { return {file, 0, 0, {}, 1}; }

// A state that is not one of this kubelet: the input is wrong.
Status about(Status restored, const std::string& file) {
  if (restored) return restored;
  Error error = std::move(restored).error();
  error.code = Errc::kInvalidInput;
  error.where = whole(file);
  return error;
}

Error other_policy(const std::string& mine, const std::string& its, const std::string& who,
                   const std::string& file) {
  return invalid_input(who + "configured policy \"" + mine +
                           "\" differs from state checkpoint policy \"" + its + '"',
                       whole(file), "drain the node, then remove the state file");
}

}  // namespace

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

void add_memory_state_flag(FlagSet& flags, KubeletOptions& options) {
  flags.add({.name = "memory-state",
             .value = "FILE",
             .help = "Go on from its memory_manager_state",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.memory_state);
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

Status KubeletFiles::restore_cpus(Kubelet& kubelet) {
  if (options_.state.empty()) return {};
  const std::string* const bytes = bytes_of(options_.state);
  if (bytes == nullptr) return {};
  auto reading = read_cpu_manager_state({options_.state, *bytes});
  take(std::move(reading.errors));
  if (!reading.state) return {};
  const std::string policy = kubelet.rules().is_static ? "static" : "none";
  if (reading.state->policy != policy)
    return other_policy(policy, reading.state->policy, "", options_.state);
  if (policy == "none") return {};
  return about(kubelet.restore(std::move(reading.state->cpus)), options_.state);
}

Status KubeletFiles::restore_memory(Kubelet& kubelet) {
  if (options_.memory_state.empty()) return {};
  const std::string* const bytes = bytes_of(options_.memory_state);
  if (bytes == nullptr) return {};
  auto reading = read_memory_manager_state({options_.memory_state, *bytes});
  take(std::move(reading.errors));
  if (!reading.state) return {};
  const std::string policy = kubelet.rules().memory.is_static ? "Static" : "None";
  if (reading.state->policy != policy)
    return other_policy(policy, reading.state->policy, "[memorymanager] ", options_.memory_state);
  if (policy == "None") return {};
  return about(kubelet.restore(reading.state->memory), options_.memory_state);
}

Status KubeletFiles::restore(Kubelet& kubelet) {
  GEDGE_TRY(restore_cpus(kubelet));
  return restore_memory(kubelet);
}

}  // namespace gedge::cli
