#include <limits>
#include <string>

#include "unit/verify/site.hpp"

using namespace gedge;
using test::asking;
using test::Site;

namespace {

/// One pod of `spec` on one node; the caller may change both before it asks.
Site one_on_one(PodSpec spec) {
  Site site;
  site.node("edge-1");
  site.pod("web-0", std::move(spec));
  site.place("web-0", "edge-1");
  return site;
}

}  // namespace

TEST_CASE("a pod that asks for nothing fits on an empty node") {
  CHECK(one_on_one({}).broken().empty());
}

TEST_CASE("a pod that names another node breaks NodeName") {
  PodSpec spec;
  spec.node_name = "edge-2";
  Site site = one_on_one(spec);
  CHECK(site.broken() == "web-0: NodeName");
  site.facts.specs[0].node_name = "edge-1";
  CHECK(site.broken().empty());
}

TEST_CASE("a cordoned node takes only pods that tolerate it") {
  Site site = one_on_one({});
  site.facts.nodes[0].unschedulable = true;
  CHECK(site.broken() == "web-0: NodeUnschedulable");
  site.facts.specs[0].tolerations = {
      {"node.kubernetes.io/unschedulable", true, "", TaintEffect::kNoSchedule}};
  CHECK(site.broken().empty());
  site.facts.specs[0].tolerations = {
      {"node.kubernetes.io/unschedulable", true, "", TaintEffect::kNoExecute}};
  CHECK(site.broken() == "web-0: NodeUnschedulable");
}

TEST_CASE("a taint keeps away pods that do not tolerate it unless it only prefers to") {
  Site site = one_on_one({});
  site.facts.nodes[0].taints = {{"soft", "", TaintEffect::kPreferNoSchedule}};
  CHECK(site.broken().empty());
  site.facts.nodes[0].taints.push_back({"role", "edge", TaintEffect::kNoExecute});
  CHECK(site.text() == "taint role=edge:NoExecute is not tolerated");
  site.facts.specs[0].tolerations = {{"role", false, "cloud", {}}};
  CHECK(site.broken() == "web-0: TaintToleration");
  site.facts.specs[0].tolerations = {{"role", false, "edge", {}}};
  CHECK(site.broken().empty());
}

TEST_CASE("node selector and required terms must both match") {
  PodSpec spec;
  spec.node_selector = {{"disk", "ssd"}};
  Site site = one_on_one(spec);
  CHECK(site.broken() == "web-0: NodeAffinity");
  site.facts.nodes[0].labels.set("disk", "ssd");
  CHECK(site.broken().empty());

  site.facts.specs[0].has_required_node_terms = true;
  CHECK(site.broken() == "web-0: NodeAffinity");  // no term, no node
  const NodeSelectorTerm elsewhere{{}, {{"metadata.name", SelectorOp::kIn, {"edge-2"}}}, false};
  const NodeSelectorTerm here{{}, {{"metadata.name", SelectorOp::kIn, {"edge-1"}}}, false};
  site.facts.specs[0].required_node_terms = {elsewhere};
  CHECK(site.broken() == "web-0: NodeAffinity");
  site.facts.specs[0].required_node_terms = {elsewhere, here};
  CHECK(site.broken().empty());
}

TEST_CASE("host ports conflict by port and protocol and overlapping address") {
  PodSpec spec;
  spec.host_ports = {{"10.0.0.1", "TCP", 80}};
  Site site = one_on_one(spec);
  HostPort& taken =
      site.facts.specs[raw(site.pod("old-0", spec, "edge-1").spec)].host_ports.edit()[0];
  CHECK(site.text() == "host port 10.0.0.1:80/TCP is taken by default/old-0");
  taken.ip = "10.0.0.2";
  CHECK(site.broken().empty());
  taken.ip = "0.0.0.0";
  CHECK(site.broken() == "web-0: NodePorts");
  taken.protocol = "UDP";
  CHECK(site.broken().empty());
  taken = {"0.0.0.0", "TCP", 81};
  CHECK(site.broken().empty());
}

TEST_CASE("requests may fill a node to the last piece and not more") {
  Site site = one_on_one(asking({{"cpu", 1500}}));
  site.pod("old-0", asking({{"cpu", 2500}}), "edge-1");
  CHECK(site.broken().empty());
  site.facts.specs[0].containers.edit()[0].requests.set("cpu", 1501);
  CHECK(site.broken() == "web-0: NodeResourcesFit");
  CHECK(site.text() ==
        "cpu: the node would have 4001m requested, 1501m of it by this pod, and 4 is allocatable");
}

TEST_CASE("memory extended resources and pod slots are counted like cpu") {
  Site site = one_on_one(asking({{"memory", std::int64_t{8} << 30}}));
  CHECK(site.broken().empty());
  site.facts.specs[0] = asking({{"memory", (std::int64_t{8} << 30) + 1}});
  CHECK(site.broken() == "web-0: NodeResourcesFit");
  site.facts.specs[0] = asking({{"example.com/card", 1}});
  CHECK(site.text() ==
        "example.com/card: the node would have 1 requested, 1 of it by this pod, and 0 is "
        "allocatable");
  site.facts.nodes[0].allocatable.set("example.com/card", 1);
  CHECK(site.broken().empty());
  site.facts.nodes[0].allocatable.set("pods", 0);
  CHECK(site.text() ==
        "pods: the node would have 1 requested, 1 of it by this pod, and 0 is allocatable");
}

