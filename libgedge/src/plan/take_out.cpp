#include "plan/take_out.hpp"

#include <bit>

namespace gedge {

// Sanitizers run before the loader has chosen an instruction set.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define GEDGE_FOR_EACH_TARGET __attribute__((target_clones("popcnt", "default")))
#else
#define GEDGE_FOR_EACH_TARGET
#endif

GEDGE_FOR_EACH_TARGET std::uint32_t take_out(NodeMask& rows, const NodeMask& out) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.words(); ++i) {
    const std::uint64_t gone = rows.word(i) & out.word(i);
    count += static_cast<std::uint64_t>(std::popcount(gone));
    rows.keep(i, ~gone);
  }
  return static_cast<std::uint32_t>(count);
}

GEDGE_FOR_EACH_TARGET std::uint32_t keep_only(NodeMask& rows, const NodeMask& kept) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.words(); ++i) {
    const std::uint64_t gone = rows.word(i) & ~kept.word(i);
    count += static_cast<std::uint64_t>(std::popcount(gone));
    rows.keep(i, ~gone);
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace gedge
