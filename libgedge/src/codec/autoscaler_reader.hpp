// codec/autoscaler_reader.hpp - HorizontalPodAutoscaler, all versions.
#pragma once

#include "codec/cursor.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge::codec {

/// Name and namespace as they are written; the rest is defaulted. What is wrong is reported.
Autoscaler read_autoscaler(Cursor object);

}  // namespace gedge::codec
