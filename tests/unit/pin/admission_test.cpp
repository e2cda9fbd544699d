#include "gedge/pin/admission.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/model/pod.hpp"
#include "support/machines.hpp"

namespace gedge {
namespace {

using test::make_machine;
using test::Shape;

const Shape kTwoNodes{.sockets = 2, .nodes = 1, .cores = 4, .threads = 2};  // 0-7, 8-15

PodCpus pod(const std::string& uid, const std::vector<int>& apps) {
  PodCpus made{uid, {}};
  for (const int cpus : apps)
    made.containers.push_back(
        {"c" + std::to_string(made.containers.size()), ContainerRole::kApp, cpus});
  return made;
}

KubeletRules rules(TopologyPolicy policy = TopologyPolicy::kNone) {
  KubeletRules made;
  made.is_static = true;
  made.topology.policy = policy;
  made.reservation = {2, {}};
  return made;
}

Kubelet kubelet(const KubeletRules& with, const Shape& shape = kTwoNodes) {
  auto made = Kubelet::create(make_machine(shape), with);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().what));
  return *std::move(made);
}

std::string told(const PinAnswer& answer) {
  if (answer.refusal) return answer.refusal->reason + ": " + answer.refusal->message;
  std::string text;
  for (const PinnedContainer& container : answer.containers)
    text += (text.empty() ? "" : "; ") + container.container +
            (container.exclusive ? " " : " shares ") + to_string(container.cpus);
  return text;
}

std::string why_not(const KubeletRules& with, const Shape& shape = kTwoNodes) {
  const auto made = Kubelet::create(make_machine(shape), with);
  return made ? "" : made.error().what;
}

}  // namespace

TEST_CASE("admission: exclusive CPUs beside the reserved ones, the rest shares") {
  Kubelet node = kubelet(rules());
  CHECK(to_string(node.cpus().reserved()) == "0-1");
  CHECK(told(node.admit(pod("a", {4, 0}))) == "c0 2-5; c1 shares 0-1,6-15");
  CHECK(told(node.admit(pod("b", {8}))) == "c0 8-15");
  CHECK(told(node.admit(pod("c", {3}))) ==
        "UnexpectedAdmissionError: Allocate failed due to not enough cpus available to satisfy "
        "request: requested=3, available=2, which is unexpected");
  node.remove(pod("a", {4, 0}));
  CHECK(told(node.admit(pod("c", {3}))) == "c0 2-4");
}

TEST_CASE(
    "admission: enough CPUs, yet rejected, as an empty machine could have done it in one node") {
  Kubelet node = kubelet(rules(TopologyPolicy::kRestricted));
  CHECK(told(node.admit(pod("a", {4}))) == "c0 2-5");
  CHECK(told(node.admit(pod("b", {4}))) == "c0 8-11");
  // 2 and 4 are left: 6 would fit, across both.
  CHECK(told(node.admit(pod("c", {6}))) ==
        "TopologyAffinityError: Resources cannot be allocated with Topology locality");
  CHECK(node.cpus().free().size() == 6);
  // 9 need both nodes even on an empty machine, but there are not so many.
  CHECK(node.admit(pod("d", {9})).refusal->reason == "TopologyAffinityError");
  CHECK(told(node.admit(pod("e", {4}))) == "c0 12-15");
}

TEST_CASE("admission: of the pod as a whole, or of each container") {
  KubeletRules with = rules(TopologyPolicy::kSingleNumaNode);
  CHECK(told(kubelet(with).admit(pod("a", {6, 4}))) == "c0 2-7; c1 8-11");
  with.topology.scope = TopologyScope::kPod;
  CHECK(kubelet(with).admit(pod("a", {6, 4})).refusal->reason == "TopologyAffinityError");
  CHECK(told(kubelet(with).admit(pod("a", {4, 4}))) == "c0 8-11; c1 12-15");
}

TEST_CASE("admission: full cores only") {
  KubeletRules with = rules();
  with.cpu.full_pcpus_only = true;
  with.reservation = {1, {}};
  Kubelet node = kubelet(with);
  CHECK(told(node.admit(pod("a", {3}))) ==
        "SMTAlignmentError: SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2");
  CHECK(told(node.admit(pod("b", {14}))) == "c0 2-15");
  node.remove(pod("b", {14}));
  // One sibling of the reserved CPU is free, and no whole core.
  CHECK(told(node.admit(pod("c", {16}))) ==
        "SMTAlignmentError: SMT Alignment Error: not enough free physical CPUs: available physical "
        "CPUs = 14, requested CPUs = 16, CPUs per core = 2");
}

TEST_CASE("admission: strictly reserved CPUs are nobody's") {
  KubeletRules with = rules();
  with.cpu.strict_cpu_reservation = true;
  CHECK(told(kubelet(with).admit(pod("a", {0}))) == "c0 shares 2-15");
}

