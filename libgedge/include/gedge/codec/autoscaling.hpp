// gedge/codec/autoscaling.hpp - HorizontalPodAutoscalers, what they scale, and metrics, as
// ScaleFacts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge {

struct ScaleLoadOptions {
  std::string namespace_name = "default";  ///< of objects that name none
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
  bool keep_history = false;  ///< PodMetrics of one pod at several times are all kept
  /// Of pods and workloads also what a change of them needs: UIDs, versions, limits, templates.
  bool keep_objects = false;
  bool keep_versions = false;  ///< of workloads UIDs and versions alone
};

struct ScaleLoadResult {
  std::optional<ScaleFacts> facts;  ///< empty if and only if there are errors
  std::vector<SkippedObject> skipped;
  std::vector<Warning> warnings;
  Errors errors;
};

/// Reads what `kubectl get -o json|yaml` prints and what the metrics APIs answer:
///
/// - HorizontalPodAutoscaler of autoscaling/v1 (with what its annotations say), v2beta1, v2beta2
///   and v2, defaulted as the API server does;
/// - Autoscaler of gedge.io/v1alpha1, which is read strictly;
/// - Pod, Deployment, ReplicaSet, ReplicationController and StatefulSet;
/// - of a LimitRange what containers and pods may have, of Nodes what they can give;
/// - PodMetrics, NodeMetrics (read, not kept), MetricValueList and ExternalMetricValueList.
///
/// Other kinds are skipped and listed. Equal objects twice collapse.
///
/// Errors: kInvalidInput with the place; what the API server refuses (min above max, a metric
/// without target, a target of 0, unknown types), amounts that are negative or no number, and
/// different objects under one name. Cost: O(bytes).
class ScaleLoader {
 public:
  explicit ScaleLoader(ScaleLoadOptions options = {});
  ~ScaleLoader();
  ScaleLoader(ScaleLoader&&) noexcept;
  ScaleLoader& operator=(ScaleLoader&&) noexcept;

  void add(const InputFile& file);
  /// Sorted by namespace and name; the loader is empty afterwards.
  ScaleLoadResult finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gedge
