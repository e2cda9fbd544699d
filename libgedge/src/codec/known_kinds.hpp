// codec/known_kinds.hpp - the kinds of objects that gedge reads, and their API groups.
#pragma once

#include <cstdint>
#include <string_view>

namespace gedge::codec {

enum class ObjectKind : std::uint8_t {
  kNode,
  kPod,
  kWorkload,
  kService,
  kNamespace,
  kPriorityClass,
  kLimitRange,
  kRuntimeClass,
  kClaim,
  kVolume,
  kStorageClass,
  kDisruptionBudget,
  kPodGroup,
  kConfigMap,
  kNodeLatency,
  kSkipped,
};

struct KnownKind {
  std::string_view name;
  std::string_view groups;  // separated by blanks; "core" is the group without a name
  ObjectKind kind;
  bool is_namespaced;
};
inline constexpr KnownKind kAnyWorkload = {"", "", ObjectKind::kWorkload, true};

/// By the kind and apiVersion of an object; items of lists may have no apiVersion. What is not read
/// is kSkipped.
const KnownKind& known_kind(std::string_view name, std::string_view api_version);

}  // namespace gedge::codec
