// The CPU manager's static policy against the answers of Kubernetes 1.20.2.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/quantity.hpp"
#include "gedge/model/pod.hpp"
#include "gedge/pin/static_policy.hpp"
#include "support/conformance.hpp"

namespace {

using namespace gedge;
using gedge::test::expect_equal;
using nlohmann::json;

Machine machine_of(const json& nodes) {
  Machine machine;
  for (const json& node : nodes)
    for (const json& core : node.at("cores")) {
      const auto threads = core.at("threads").get<std::vector<int>>();
      const int lowest = *std::min_element(threads.begin(), threads.end());
      for (const int thread : threads)
        machine.cpus.push_back({thread, lowest, core.at("socket"), node.at("id"), -1, -1});
    }
  std::sort(machine.cpus.begin(), machine.cpus.end(),
            [](const Cpu& a, const Cpu& b) { return a.id < b.id; });
  return machine;
}

CpuSet set_of(const json& list) {
  CpuSet set;
  for (const json& cpu : list) set.add(cpu.get<int>());
  return set;
}

CpuSet set_of(const json& object, const char* key) {
  return object.contains(key) ? set_of(object.at(key)) : CpuSet{};
}

void check_topology(const json& expected, const CpuTopology& topology) {
  expect_equal("numCPUs", expected.at("numCPUs").get<int>(), topology.cpu_count());
  expect_equal("numSockets", expected.at("numSockets").get<int>(), topology.socket_count());
  expect_equal("cpusPerCore", expected.at("cpusPerCore").get<int>(), topology.cpus_per_core());
  expect_equal("cpusPerSocket", expected.at("cpusPerSocket").get<int>(),
               topology.cpus_per_socket());
}

void check_take(const json& vector, const CpuTopology& topology) {
  const json& expected = vector.at("expected");
  const auto got = take_cpus(topology, {}, set_of(vector, "available"), vector.at("request"));
  expect_equal("answered", !expected.contains("error"), got.has_value());
  if (!got || expected.contains("error")) return;
  if (!expected.contains("anyOf")) {
    expect_equal("cpus", to_string(set_of(expected, "cpus")), to_string(*got));
    expect_equal("cpuList", expected.value("cpuList", ""), to_string(*got));
    return;
  }
  bool right = false;
  for (const json& set : expected.at("anyOf")) right = right || set_of(set) == *got;
  CHECK_MESSAGE(right, "cpus: none of the expected ones, got " << to_string(*got));
}

Resources resources_of(const json& container, const char* key) {
  Resources resources;
  if (!container.contains("resources") || !container.at("resources").contains(key))
    return resources;
  for (const auto& [name, amount] : container.at("resources").at(key).items()) {
    const auto text = amount.get<std::string>();
    resources.set(name, name == kCpu ? parse_milli(text).value() : parse_units(text).value());
  }
  return resources;
}

SharedList<Container> containers_of(const json& spec, const char* key) {
  std::vector<Container> list;
  if (spec.contains(key))
    for (const json& container : spec.at(key)) {
      Container& made = list.emplace_back();
      made.name = SharedText(container.at("name").get<std::string>());
      made.requests = resources_of(container, "requests");
      made.limits = resources_of(container, "limits");
    }
  return SharedList<Container>(std::move(list));
}

PodCpus pod_of(const json& pods, const std::string& uid) {
  for (const json& pod : pods) {
    if (pod.at("metadata").at("uid") != uid) continue;
    PodSpec spec;
    spec.containers = containers_of(pod.at("spec"), "containers");
    spec.init_containers = containers_of(pod.at("spec"), "initContainers");
    return cpu_requests(spec, uid);
  }
  FAIL("no pod " << uid);
  return {};
}

// The vectors leave an empty list out, as they do the answer of who does not care.
std::string text_of(const NumaHints& hints) {
  std::string text;
  if (!hints) return text;
  for (const NumaHint& hint : *hints) {
    for (int id = 0; id < kNumaIds; ++id)
      if ((*hint.nodes & numa_bit(id)) != 0) text += std::to_string(id) + ' ';
    text += hint.preferred ? "preferred; " : "possible; ";
  }
  return text;
}

NumaHints hints_of(const json& step) {
  if (!step.contains("hints")) return std::nullopt;
  std::vector<NumaHint> hints;
  for (const json& hint : step.at("hints")) {
    NumaMask mask = 0;
    for (const json& id : hint.at("numaNodes")) mask |= numa_bit(id.get<int>());
    hints.push_back({mask, hint.at("preferred").get<bool>()});
  }
  return hints;
}

void check_step(const json& vector, const json& step, const json& expected, StaticPolicy& policy) {
  const auto uid = step.at("podUID").get<std::string>();
  const auto container = step.at("container").get<std::string>();
  std::optional<PinRefusal> refused;
  if (step.at("op") == "remove") {
    policy.release(uid, container);
  } else {
    const PodCpus pod = pod_of(vector.at("pods"), uid);
    const auto request =
        std::find_if(pod.containers.begin(), pod.containers.end(),
                     [&](const CpuRequest& r) { return r.container == container; });
    REQUIRE(request != pod.containers.end());
    std::optional<NumaMask> affinity;
    if (step.contains("numaAffinity")) {
      affinity = 0;
      for (const json& id : step.at("numaAffinity")) *affinity |= numa_bit(id.get<int>());
    }
    expect_equal("hints", text_of(hints_of(expected)), text_of(policy.hints(pod, *request)));
    refused = policy.allocate(pod, *request, affinity);
  }
  expect_equal("refused", expected.contains("error"), refused.has_value());
  if (refused && expected.contains("error"))
    CHECK_MESSAGE(
        refused->message.find(expected.at("error").get<std::string>()) != std::string::npos,
        refused->message);
  const auto& pods = policy.assignments().pods;
  CpuSet held;
  if (const auto of = pods.find(uid); of != pods.end())
    if (const auto at = of->second.find(container); at != of->second.end()) held = at->second;
  expect_equal("cpus", to_string(set_of(expected, "cpus")), to_string(held));
  expect_equal("default", expected.value("defaultList", ""),
               to_string(policy.assignments().shared));
}

void check_sequence(const json& vector, const CpuTopology& topology) {
  const json& expected = vector.at("expected");
  auto policy = StaticPolicy::create(
      topology, {}, {vector.at("numReserved").get<int>(), set_of(vector, "reservedCPUs")});
  expect_equal("created", !expected.contains("error"), static_cast<bool>(policy));
  if (!policy) return expect_equal("error", expected.value("error", ""), policy.error().what);
  expect_equal("reserved", to_string(set_of(expected, "reserved")), to_string(policy->reserved()));
  for (std::size_t i = 0; i < vector.at("steps").size(); ++i) {
    INFO("step " << i);
    check_step(vector, vector.at("steps").at(i), expected.at("steps").at(i), *policy);
  }
}

void check_vector(const json& vector) {
  const CpuTopology topology(machine_of(vector.at("machine")), KubeletForm::k1_20);
  check_topology(vector.at("topology"), topology);
  if (vector.at("type") == "take")
    check_take(vector, topology);
  else
    check_sequence(vector, topology);
}

}  // namespace

TEST_CASE("every cpumanager vector agrees, sets and errors") {
  gedge::test::for_each_vector("cpumanager.jsonl", check_vector);
}
