// The documents Machine, PinPlan, PinCheck and PinDefrag.
#include "gedge/codec/write_machine.hpp"

#include <algorithm>
#include <string_view>

#include "codec/document_sink.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;

Json or_null(int number) { return number >= 0 ? Json(number) : Json(nullptr); }
Json or_null(std::uint64_t bytes) { return bytes > 0 ? Json(bytes) : Json(nullptr); }

std::string_view word_of(ContainerRole role) {
  switch (role) {
    case ContainerRole::kInit:
      return "init";
    case ContainerRole::kSidecar:
      return "sidecar";
    case ContainerRole::kApp:
      break;
  }
  return "app";
}

Json memory_json(const PinnedContainer& container) {
  if (!container.memory) return nullptr;
  Json ids = Json::array();
  for (int id = 0; id < kNumaIds; ++id)
    if ((*container.memory & numa_bit(id)) != 0) ids.push_back(id);
  return ids;
}

Json decision_json(const PinDecision& decision, const PinPlan& plan) {
  const PinAnswer& answer = decision.answer;
  Json json{{"namespace", decision.namespace_name}, {"pod", decision.pod}};
  json["admitted"] = !answer.refusal;
  json["reason"] = answer.refusal ? Json(answer.refusal->reason) : Json(nullptr);
  json["message"] = answer.refusal ? answer.refusal->message : "";
  Json containers = Json::array();
  for (const PinnedContainer& container : answer.containers) {
    Json devices = Json::array();
    for (const std::size_t at : container.devices.devices)
      devices.push_back(Json{{"name", plan.devices.at(at).name}, {"bus", plan.devices.at(at).bus}});
    containers.push_back(Json{{"container", container.container},
                              {"role", word_of(container.role)},
                              {"exclusive", container.exclusive},
                              {"cpus", to_string(container.cpus)},
                              {"numaNodes", numa_nodes_of(container.cpus, plan.numa_nodes)},
                              {"memoryNodes", memory_json(container)},
                              {"devices", std::move(devices)},
                              {"deviceCost", container.devices.cost}});
  }
  json["containers"] = std::move(containers);
  return json;
}

Json pin_json(const HeldPin& pin) {
  return {{"holder", pin.holder},
          {"program", pin.name.empty() ? Json(nullptr) : Json(pin.name)},
          {"cpus", to_string(pin.cpus)},
          {"threads", pin.threads},
          {"isolated", pin.is_isolated}};
}

Json restart_json(const Restart& restart) {
  Json containers = Json::array();
  for (const RestartedContainer& container : restart.containers)
    containers.push_back(Json{{"container", container.container},
                              {"from", to_string(container.from)},
                              {"to", to_string(container.to)}});
  return {{"pod", restart.pod},
          {"containers", std::move(containers)},
          {"freeCores", restart.free.cores},
          {"freeNumaNodes", restart.free.nodes}};
}

}  // namespace

std::size_t PinPlan::admitted() const {
  return static_cast<std::size_t>(
      std::count_if(decisions.begin(), decisions.end(),
                    [](const PinDecision& decision) { return !decision.answer.refusal; }));
}

std::vector<int> numa_nodes_of(const CpuSet& cpus, const std::vector<NumaNode>& nodes) {
  std::vector<int> ids;
  for (const NumaNode& node : nodes)
    if (node.cpus.meets(cpus)) ids.push_back(node.id);
  return ids;
}

