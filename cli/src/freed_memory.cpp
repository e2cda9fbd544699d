#include "freed_memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace gedge::cli {
namespace {

// Bytes: of a piece that is a mapping of its own, and of what is free at the end.
void set_thresholds([[maybe_unused]] int own, [[maybe_unused]] int free) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, own);
  mallopt(M_TRIM_THRESHOLD, free);
#endif
}

// Whether code was changed when it was loaded.
bool has_own_code(const dl_phdr_info& module) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    if (module.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const std::uintptr_t at = module.dlpi_addr + module.dlpi_phdr[i].p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(at);
    for (; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_TEXTREL ||
          (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0))
        return true;
  }
  return false;
}

// What was never writable is as in its file.
int let_go_of(dl_phdr_info* module, std::size_t /*size*/, void* page_size) {
  if (has_own_code(*module)) return 0;
  const std::uintptr_t page = *static_cast<const std::uintptr_t*>(page_size);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t first = begin & ~(page - 1);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    ::madvise(reinterpret_cast<void*>(first), begin + segment.p_memsz - first, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void keep_freed_memory() { set_thresholds(32 << 20, 128 << 20); }

void return_freed_memory() { set_thresholds(128 << 10, 128 << 10); }

void let_go_of_code() {
  auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  ::dl_iterate_phdr(let_go_of, &page_size);
}

}  // namespace gedge::cli
