#include "gedge/codec/kubelet_configuration.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>

namespace gedge {
namespace {

KubeletReading read(const std::string& fields, Compat compat = Compat::k1_36) {
  const std::string text =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" + fields;
  return read_kubelet_configuration({"config.yaml", text}, compat);
}

std::string why_not(const std::string& fields, Compat compat = Compat::k1_36) {
  const auto reading = read(fields, compat);
  return reading.errors.empty() ? "" : reading.errors.front().what;
}

}  // namespace

TEST_CASE("kubelet configuration: without policies nobody is pinned") {
  const auto reading = read("clusterDomain: cluster.local\n");
  REQUIRE(reading.rules);
  CHECK_FALSE(reading.rules->is_static);
  CHECK(reading.rules->topology == TopologyOptions{});
  CHECK(reading.rules->reservation.count == 0);
}

TEST_CASE("kubelet configuration: policies, options, scope and reservations") {
  const auto reading = read(
      "cpuManagerPolicy: static\n"
      "cpuManagerPolicyOptions:\n"
      "  full-pcpus-only: \"true\"\n"
      "  distribute-cpus-across-numa: \"1\"\n"
      "  strict-cpu-reservation: \"false\"\n"
      "topologyManagerPolicy: restricted\n"
      "topologyManagerScope: pod\n"
      "topologyManagerPolicyOptions:\n"
      "  prefer-closest-numa-nodes: \"true\"\n"
      "  max-allowable-numa-nodes: \"16\"\n"
      "kubeReserved: {cpu: 500m, memory: 1Gi}\n"
      "systemReserved: {cpu: \"1\"}\n");
  REQUIRE(reading.rules);
  const KubeletRules& rules = *reading.rules;
  CHECK(rules.is_static);
  CHECK(rules.cpu == StaticOptions{.full_pcpus_only = true, .distribute_cpus_across_numa = true});
  CHECK(rules.topology ==
        TopologyOptions{TopologyPolicy::kRestricted, TopologyScope::kPod, true, 16});
  CHECK(rules.reservation.count == 2);
  CHECK(rules.reservation.cpus.empty());
}

TEST_CASE("kubelet configuration: named CPUs overrule reserved amounts") {
  const auto reading = read("reservedSystemCPUs: 0-2\nkubeReserved: {cpu: 500m}\n");
  REQUIRE(reading.rules);
  CHECK(reading.rules->reservation.count == 3);
  CHECK(reading.rules->reservation.cpus == CpuSet{0, 1, 2});
}

TEST_CASE("kubelet configuration: options in alpha want their feature gate") {
  const std::string option = "cpuManagerPolicyOptions: {align-by-socket: \"true\"}\n";
  CHECK(why_not(option) ==
        "CPU Manager Policy Alpha-level Options not enabled, but option \"align-by-socket\" "
        "provided");
  const auto reading = read("featureGates: {CPUManagerPolicyAlphaOptions: true}\n" + option);
  REQUIRE(reading.rules);
  CHECK(reading.rules->cpu.align_by_socket);
  CHECK_FALSE(why_not("featureGates: {CPUManagerPolicyBetaOptions: false}\n"
                      "cpuManagerPolicyOptions: {distribute-cpus-across-numa: \"true\"}\n")
                  .empty());
}

TEST_CASE("kubelet configuration: what no kubelet knows is refused, with its place") {
  CHECK(why_not("cpuManagerPolicy: dynamic\n") == "unknown policy: \"dynamic\"");
  CHECK(why_not("topologyManagerPolicy: strict\n") == "unknown policy: \"strict\"");
  CHECK(why_not("topologyManagerScope: node\n") == "unknown scope: \"node\"");
  CHECK(why_not("cpuManagerPolicyOptions: {fast: \"true\"}\n") ==
        "unsupported cpumanager option: \"fast\"");
  CHECK_FALSE(why_not("cpuManagerPolicyOptions: {full-pcpus-only: \"yes\"}\n").empty());
  CHECK_FALSE(why_not("topologyManagerPolicyOptions: {max-allowable-numa-nodes: \"7\"}\n").empty());
  CHECK_FALSE(why_not("topologyManagerPolicyOptions: {near: \"true\"}\n").empty());
  CHECK_FALSE(why_not("reservedSystemCPUs: 3-1\n").empty());
  CHECK_FALSE(why_not("kubeReserved: {cpu: -1}\n").empty());
  CHECK_FALSE(why_not("cpuManagerPolicy: [static]\n").empty());
  CHECK(read("cpuManagerPolicy: dynamic\n").errors.front().where.line == 3);
  CHECK_FALSE(read_kubelet_configuration({"x", "kind: Pod\n"}, Compat::k1_36).errors.empty());
  CHECK_FALSE(read_kubelet_configuration({"x", ""}, Compat::k1_36).errors.empty());
  CHECK_FALSE(read_kubelet_configuration({"x", "- 1\n"}, Compat::k1_36).errors.empty());
}

TEST_CASE("kubelet configuration: 1.20 had no policy options") {
  CHECK_FALSE(
      why_not("cpuManagerPolicyOptions: {full-pcpus-only: \"true\"}\n", Compat::k1_20).empty());
  CHECK(read("cpuManagerPolicy: static\n", Compat::k1_20).rules->form == KubeletForm::k1_20);
}

TEST_CASE("kubelet configuration: 1.20 had no memory manager") {
  const auto reading = read("memoryManagerPolicy: Static\n", Compat::k1_20);
  REQUIRE(reading.warnings.size() == 1);
  CHECK(reading.warnings[0].code == "MemoryManagerIgnored");
  CHECK_FALSE(reading.rules->memory.is_static);
}

TEST_CASE("kubelet configuration: memory that is reserved, on which NUMA nodes") {
  constexpr std::uint64_t kMi = 1 << 20;
  const std::string text =
      "memoryManagerPolicy: Static\n"
      "kubeReserved: {cpu: 500m, memory: 1Gi}\n"
      "systemReserved: {memory: 76Mi}\n"
      "reservedMemory:\n"
      "- numaNode: 0\n"
      "  limits: {memory: 700Mi, hugepages-1Gi: 1Gi}\n"
      "- numaNode: 1\n"
      "  limits: {memory: 500Mi}\n";
  const auto usual = read(text);
  REQUIRE(usual.rules);
  CHECK(usual.warnings.empty());
  CHECK(usual.rules->memory.is_static);
  CHECK(usual.rules->memory.reserved ==
        std::map<int, std::uint64_t>{{0, 700 * kMi}, {1, 500 * kMi}});
  CHECK(usual.rules->memory.reserved_by_node == 1'200 * kMi);  // 100Mi of them for eviction
  const auto other = read(text + "evictionHard: {memory.available: 50Mi}\n");
  CHECK(other.rules->memory.reserved_by_node == 1'150 * kMi);
  CHECK(read(text + "evictionHard: {}\n").rules->memory.reserved_by_node == 1'100 * kMi);
  CHECK_FALSE(read(text + "evictionHard: {memory.available: 5%}\n").rules->memory.reserved_by_node);
  CHECK_FALSE(read("memoryManagerPolicy: None\n").rules->memory.is_static);
  CHECK(why_not("memoryManagerPolicy: static\n") == "unknown policy: \"static\"");
  CHECK(why_not("reservedMemory: [{numaNode: 0}]\n") == "it names no NUMA node with limits");
  CHECK(why_not("reservedMemory: [{numaNode: -1, limits: {memory: 1}}]\n") ==
        "'numaNode' is no number of a NUMA node: '-1'");
  CHECK(why_not("reservedMemory: [{numaNode: 0, limits: {memory: 1}}, {numaNode: 0, limits: "
                "{memory: 1}}]\n") ==
        "the reserved memory has a duplicate value for NUMA node 0 and resource \"memory\"");
  CHECK_FALSE(why_not("reservedMemory: [{numaNode: 0, limits: {memory: much}}]\n").empty());
  CHECK_FALSE(why_not("reservedMemory: 7\n").empty());
}

}  // namespace gedge
