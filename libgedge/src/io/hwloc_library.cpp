#include "io/hwloc_library.hpp"

#include <cstdlib>

#include "io/shared_library.hpp"

namespace gedge {
namespace {

constexpr const char* kFile = "libhwloc.so.15";

Result<HwlocLibrary> open_library() {
  // What it finds odd about a machine it would print; read once, when it is first used.
  ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
  SharedLibrary file(kFile, "libhwloc15");
  HwlocLibrary library;
  file.find(library.init, "hwloc_topology_init");
  file.find(library.destroy, "hwloc_topology_destroy");
  file.find(library.load, "hwloc_topology_load");
  file.find(library.set_flags, "hwloc_topology_set_flags");
  file.find(library.set_synthetic, "hwloc_topology_set_synthetic");
  file.find(library.set_xmlbuffer, "hwloc_topology_set_xmlbuffer");
  file.find(library.set_components, "hwloc_topology_set_components");
  file.find(library.set_io_types_filter, "hwloc_topology_set_io_types_filter");
  file.find(library.complete_cpuset, "hwloc_topology_get_complete_cpuset");
  file.find(library.topology_cpuset, "hwloc_topology_get_topology_cpuset");
  file.find(library.type_depth, "hwloc_get_type_depth");
  file.find(library.count_at, "hwloc_get_nbobjs_by_depth");
  file.find(library.object_at, "hwloc_get_obj_by_depth");
  file.find(library.bitmap_next, "hwloc_bitmap_next");
  file.find(library.bitmap_alloc, "hwloc_bitmap_alloc");
  file.find(library.bitmap_free, "hwloc_bitmap_free");
  file.find(library.distances_by_type, "hwloc_distances_get_by_type");
  file.find(library.distances_release, "hwloc_distances_release");
  file.find(library.kinds, "hwloc_cpukinds_get_nr");
  file.find(library.kind_info, "hwloc_cpukinds_get_info");
  GEDGE_TRY(file.check());
  return library;
}

}  // namespace

Result<const HwlocLibrary*> HwlocLibrary::get() {
  static const Result<HwlocLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gedge
