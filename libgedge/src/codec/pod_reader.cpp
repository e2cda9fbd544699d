#include "codec/pod_reader.hpp"

#include <algorithm>
#include <array>

#include "codec/budgets.hpp"
#include "codec/selectors.hpp"

namespace gedge::codec {
namespace {

struct ContainerReading {
  Container container;
  std::vector<HostPort> ports;  // those without host port have the container's number, negative
};

void read_port(Cursor value, std::vector<HostPort>& out) {
  HostPort port;
  std::int32_t container_port = 0;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "hostPort" || key == "containerPort") {
      const auto number = field.integer(0, 65535);
      if (number)
        (key == "hostPort" ? port.port : container_port) = static_cast<std::int32_t>(*number);
    } else if (key == "protocol") {
      read_text(field, port.protocol);
    } else if (key == "hostIP") {
      read_text(field, port.ip);
    }
  });
  if (port.ip.empty()) port.ip = "0.0.0.0";
  if (port.protocol.empty()) port.protocol = "TCP";
  if (port.port == 0) port.port = -container_port;
  if (port.port != 0) out.push_back(std::move(port));
}

void read_requirements(Cursor value, Resources& requests, Resources& limits) {
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "requests") read_resources(field, requests);
    if (key == "limits") read_resources(field, limits);
  });
}

void read_own_requirements(Cursor value, Resources& requests, Resources& limits) {
  read_requirements(value, requests, limits);
  for (const auto& [name, amount] : limits)
    if (!requests.find(name)) requests.set(name, amount);
}

ContainerReading read_container(Cursor value) {
  ContainerReading reading;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "name") read_text(field, reading.container.name);
    if (key == "image") read_text(field, reading.container.image);
    if (key == "ports") field.items([&](Cursor port) { read_port(port, reading.ports); });
    if (key == "restartPolicy") reading.container.restartable = field.raw_text() == "Always";
    if (key == "resources")
      read_own_requirements(field, reading.container.requests, reading.container.limits);
  });
  return reading;
}

// As the API server has it: containers that run before or beside others share their names.
void check_name(Cursor item, const Container& container, const PodSpec& spec) {
  const std::string& name = container.name;
  const auto is_taken = [&](const auto& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Container& other) { return other.name == name; });
  };
  if (name.empty() || (!is_taken(spec.containers) && !is_taken(spec.init_containers))) return;
  item.find("name")->fail("two containers are called " + quote(name), "rename one of them");
}

void read_containers(Cursor list, PodSpec& spec) {
  list.items([&](Cursor item) {
    if (spec.containers.empty())
      if (const auto env = item.find("env")) read_latency_source(*env, spec.latency_source);
    ContainerReading reading = read_container(item);
    check_name(item, reading.container, spec);
    reading.container.restartable = false;
    spec.containers.push_back(std::move(reading.container));
    for (const HostPort& port : reading.ports) spec.host_ports.push_back(port);
  });
}

// Those of sidecars are taken as long as those of app containers.
void read_init_containers(Cursor list, PodSpec& spec, std::vector<HostPort>& of_sidecars) {
  list.items([&](Cursor item) {
    ContainerReading reading = read_container(item);
    check_name(item, reading.container, spec);
    if (reading.container.restartable)
      of_sidecars.insert(of_sidecars.end(), reading.ports.begin(), reading.ports.end());
    spec.init_containers.push_back(std::move(reading.container));
  });
}

void read_volume(Cursor value, PodTemplate& out) {
  PodVolume volume;
  bool matters = false;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "name") read_text(field, volume.name);
    if (key == "persistentVolumeClaim" && field.is_map()) {
      if (const auto claim = field.find("claimName")) read_text(*claim, volume.claim);
      matters = true;
    }
    if (key == "ephemeral" && field.is_map()) volume.ephemeral = matters = true;
  });
  if (!matters) return;
  if (volume.ephemeral) {
    PersistentVolumeClaim claim;
    claim.name = volume.name;
    const auto made = value.find("ephemeral")->find("volumeClaimTemplate");
    if (const auto spec = made ? made->find("spec") : std::nullopt) read_claim_spec(*spec, claim);
    out.ephemeral.push_back(std::move(claim));
  }
  out.spec.volumes.push_back(std::move(volume));
}

