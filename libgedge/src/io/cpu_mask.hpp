// io/cpu_mask.hpp - a set of CPUs as the kernel has it, of any length.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <climits>
#include <cstddef>
#include <vector>

#include "gedge/pin/cpu_set.hpp"

namespace gedge {

class CpuMask {
 public:
  CpuMask() : words_((CpuSet::kLast + 1) / kBits) {}
  explicit CpuMask(const CpuSet& cpus) : CpuMask() {
    cpus.for_each([&](int cpu) {
      const auto bit = static_cast<std::size_t>(cpu);
      words_[bit / kBits] |= 1UL << bit % kBits;
    });
  }

  /// Of a thread; 0 is the calling one. False, and errno, where the kernel refuses.
  bool get(pid_t thread) {
    return ::sched_getaffinity(thread, bytes(), reinterpret_cast<cpu_set_t*>(words_.data())) == 0;
  }
  bool apply(pid_t thread) const {
    return ::sched_setaffinity(thread, bytes(),
                               reinterpret_cast<const cpu_set_t*>(words_.data())) == 0;
  }
  CpuSet set() const {
    CpuSet cpus;
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (std::size_t bit = 0; words_[word] >> bit != 0; ++bit) {
        if ((words_[word] >> bit & 1) != 0) cpus.add(static_cast<int>(word * kBits + bit));
        if (bit + 1 == kBits) break;
      }
    return cpus;
  }
  friend bool operator==(const CpuMask&, const CpuMask&) = default;

 private:
  static constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  std::vector<unsigned long> words_;
};

}  // namespace gedge
