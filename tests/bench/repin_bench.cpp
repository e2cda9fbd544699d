// A process of many threads that sleep, pinned whole: by the system calls that nobody can do
// without, one list of its threads and one affinity call for each, and as `gedge pin apply` does
// it, from choosing CPUs to the last look. Prints the microseconds of both, a line for each round.
//
//   bench_repin [THREADS [ROUNDS]]
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gedge/drive/apply_pin.hpp"
#include "gedge/io/clock.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/io/system_targets.hpp"

namespace gedge::bench {
namespace {

class Sleepers {
 public:
  explicit Sleepers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        std::unique_lock lock(mutex_);
        ++there_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return stop_; });
      });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return there_ == count; });
  }
  ~Sleepers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t there_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

Micros bare(const Clock& clock, const Threads& threads, const CpuSet& cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  cpus.for_each([&](int cpu) { CPU_SET(static_cast<unsigned>(cpu), &mask); });
  const Micros start = clock.now();
  const auto numbers = threads.of_process(::getpid());
  for (const int number : *numbers) ::sched_setaffinity(number, sizeof mask, &mask);
  return clock.now() - start;
}

int run(std::size_t count, int rounds) {
  const auto machine = read_cpus("");
  const auto usable = usable_cpus();
  if (!machine || !usable) return std::puts("no CPUs can be read"), 1;
  const PinGround ground{*machine, *usable};
  const Sleepers sleepers(count - 1);
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("bench_repin_" + std::to_string(::getpid())))
          .string();
  DiskPinStore store(folder);
  const SystemProcesses processes;
  SystemThreads threads;
  SystemGroups groups({});
  const PinPorts ports{store, processes, threads, groups};
  const SteadyClock clock;
  for (int round = 0; round < rounds; ++round) {
    const CpuSet one{usable->first()};
    const Micros calls = bare(clock, threads, one);
    bare(clock, threads, *usable);
    const Micros start = clock.now();
    const auto done = apply_pin(ports, ground, {1, {}, {}}, ::getpid(), MemoryMode::kDefault);
    const Micros whole = clock.now() - start;
    const Status undone = undo_pin(ports, ground.machine.cpu_set(), ::getpid());
    if (!done || !undone) return std::puts("it cannot be pinned"), 1;
    std::printf("bare_us %lld applied_us %lld threads %zu\n", static_cast<long long>(calls.count()),
                static_cast<long long>(whole.count()), done->threads);
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  const long threads = argc > 1 ? std::atol(argv[1]) : 2'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  return gedge::bench::run(static_cast<std::size_t>(threads < 2 ? 2 : threads), rounds);
}
