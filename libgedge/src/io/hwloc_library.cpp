#include "io/hwloc_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace gedge {
namespace {

constexpr const char* kFile = "libhwloc.so.15";

Error missing(std::string what) {
  return {
      Errc::kDenied, std::move(what), {}, "install it; on Debian: `apt-get install libhwloc15`"};
}

class Symbols {
 public:
  explicit Symbols(void* handle) : handle_(handle) {}

  template <typename Function>
  void find(Function& into, const char* name) {
    into = reinterpret_cast<Function>(::dlsym(handle_, name));
    if (into == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

Result<HwlocLibrary> open_library() {
  // What it finds odd about a machine it would print; read once, when it is first used.
  ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
  void* const handle = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return missing(std::string("cannot open ") + kFile);
  HwlocLibrary library;
  Symbols symbols(handle);
  symbols.find(library.init, "hwloc_topology_init");
  symbols.find(library.destroy, "hwloc_topology_destroy");
  symbols.find(library.load, "hwloc_topology_load");
  symbols.find(library.set_flags, "hwloc_topology_set_flags");
  symbols.find(library.set_synthetic, "hwloc_topology_set_synthetic");
  symbols.find(library.set_xmlbuffer, "hwloc_topology_set_xmlbuffer");
  symbols.find(library.set_components, "hwloc_topology_set_components");
  symbols.find(library.set_io_types_filter, "hwloc_topology_set_io_types_filter");
  symbols.find(library.complete_cpuset, "hwloc_topology_get_complete_cpuset");
  symbols.find(library.topology_cpuset, "hwloc_topology_get_topology_cpuset");
  symbols.find(library.type_depth, "hwloc_get_type_depth");
  symbols.find(library.count_at, "hwloc_get_nbobjs_by_depth");
  symbols.find(library.object_at, "hwloc_get_obj_by_depth");
  symbols.find(library.bitmap_next, "hwloc_bitmap_next");
  symbols.find(library.bitmap_alloc, "hwloc_bitmap_alloc");
  symbols.find(library.bitmap_free, "hwloc_bitmap_free");
  symbols.find(library.distances_by_type, "hwloc_distances_get_by_type");
  symbols.find(library.distances_release, "hwloc_distances_release");
  symbols.find(library.kinds, "hwloc_cpukinds_get_nr");
  symbols.find(library.kind_info, "hwloc_cpukinds_get_info");
  if (!symbols.missing().empty())
    return missing(std::string(kFile) + " is too old: it has no " + symbols.missing());
  return library;
}

}  // namespace

Result<const HwlocLibrary*> HwlocLibrary::get() {
  static const Result<HwlocLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gedge