void read_pod_resources(Cursor value, PodSpec& spec) {
  if (value.is_null()) return;
  Resources requests, limits;
  read_requirements(value, requests, limits);
  if (!requests.empty()) spec.pod_requests = std::move(requests);
  if (!limits.empty()) spec.pod_limits = std::move(limits);
}

bool read_spec_scalar(std::string_view key, Cursor value, PodTemplate& out) {
  PodSpec& spec = out.spec;
  if (key == "nodeName") {
    read_text(value, spec.node_name);
  } else if (key == "schedulerName") {
    read_text(value, spec.scheduler_name);
  } else if (key == "priorityClassName") {
    read_text(value, spec.priority_class);
  } else if (key == "runtimeClassName") {
    read_text(value, spec.runtime_class);
  } else if (key == "hostNetwork") {
    read_bool(value, spec.host_network);
  } else if (key == "preemptionPolicy") {
    out.has_preemption_policy = !value.is_null();
    spec.preempts = value.raw_text() != "Never";
  } else if (key == "priority") {
    out.has_priority = !value.is_null();
    read_int32(value, out.priority, std::numeric_limits<std::int32_t>::min());
  } else if (key == "schedulingGates") {
    out.spec.gated = value.size() > 0;
  } else {
    return false;
  }
  return true;
}

bool is_requested(const PodSpec& spec, const SharedText& resource) {
  const auto asks = [&](const Container& container) {
    return container.requests.find(resource).has_value();
  };
  const std::vector<Container>&apps = spec.containers, &inits = spec.init_containers;
  return std::any_of(apps.begin(), apps.end(), asks) ||
         std::any_of(inits.begin(), inits.end(), asks);
}

// Of what may be overcommitted, the pod asks for what its containers do, if any does.
void complete_pod_requests(PodSpec& spec) {
  if (!spec.pod_limits) return;
  Resources requests = spec.pod_requests.value_or(Resources());
  for (const auto& [name, amount] : *spec.pod_limits) {
    const bool is_summed = (name == kCpu || name == kMemory) && is_requested(spec, name);
    if (!is_summed && !requests.find(name)) requests.set(name, amount);
  }
  if (!requests.empty()) spec.pod_requests = std::move(requests);
}

void read_spec(Cursor value, PodTemplate& out, Compat compat) {
  PodSpec& spec = out.spec;
  std::vector<HostPort> of_sidecars;
  value.fields([&](std::string_view key, Cursor field) {
    if (read_spec_scalar(key, field, out)) return;
    if (key == "containers") read_containers(field, spec);
    if (key == "initContainers") read_init_containers(field, spec, of_sidecars);
    if (key == "nodeSelector") read_labels(field, spec.node_selector);
    if (key == "affinity") read_affinity(field, spec);
    if (key == "tolerations") spec.tolerations = read_tolerations(field);
    if (key == "topologySpreadConstraints") spec.spread = read_spread(field);
    if (key == "volumes") field.items([&](Cursor item) { read_volume(item, out); });
    if (key == "resources") read_pod_resources(field, spec);
    if (key == "overhead") {
      read_resources(field, spec.overhead);
      out.has_overhead = field.size() > 0;
    }
  });
  if (compat != Compat::k1_20)
    for (const HostPort& port : of_sidecars) spec.host_ports.push_back(port);
  complete_pod_requests(spec);
}

// Only the host's network turns container ports into host ports.
void settle_ports(PodSpec& spec) {
  std::vector<HostPort> settled;
  for (HostPort port : spec.host_ports) {
    if (port.port < 0 && !spec.host_network) continue;
    if (port.port < 0) port.port = -port.port;
    settled.push_back(std::move(port));
  }
  spec.host_ports = std::move(settled);
}

