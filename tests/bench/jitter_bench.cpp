// A task that wakes every millisecond beside two processes that compute without end, once as it is
// and once as `gedge pin run --isolate` runs it. Prints by how many microseconds it woke too late,
// a line for each round.
//
//   bench_jitter task PERIODS                       the task: p50 p99 max
//   bench_jitter rounds ROUNDS PERIODS GEDGE STATE  both in turn, with hogs
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace gedge::bench {
namespace {

constexpr std::int64_t kPeriod = 1'000'000, kSecond = 1'000'000'000;  // ns
constexpr int kHogs = 2;

std::int64_t now() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * kSecond + at.tv_nsec;
}

void wait_until(std::int64_t when) {
  const timespec at{when / kSecond, when % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) continue;
}

struct Lateness {
  long p50 = 0, p99 = 0, most = 0;  // us
};

int task(std::size_t periods) {
  std::vector<std::int64_t> late;
  late.reserve(periods);
  std::int64_t next = now() + kPeriod;
  for (std::size_t i = 0; i < periods; ++i) {
    wait_until(next);
    const std::int64_t woke = now();
    late.push_back(woke - next);
    next = std::max(next, woke - kPeriod) + kPeriod;  // periods that it slept through are gone
  }
  std::sort(late.begin(), late.end());
  const auto us = [&](std::size_t at) { return static_cast<long>(late[at] / 1'000); };
  std::printf("%ld %ld %ld\n", us(periods / 2), us(periods * 99 / 100), us(periods - 1));
  return 0;
}

class Hogs {
 public:
  Hogs() {
    for (int i = 0; i < kHogs; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) compute();
      pids_.push_back(pid);
    }
  }
  ~Hogs() {
    for (const pid_t pid : pids_)
      if (pid > 0) ::kill(pid, SIGKILL);
  }

 private:
  [[noreturn]] static void compute() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) static_cast<void>(now());
  }
  std::vector<pid_t> pids_;
};

bool measure(const std::string& command, Lateness& out) {
  FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) return false;
  const int read = std::fscanf(output, "%ld %ld %ld", &out.p50, &out.p99, &out.most);
  return ::pclose(output) == 0 && read == 3;
}

int rounds(int count, const std::string& self, const std::string& periods, const std::string& gedge,
           const std::string& state) {
  const std::string plain = "'" + self + "' task " + periods;
  const std::string alone =
      "'" + gedge + "' pin run -q --isolate --state-dir '" + state + "' -- " + plain;
  const Hogs hogs;
  for (int round = 0; round < count; ++round) {
    Lateness first, second;
    const bool plain_first = round % 2 == 0;
    if (!measure(plain_first ? plain : alone, first) ||
        !measure(plain_first ? alone : plain, second))
      return std::puts("it cannot be measured"), 1;
    const Lateness& a = plain_first ? first : second;
    const Lateness& b = plain_first ? second : first;
    std::printf("plain_us %ld %ld %ld isolated_us %ld %ld %ld\n", a.p50, a.p99, a.most, b.p50,
                b.p99, b.most);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "task" && argc == 3)
    return gedge::bench::task(std::max(std::strtoul(argv[2], nullptr, 10), 1UL));
  if (mode == "rounds" && argc == 6)
    return gedge::bench::rounds(std::atoi(argv[2]), argv[0], argv[3], argv[4], argv[5]);
  std::puts("usage: bench_jitter task PERIODS | rounds ROUNDS PERIODS GEDGE STATE");
  return 2;
}
