#include "gedge/plan/edit.hpp"

#include <doctest/doctest.h>

using namespace gedge;

namespace {

Facts two_nodes() {
  Facts facts;
  facts.files = {""};
  facts.specs.emplace_back();
  for (const char* name : {"a", "b"}) {
    Node node;
    node.name = name;
    node.allocatable = {{"cpu", 1000}, {"memory", 1 << 20}};
    node.labels.set("disk", "ssd");
    node.taints.push_back({"dedicated", "ml", TaintEffect::kNoSchedule});
    node.taints.push_back({"dedicated", "ml", TaintEffect::kNoExecute});
    facts.nodes.push_back(node);
  }
  const auto add = [&](const char* name, const char* kind, const char* node) {
    Pod pod;
    pod.name = name;
    pod.workload_kind = kind;
    pod.bound_node = node;
    pod.phase = PodPhase::kRunning;
    facts.pods.push_back(pod);
  };
  add("web", "Deployment", "a");
  add("agent", "DaemonSet", "a");
  add("db", "StatefulSet", "b");
  return facts;
}

std::vector<Edit> edits(std::initializer_list<const char*> texts) {
  std::vector<Edit> all;
  for (const char* text : texts) {
    auto edit = parse_edit(text);
    REQUIRE_MESSAGE(edit, text);
    all.push_back(*std::move(edit));
  }
  return all;
}

const Pod& pod(const Facts& facts, std::string_view name) {
  for (const Pod& p : facts.pods)
    if (p.name == name) return p;
  FAIL("no pod ", std::string(name));
  return facts.pods.front();
}

}  // namespace

TEST_CASE("edit: what is printed reads back to the same text") {
  for (const char* text :
       {"node/n1:cpu=+200m", "node/n1:cpu=-1", "node/n1:memory=16Gi", "node/n1:example.com/gpu=2",
        "node/n1:label.topology.kubernetes.io/zone=z1", "node/n1:label.k=", "node/n1:label.a/b-",
        "node/n1:taint-=k", "node/n1:taint-=a/b:NoExecute", "node/n1:drain", "node/n1:delete",
        "pod/ns/p:node=n1", "pod/ns/p:delete", "rtt/a,b=3ms", "rtt/a,b=800us", "rtt/a,b=1.5ms",
        "add=dir/file.yaml"}) {
    const auto edit = parse_edit(text);
    REQUIRE_MESSAGE(edit, text);
    CHECK(to_string(*edit) == text);
  }
}

TEST_CASE("edit: what cannot be read names the column and a form that can") {
  for (const char* text : {"",
                           "node",
                           "node/",
                           "node/n",
                           "node/:drain",
                           "node/n:",
                           "node/n:cpu",
                           "node/n:cpu=",
                           "node/n:cpu=many",
                           "node/n:label.=v",
                           "node/n:label.k",
                           "node/n:label.a b=c",
                           "node/n:label.a/b/c=d",
                           "node/n:label.k=v!",
                           "node/n:taint-=",
                           "node/n:taint-=k:Never",
                           "pod/p:delete",
                           "pod/ns/p:",
                           "pod/ns/p:node=",
                           "rtt/a=3ms",
                           "rtt/a,b=3",
                           "rtt/a,b=-3ms",
                           "rtt/a,b=nan",
                           "add=",
                           "swap/a"}) {
    const auto edit = parse_edit(text);
    REQUIRE_MESSAGE(!edit, text);
    CHECK(edit.error().code == Errc::kInvalidInput);
    CHECK(edit.error().where.column >= 1);
    CHECK_FALSE(edit.error().hint.empty());
  }
  CHECK(parse_edit("node/n:cpu=many").error().where.column == 12);
  CHECK(parse_edit("node/n:label.a b=c").error().where.column == 14);
  CHECK(parse_edit("node/n:label.k=v!").error().where.column == 16);
}

TEST_CASE("edit: an amount that is too large is told from one that is none") {
  const auto cores = parse_edit("node/n:cpu=99999999999999999999");
  REQUIRE_FALSE(cores);
  CHECK(cores.error().what == "the amount is too large");
  CHECK(cores.error().hint == "write a smaller one; the largest is 9223372036854775807m");
  CHECK(parse_edit("node/n:pods=99999999999999999999").error().hint.ends_with("775807"));
  CHECK(parse_edit("node/n:cpu=many").error().what == "expected an amount");
}

TEST_CASE("edit: an amount below zero and an RTT of a node to itself are refused") {
  Facts facts = two_nodes();
  RttMatrix rtt({"a"});
  const Status less = apply_edits(edits({"node/b:cpu=-1001m"}), "", facts, rtt);
  REQUIRE_FALSE(less);
  CHECK(less.error().what == "`node/b:cpu=-1001m` takes away more than the node has");
  CHECK(less.error().hint == "`node/b:cpu=0` takes all of it");
  const Status itself = apply_edits(edits({"rtt/a,a=3ms"}), "", facts, rtt);
  REQUIRE_FALSE(itself);
  CHECK(itself.error().what == "`rtt/a,a=3ms` names one node twice");
  facts.nodes[0].labels.set("zone", "z");
  CHECK(apply_edits(edits({"rtt/z,z=3ms"}), "zone", facts, rtt));
  CHECK(rtt.at(*rtt.find("z"), *rtt.find("z")) == Rtt{3000});
}

TEST_CASE("edit: amounts are added, set, and fall to zero at most") {
  Facts facts = two_nodes();
  RttMatrix rtt;
  REQUIRE(apply_edits(
      edits({"node/a:cpu=+200m", "node/b:cpu=-1", "node/a:memory=16Gi", "node/a:pods=+1"}), "",
      facts, rtt));
  CHECK(facts.nodes[0].allocatable.amount("cpu") == 1200);
  CHECK(facts.nodes[1].allocatable.amount("cpu") == 0);
  CHECK(facts.nodes[0].allocatable.amount("memory") == std::int64_t{16} << 30);
  CHECK(facts.nodes[0].allocatable.amount("pods") == 1);
}