TEST_CASE("admission: by socket, hints that fill a socket are as good as one node") {
  const Shape shape{.sockets = 2, .nodes = 2, .cores = 8};
  KubeletRules with = rules(TopologyPolicy::kRestricted);
  Kubelet plain = kubelet(with, shape);
  CHECK(told(plain.admit(pod("a", {3}))) == "c0 4-6");
  with.cpu.align_by_socket = true;
  Kubelet node = kubelet(with, shape);
  CHECK(told(node.admit(pod("a", {2}))) == "c0 2-3");
  CHECK(told(node.admit(pod("b", {3}))) == "c0 4-6");
}

TEST_CASE("admission: init containers leave their CPUs to later ones, sidecars keep theirs") {
  PodCpus made{"a",
               {{"i", ContainerRole::kInit, 2},
                {"s", ContainerRole::kSidecar, 2},
                {"c", ContainerRole::kApp, 2}}};
  CHECK(made.most() == 4);
  Kubelet node = kubelet(rules());
  CHECK(told(node.admit(made)) == "i 2-3; s 2-3; c 4-5");
  node.start(made);
  CHECK(to_string(node.cpus().assignments().shared) == "0-1,6-15");
  node.remove(made);
  CHECK(to_string(node.cpus().assignments().shared) == "0-15");
}

TEST_CASE("admission: 1.20 gives the CPUs of an init container back though they are in use") {
  KubeletRules with = rules();
  with.form = KubeletForm::k1_20;
  PodCpus made{"a", {{"i", ContainerRole::kInit, 2}, {"c", ContainerRole::kApp, 2}}};
  Kubelet node = kubelet(with);
  CHECK(told(node.admit(made)) == "i 2-3; c 2-3");
  node.start(made);
  CHECK(to_string(node.cpus().assignments().shared) == "0-15");
}

TEST_CASE("admission: policy none admits all and pins nobody") {
  Kubelet node = kubelet({});
  CHECK(told(node.admit(pod("a", {99}))) == "c0 shares 0-15");
}

TEST_CASE("admission: a kubelet that would not start says so") {
  KubeletRules with = rules();
  with.reservation = {};
  CHECK(why_not(with).find("greater than zero") != std::string::npos);
  with.reservation = {3, CpuSet{0, 1}};
  CHECK(why_not(with) ==
        "[cpumanager] unable to reserve the required amount of CPUs (size of 0-1 did not equal 3)");
  with.reservation = {1, CpuSet{16}};
  CHECK(why_not(with) == "Invalid CPUSet \"16\" specified by --reserved-cpus");
  with = rules(TopologyPolicy::kSingleNumaNode);
  CHECK(why_not(with, {.sockets = 3, .nodes = 3, .cores = 3}) ==
        "unsupported on machines with more than 8 NUMA Nodes");
  with.topology.max_allowable_numa_nodes = 9;
  CHECK(why_not(with, {.sockets = 3, .nodes = 3, .cores = 3}) == "");
  with.cpu.align_by_socket = true;
  CHECK_FALSE(why_not(with).empty());
  for (const StaticOptions& options :
       {StaticOptions{.full_pcpus_only = true, .distribute_cpus_across_cores = true},
        StaticOptions{.distribute_cpus_across_numa = true, .distribute_cpus_across_cores = true},
        StaticOptions{.distribute_cpus_across_cores = true,
        .prefer_align_cpus_by_uncorecache = true},
        StaticOptions{.distribute_cpus_across_numa = true,
        .prefer_align_cpus_by_uncorecache = true}}) {
    with = rules();
    with.cpu = options;
    CHECK(why_not(with).find("can not be used together") != std::string::npos);
  }
  CHECK_FALSE(Kubelet::create({}, rules()));
}

TEST_CASE("admission: a state that does not fit is refused and changes nothing") {
  Kubelet node = kubelet(rules());
  const auto refused = [&](CpuAssignments state) {
    const Status restored = node.restore(std::move(state));
    CHECK(node.cpus().assignments().shared == CpuSet::range(0, 15));
    return restored ? std::string() : restored.error().what;
  };
  CHECK(refused({{}, {{"a", {{"c", CpuSet{2}}}}}}) == "default cpuset cannot be empty");
  CHECK(refused({CpuSet::range(1, 15), {}}) ==
        "not all reserved cpus: \"0-1\" are present in defaultCpuSet: \"1-15\"");
  CHECK(refused({CpuSet::range(0, 15), {{"a", {{"c", CpuSet{2}}}}}}) ==
        "pod: a, container: c cpuset: \"2\" overlaps with default cpuset \"0-15\"");
  CHECK(refused({CpuSet::range(0, 14), {}}) ==
        "current set of available CPUs \"0-15\" doesn't match with CPUs in state \"0-14\"");
  CHECK(refused({}) == "");
  REQUIRE(node.restore({CpuSet::range(0, 13), {{"a", {{"c0", CpuSet{14, 15}}}}}}));
  CHECK(told(node.admit(pod("a", {2}))) == "c0 14-15");
  CHECK(told(node.admit(pod("b", {8}))).substr(0, 4) == "c0 2");
}

