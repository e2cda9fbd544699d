// codec/autoscaler_reader.hpp - HorizontalPodAutoscaler, all versions, and Autoscaler.
#pragma once

#include <cstdint>
#include <optional>

#include "codec/cursor.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge::codec {

/// Name and namespace as they are written; the rest is defaulted. What is wrong is reported.
Autoscaler read_autoscaler(Cursor object);
/// kind Autoscaler of gedge.io/v1alpha1. What is wrong is reported, unknown fields too.
Autoscaler read_short_autoscaler(Cursor object);

// What both have.

/// Thousandths, above 0.
std::optional<std::int64_t> read_amount(Cursor value);
/// Above 0.
std::optional<std::int64_t> read_percent(Cursor value);
ObjectName read_object_name(Cursor map);
void read_behavior(Cursor map, std::optional<ScalingBehavior>& out);
/// Without pods, some metric has a value all the same.
bool may_be_zero(const Autoscaler& autoscaler);

}  // namespace gedge::codec