void read_condition(Cursor condition, PodDraft& draft) {
  const auto is = [&](std::string_view key, std::string_view wanted) {
    const auto found = condition.find(key);
    return found && found->raw_text() == wanted;
  };
  if (!is("type", "PodScheduled") || !is("status", "False") || !is("reason", "Unschedulable"))
    return;
  if (const auto message = condition.find("message")) read_text(*message, draft.told);
}

// The phase comes first in what a server writes; of pods that run, conditions say nothing here.
void read_status(Cursor value, PodDraft& draft) {
  constexpr std::array<std::string_view, 5> phases = {"Pending", "Running", "Succeeded", "Failed",
                                                      "Unknown"};
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "startTime") read_time(field, draft.started);
    if (key == "nominatedNodeName") read_text(field, draft.nominated_node);
    if (key == "conditions" && draft.phase == PodPhase::kPending)
      field.items([&](Cursor condition) { read_condition(condition, draft); });
    if (key != "phase") return;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (field.raw_text() != phases[i]) continue;
      draft.phase = static_cast<PodPhase>(i);
      draft.has_phase = true;
    }
  });
}

}  // namespace

void read_claim_spec(Cursor spec, PersistentVolumeClaim& out) {
  spec.fields([&](std::string_view key, Cursor value) {
    if (key == "storageClassName")
      if (const auto text = value.text()) out.storage_class = std::string(*text);
    if (key == "volumeName") read_text(value, out.volume_name);
    if (key == "volumeMode") out.is_block = value.raw_text() == "Block";
    if (key == "accessModes") read_texts(value, out.access_modes);
    if (key == "selector" && !value.is_null()) read_label_selector(value, out.selector);
    if (key != "resources") return;
    const auto requests = value.find("requests");
    const auto storage = requests ? requests->find("storage") : std::nullopt;
    if (storage) out.request_bytes = read_quantity(*storage, false).value_or(0);
  });
}

TemplateMetadata read_template_metadata(std::optional<Cursor> metadata, Metadata&& meta) {
  TemplateMetadata out{std::move(meta.labels), std::move(meta.annotations), {}, meta.place};
  if (metadata && metadata->is_map()) read_budgets(*metadata, out.budgets);
  return out;
}

TemplateMetadata take_metadata(PodSpec& spec) {
  return {std::exchange(spec.labels, {}), std::exchange(spec.annotations, {}),
          std::exchange(spec.budgets, {}), spec.place};
}

void put_metadata(TemplateMetadata&& meta, PodSpec& spec) {
  spec.labels = std::move(meta.labels);
  spec.annotations = std::move(meta.annotations);
  spec.budgets = std::move(meta.budgets);
  spec.place = meta.place;
}

PodTemplate read_pod_template(std::optional<Cursor> metadata, std::optional<Cursor> spec,
                              Metadata&& meta, Compat compat) {
  PodTemplate out;
  put_metadata(read_template_metadata(metadata, std::move(meta)), out.spec);
  if (spec) read_spec(*spec, out, compat);
  if (out.spec.scheduler_name.empty()) out.spec.scheduler_name = PodSpec::default_scheduler();
  settle_ports(out.spec);
  return out;
}

PodDraft read_pod(Cursor object) {
  PodDraft draft;
  draft.meta = read_identity(object);
  if (const auto status = object.find("status")) read_status(*status, draft);
  return draft;
}

void leave_its_place(PodSpec& spec) {
  spec.required_affinity.clear();
  spec.preferred_affinity.clear();
  spec.preferred_anti_affinity.clear();
  spec.spread.clear();
  spec.budgets.clear();
  std::vector<PodAffinityTerm> apart = spec.required_anti_affinity;
  std::erase_if(apart, [](const PodAffinityTerm& term) { return term.topology_key.empty(); });
  spec.required_anti_affinity = std::move(apart);
}

}  // namespace gedge::codec
