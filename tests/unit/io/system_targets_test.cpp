// Threads of this machine; control groups of both versions, on recorded trees.
#include "gedge/io/system_targets.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <initializer_list>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "gedge/io/system_pins.hpp"
#include "support/folder.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

using test::Folder;

const std::string kId = "4f5a6c0b1d2e4f5a6c0b1d2e4f5a6c0b1d2e4f5a6c0b1d2e4f5a6c0b1d2e4f5a";
const std::string kScope = "/system.slice/docker-" + kId + ".scope";

// A machine of version 2, whose controller is not handed down to user.slice.
void record_second(const Folder& folder) {
  const std::string top = "sys/fs/cgroup/";
  folder.put("proc/self/mountinfo",
             "30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  folder.put("proc/77/cgroup", "0::" + kScope + "\n");
  folder.put("proc/78/cgroup", "0::/user.slice/me.scope\n");
  folder.put(top + "cpuset.cpus.effective", "0-15\n");
  folder.put(top + "system.slice/cpuset.cpus.effective", "0-11\n");
  folder.put(top + "system.slice/cpuset.cpus", "0-11\n");
  folder.put(top + kScope.substr(1) + "/cpuset.cpus.effective", "0-11\n");
  folder.put(top + kScope.substr(1) + "/cpuset.cpus", "\n");
  folder.put(top + kScope.substr(1) + "/cpuset.mems", "0-1\n");
  folder.put(top + kScope.substr(1) + "/init/cgroup.procs", "77\n");
  folder.put(top + "user.slice/me.scope/cgroup.procs", "78\n");
}

std::string text_of(const Folder& folder, const std::string& path) {
  std::ifstream file(folder.path() / path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("control groups, version 2: found by process and by container, read, written") {
  const Folder folder;
  record_second(folder);
  SystemGroups groups(folder.path().string());
  CHECK(groups.mount().version == CgroupVersion::kV2);
  CHECK(*groups.of_process(77) == kScope);
  CHECK(*groups.of_container(kId) == kScope);
  CHECK(*groups.of_container(kId.substr(0, 12)) == kScope);
  CHECK(groups.read(kScope, CpusetField::kCpus)->empty());
  CHECK(*groups.read(kScope, CpusetField::kUsableCpus) == CpuSet::range(0, 11));
  CHECK(*groups.read(kScope, CpusetField::kMems) == CpuSet{0, 1});
  REQUIRE(groups.write(kScope, CpusetField::kCpus, {2, 3}));
  CHECK(text_of(folder, "sys/fs/cgroup" + kScope + "/cpuset.cpus") == "2-3\n");
  REQUIRE(groups.write(kScope, CpusetField::kCpus, {}));
  CHECK(text_of(folder, "sys/fs/cgroup" + kScope + "/cpuset.cpus") == "\n");
  CHECK(*groups.with_inner(kScope) == std::vector<std::string>{kScope, kScope + "/init"});
  const auto known = groups.identify(kScope);
  REQUIRE(known);
  CHECK(known->path == kScope);
  CHECK(known->number != groups.identify("/system.slice")->number);
}

TEST_CASE("control groups, version 2: one without the controller has what the one above has") {
  const Folder folder;
  record_second(folder);
  SystemGroups groups(folder.path().string());
  const std::string mine = *groups.of_process(78);
  CHECK(*groups.read(mine, CpusetField::kUsableCpus) == CpuSet::range(0, 15));
  const auto none = groups.read(mine, CpusetField::kCpus);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Errc::kDenied);
  CHECK(none.error().hint.find("echo +cpuset > /sys/fs/cgroup/user.slice/cgroup.subtree_control") ==
        1);
}

TEST_CASE("control groups: what is not there, and what is ambiguous") {
  const Folder folder;
  record_second(folder);
  SystemGroups groups(folder.path().string());
  CHECK(groups.of_process(79).error().code == Errc::kNotFound);
  CHECK(groups.identify("/gone").error().code == Errc::kNotFound);
  CHECK(groups.read("/gone", CpusetField::kCpus).error().code == Errc::kNotFound);
  CHECK(groups.write("/gone", CpusetField::kCpus, {1}).error().code == Errc::kNotFound);
  CHECK(groups.of_container(std::string(64, 'a')).error().code == Errc::kNotFound);
  fs::create_directory_symlink(folder.path(), folder.path() / "sys/fs/cgroup/link");
  CHECK(groups.identify("/link").error().code == Errc::kNotFound);
  const std::string other = kId.substr(0, 20) + std::string(44, '0');
  folder.put("sys/fs/cgroup/docker/" + other + "/cpuset.cpus", "0\n");
  CHECK(*groups.of_container(kId) == kScope);
  CHECK(groups.of_container(kId.substr(0, 12)).error().code == Errc::kConflict);
}

TEST_CASE("control groups, version 1: its own names, and a container that sees a part only") {
  const Folder folder;
  folder.put("proc/self/mountinfo",
             "32 25 0:28 /docker/x /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  folder.put("proc/77/cgroup", "3:cpuset:/docker/x/y\n0::/elsewhere\n");
  folder.put("sys/fs/cgroup/cpuset/y/cpuset.effective_cpus", "4-7\n");
  folder.put("sys/fs/cgroup/cpuset/y/cpuset.cpus", "4-7\n");
  SystemGroups groups(folder.path().string());
  CHECK(groups.mount().version == CgroupVersion::kV1);
  const std::string path = *groups.of_process(77);
  CHECK(*groups.read(path, CpusetField::kUsableCpus) == CpuSet::range(4, 7));
  CHECK(*groups.read(path, CpusetField::kCpus) == CpuSet::range(4, 7));
  CHECK(groups.read("/docker/xy", CpusetField::kCpus).error().code == Errc::kDenied);
}

TEST_CASE("control groups: a holder is dead only where it can be seen that it is not there") {
  const Folder folder;
  folder.put("proc/self/mountinfo",
             "32 25 0:28 /docker/x /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  folder.put("sys/fs/cgroup/cpuset/y/cpuset.cpus", "4-7\n");
  const std::string root = folder.path().string();
  const auto known = SystemGroups(root).identify("/docker/x/y");
  REQUIRE(known);
  const SystemProcesses processes(root);
  CHECK(processes.lives(*known));
  CHECK_FALSE(processes.lives(GroupId{"/docker/x/y", known->number + 1}));
  CHECK_FALSE(processes.lives(GroupId{"/docker/x/z", 1}));
  for (const char* const hidden : {"/docker/z", "/docker/xy", "/"}) {
    CHECK(processes.lives(GroupId{hidden, 1}));
    const auto seen = SystemGroups(root).identify(hidden);
    REQUIRE_FALSE(seen);
    CHECK(seen.error().code == Errc::kDenied);
    CHECK(seen.error().hint.find("outside of the container") != std::string::npos);
  }
  const std::string longer = "/docker/x/" + std::string(5'000, 'z');  // no lstat answers that
  CHECK(processes.lives(GroupId{longer, 1}));
}

// What stands in /proc where control groups have this namespace.
void enter_space(const Folder& folder, const std::string& number) {
  fs::create_directories(folder.path() / "proc/self/ns");
  fs::remove(folder.path() / "proc/self/ns/cgroup");
  fs::create_symlink("cgroup:[" + number + "]", folder.path() / "proc/self/ns/cgroup");
}

TEST_CASE("control groups: those of another namespace are not taken for ones that are gone") {
  const Folder folder;
  record_second(folder);
  const std::string root = folder.path().string();
  enter_space(folder, "4026531835");
  const auto of_machine = SystemGroups(root).identify(kScope);
  enter_space(folder, "4026532281");
  const auto of_container = SystemGroups(root).identify("/user.slice");
  REQUIRE(of_machine);
  REQUIRE(of_container);
  CHECK(of_machine->space == 0);
  CHECK(of_container->space == 4'026'532'281);

  const SystemProcesses processes(root);
  GroupId gone{"/gone", of_machine->number + 1'000'000};
  CHECK(processes.lives(gone));  // as it is the machine's
  gone.space = 4'026'532'281;
  CHECK_FALSE(processes.lives(gone));
  gone.space = 4'026'532'282;
  CHECK(processes.lives(gone));

  enter_space(folder, "4026531835");
  CHECK(processes.lives(*of_machine));
  CHECK_FALSE(processes.lives(gone));  // no group of the machine has its number
  CHECK(processes.lives(GroupId{"/a", of_container->number, of_container->space}));
  folder.put("proc/self/mountinfo",
             "30 25 0:26 /user.slice /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  CHECK(processes.lives(gone));
}

TEST_CASE("control groups: a machine without them says so") {
  const Folder folder;
  SystemGroups groups(folder.path().string());
  CHECK(groups.mount().version == CgroupVersion::kNone);
  for (const Error& error :
       {groups.of_process(1).error(), groups.of_container(kId).error(),
        groups.identify("/a").error(), groups.read("/a", CpusetField::kCpus).error()}) {
    CHECK(error.code == Errc::kDenied);
    CHECK(error.hint.find("--pid") != std::string::npos);
  }
}

TEST_CASE("threads: each is seen, moved, and told from one that has ended") {
  SystemThreads threads;
  std::promise<int> started;
  std::promise<void> stop;
  std::thread other([&] {
    started.set_value(::gettid());
    stop.get_future().wait();
  });
  const int number = started.get_future().get();
  const auto listed = threads.of_process(::getpid());
  REQUIRE(listed);
  // A sanitizer may have a thread of its own.
  for (const int thread : {::getpid(), number}) CHECK(std::ranges::count(*listed, thread) == 1);
  const auto usable = usable_cpus();
  CHECK(*threads.mask(number) == *usable);
  const CpuSet last{usable->last()};
  REQUIRE(threads.pin(number, last));
  CHECK(*threads.mask(number) == last);
  CHECK(*threads.mask(::getpid()) == *usable);
  CHECK(threads.identify(number)->pid == number);
  CHECK(*threads.process_of(number) == ::getpid());
  CHECK(*threads.process_of(::getpid()) == ::getpid());
  CHECK(threads.pin(number, {}).error().code == Errc::kConflict);
  CHECK(threads.pin(number, {CpuSet::kLast}).error().code == Errc::kConflict);
  stop.set_value();
  other.join();
  CHECK(threads.of_process(0).error().code == Errc::kNotFound);
  CHECK(threads.process_of(0).error().code == Errc::kNotFound);
  CHECK(threads.identify(-1).error().code == Errc::kNotFound);
}

}  // namespace gedge