TEST_CASE("admission: devices have their say, are taken and given back") {
  Machine machine = make_machine(kTwoNodes);
  for (const int node : {0, 1})
    machine.devices.push_back({DeviceKind::kGpu,
                               "card" + std::to_string(node),
                               "0000:0" + std::to_string(node) + ":00.0",
                               machine.numa_nodes[static_cast<std::size_t>(node)].cpus,
                               {"host" + std::to_string(node)}});
  auto node = Kubelet::create(machine, rules(TopologyPolicy::kSingleNumaNode));
  REQUIRE(node);
  const auto with_gpu = [](const std::string& uid, int cpus, int gpus, ContainerRole role) {
    DeviceWish wish = device_wish("gpu");
    wish.count = gpus;
    wish.resource = "nvidia.com/gpu";
    return PodCpus{uid, {{"c", role, cpus, {wish}}}};
  };
  const PodCpus a = with_gpu("a", 2, 1, ContainerRole::kApp);
  CHECK(node->admit(a).refusal->reason == "TopologyAffinityError");
  node->know_devices(machine);
  CHECK(node->admit(a).containers.front().devices == DeviceChoice{{0}, 0});
  const PinAnswer second = node->admit(with_gpu("b", 2, 1, ContainerRole::kApp));
  CHECK(told(second) == "c 8-9");
  CHECK(second.containers.front().devices == DeviceChoice{{1}, 0});
  CHECK(told(node->admit(with_gpu("c", 1, 1, ContainerRole::kApp))).find("TopologyAffinity") == 0);
  node->remove(a);
  CHECK(told(node->admit(with_gpu("c", 7, 1, ContainerRole::kApp))).find("TopologyAffinity") == 0);
  CHECK(told(node->admit(with_gpu("c", 6, 1, ContainerRole::kApp))) == "c 2-7");
  node->remove(with_gpu("c", 6, 1, ContainerRole::kApp));
  CHECK(told(node->admit(with_gpu("d", 2, 2, ContainerRole::kApp))).find("TopologyAffinity") == 0);

  // What an init container had, its pod goes on with.
  PodCpus starting = with_gpu("e", 0, 1, ContainerRole::kInit);
  starting.containers.push_back(with_gpu("e", 0, 1, ContainerRole::kApp).containers.front());
  starting.containers.back().container = "app";
  const PinAnswer answer = node->admit(starting);
  REQUIRE_FALSE(answer.refusal);
  CHECK(answer.containers.back().devices == DeviceChoice{{0}, 0});
  node->start(starting);
  CHECK(node->admit(with_gpu("f", 0, 1, ContainerRole::kApp)).refusal);
}

TEST_CASE("devices of a pod: the most that it has at one time, by resource") {
  DeviceWish gpu = device_wish("gpu"), card = device_wish("network");
  gpu.resource = "gpu.example/a";
  card.resource = "net.example/b";
  DeviceWish two = gpu;
  two.count = 2;
  const PodCpus pod{"u",
                    {{"side", ContainerRole::kSidecar, 0, {card}},
                     {"init", ContainerRole::kInit, 0, {two}},
                     {"app", ContainerRole::kApp, 0, {gpu, card}}}};
  DeviceWish cards = card;
  cards.count = 2;
  CHECK(pod.most_devices() == std::vector<DeviceWish>{cards, two});
}

TEST_CASE("exclusive CPUs are for whole CPUs in pods of class Guaranteed") {
  const Resources whole{{"cpu", 2'000}, {"memory", 1'000}};
  const Resources part{{"cpu", 1'500}, {"memory", 1'000}};
  const auto spec = [](const Resources& requests, const Resources& limits) {
    PodSpec made;
    made.containers = SharedList<Container>({Container{"c", "i", requests, limits}});
    return made;
  };
  CHECK(cpu_requests(spec(whole, whole), "u").containers ==
        std::vector<CpuRequest>{{"c", ContainerRole::kApp, 2, {}, 1'000}});
  CHECK(cpu_requests(spec(part, part), "u").most() == 0);
  CHECK(cpu_requests(spec(whole, {}), "u").most() == 0);
  CHECK(cpu_requests(spec(whole, {{"cpu", 2'000}}), "u").most() == 0);
  CHECK(cpu_requests(spec(whole, {{"cpu", 3'000}, {"memory", 1'000}}), "u").most() == 0);
  PodSpec mixed = spec(whole, whole);
  mixed.init_containers = SharedList<Container>({Container{"i", "i", {}, {}}});
  CHECK(cpu_requests(mixed, "u").most() == 0);
  mixed.init_containers =
      SharedList<Container>({Container{"i", "i", whole, whole, true}, {"j", "i", part, part}});
  CHECK(cpu_requests(mixed, "u").containers ==
        std::vector<CpuRequest>{{"i", ContainerRole::kSidecar, 2, {}, 1'000},
                                {"j", ContainerRole::kInit, 0, {}, 1'000},
                                {"c", ContainerRole::kApp, 2, {}, 1'000}});
  PodSpec level = spec(whole, whole);
  level.pod_requests = whole;
  CHECK(cpu_requests(level, "u").most() == 0);
}

}  // namespace gedge
