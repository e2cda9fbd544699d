// io/hwloc_library.hpp - the functions of libhwloc, found when the first machine is read: most runs
// of gedge read none.
#pragma once

#include <hwloc.h>

#include "gedge/base/result.hpp"

namespace gedge {

struct HwlocLibrary {
  decltype(&::hwloc_topology_init) init = nullptr;
  decltype(&::hwloc_topology_destroy) destroy = nullptr;
  decltype(&::hwloc_topology_load) load = nullptr;
  decltype(&::hwloc_topology_set_flags) set_flags = nullptr;
  decltype(&::hwloc_topology_set_synthetic) set_synthetic = nullptr;
  decltype(&::hwloc_topology_set_xmlbuffer) set_xmlbuffer = nullptr;
  decltype(&::hwloc_topology_set_components) set_components = nullptr;
  decltype(&::hwloc_topology_set_io_types_filter) set_io_types_filter = nullptr;
  decltype(&::hwloc_topology_get_complete_cpuset) complete_cpuset = nullptr;
  decltype(&::hwloc_topology_get_topology_cpuset) topology_cpuset = nullptr;
  decltype(&::hwloc_get_type_depth) type_depth = nullptr;
  decltype(&::hwloc_get_nbobjs_by_depth) count_at = nullptr;
  decltype(&::hwloc_get_obj_by_depth) object_at = nullptr;
  decltype(&::hwloc_bitmap_next) bitmap_next = nullptr;
  decltype(&::hwloc_bitmap_alloc) bitmap_alloc = nullptr;
  decltype(&::hwloc_bitmap_free) bitmap_free = nullptr;
  decltype(&::hwloc_distances_get_by_type) distances_by_type = nullptr;
  decltype(&::hwloc_distances_release) distances_release = nullptr;
  decltype(&::hwloc_cpukinds_get_nr) kinds = nullptr;
  decltype(&::hwloc_cpukinds_get_info) kind_info = nullptr;

  /// From any thread; it stays open. Errors: kDenied with what would help.
  static Result<const HwlocLibrary*> get();
};

}  // namespace gedge
