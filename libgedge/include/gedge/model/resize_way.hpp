// gedge/model/resize_way.hpp - by what pods are made larger or smaller.
#pragma once

#include <cstdint>

namespace gedge {

enum class ResizeWay : std::uint8_t {
  kInPlace,   ///< of pods, by the subresource resize of pods; pods that come later are as before
  kTemplate,  ///< of the workload: its controller replaces the pods
};

}  // namespace gedge
