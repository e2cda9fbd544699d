#include "gedge/pin/control_group.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace gedge {

namespace {

const std::string kFirst =
    "22 1 0:20 / /proc rw - proc proc rw\n"
    "30 25 0:26 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n"
    "31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 25 0:28 /docker/a\\040b /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,xattr,cpuset\n";
const std::string kSecond = "30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";
const std::string kId = "4f5a6c0b1d2e4f5a6c0b1d2e4f5a6c0b1d2e4f5a6c0b1d2e4f5a6c0b1d2e4f5a";

}  // namespace

TEST_CASE("control groups: version 1 where it keeps the CPUs, else version 2") {
  CHECK(cpuset_mount(kFirst) ==
        CgroupMount{CgroupVersion::kV1, "/sys/fs/cgroup/cpuset", "/docker/a b"});
  CHECK(cpuset_mount(kSecond) == CgroupMount{CgroupVersion::kV2, "/sys/fs/cgroup", "/"});
  CHECK(cpuset_mount(kFirst.substr(0, kFirst.rfind("32 "))).version == CgroupVersion::kV2);
  for (const char* const none : {"", "x", "22 1 0:20 / /proc rw - proc proc rw", " - cgroup",
                                 "1 2 3 / /x rw - cgroup cgroup rw,cpusets"})
    CHECK(cpuset_mount(none).version == CgroupVersion::kNone);
}

TEST_CASE("control groups: which one a process is in") {
  const std::string text = "4:cpu,cpuset:/a/b\n3:memory:/m\n0::/c:d\n";
  CHECK(group_in(text, CgroupVersion::kV1) == "/a/b");
  CHECK(group_in(text, CgroupVersion::kV2) == "/c:d");
  CHECK_FALSE(group_in("3:memory:/m\n", CgroupVersion::kV1));
  CHECK_FALSE(group_in("3:memory:/m\n", CgroupVersion::kV2));
  CHECK_FALSE(group_in("", CgroupVersion::kV2));
}

TEST_CASE("control groups: the namespace that paths are of") {
  CHECK(group_space("cgroup:[4026532281]") == 4'026'532'281);
  CHECK(group_space("cgroup:[4026531835]") == 0);
  for (const char* const none : {"", "cgroup:[", "cgroup:[]", "pid:[4026532281]"})
    CHECK(group_space(none) == 0);
}

TEST_CASE("control groups: one is within itself and those above it, not within one named alike") {
  for (const char* const outer : {"/a/b", "/a", "/"}) CHECK(is_group_within("/a/b", outer));
  for (const char* const other : {"/a/b/c", "/a/bc", "/b", "/a/"})
    CHECK_FALSE(is_group_within("/a/b", other));
  CHECK_FALSE(is_group_within("/ab", "/a"));
  CHECK(is_group_within("/", "/"));
}

TEST_CASE("control groups: as people name them, and never beside the hierarchy") {
  const CgroupMount mount{CgroupVersion::kV2, "/sys/fs/cgroup", "/"};
  CHECK(*group_path("/a/b", mount) == "/a/b");
  CHECK(*group_path("a//b/./", mount) == "/a/b");
  CHECK(*group_path("/sys/fs/cgroup/a", mount) == "/a");
  CHECK(*group_path("/sys/fs/cgroups/a", mount) == "/sys/fs/cgroups/a");
  CHECK(*group_path("a..b", mount) == "/a..b");
  for (const char* const bad : {"..", "/a/../../etc", "a/..", "/", "", "/sys/fs/cgroup", "./."})
    CHECK(group_path(bad, mount).error().code == Errc::kInvalidInput);
}

TEST_CASE("containers: an id is hexadecimal digits, whatever stands before ://") {
  CHECK(*container_id(kId) == kId);
  CHECK(*container_id("containerd://" + kId) == kId);
  CHECK(*container_id("4F5A6C0B1D2E") == "4f5a6c0b1d2e");
  for (const std::string& bad :
       {std::string("../../../etc"), std::string("4f5a6c0b1d2"), kId + "0", std::string(),
        "../" + kId, kId.substr(0, 20) + "/..", std::string("docker://"),
        std::string("web-0-web-0"), std::string("4f5a6c0b1d2e\n")})
    CHECK(container_id(bad).error().code == Errc::kInvalidInput);
}

TEST_CASE("containers: the groups of Docker, containerd, CRI-O and podman, and no others") {
  const std::string brief = kId.substr(0, 12);
  for (const std::string& name :
       {kId, "docker-" + kId + ".scope", "cri-containerd-" + kId + ".scope",
        "crio-" + kId + ".scope", "libpod-" + kId + ".scope", "libpod-" + kId}) {
    CHECK(is_container_group(name, kId));
    CHECK(is_container_group(name, brief));
    CHECK_FALSE(is_container_group(name, "5" + brief));
  }
  for (const std::string& name :
       {"crio-conmon-" + kId + ".scope", "libpod-conmon-" + kId + ".scope", kId + ".service",
        "pod" + kId, std::string("docker-"), std::string()})
    CHECK_FALSE(is_container_group(name, brief));
}

TEST_CASE("steps: inner groups are narrowed first, outer ones widened first") {
  const CpuSet all = CpuSet::range(0, 7), few{2, 3};
  const std::vector<CpusetChange> narrow{{"/a", all, few}, {"/a/b", all, few}, {"/a/c", few, few}};
  CHECK(cpuset_steps(narrow) == std::vector<CpusetStep>{{"/a/b", few}, {"/a", few}});
  const std::vector<CpusetChange> widen{{"/a", few, all}, {"/a/b", few, all}, {"/a/c", {}, all}};
  CHECK(cpuset_steps(widen) == std::vector<CpusetStep>{{"/a", all}, {"/a/b", all}});
  const std::vector<CpusetChange> move{{"/a", {0, 1}, {2}}, {"/a/b", {0}, {2}}};
  CHECK(cpuset_steps(move) ==
        std::vector<CpusetStep>{{"/a", {0, 1, 2}}, {"/a/b", {0, 2}}, {"/a/b", {2}}, {"/a", {2}}});
  CHECK(cpuset_steps({}).empty());
}

}  // namespace gedge
