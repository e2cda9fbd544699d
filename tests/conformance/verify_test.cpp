// The checker against kube-scheduler 1.20.2: put on a node, the incoming pod breaks exactly the
// rules whose filters rejected that node.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "conformance/objects.hpp"
#include "gedge/verify/verify.hpp"
#include "support/conformance.hpp"

namespace {

using nlohmann::json;

std::string joined(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out.empty() ? "nothing" : out;
}

void check_vector(const json& vector) {
  gedge::Facts facts;
  for (const json& node : vector.at("nodes")) facts.nodes.push_back(gedge::test::read_node(node));
  for (const json& pod : vector.at("pods")) gedge::test::add_bound_pod(pod, facts);
  gedge::test::add_pending_pod(vector.at("pod"), facts);
  const gedge::Pod& incoming = facts.pods.back();
  const gedge::RttMatrix rtt;
  for (const gedge::Node& node : facts.nodes) {
    std::set<std::string> expected, got;
    for (const auto& [plugin, verdict] :
         vector.at("expected").at("filters").at(node.name).items()) {
      expected.insert(plugin);
    }
    const gedge::VerifyInput input{
        facts, rtt, "", gedge::Compat::k1_20, {{incoming.namespace_name, incoming.name, node.name}},
        false};
    for (const gedge::Violation& violation : verify(input)) got.insert(violation.rule);
    CHECK_MESSAGE(expected == got,
                  node.name << ": expected " << joined(expected) << ", got " << joined(got));
  }
}

}  // namespace

TEST_CASE("a placement breaks the rules that kube-scheduler rejects") {
  gedge::test::for_each_vector("scheduler.jsonl", check_vector);
}