TEST_CASE("edit: removing a taint takes one effect or all of them, and uncordons") {
  Facts facts = two_nodes();
  RttMatrix rtt;
  facts.nodes[1].unschedulable = true;
  REQUIRE(apply_edits(edits({"node/a:taint-=dedicated:NoExecute", "node/b:taint-=dedicated",
                             "node/b:taint-=node.kubernetes.io/unschedulable"}),
                      "", facts, rtt));
  CHECK(facts.nodes[0].taints.size() == 1);
  CHECK(facts.nodes[1].taints.empty());
  CHECK_FALSE(facts.nodes[1].unschedulable);
}

TEST_CASE("edit: a drained node keeps its DaemonSet pods, a deleted one takes them along") {
  Facts drained = two_nodes(), deleted = two_nodes();
  RttMatrix rtt;
  REQUIRE(apply_edits(edits({"node/a:drain"}), "", drained, rtt));
  CHECK(drained.nodes[0].unschedulable);
  CHECK(pod(drained, "web").bound_node.empty());
  CHECK(pod(drained, "web").phase == PodPhase::kPending);
  CHECK(pod(drained, "agent").bound_node == "a");
  REQUIRE(apply_edits(edits({"node/a:delete"}), "", deleted, rtt));
  CHECK(deleted.nodes.size() == 1);
  CHECK(deleted.pods.size() == 2);
  CHECK(pod(deleted, "web").bound_node.empty());
}

TEST_CASE("edit: a deleted node takes along what a DaemonSet has yet to place on it") {
  Facts facts = two_nodes();
  for (const char* node : {"a", "b"}) {
    PodSpec spec;
    NodeSelectorTerm only;
    only.fields.push_back({"metadata.name", SelectorOp::kIn, {node}});
    spec.required_node_terms = {only};
    facts.specs.push_back(spec);
    Pod probe;
    probe.name = std::string("probe-") + node;
    probe.workload_kind = "DaemonSet";
    probe.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size() - 1)};
    facts.pods.push_back(probe);
  }
  RttMatrix rtt;
  REQUIRE(apply_edits(edits({"node/a:delete"}), "", facts, rtt));
  std::string left;
  for (const Pod& p : facts.pods) left += p.name + " ";
  CHECK(left == "web db probe-b ");
}

TEST_CASE("edit: an RTT is set both ways, also between nodes that nobody measured") {
  Facts facts = two_nodes();
  RttMatrix rtt({"a"});
  REQUIRE(apply_edits(edits({"rtt/b,a=3ms"}), "", facts, rtt));
  CHECK(rtt.at(*rtt.find("a"), *rtt.find("b")) == Rtt{3000});
  CHECK(rtt.at(*rtt.find("b"), *rtt.find("a")) == Rtt{3000});
}

TEST_CASE("edit: names that are not there are errors") {
  for (const char* text :
       {"node/x:drain", "node/a:label.none-", "node/a:taint-=none", "pod/default/none:delete",
        "pod/default/web:node=x", "rtt/a,nowhere=3ms"}) {
    Facts facts = two_nodes();
    RttMatrix rtt;
    const Status status = apply_edits(edits({text}), "", facts, rtt);
    REQUIRE_MESSAGE(!status, text);
    CHECK(status.error().code == Errc::kNotFound);
  }
}

TEST_CASE("edit: a name that is almost there is said") {
  const std::vector<std::pair<const char*, const char*>> slips{
      {"node/edge-on:drain", "did you mean `edge-one`?"},
      {"node/edge-one:label.disc-", "did you mean `disk`?"},
      {"node/edge-one:taint-=dedicatd", "did you mean `dedicated`?"},
      {"pod/default/wbe:delete", "did you mean `default/web`?"},
      {"pod/default/web:node=edge-noe", "did you mean `edge-one`?"},
      {"rtt/b,edge-oen=3ms", "did you mean `edge-one`?"},
      {"pod/default/nothing-like-it:delete", ""}};
  for (const auto& slip : slips) {
    Facts facts = two_nodes();
    facts.nodes[0].name = "edge-one";
    RttMatrix rtt;
    const Status status = apply_edits(edits({slip.first}), "", facts, rtt);
    REQUIRE_MESSAGE(!status, slip.first);
    CHECK(status.error().hint == slip.second);
  }
}

TEST_CASE("edit: a resource that neither a node nor a pod knows is a slip") {
  Facts facts = two_nodes();
  RttMatrix rtt;
  const Status slip = apply_edits(edits({"node/a:memry=+1Gi"}), "", facts, rtt);
  REQUIRE_FALSE(slip);
  CHECK(slip.error().code == Errc::kNotFound);
  CHECK(slip.error().what ==
        "no node has and no pod asks for 'memry', which `node/a:memry=+1Gi` names");
  CHECK(slip.error().hint == "did you mean `memory`?");
  REQUIRE_FALSE(apply_edits(edits({"node/a:example.com/gpu=2"}), "", facts, rtt));
  facts.nodes[1].allocatable.set("example.com/gpu", 1);
  REQUIRE(apply_edits(edits({"node/a:example.com/gpu=2"}), "", facts, rtt));
  CHECK(facts.nodes[0].allocatable.amount("example.com/gpu") == 2);
  PodSpec spec;
  spec.containers.edit().emplace_back().requests.set("example.com/fpga", 1);
  facts.specs.push_back(spec);
  REQUIRE(apply_edits(edits({"node/a:example.com/fpga=1"}), "", facts, rtt));
}
