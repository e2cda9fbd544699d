#include "codec/known_kinds.hpp"

#include <array>

namespace gedge::codec {
namespace {

constexpr std::array<KnownKind, 21> kKnown = {{
    {"Node", "core", ObjectKind::kNode, false},
    {"Pod", "core", ObjectKind::kPod, true},
    {"Deployment", "apps extensions", ObjectKind::kWorkload, true},
    {"ReplicaSet", "apps extensions", ObjectKind::kWorkload, true},
    {"ReplicationController", "core", ObjectKind::kWorkload, true},
    {"StatefulSet", "apps", ObjectKind::kWorkload, true},
    {"DaemonSet", "apps extensions", ObjectKind::kWorkload, true},
    {"Job", "batch", ObjectKind::kWorkload, true},
    {"CronJob", "batch", ObjectKind::kWorkload, true},
    {"Service", "core", ObjectKind::kService, true},
    {"Namespace", "core", ObjectKind::kNamespace, false},
    {"PriorityClass", "scheduling.k8s.io", ObjectKind::kPriorityClass, false},
    {"LimitRange", "core", ObjectKind::kLimitRange, true},
    {"RuntimeClass", "node.k8s.io", ObjectKind::kRuntimeClass, false},
    {"PersistentVolumeClaim", "core", ObjectKind::kClaim, true},
    {"PersistentVolume", "core", ObjectKind::kVolume, false},
    {"StorageClass", "storage.k8s.io", ObjectKind::kStorageClass, false},
    {"PodDisruptionBudget", "policy", ObjectKind::kDisruptionBudget, true},
    {"PodGroup", "scheduling.x-k8s.io scheduling.sigs.k8s.io", ObjectKind::kPodGroup, true},
    {"ConfigMap", "core", ObjectKind::kConfigMap, true},
    {"NodeLatency", "gedge.io", ObjectKind::kNodeLatency, false},
}};
constexpr KnownKind kSkippedKind = {"", "", ObjectKind::kSkipped, true};

bool has_group(std::string_view groups, std::string_view api_version) {
  if (api_version.empty()) return true;  // items of lists carry none
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? "core" : api_version.substr(0, slash);
  while (!groups.empty()) {
    const std::size_t blank = groups.find(' ');
    if (groups.substr(0, blank) == group) return true;
    groups = blank == std::string_view::npos ? "" : groups.substr(blank + 1);
  }
  return false;
}

}  // namespace

const KnownKind& known_kind(std::string_view name, std::string_view api_version) {
  for (const KnownKind& known : kKnown)
    if (known.name == name && has_group(known.groups, api_version)) return known;
  return kSkippedKind;
}

}  // namespace gedge::codec
