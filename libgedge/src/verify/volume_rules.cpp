// verify/volume_rules.cpp - where bound volumes let a pod run. Claims that are not bound yet bind
// to nothing here.
#include <algorithm>
#include <array>

#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

struct ZoneLabel {
  std::string_view key, newer;  // `newer` is what current nodes carry instead
};
constexpr std::array<ZoneLabel, 4> kZoneLabels{{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

/// "a__b" of a regional volume lists its zones. A list with a hole in it says nothing, so every
/// zone will do.
bool admits(std::string_view zones, std::string_view zone) {
  bool listed = false;
  for (;;) {
    const std::size_t end = zones.find("__");
    const std::string_view one = zones.substr(0, end);
    if (one.empty()) return true;
    listed = listed || one == zone;
    if (end == std::string_view::npos) return listed;
    zones.remove_prefix(end + 2);
  }
}

void check_zone(const PersistentVolume& volume, const Node& node, Compat compat, Findings& out) {
  // A node without any such label is taken for part of a cluster of one zone.
  if (std::none_of(kZoneLabels.begin(), kZoneLabels.end(),
                   [&](const ZoneLabel& label) { return node.labels.find(label.key) != nullptr; }))
    return;
  for (const ZoneLabel& label : kZoneLabels) {
    const std::string* wanted = volume.labels.find(label.key);
    if (wanted == nullptr) continue;
    const std::string* here = node.labels.find(label.key);
    if (here == nullptr && compat != Compat::k1_20) here = node.labels.find(label.newer);
    if (admits(*wanted, here == nullptr ? "-" : std::string_view(*here))) continue;
    out.push_back({"VolumeZone", "volume " + volume.name + " is in " + *wanted + " (" +
                                     std::string(label.key) + "), the node in " +
                                     (here == nullptr ? "none" : *here)});
    return;
  }
}

}  // namespace

void check_volumes(const World& world, const Placed& pod, Findings& out) {
  for (const PodVolume& used : pod.spec->volumes) {
    const std::string name = used.ephemeral ? pod.pod->name + "-" + used.name : used.claim;
    const PersistentVolumeClaim* claim = world.claim(pod.pod->namespace_name, name);
    if (claim == nullptr || claim->volume_name.empty()) continue;
    const PersistentVolume* volume = world.volume(claim->volume_name);
    if (volume == nullptr) continue;
    const auto& terms = volume->node_terms;
    if (volume->has_node_affinity &&
        std::none_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
          return term.matches(pod.node->labels, "");  // upstream passes no more
        })) {
      out.push_back({"VolumeBinding",
                     "the node affinity of volume " + volume->name + " does not match the node"});
    }
    check_zone(*volume, *pod.node, world.compat(), out);
  }
}

}  // namespace gedge::verify_detail
