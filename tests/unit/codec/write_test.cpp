#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/codec/write_verification.hpp"

namespace gedge {
namespace {

using nlohmann::ordered_json;

Plan sample() {
  Plan plan;
  plan.profile = "edge";
  plan.compat = Compat::k1_36;
  plan.seed = 18446744073709551615u;
  plan.snapshot = "xxh128:00";
  Decision placed;
  placed.namespace_name = "shop";
  placed.pod = "web-0";
  placed.chosen = ScoredNode{"edge-1", 812};
  placed.runner_up = ScoredNode{"near-1", -3};
  placed.budgets = {{"deployment/redis", 10000, 200}, {"x", 5, std::nullopt}};
  Decision lost;
  lost.namespace_name = "shop";
  lost.pod = "web-1";
  lost.message = "0/6 nodes are available: 4 Insufficient memory.";
  lost.rejected_by = {{"NodeResourcesFit", 4}, {"DelayBudget", 2}};
  plan.decisions = {placed, lost};
  plan.warnings = {{"MissingNode", "no \"such\" node", {"a.yaml", 12, 3, "", 1}},
                   {"ZeroRtt", "z", {}}};
  plan.skipped = {{"Ingress", "web"}};
  return plan;
}

constexpr const char* kText =
    R"({
  "apiVersion": "gedge.io/v1alpha1",
  "kind": "Plan",
  "profile": "edge",
  "compat": "1.36",
  "seed": 18446744073709551615,
  "snapshot": "xxh128:00",
  "decisions": [
)"
    R"(    {"namespace":"shop","pod":"web-0","node":"edge-1","score":812,)"
    R"("runnerUp":{"node":"near-1","score":-3},"budgets":[)"
    R"({"from":"deployment/redis","limitUs":10000,"rttUs":200,)"
    R"("slackUs":9800},)"
    R"({"from":"x","limitUs":5,"rttUs":null,"slackUs":null}],)"
    R"("message":"","rejectedBy":{}},
)"
    R"(    {"namespace":"shop","pod":"web-1","node":null,"score":null,)"
    R"("runnerUp":null,"budgets":[],)"
    R"("message":"0/6 nodes are available: 4 Insufficient memory.",)"
    R"("rejectedBy":{"NodeResourcesFit":4,"DelayBudget":2}}
  ],
  "warnings": [
    {"code":"MissingNode","message":"no \"such\" node","where":"a.yaml:12:3"},
    {"code":"ZeroRtt","message":"z","where":""}
  ],
  "skipped": [
    {"kind":"Ingress","name":"web"}
  ],
  "summary": {
    "pods": 2,
    "placed": 1,
    "unschedulable": 1
  }
}
)";

TEST_CASE("write: a plan in JSON has the keys of the specification in its order") {
  CHECK(write(sample(), TextFormat::kJson) == kText);
}

/// What a YAML text says, with quoted scalars as text.
ordered_json from_yaml(const YAML::Node& node) {
  if (node.IsMap()) {
    ordered_json map = ordered_json::object();
    for (const auto& field : node) map[field.first.Scalar()] = from_yaml(field.second);
    return map;
  }
  if (node.IsSequence()) {
    ordered_json list = ordered_json::array();
    for (const auto& item : node) list.push_back(from_yaml(item));
    return list;
  }
  if (node.IsNull()) return nullptr;
  if (node.Tag() == "!") return node.Scalar();
  const auto plain = ordered_json::parse(node.Scalar(), nullptr, false);
  return plain.is_discarded() ? ordered_json(node.Scalar()) : plain;
}

TEST_CASE("write: YAML says the same as JSON") {
  const std::string yaml = write(sample(), TextFormat::kYaml);
  CHECK(from_yaml(YAML::Load(yaml)) == ordered_json::parse(kText));
  CHECK(yaml.starts_with("apiVersion: gedge.io/v1alpha1\nkind: Plan\n"));
  CHECK(yaml.find("compat: \"1.36\"") != std::string::npos);
}