std::string write(const Machine& machine, const PinCheck& pins, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "Machine");
    sink.list("cpus", machine.cpus.size(), [&](std::size_t i) {
      const Cpu& cpu = machine.cpus[i];
      return Json{{"cpu", cpu.id},
                  {"core", cpu.core},
                  {"socket", cpu.socket},
                  {"numaNode", cpu.numa},
                  {"cache", or_null(cpu.cache)},
                  {"kind", or_null(cpu.kind)}};
    });
    sink.list("numaNodes", machine.numa_nodes.size(), [&](std::size_t i) {
      const NumaNode& node = machine.numa_nodes[i];
      Json distances = nullptr;
      const std::size_t size = machine.numa_nodes.size();
      if (!machine.distances.empty()) {
        distances = Json::array();
        for (std::size_t j = 0; j < size; ++j) distances.push_back(machine.distances[i * size + j]);
      }
      return Json{{"id", node.id},
                  {"memoryBytes", or_null(node.memory_bytes)},
                  {"cpus", to_string(node.cpus)},
                  {"distances", std::move(distances)}};
    });
    sink.list("caches", machine.caches.size(), [&](std::size_t i) {
      const Cache& cache = machine.caches[i];
      return Json{{"level", cache.level},
                  {"sizeBytes", or_null(cache.size_bytes)},
                  {"cpus", to_string(cache.cpus)}};
    });
    sink.list("devices", machine.devices.size(), [&](std::size_t i) {
      const Device& device = machine.devices[i];
      Json costs = Json::array();
      for (const Device& other : machine.devices)
        costs.push_back(cost_of(device_cost(machine, device, other)));
      return Json{{"kind", word_of(device.kind)},
                  {"name", device.name},
                  {"bus", device.bus},
                  {"bridges", device.bridges},
                  {"cpus", to_string(device.near)},
                  {"numaNodes", numa_nodes_of(device.near, machine.numa_nodes)},
                  {"costs", std::move(costs)}};
    });
    sink.field("offline", to_string(machine.offline));
    sink.field("isolated", to_string(machine.isolated));
    sink.field("nohzFull", to_string(machine.nohz_full));
    sink.list("pins", pins.pins.size(), [&](std::size_t i) { return pin_json(pins.pins[i]); });
  });
}

std::string write(const PinCheck& check, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "PinCheck");
    sink.list("pins", check.pins.size(), [&](std::size_t i) {
      const HeldPin& pin = check.pins[i];
      Json json = pin_json(pin);
      Json faults = Json::array();
      for (const PinFault& fault : pin.faults)
        faults.push_back(Json{{"fault", word_of(fault.kind)}, {"detail", fault.detail}});
      json["faults"] = std::move(faults);
      return json;
    });
    sink.list("leftBehind", check.left.size(), [&](std::size_t i) {
      const LeftBehind& left = check.left[i];
      return Json{{"holder", left.holder},
                  {"cpus", to_string(left.cpus)},
                  {"moved", left.is_moved},
                  {"nice", left.nice > 0 ? Json(left.nice) : Json(nullptr)}};
    });
    sink.field("allTrue", check.all_true());
  });
}

std::string write(const PinPlan& plan, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "PinPlan");
    sink.field("compat", plan.compat == Compat::k1_20 ? "1.20" : "1.36");
    sink.list("decisions", plan.decisions.size(),
              [&](std::size_t i) { return decision_json(plan.decisions[i], plan); });
    sink.field("reserved", to_string(plan.reserved));
    sink.field("shared", to_string(plan.shared));
    sink.field("free", to_string(plan.free));
    const std::size_t admitted = plan.admitted();
    sink.field("summary", Json{{"pods", plan.decisions.size()},
                               {"admitted", admitted},
                               {"rejected", plan.decisions.size() - admitted}});
  });
}

std::string write(const Defragmentation& found, TextFormat format) {
  const auto counts = [](int total, int now, int possible, int after) {
    return Json{{"total", total}, {"free", now}, {"freeAtMost", possible}, {"freeAfter", after}};
  };
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "PinDefrag");
    sink.field("cores",
               counts(found.total.cores, found.now.cores, found.possible.cores, found.after.cores));
    sink.field("numaNodes",
               counts(found.total.nodes, found.now.nodes, found.possible.nodes, found.after.nodes));
    sink.list("restarts", found.restarts.size(),
              [&](std::size_t i) { return restart_json(found.restarts[i]); });
    sink.field("proven", found.is_proven);
  });
}

}  // namespace gedge