TEST_CASE("an overcommitted node is the fault only of pods that ask for more of it") {
  Site site = one_on_one(asking({{"memory", 1}}));
  site.pod("old-0", asking({{"cpu", 5000}}), "edge-1");
  CHECK(site.broken().empty());
  site.compat = Compat::k1_20;
  CHECK(site.broken() ==
        "web-0: NodeResourcesFit");  // 1.20 compares cpu as soon as anything is asked for
  site.facts.specs[0] = {};
  CHECK(site.broken().empty());
  site.facts.specs[0] = asking({{"cpu", 1}});
  CHECK(site.broken() == "web-0: NodeResourcesFit");
}

TEST_CASE("amounts near the end of int64 do not wrap around") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  Site site = one_on_one(asking({{"memory", huge}}));
  site.pod("old-0", asking({{"memory", huge}}), "edge-1");
  CHECK(site.broken() == "web-0: NodeResourcesFit");
}

TEST_CASE("init containers count by their maximum and sidecars as long as they run") {
  PodSpec spec = asking({{"cpu", 1000}});
  spec.init_containers = {{"first", "", {{"cpu", 4000}}, {}, false}};
  Site site = one_on_one(spec);
  CHECK(site.broken().empty());
  site.facts.specs[0].init_containers.edit()[0].requests.set("cpu", 4001);
  CHECK(site.broken() == "web-0: NodeResourcesFit");

  // A sidecar of 1 core, then an init container of 3 cores beside it; later sidecar and app need 2.
  site.facts.specs[0].init_containers = {{"proxy", "", {{"cpu", 1000}}, {}, true},
                                         {"setup", "", {{"cpu", 3000}}, {}, false}};
  CHECK(site.broken().empty());
  site.facts.specs[0].init_containers.edit()[1].requests.set("cpu", 3001);
  CHECK(site.broken() == "web-0: NodeResourcesFit");
  site.compat = Compat::k1_20;  // knows no sidecars
  CHECK(site.broken().empty());
}

TEST_CASE("overhead is added and resources of the pod as a whole replace the sum") {
  PodSpec spec = asking({{"cpu", 3500}});
  spec.overhead = {{"cpu", 500}};
  Site site = one_on_one(spec);
  CHECK(site.broken().empty());
  site.facts.specs[0].overhead.set("cpu", 501);
  CHECK(site.broken() == "web-0: NodeResourcesFit");
  site.facts.specs[0].pod_requests = Resources{{"cpu", 3499}};
  CHECK(site.broken().empty());
  site.compat = Compat::k1_20;
  CHECK(site.broken() == "web-0: NodeResourcesFit");
}

TEST_CASE("a bound volume keeps the pod where the volume can be reached") {
  PodSpec spec;
  spec.volumes = {{"data", "disk", false}};
  Site site = one_on_one(spec);
  CHECK(site.broken().empty());  // a claim that nobody knows decides nothing here
  PersistentVolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "disk";
  claim.volume_name = "pv-1";
  PersistentVolume volume;
  volume.name = "pv-1";
  volume.has_node_affinity = true;
  volume.node_terms = {{{{"kubernetes.io/hostname", SelectorOp::kIn, {"edge-2"}}}, {}, false}};
  site.facts.claims = {claim};
  site.facts.volumes = {volume};
  CHECK(site.text() == "the node affinity of volume pv-1 does not match the node");
  CHECK(site.broken() == "web-0: VolumeBinding");
  site.facts.volumes[0].node_terms[0].expressions[0].values = {"edge-1"};
  CHECK(site.broken().empty());
  site.facts.volumes[0].node_terms.clear();
  CHECK(site.broken() == "web-0: VolumeBinding");
}

TEST_CASE("a volume of a zone wants a node of that zone") {
  PodSpec spec;
  spec.volumes = {{"data", "", true}};  // ephemeral: the claim is named after pod and volume
  Site site = one_on_one(spec);
  PersistentVolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "web-0-data";
  claim.volume_name = "pv-1";
  PersistentVolume volume;
  volume.name = "pv-1";
  volume.labels = {{"failure-domain.beta.kubernetes.io/zone", "a__b"}};
  site.facts.claims = {claim};
  site.facts.volumes = {volume};
  CHECK(site.broken().empty());  // a node without zone labels
  Labels& labels = site.facts.nodes[0].labels;
  labels.set("topology.kubernetes.io/zone", "b");
  CHECK(site.broken().empty());
  labels.set("topology.kubernetes.io/zone", "c");
  CHECK(site.broken() == "web-0: VolumeZone");
  CHECK(site.text() ==
        "volume pv-1 is in a__b (failure-domain.beta.kubernetes.io/zone), the node in c");
  labels.erase("topology.kubernetes.io/zone");
  labels.set("topology.kubernetes.io/region", "r");
  CHECK(site.broken() == "web-0: VolumeZone");
  volume.labels = {{"topology.kubernetes.io/region", "r__"}};
  site.facts.volumes = {volume};
  CHECK(site.broken().empty());  // not a list of zones
}

TEST_CASE("the old zone label of a volume is answered by the new one of a node since after 1.20") {
  PodSpec spec;
  spec.volumes = {{"data", "disk", false}};
  Site site = one_on_one(spec);
  PersistentVolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "disk";
  claim.volume_name = "pv-1";
  PersistentVolume volume;
  volume.name = "pv-1";
  volume.labels = {{"failure-domain.beta.kubernetes.io/zone", "a"}};
  site.facts.claims = {claim};
  site.facts.volumes = {volume};
  site.facts.nodes[0].labels.set("topology.kubernetes.io/zone", "a");
  CHECK(site.broken().empty());
  site.compat = Compat::k1_20;
  CHECK(site.broken() == "web-0: VolumeZone");
}
