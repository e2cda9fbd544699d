// The cheap reading of a machine, beside hwloc's; the ledger's file; who lives.
#include "gedge/io/system_pins.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gedge/io/ending_signals.hpp"
#include "gedge/io/files.hpp"
#include "gedge/io/machine_facts.hpp"
#include "gedge/io/system_targets.hpp"
#include "gedge/port/pin_desk.hpp"
#include "io/process_start.hpp"
#include "io/small_file.hpp"
#include "support/folder.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

using test::Folder;

// Two sockets with two cores of two threads, numbered as most firmware does; CPU 5 is off.
void record(const Folder& folder) {
  const std::string cpus = "sys/devices/system/cpu/", nodes = "sys/devices/system/node/";
  folder.put(cpus + "online", "0-4,6-7");
  folder.put(cpus + "present", "0-7");
  folder.put(cpus + "isolated", "7");
  for (const int cpu : {0, 1, 2, 3, 4, 6, 7}) {
    const std::string of = cpus + "cpu" + std::to_string(cpu) + '/';
    const int core = cpu % 4, socket = core / 2;
    folder.put(of + "topology/thread_siblings_list",
               core == 1 ? "1" : std::to_string(core) + ',' + std::to_string(core + 4));
    folder.put(of + "topology/physical_package_id", std::to_string(socket));
    for (const int index : {0, 1, 2}) {
      const std::string cache = of + "cache/index" + std::to_string(index) + '/';
      folder.put(cache + "level", index == 2 ? "3" : "1");
      folder.put(cache + "type", index == 0 ? "Data" : index == 1 ? "Instruction" : "Unified");
      folder.put(cache + "size", index == 2 ? "32768K" : "48K");
      folder.put(cache + "shared_cpu_list", index != 2    ? std::to_string(cpu)
                                            : socket == 0 ? "0-1,4"
                                                          : "2-3,6-7");
    }
  }
  folder.put(nodes + "online", "0-1");
  folder.put(nodes + "node0/cpulist", "0-1,4");
  folder.put(nodes + "node1/cpulist", "2-3,6-7");
  folder.put(nodes + "node0/distance", "10 21");
  folder.put(nodes + "node1/distance", "21 10");
}

// Waits for `lock`, which is given back when that is said.
DiskPinStore waiter_for(const Folder& folder, std::unique_ptr<PinLock> lock,
                        std::vector<std::string>& told) {
  auto held = std::make_shared<std::unique_ptr<PinLock>>(std::move(lock));
  return DiskPinStore(folder.path().string(), [held, &told](const std::string& what) {
    told.push_back(what);
    held->reset();
  });
}

std::unique_ptr<PinLock> locked(DiskPinStore& store) {
  auto lock = store.lock();
  REQUIRE(lock);
  return *std::move(lock);
}

}  // namespace

TEST_CASE("read_cpus: a recorded tree") {
  const Folder folder;
  record(folder);
  const auto machine = read_cpus(folder.path().string());
  REQUIRE(machine);
  CHECK(machine->cpu_set() == CpuSet{0, 1, 2, 3, 4, 6, 7});
  CHECK(machine->offline == CpuSet{5});
  CHECK(machine->isolated == CpuSet{7});
  CHECK(machine->cpus[4] == Cpu{4, 0, 0, 0, 0, -1});
  CHECK(machine->cpus[6] == Cpu{7, 3, 1, 1, 1, -1});
  REQUIRE(machine->caches.size() == 2);
  CHECK(machine->caches[1] == Cache{3, 32 << 20, CpuSet{2, 3, 6, 7}});
  CHECK(machine->distances == std::vector<std::uint32_t>{10, 21, 21, 10});

  const auto places = read_cpus(folder.path().string(), CpuFacts::kPlaces);
  REQUIRE(places);
  Machine left = *machine;
  left.caches.clear();
  for (Cpu& cpu : left.cpus) cpu.cache = -1;
  left.offline = left.isolated = left.nohz_full = {};
  CHECK(*places == left);
}

TEST_CASE("read_cpus: this machine is to it what it is to hwloc") {
  DiskFiles files;
  const auto cheap = read_cpus("");
  const auto whole = read_machine("live", files);
  REQUIRE(cheap);
  REQUIRE(whole);
  CHECK(cheap->cpu_set() == whole->cpu_set());
  // Where the system does not tell of caches, hwloc asks the processor, and the kubelet nobody.
  const bool tells_caches = files.is_directory("/sys/devices/system/cpu/cpu0/cache");
  if (!tells_caches) MESSAGE("this system does not tell of caches: not compared");
  for (std::size_t i = 0; i < cheap->cpus.size(); ++i) {
    CHECK(cheap->cpus[i].core == whole->cpus[i].core);
    CHECK(cheap->cpus[i].numa == whole->cpus[i].numa);
    CHECK(cheap->cpus[i].socket == whole->cpus[i].socket);
    const int near = cheap->cpus[i].cache, far = whole->cpus[i].cache;
    if (!tells_caches) {
      CHECK(near < 0);
      continue;
    }
    REQUIRE((near < 0) == (far < 0));
    if (near >= 0)
      CHECK(cheap->caches[static_cast<std::size_t>(near)].cpus ==
            whole->caches[static_cast<std::size_t>(far)].cpus);
  }
  const auto usable = usable_cpus();
  REQUIRE(usable);
  CHECK_FALSE(usable->empty());
}

