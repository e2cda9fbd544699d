// How fast the machine is just now, by three loops that never change: others on its cores and in
// its caches slow them down without a trace in what the kernel counts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr int kRounds = 7;

// The least nanoseconds of the processor a step, of some rounds.
template <typename Loop>
double least_of(std::size_t steps, const Loop& loop) {
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t start = std::clock();
    loop(steps);
    const auto seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    least = std::min(least, 1e9 * seconds / static_cast<double>(steps));
  }
  return least;
}

// One cycle through all places, each of which says what comes next.
std::vector<std::uint32_t> cycle_of(std::size_t places) {
  std::vector<std::uint32_t> order(places), next(places);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  for (std::size_t i = 0; i < places; ++i) next[order[i]] = order[(i + 1) % places];
  return next;
}

volatile std::uint64_t g_sink;

double walk(std::size_t bytes, std::size_t steps) {
  const std::vector<std::uint32_t> next = cycle_of(bytes / sizeof(std::uint32_t));
  return least_of(steps, [&](std::size_t count) {
    std::uint32_t at = 0;
    while (count-- > 0) at = next[at];
    g_sink = at;
  });
}

double choose(std::size_t steps) {
  return least_of(steps, [](std::size_t count) {
    std::uint64_t state = 1, taken = 0;
    while (count-- > 0) {
      state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      if ((state >> 40U & 1U) != 0) taken += state ^ taken << 1U;
    }
    g_sink = taken;
  });
}

}  // namespace

int main() {
  std::printf("choices %.3f ns\n", choose(2'000'000));
  std::printf("near %.3f ns\n", walk(std::size_t{192} << 10U, 2'000'000));
  std::printf("far %.3f ns\n", walk(std::size_t{16} << 20U, 200'000));
}