TEST_CASE("write: YAML quotes every text that would read as something else") {
  for (const char* name : {"true", "no", "123", "1e3", "0x1f", "null", "~", "", "12:30", "- a",
                           "#x", "a: b", " x", "on", ".inf", "'", "*a", "1_000"}) {
    CAPTURE(name);
    Plan plan;
    plan.profile = name;
    const YAML::Node read = YAML::Load(write(plan, TextFormat::kYaml));
    CHECK(read["profile"].Scalar() == name);
    CHECK_FALSE(read["profile"].IsNull());
    const auto back = read_plan({"p", write(plan, TextFormat::kYaml)});
    CHECK(back.errors.empty());
    if (back.plan) CHECK(back.plan->profile == name);
  }
}

TEST_CASE("write: hostile names become valid text that no terminal acts upon") {
  Plan plan = sample();
  const std::string hostile = "a\x1b[31m\x7f\xc2\x9b\xe2\x80\xae\xff\n\"\\ \xc3\xa4";
  plan.profile = plan.decisions[0].pod = hostile;
  for (const TextFormat format : {TextFormat::kJson, TextFormat::kYaml}) {
    const std::string text = write(plan, format);
    for (const char* raw : {"\x1b", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xff"})
      CHECK(text.find(raw) == std::string::npos);
    const ordered_json read =
        format == TextFormat::kYaml ? from_yaml(YAML::Load(text)) : ordered_json::parse(text);
    const char* const shown = "a\x1b[31m\x7f\xc2\x9b\xe2\x80\xae\xef\xbf\xbd\n\"\\ \xc3\xa4";
    CHECK(read["profile"] == shown);
    CHECK(read["decisions"][0]["pod"] == shown);
  }
}

TEST_CASE("write: every character of ASCII is read back, wherever it stands in a text") {
  Plan plan = sample();
  for (int c = 1; c < 0x80; ++c)
    for (std::size_t at = 0; at < 11; ++at) {
      std::string name = "web-01234-5";
      name[at] = static_cast<char>(c);
      plan.decisions[0].pod = name;
      const std::string text = write(plan, TextFormat::kJson);
      REQUIRE(std::none_of(text.begin(), text.end(), [](char byte) {
        return (byte < 0x20 && byte != '\n') || byte == 0x7F;
      }));
      REQUIRE(ordered_json::parse(text)["decisions"][0]["pod"] == name);
    }
}

void check_equal(const Plan& a, const Plan& b) {
  CHECK(write(a, TextFormat::kJson) == write(b, TextFormat::kJson));
  REQUIRE(b.decisions.size() == a.decisions.size());
  CHECK(b.decisions[0].chosen->node == "edge-1");
  CHECK(b.warnings[0].where.line == 12);
  CHECK(b.warnings[0].where.column == 3);
  CHECK(b.warnings[0].where.origin == "a.yaml");
}

TEST_CASE("read plan: what was written is read back, in every format") {
  const Plan plan = sample();
  for (const TextFormat format : {TextFormat::kJson, TextFormat::kYaml}) {
    const std::string text = write(plan, format);
    const auto back = read_plan({"plan", text});
    REQUIRE_MESSAGE(back.plan, (back.errors.empty() ? "" : back.errors[0].what));
    check_equal(plan, *back.plan);
  }
}

TEST_CASE("read plan: additions are skipped, everything else is refused with its place") {
  const std::string head = R"({"apiVersion": "gedge.io/v1alpha1", "kind": "Plan", )";
  CHECK(read_plan(
            {"p", head + R"("new": [1], "decisions": [{"namespace": "a", "pod": "b", "node": null,)"
                         R"("x": 1}]})"})
            .plan);
  const auto error = [](const std::string& text) {
    const auto read = read_plan({"p.json", text});
    CHECK_FALSE(read.plan);
    REQUIRE_FALSE(read.errors.empty());
    CHECK(read.errors[0].where.origin == "p.json");
    CHECK(read.errors[0].where.line == 1);
    return read.errors[0].what;
  };
  CHECK(error(R"({"kind": "Pod"})") == "no gedge plan");
  CHECK(error(R"({"apiVersion": "v1", "kind": "Plan", "decisions": []})") ==
        "no plan of gedge.io/v1alpha1");
  CHECK(error(head + R"("seed": 1})") == "a plan without decisions");
  CHECK(error(head + R"("decisions": 3})").find("must be a list") != std::string::npos);
  CHECK(error(head + R"("decisions": [{"pod": "b", "node": null}]})").find("needs a namespace") !=
        std::string::npos);
  CHECK(error(head + R"("decisions": [{"namespace": "a", "pod": "b", "node": 7}]})")
            .find("'node' must be text") != std::string::npos);
  CHECK(error(head + R"("decisions": [{"namespace": "a", "pod": "b", "node": "n", "score": "1"}]})")
            .find("'score'") != std::string::npos);
  CHECK(error(head + R"("seed": -1, "decisions": []})").find("'seed'") != std::string::npos);
  CHECK(error(head + R"("seed": 18446744073709551616, "decisions": []})").find("'seed'") !=
        std::string::npos);
  CHECK(error(head + R"("compat": "1.30", "decisions": []})").find("unknown Kubernetes version") ==
        0);
  CHECK(error("[]") == "no gedge plan");
  CHECK(error("{").size() > 0);
}

TEST_CASE("write: an explanation merges the reasons of one policy") {
  Explanation e;
  e.namespace_name = "shop";
  e.pod = "web-0";
  e.chosen = ScoredNode{"b", 150};
  NodeExplanation a{"a", false, {}, {}, std::nullopt};
  a.rejections = {
      {"NodeResourcesFit",
       {Reason::kInsufficient, Verdict::kUnschedulable, 500, 300, Unit::kMilliCpu, "cpu"}},
      {"NodeResourcesFit",
       {Reason::kInsufficient, Verdict::kUnresolvable, 9, 8, Unit::kBytes, "memory"}},
      {"DelayBudget",
       {Reason::kUnmeasuredRtt, Verdict::kUnresolvable, kNoNumber, 5000, Unit::kMicros, "edge-1"}},
      {"NodeName",
       {Reason::kNodeName, Verdict::kUnresolvable, kNoNumber, kNoNumber, Unit::kNone, ""}}};
  NodeExplanation b{"b", true, {}, {{"LatencySlack", 30, 30, 5}}, 150};
  e.nodes = {a, b};
  e.changes = {{{"node/a:cpu=+200m", "node/a:memory=9"}, false, "a", Shown::kWhatIf},
               {{"rtt/a,b=3ms"}, true, "a", Shown::kEvaluation}};
  const auto json = ordered_json::parse(write(e, Compat::k1_36, TextFormat::kJson));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"apiVersion", "kind", "namespace", "pod", "node", "nodes",
                                         "changes"});
  const auto& rejections = json["nodes"][0]["rejections"];
  REQUIRE(rejections.size() == 3);
  CHECK(rejections[0].dump() ==
        R"({"policy":"NodeResourcesFit","verdict":"unresolvable","reasons":)"
        R"(["Insufficient cpu","Insufficient memory"],"measured":500,)"
        R"("limit":300,"unit":"milliCpu"})");
  CHECK_FALSE(rejections[1].contains("measured"));
  CHECK(rejections[1]["limit"] == 5000);
  CHECK(rejections[1]["unit"] == "us");
  CHECK(rejections[2].size() == 3);
  CHECK(json["nodes"][0]["total"].is_null());
  CHECK(json["nodes"][1].dump() ==
        R"({"node":"b","feasible":true,"rejections":[],"scores":)"
        R"([{"policy":"LatencySlack","raw":30,"normalized":30,"weight":5}],"total":150})");
  CHECK(json["changes"].dump() ==
        R"([{"edits":["node/a:cpu=+200m","node/a:memory=9"],"effect":"schedulable",)"
        R"("node":"a","shown":"what-if"},{"edits":["rtt/a,b=3ms"],"effect":"wins","node":"a",)"
        R"("shown":"evaluation"}])");
  const std::string yaml = write(e, Compat::k1_36, TextFormat::kYaml);
  CHECK(from_yaml(YAML::Load(yaml)) == json);
  CHECK(yaml.find("feasible: true\n    rejections: []\n    scores:\n") != std::string::npos);
}