TEST_CASE("read_cpus: a directory without CPUs is an error") {
  const Folder folder;
  CHECK(read_cpus(folder.path().string()).error().code == Errc::kNotFound);
  folder.put("sys/devices/system/cpu/online", "x");
  CHECK(read_cpus(folder.path().string()).error().code == Errc::kInvalidInput);
  folder.put("sys/devices/system/cpu/online", "");
  CHECK_FALSE(read_cpus(folder.path().string()));
}

TEST_CASE("the ledger's file: nothing at first, then what was written, and one holds the lock") {
  const Folder folder;
  const std::string place = (folder.path() / "state").string();
  DiskPinStore store(place);
  CHECK(*store.read(PinFile::kLedger) == "");
  {
    const auto lock = store.lock();
    REQUIRE(lock);
    REQUIRE(store.replace(PinFile::kLedger, "one"));
    folder.put("state/pin_state.new", "what a killed process left");
    REQUIRE(store.replace(PinFile::kLedger, "two"));
  }
  CHECK(*store.read(PinFile::kLedger) == "two");
  CHECK_FALSE(fs::exists(place + "/pin_state.new"));
  CHECK(store.lock());
  CHECK(DiskPinStore((folder.path() / "a" / "b").string()).lock().error().code == Errc::kDenied);
}

TEST_CASE("the ledger's file: what could not be read again is not written") {
  const Folder folder;
  DiskPinStore store(folder.path().string());
  const auto lock = store.lock();
  REQUIRE(lock);
  for (const PinFile file : {PinFile::kLedger, PinFile::kRecord, PinFile::kVerdicts}) {
    REQUIRE(store.replace(file, "one"));
    const Status done = store.replace(file, std::string(kMostPinBytes + 1, ' '));
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::kDenied);
    CHECK(done.error().what.find(store.name(file)) != std::string::npos);
    CHECK(*store.read(file) == "one");
    CHECK_FALSE(fs::exists(store.name(file) + ".new"));
  }
}

TEST_CASE("the ledger's lock: what was written before the machine was started again is void") {
  const Folder folder;
  DiskPinStore store(folder.path().string());
  const auto read = [&](PinFile file) { return *store.read(file); };
  {
    const auto lock = store.lock();
    REQUIRE(lock);
    for (const PinFile file : {PinFile::kLedger, PinFile::kRecord, PinFile::kVerdicts})
      REQUIRE(store.replace(file, "one"));
  }
  REQUIRE(store.lock());
  folder.put("lock", "");  // of a gedge that was killed before it could say it
  REQUIRE(store.lock());
  for (const PinFile file : {PinFile::kLedger, PinFile::kRecord, PinFile::kVerdicts})
    CHECK(read(file) == "one");
  folder.put("lock", "0b5f9a52-7a3c-4d0e-9c1b-2f6f5a0c7d11 and more\n");
  CHECK(read(PinFile::kLedger).empty());  // before anybody locks
  CHECK(read(PinFile::kRecord).empty());
  CHECK(read(PinFile::kVerdicts) == "one");
  REQUIRE(store.lock());
  CHECK(read(PinFile::kLedger).empty());
  CHECK(read(PinFile::kRecord).empty());
  CHECK(read(PinFile::kVerdicts) == "one");
  {
    const auto lock = store.lock();
    REQUIRE(store.replace(PinFile::kLedger, "two"));
  }
  REQUIRE(store.lock());
  CHECK(read(PinFile::kLedger) == "two");
}

TEST_CASE("the ledger's lock: what would end this process waits until it is given back") {
  static volatile std::sig_atomic_t seen = 0;
  struct sigaction count {};
  struct sigaction before {};
  ::sigemptyset(&count.sa_mask);
  count.sa_handler = [](int) { seen = seen + 1; };
  const Folder folder;
  DiskPinStore store(folder.path().string());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    seen = 0;
    ::sigaction(signal, &count, &before);
    {
      const auto lock = store.lock();
      REQUIRE(lock);
      ::raise(signal);
      CHECK(seen == 0);
    }
    CHECK(seen == 1);
    ::raise(signal);
    CHECK(seen == 2);
    ::sigaction(signal, &before, nullptr);
  }
}

