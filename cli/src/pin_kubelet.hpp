// pin_kubelet.hpp - the flags that say how a kubelet is configured and how full it is, and what
// they name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flags.hpp"
#include "gedge/pin/admission.hpp"
#include "input.hpp"

namespace gedge::cli {

struct KubeletOptions {
  std::string config, state, memory_state, reserved;
  std::vector<DeviceResource> devices;
};

/// --kubelet-config, --state and --reserved, under a heading of their own.
void add_kubelet_flags(FlagSet& flags, KubeletOptions& options);
/// --memory-state.
void add_memory_state_flag(FlagSet& flags, KubeletOptions& options);
/// --device: what resources of pods are.
void add_device_flag(FlagSet& flags, std::vector<DeviceResource>& devices);
/// Do they contradict each other?
Status check_kubelet_flags(const KubeletOptions& options);

/// The files that they name. What is wrong with them is kept; the reader keeps what it cannot open.
class KubeletFiles {
 public:
  KubeletFiles(const KubeletOptions& options, Compat compat, InputReader& reader)
      : options_(options), compat_(compat), reader_(reader) {}

  /// Without a configuration: policy static, CPU 0 or --reserved.
  std::optional<KubeletRules> rules();
  /// As full as --state and --memory-state say. Errors: of a state that is not one of this kubelet.
  Status restore(Kubelet& kubelet);

  Errors& errors() { return errors_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  Result<KubeletRules> default_rules() const;
  const std::string* bytes_of(const std::string& path);
  Status restore_cpus(Kubelet& kubelet);
  Status restore_memory(Kubelet& kubelet);
  void take(Errors errors);

  const KubeletOptions& options_;
  Compat compat_;
  InputReader& reader_;
  Errors errors_;
  std::vector<Warning> warnings_;
};

}  // namespace gedge::cli