TEST_CASE("write: a matrix is read back with both directions and its holes") {
  RttMatrix matrix({"a", "b", "c"});
  matrix.set(NameIndex{0}, NameIndex{1}, Rtt{1500});
  matrix.set(NameIndex{1}, NameIndex{0}, Rtt{1600});
  matrix.set(NameIndex{2}, NameIndex{2}, Rtt{7});
  RttOptions options;
  options.rtt_by = "zone";
  for (const TextFormat format : {TextFormat::kJson, TextFormat::kYaml}) {
    const std::string text = write(matrix, format);
    const auto back = read_rtt({{{"m", text}}}, options);
    REQUIRE(back.errors.empty());
    CHECK(back.formats == std::vector{RttFormat::kLatencyMatrix});
    CHECK(back.matrix.names() == matrix.names());
    for (std::uint32_t i = 0; i < 3; ++i)
      for (std::uint32_t j = 0; j < 3; ++j)
        if (i != j || i == 2)
          CHECK(back.matrix.at(NameIndex{i}, NameIndex{j}) ==
                matrix.at(NameIndex{i}, NameIndex{j}));
  }
}

TEST_CASE("write: what-if, verification and policies") {
  WhatIf what_if;
  what_if.after = sample();
  what_if.differences = {{Outcome::kMoved, "shop", "web-0", "near-1", "edge-1"},
                         {Outcome::kUnschedulable, "shop", "web-1", "", ""}};
  const auto json = ordered_json::parse(write(what_if, {"node/near-1:drain"}, TextFormat::kJson));
  CHECK(json["kind"] == "WhatIf");
  CHECK(json["edits"].dump() == R"(["node/near-1:drain"])");
  CHECK(
      json["differences"][0].dump() ==
      R"({"outcome":"moved","namespace":"shop","pod":"web-0","before":"near-1","after":"edge-1"})");
  CHECK(json["differences"][1]["before"].is_null());
  CHECK(json["summary"].dump() == R"({"placed":0,"moved":1,"lost":0,"unschedulable":1})");
  CHECK(json["plan"] == ordered_json::parse(kText));
  CHECK(from_yaml(YAML::Load(write(what_if, {"node/near-1:drain"}, TextFormat::kYaml))) == json);

  const auto bad = ordered_json::parse(write(
      Verification{3, {{"a", "p", "n", "NodePorts", "port 80 is taken"}}}, TextFormat::kJson));
  CHECK(bad["holds"] == false);
  CHECK(
      bad["violations"][0].dump() ==
      R"({"namespace":"a","pod":"p","node":"n","rule":"NodePorts","message":"port 80 is taken"})");
  CHECK(bad["summary"].dump() == R"({"placements":3,"violations":1,"unplaced":0})");
  CHECK(ordered_json::parse(write(Verification{3, {}}, TextFormat::kJson))["holds"] == true);
  const auto partial =
      ordered_json::parse(write(Verification{3, {}}, {{"a", "q", {}}}, TextFormat::kJson));
  CHECK(partial["holds"] == true);
  CHECK(partial["unplaced"].dump() == R"([{"namespace":"a","pod":"q"}])");
  CHECK(partial["summary"]["unplaced"] == 1);

  const auto profile = builtin_profile("edge", Compat::k1_36);
  REQUIRE(profile);
  const auto policies = ordered_json::parse(write(policy_list(*profile), TextFormat::kJson));
  CHECK(policies["profile"] == "edge");
  CHECK(policies["policies"].size() == policy_catalogue().size());
  for (const auto& policy : policies["policies"])
    if (policy["name"] == "LatencySlack") {
      CHECK(policy["weight"] == 5);
      CHECK(policy["filters"] == false);
      CHECK(policy["module"].is_null());
    }
}

}  // namespace
}  // namespace gedge
