// gedge/port/scaling.hpp - what an autoscaler asks of a cluster and of its metrics, and what it is
// answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/shared_text.hpp"
#include "gedge/effect/resize.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge {

/// The scale subresource of a workload, to be read from storage. `ticket` names it in the answer.
struct ScaleRead {
  std::uint64_t ticket = 0;
  std::string namespace_name;
  ObjectName target;
  bool is_whole = false;  ///< the workload itself, with what its pods are made of
};

struct ScaleReading {
  enum class Kind : std::uint8_t { kFound, kMissing, kUnreadable } kind = Kind::kUnreadable;
  ScaleTarget scale;  ///< kFound
  std::string why;    ///< the others: what the server said
};

enum class MetricSource : std::uint8_t {
  kUsage,     ///< metrics.k8s.io: all pods of a namespace, or those of a selector
  kOfPods,    ///< custom.metrics.k8s.io: of pods
  kObject,    ///< custom.metrics.k8s.io: of one object
  kExternal,  ///< external.metrics.k8s.io
  kQuery,     ///< Prometheus
};
inline constexpr std::size_t kMetricSources = 5;

/// Values to be read. `ticket` names them in the answer.
struct MetricRead {
  std::uint64_t ticket = 0;
  MetricSource source = MetricSource::kUsage;
  std::string namespace_name;
  std::string metric;    ///< its name, or the query
  ObjectName object;     ///< kObject
  std::string pods;      ///< kUsage, kPods: selector of the pods; empty: all
  std::string selector;  ///< of the metric; empty: none
};

struct MetricReading {
  bool is_read = false;  ///< false: nothing is known, see `why`
  MetricFacts values;
  std::string why;
};

/// controller.kubernetes.io/pod-deletion-cost of a pod.
struct PodCost {
  std::string namespace_name, name, uid;
  std::int32_t cost = 0;
};

/// Replicas to be written, if the workload is still as it was read. `ticket` names it in the
/// answer.
struct ScaleWrite {
  std::uint64_t ticket = 0;
  std::string namespace_name;
  ObjectName target;
  std::int32_t replicas = 0;
  std::string uid, version;
  std::vector<PodCost> costs = {};          ///< to be written before, so that the right pods leave
  std::optional<ObjectResize> resize = {};  ///< what is to be written instead of replicas
};

enum class ScaleAnswer : std::uint8_t {
  kDone,
  kConflict,  ///< it was changed meanwhile, or is another one: nothing was written
  kGone,
  kRefused,  ///< forbidden, invalid: nothing was written
  kNotSent,  ///< the server cannot be asked: nothing was written
  kUnknown,  ///< nobody knows: a time-out, a broken connection, an error of the server
};

}  // namespace gedge
