// verify/node_rules.cpp - rules that look at one node and the pods on it.
#include <algorithm>
#include <array>

#include "gedge/base/quantity.hpp"
#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

bool only_prefers(const Taint& taint) { return taint.effect == TaintEffect::kPreferNoSchedule; }

bool is_tolerated(const PodSpec& spec, const Taint& taint) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                     [&](const Toleration& t) { return t.tolerates(taint); });
}

std::string_view effect_name(TaintEffect effect) {
  return effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
}

std::string amount_text(std::string_view resource, std::int64_t amount) {
  if (resource == kCpu) return format_milli(amount);
  if (resource == kMemory || resource == kEphemeralStorage || resource.starts_with("hugepages-")) {
    return format_bytes(amount);
  }
  return std::to_string(amount);
}

void compare(const Placed& pod, const Resources& requested, std::string_view resource,
             Findings& out) {
  const std::int64_t request = resource == kPods ? 1 : pod.requests.amount(resource);
  const std::int64_t after = sum(requested.amount(resource), request);
  const std::int64_t limit = pod.node->allocatable.amount(resource);
  if (after <= limit) return;
  const std::string text = std::string(resource) + ": the node would have " +
                           amount_text(resource, after) + " requested, " +
                           amount_text(resource, request) + " of it by this pod, and " +
                           amount_text(resource, limit) + " is allocatable";
  out.push_back({"NodeResourcesFit", text});
}

bool conflict(const HostPort& a, const HostPort& b) {
  constexpr std::string_view kEvery = "0.0.0.0";
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kEvery || b.ip == kEvery);
}

}  // namespace

bool wants_node(const PodSpec& spec, const Node& node) {
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* label = node.labels.find(key);
    if (label == nullptr || *label != value) return false;
  }
  if (!spec.has_required_node_terms) return true;
  return std::any_of(
      spec.required_node_terms.begin(), spec.required_node_terms.end(),
      [&](const NodeSelectorTerm& term) { return term.matches(node.labels, node.name); });
}

const Taint* untolerated_taint(const PodSpec& spec, const Node& node) {
  for (const Taint& taint : node.taints) {
    if (!only_prefers(taint) && !is_tolerated(spec, taint)) return &taint;
  }
  return nullptr;
}

void check_node(const Placed& pod, Findings& out) {
  const PodSpec& spec = *pod.spec;
  const Node& node = *pod.node;
  if (!spec.node_name.empty() && spec.node_name != node.name) {
    out.push_back({"NodeName", "the pod asks for node " + spec.node_name});
  }
  const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  if (node.unschedulable && !is_tolerated(spec, cordon)) {
    out.push_back({"NodeUnschedulable", "the node is cordoned (spec.unschedulable)"});
  }
  if (const Taint* taint = untolerated_taint(spec, node)) {
    const std::string value = taint->value.empty() ? "" : "=" + taint->value;
    out.push_back({"TaintToleration", "taint " + taint->key + value + ":" +
                                          std::string(effect_name(taint->effect)) +
                                          " is not tolerated"});
  }
  if (!wants_node(spec, node)) {
    out.push_back(
        {"NodeAffinity", "the node does not match the nodeSelector or the required node affinity"});
  }
}

void check_ports(const World& world, const Placed& pod, Findings& out) {
  if (pod.spec->host_ports.empty()) return;
  for (const std::size_t at : world.placed_on(*pod.node)) {
    const Placed& other = world.placed()[at];
    for (const HostPort& wanted : pod.spec->host_ports) {
      for (const HostPort& taken : other.spec->host_ports) {
        if (!conflict(wanted, taken)) continue;
        out.push_back({"NodePorts", "host port " + wanted.ip + ":" + std::to_string(wanted.port) +
                                        "/" + wanted.protocol + " is taken by " +
                                        name_of(*other.pod)});
      }
    }
  }
}

void check_resources(const World& world, const Placed& pod, Findings& out) {
  constexpr std::array<std::string_view, 3> kNative{kCpu, kMemory, kEphemeralStorage};
  const auto is_native = [&](std::string_view name) {
    return std::find(kNative.begin(), kNative.end(), name) != kNative.end();
  };
  const Resources& requested = world.requested_on(*pod.node);
  compare(pod, requested, kPods, out);
  if (world.compat() == Compat::k1_20) {
    const bool asks =
        std::any_of(pod.requests.begin(), pod.requests.end(), [&](const Resources::Entry& entry) {
          return entry.second != 0 || (!is_native(entry.first) && entry.first != kPods);
        });
    if (!asks) return;
    for (const std::string_view name : kNative) compare(pod, requested, name, out);
  }
  for (const auto& [name, amount] : pod.requests) {
    if (name == kPods) continue;
    if (world.compat() == Compat::k1_20 ? !is_native(name) : amount > 0)
      compare(pod, requested, name, out);
  }
}

}  // namespace gedge::verify_detail