TEST_CASE("the ledger's file: what is no file is refused and nobody waits for it") {
  const Folder folder;
  DiskPinStore store(folder.path().string());
  REQUIRE(::mkfifo((folder / "pin_state").c_str(), 0600) == 0);
  REQUIRE(::mkfifo((folder / "pin_record.new").c_str(), 0600) == 0);
  const auto pipe = store.read(PinFile::kLedger);
  REQUIRE_FALSE(pipe);
  CHECK(pipe.error().code == Errc::kDenied);
  CHECK(pipe.error().what == "cannot read " + folder / "pin_state" + ": it is no regular file");
  const auto lock = store.lock();
  REQUIRE(lock);
  CHECK_FALSE(store.replace(PinFile::kRecord, "text"));
  fs::create_directory(folder / "pin_verdicts");
  CHECK_FALSE(store.read(PinFile::kVerdicts));
}

TEST_CASE("the lock: whoever waits for it says for whom, once") {
  const Folder folder;
  DiskPinStore holder(folder.path().string());
  std::vector<std::string> told;
  DiskPinStore waiter = waiter_for(folder, locked(holder), told);
  CHECK(waiter.lock());
  const auto self = process_stat(::getpid());
  REQUIRE(self);
  CHECK(told ==
        std::vector<std::string>{"waiting for process " + std::to_string(::getpid()) + " (" +
                                 self->name + "), which has locked " + folder / "lock"});
  CHECK(waiter.lock());
  CHECK(told.size() == 1);
}

TEST_CASE("the lock: whoever holds back what would end him waits no longer once that has come") {
  const Folder folder;
  DiskPinStore holder(folder.path().string());
  std::vector<std::string> told;
  DiskPinStore waiter = waiter_for(folder, locked(holder), told);
  sigset_t held, before;
  ::sigemptyset(&held);
  for (const int signal : ending_signals()) ::sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  for (const int signal : ending_signals()) {
    ::raise(signal);
    const auto none = waiter.lock();
    REQUIRE_FALSE(none);
    CHECK(none.error().what == "a signal has ended the wait for " + folder / "lock");
    CHECK(told.empty());
    CHECK(::sigwaitinfo(&held, nullptr) == signal);  // it is still there
  }
  ::signal(SIGHUP, SIG_IGN);
  ::raise(SIGHUP);
  CHECK(waiter.lock());
  CHECK(told.size() == 1);
  ::signal(SIGHUP, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("processes: this one lives, another of its number does not, nor one that has ended") {
  const SystemProcesses processes;
  const auto started = process_start(::getpid());
  REQUIRE(started);
  CHECK(processes.lives(ProcessId{::getpid(), *started}));
  CHECK_FALSE(processes.lives(ProcessId{::getpid(), *started + 1}));

  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t about{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &about, WEXITED | WNOWAIT) == 0);
  CHECK(process_start(child) == 0);  // nobody has waited for it
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(process_start(child));
  CHECK_FALSE(processes.lives(ProcessId{child, 1}));
}

TEST_CASE("processes: one whose first thread has ended lives as long as another runs") {
  std::array<int, 2> stop{};
  REQUIRE(::pipe(stop.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(stop[1]);
    std::thread([end = stop[0]] {
      char nothing = 0;
      static_cast<void>(!::read(end, &nothing, 1));
      ::_exit(0);
    }).detach();
    ::syscall(SYS_exit, 0);  // of this thread alone
  }
  ::close(stop[0]);
  const auto state = [&] {
    const auto text = read_small_file("/proc/" + std::to_string(child) + "/stat", 4096);
    return text ? text->at(text->rfind(')') + 2) : '?';
  };
  for (int look = 0; look < 1'000'000 && state() != 'Z'; ++look) ::sched_yield();
  REQUIRE(state() == 'Z');
  const SystemProcesses processes;
  const SystemThreads threads;
  const auto known = threads.identify(child);
  REQUIRE(known);
  CHECK(processes.lives(*known));
  CHECK(threads.about(child)->process == *known);
  CHECK(threads.of_process(child)->size() >= 2);  // a sanitizer may have one of its own
  ::close(stop[1]);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(processes.lives(*known));
}

TEST_CASE("a launch that is cancelled, or never begun, leaves no process") {
  const SystemProcesses processes;
  ProcessId process;
  {
    SystemLaunch launch({"true"});
    const auto started = launch.start();
    REQUIRE(started);
    process = *started;
    CHECK(processes.lives(process));
  }
  CHECK_FALSE(processes.lives(process));
}

TEST_CASE("a launch whose end somebody else has waited for did not end well") {
  SystemLaunch launch({"true"});
  const auto started = launch.start();
  REQUIRE(started);
  const auto usable = usable_cpus();
  REQUIRE(usable);
  REQUIRE_FALSE(launch.begin({*usable, {}}, MemoryMode::kDefault));
  ::waitpid(started->pid, nullptr, 0);
  CHECK(launch.wait() == 255);
}

TEST_CASE("default_pin_directory: below the user's, else below /run") {
  CHECK(default_pin_directory("/run/user/7") == "/run/user/7/gedge");
  CHECK(default_pin_directory("") == "/run/gedge");
}

}  // namespace gedge
