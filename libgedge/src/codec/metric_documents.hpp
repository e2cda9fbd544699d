// codec/metric_documents.hpp - what metrics.k8s.io, custom.metrics.k8s.io and
// external.metrics.k8s.io answer.
#pragma once

#include "codec/cursor.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge::codec {

/// PodMetrics and NodeMetrics.
PodUsage read_usage(Cursor object);
/// An item of a MetricValueList.
ObjectMetric read_object_metric(Cursor item);
/// An item of an ExternalMetricValueList.
ExternalMetric read_external_metric(Cursor item);

}  // namespace gedge::codec
