// Threads that count, all together as far as they are told: what a CPU more or less does to them is
// large, and known without measuring. There are so many of them that they have most of each CPU,
// whoever else runs.
//
//   test_threads together   one counter, which two CPUs take from each other all the time. Of one
//                           CPU it stays in the cache.
//   test_threads apart      a counter each. Two CPUs are twice as fast as one.
#include <atomic>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int kUsage = 2;
constexpr std::size_t kThreads = 64;

struct alignas(128) Counter {  // that no other lies beside
  std::atomic<unsigned long> value{0};
};

void count(std::size_t counters, unsigned long total) {
  std::vector<Counter> all(counters);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&mine = all[i % counters].value, share = total / kThreads] {
      for (unsigned long n = 0; n < share; ++n) mine.fetch_add(1, std::memory_order_relaxed);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int words, char** word) {
  constexpr unsigned long kTogether = 20'000'000, kApart = 50'000'000;
  const std::string_view kind = words == 2 ? word[1] : "";
  if (kind == "together")
    count(1, kTogether);
  else if (kind == "apart")
    count(kThreads, kApart);
  else
    return std::fputs("usage: test_threads together|apart\n", stderr), kUsage;
}
