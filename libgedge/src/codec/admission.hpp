// codec/admission.hpp - what the API server's default admission does to new pods.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "codec/drafts.hpp"

namespace gedge::codec {

class Admission {
 public:
  /// Borrows `drafts`, whose lists are sorted by name.
  explicit Admission(Drafts& drafts);

  struct Priority {
    std::int32_t value = 0;
    bool preempts = true;
  };
  /// Priority of a pod that is created now: its class, else spec.priority, else the global default.
  /// `spec` is that of the template.
  Priority admit_priority(const PodTemplate& pod, const PodSpec& spec, const std::string& who);
  /// Priority of a pod that the cluster has admitted already.
  Priority known_priority(const PodTemplate& pod) const;

  /// LimitRange defaults, RuntimeClass overhead and scheduling, default NoExecute tolerations, for
  /// the spec of a template.
  void admit(const PodTemplate& pod, const std::string& namespace_name, const std::string& who,
             PodSpec& spec);

 private:
  const PriorityClass* find_class(std::string_view name) const;
  void apply_limit_ranges(const std::string& namespace_name, PodSpec& spec) const;
  void apply_runtime_class(const PodTemplate& pod, const std::string& who, PodSpec& spec);

  Drafts& drafts_;
  const PriorityClass* default_class_ = nullptr;
  PriorityClass node_critical_, cluster_critical_;
};

/// The tolerations that the DaemonSet controller adds.
void add_daemon_tolerations(PodSpec& spec);

}  // namespace gedge::codec
