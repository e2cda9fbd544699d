#include "unit/control/live_bytes.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// In front of each block, so that what follows is aligned as malloc aligns it.
constexpr std::size_t kHead = 16;
std::atomic<std::int64_t> held{0};

void* allocate(std::size_t bytes) {
  auto* const block = static_cast<std::byte*>(std::malloc(bytes + kHead));
  if (block == nullptr) throw std::bad_alloc();
  std::memcpy(block, &bytes, sizeof bytes);
  held += static_cast<std::int64_t>(bytes);
  return block + kHead;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  std::byte* const block = static_cast<std::byte*>(memory) - kHead;
  std::size_t bytes = 0;
  std::memcpy(&bytes, block, sizeof bytes);
  held -= static_cast<std::int64_t>(bytes);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
// A sanitizer's own would take the place of these two, and their memory has no head.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace gedge::test {

std::int64_t live_bytes() { return held; }

}  // namespace gedge::test
