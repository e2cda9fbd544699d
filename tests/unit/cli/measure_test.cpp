#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "gedge/sim/scripted_network.hpp"
#include "memory_io.hpp"

using gedge::Fate;
using gedge::IpAddress;
using gedge::Nanos;
using gedge::ProbeMethod;
using gedge::Refusal;
using gedge::ScriptedNetwork;
using gedge::cli::Exit;
using gedge::test::MemoryFiles;
using gedge::test::Outcome;

namespace {

constexpr Nanos kMs{1'000'000};

IpAddress v4(std::uint8_t last) {
  IpAddress address;
  address.bytes = {10, 0, 0, last};
  return address;
}

IpAddress v6(std::uint8_t last) {
  IpAddress address;
  address.bytes = {0xfd};
  address.bytes[15] = last;
  address.is_v6 = true;
  return address;
}

// Targets in the order asked: the first answers after 1 ms and more, the second after 20 ms and
// loses its last probe, the third is silent, the fourth cannot be reached.
Fate fate_of(std::uint32_t target, std::uint32_t number) {
  switch (target) {
    case 0:
      return {{kMs + number * Nanos{1'500}}, Refusal::kNone, Nanos{0}};
    case 1:
      return number == 3 ? Fate{} : Fate{{20 * kMs, 21 * kMs}, Refusal::kNone, Nanos{0}};
    case 2:
      return {};
    default:
      return {{}, Refusal::kUnreachable};
  }
}

struct World {
  World() {
    for (std::uint8_t i = 1; i <= 9; ++i) network.addresses["10.0.0." + std::to_string(i)] = v4(i);
    network.addresses["edge-1"] = v4(1);
    network.addresses["edge-2"] = v4(2);
    network.addresses["edge-3"] = v4(3);
  }

  Outcome run(std::vector<std::string> args, std::size_t width = 0) {
    args.insert(args.begin(), "measure");
    gedge::cli::Stream out = gedge::cli::Stream::in_memory(width),
                       err = gedge::cli::Stream::in_memory();
    const gedge::test::StoppedClock clock;
    gedge::cli::Io io{out, err, files, {}, clock, "gedge"};
    io.network = &network;
    const Exit exit = gedge::cli::run(args, io);
    return {exit, out.text(), err.text()};
  }

  ScriptedNetwork network{fate_of};
  MemoryFiles files;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("measure: a table by name, in one unit, and nothing to say where all answer") {
  World world;
  const Outcome outcome = world.run({"edge-2", "edge-1", "-c", "4"});
  CHECK(outcome.out ==
        "FROM\tTO\tMIN\tP50\tP95\tP99\tMAX\tLOSS\tSAMPLES\n"
        "here\tedge-1\t20.0 ms\t20.0 ms\t20.0 ms\t20.0 ms\t20.0 ms\t25 %\t3\n"
        "here\tedge-2\t1.0 ms\t1.0 ms\t1.0 ms\t1.0 ms\t1.0 ms\t0 %\t4\n");
  CHECK(outcome.err == "answers not counted: 3 came twice\n");
  CHECK(outcome.exit == Exit::kYes);
}

TEST_CASE("measure: what never answers is unmeasured, never zero, and the answer is no") {
  World world;
  const std::vector<std::string> nodes{"edge-1", "edge-2", "edge-3", "far=10.0.0.9", "-c", "2"};
  const Outcome table = world.run(nodes);
  CHECK(table.exit == Exit::kNo);
  CHECK(has(table.out, "here\tedge-3\t-\t-\t-\t-\t-\t100 %\t0\n"));
  CHECK(has(table.err, "edge-3 never answered\n"));
  CHECK(has(table.err, "far never answered: it cannot be reached\n"));

  std::vector<std::string> json = nodes;
  json.insert(json.end(), {"-o", "json"});
  CHECK(has(world.run(json).out,
            R"("to":"edge-3","minUs":null,"p50Us":null,"p95Us":null,"p99Us":null,"maxUs":null,)"
            R"("meanUs":null,"mdevUs":null,"jitterUs":null,"lossPpm":1000000,"samples":0)"));
}

TEST_CASE("measure: every statistic in wide, and how it was measured") {
  World world;
  const Outcome outcome = world.run({"edge-1", "-c", "3", "-o", "wide"});
  CHECK(outcome.out ==
        "FROM\tTO\tMIN\tP50\tP95\tP99\tMAX\tMEAN\tMDEV\tJITTER\tLOSS\tSAMPLES\tMETHOD\n"
        "here\tedge-1\t1.0 ms\t1.0 ms\t1.0 ms\t1.0 ms\t1.0 ms\t1.0 ms\t0.0 ms\t0.0 ms\t0 %\t3\t"
        "icmp\n");
}

TEST_CASE("measure: JSON, edges and square CSV carry the names and whole microseconds") {
  World world;
  const std::vector<std::string> args{"edge-1", "-c", "3", "--from", "edge-9", "-o"};
  const auto with = [&](const std::string& format) {
    std::vector<std::string> all = args;
    all.push_back(format);
    return world.run(all).out;
  };
  CHECK(has(with("json"),
            R"({"from":"edge-9","to":"edge-1","minUs":1000,"p50Us":1002,"p95Us":1003,"p99Us":1003,)"
            R"("maxUs":1003,"meanUs":1002,"mdevUs":2,"jitterUs":2,"lossPpm":0,"samples":3,)"
            R"("method":"icmp"})"));
  CHECK(has(with("edges"), "edge-9,edge-1,"));
  CHECK(with("csv") == ",edge-1,edge-9\nedge-1,0,\nedge-9,1.003,0\n");
}

TEST_CASE("measure: targets come from operands, from a file, else from the cluster") {
  World world;
  world.files.files["targets"] = "edge-1\nother=10.0.0.4 # by address\n";
  world.files.files["nodes.json"] =
      R"({"kind":"List","items":[
        {"kind":"Node","metadata":{"name":"here"}},
        {"kind":"Node","metadata":{"name":"edge-7"},
         "status":{"addresses":[{"type":"InternalIP","address":"10.0.0.7"}]}}]})";
  const auto asked = [&world] {
    std::vector<int> last;
    for (const IpAddress& address : world.network.opened.back().targets)
      last.push_back(address.bytes[3]);
    return last;
  };
  world.run({"edge-2", "--targets", "targets"});
  CHECK(asked() == std::vector<int>{2, 1, 4});
  world.run({"--cluster", "nodes.json"});  // without the node that measures
  CHECK(asked() == std::vector<int>{7});
  world.run({"--cluster", "nodes.json", "edge-7", "edge-1"});
  CHECK(asked() == std::vector<int>{7, 1});
}

TEST_CASE(
    "measure: a node is reached at its first InternalIP of the wanted family, wherever it is") {
  World world;
  world.network.addresses["fd00::7"] = v6(7);
  world.files.files["nodes.json"] =
      R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"edge-7"},"status":{"addresses":[
        {"type":"Hostname","address":"edge-1"},
        {"type":"InternalIP","address":"10.0.0.7"},
        {"type":"InternalIP","address":"fd00::7"}]}}]})";
  const auto asked = [&world](const std::string& family) {
    world.run({"--cluster", "nodes.json", "--family", family});
    return world.network.opened.back().targets[0];
  };
  CHECK(asked("any") == v4(7));
  CHECK(asked("4") == v4(7));
  CHECK(asked("6") == v6(7));
  world.files.files["nodes.json"] =
      R"({"kind":"Node","metadata":{"name":"edge-7"},
          "status":{"addresses":[{"type":"Hostname","address":"edge-2"}]}})";
  CHECK(asked("any") == v4(2));
}

TEST_CASE("measure: watched, every round is a table, the latest in the place of the last") {
  for (const std::size_t width : {0U, 30U, 80U}) {
    World world;
    world.network.opens_left = 3;
    const Outcome outcome = world.run({"edge-1", "-c", "2", "-w", "--no-headers"}, width);
    CHECK(outcome.exit == Exit::kWorld);  // that is how this network ends
    CHECK(has(outcome.err, "no permission"));
    const std::string row = outcome.out.substr(0, outcome.out.find('\n') + 1);
    CHECK(has(row, "edge-1"));
    // A row that a narrow terminal breaks takes more lines.
    const std::size_t lines = width == 30 ? (row.size() - 1 + 29) / 30 : 1;
    CHECK((lines > 1) == (width == 30));
    const std::string between = width == 0 ? "\n" : "\x1b[" + std::to_string(lines) + "A\x1b[J";
    CHECK(outcome.out == row + between + row + between + row);
  }
}

TEST_CASE("measure: rights are given up once probes leave, but for what the next round needs") {
  using GivenUp = std::vector<std::optional<ProbeMethod>>;
  World once;
  once.run({"edge-1", "-c", "3"});
  CHECK(once.network.given_up == GivenUp{std::nullopt});
  World watched;
  watched.network.opens_left = 2;
  watched.run({"edge-1", "-c", "3", "-w"});
  CHECK(watched.network.given_up == GivenUp{ProbeMethod::kIcmp, ProbeMethod::kIcmp});
  World denied;
  denied.network.denies = true;
  denied.run({"edge-1"});
  CHECK(denied.network.given_up.empty());
}

TEST_CASE("measure: flags reach the wire") {
  World world;
  world.run({"edge-1", "--method", "tcp", "--timeout", "30ms"});
  CHECK(world.network.opened.back().method == ProbeMethod::kTcp);
  CHECK(world.network.opened.back().targets[0].port == 10'250);
  CHECK(world.network.opened.back().timeout == 30 * kMs);
  CHECK_FALSE(world.network.opened.back().batched);
  for (const std::string text : {"1h", "60m", "3600s"}) {
    world.run({"edge-1", "--timeout", text});
    CHECK(world.network.opened.back().timeout == 3'600'000 * kMs);
  }
  world.run({"edge-1", "--timeout", "1.5m"});
  CHECK(world.network.opened.back().timeout == 90'000 * kMs);
  world.run({"edge-1", "--method", "udp", "--port", "99", "--interval", "0", "--size", "100"});
  CHECK(world.network.opened.back().method == ProbeMethod::kUdp);
  CHECK(world.network.opened.back().targets[0].port == 99);
  CHECK(world.network.opened.back().batched);
  CHECK(world.network.opened.back().size == 100);
  world.run({"edge-1", "other=10.0.0.2", "--method", "http"});
  CHECK(world.network.opened.back().method == ProbeMethod::kHttp);
  CHECK(world.network.opened.back().targets[0].port == 80);
  CHECK(world.network.opened.back().hosts == std::vector<std::string>{"edge-1", "10.0.0.2"});
  world.files.files["ca"] = "-----BEGIN";
  const Outcome https =
      world.run({"edge-1", "--method", "https", "--ca-file", "ca", "-o", "wide", "-c", "1"});
  CHECK(world.network.opened.back().targets[0].port == 443);
  CHECK(world.network.opened.back().trusted == "-----BEGIN");
  CHECK(world.network.opened.back().verify);
  CHECK(has(https.out, "\thttps-userland\n"));  // though this network stamps departures
  world.run({"edge-1", "--method", "https", "--insecure-skip-tls-verify"});
  CHECK_FALSE(world.network.opened.back().verify);
}

TEST_CASE("measure: wrong uses exit with 2, bad inputs with 3, a refusal with 4, all with a fix") {
  World world;
  world.files.files["empty"] = "# none\n";
  world.files.files["twice"] = "a\na\n";
  for (int i = 0; i < 16'384; ++i) world.files.files["many"] += "a" + std::to_string(i) + "\n";
  struct Case {
    std::vector<std::string> args;
    Exit exit;
    std::string said;
  };
  const std::vector<Case> cases{
      {{}, Exit::kUsage, "nothing to measure"},
      {{"edge-1", "--port", "7"}, Exit::kUsage, "'--port' is not for"},
      {{"edge-1", "--size", "15"}, Exit::kUsage, "from 16 to 65507 bytes"},
      {{"edge-1", "--method", "http", "--ca-file", "x"}, Exit::kUsage, "'--method https'"},
      {{"edge-1", "-c", "0"}, Exit::kUsage, "measures nothing"},
      {{"edge-1", "--timeout", "0"}, Exit::kUsage, "'0' is too short"},
      {{"edge-1", "--timeout", "0m"}, Exit::kUsage, "'0m' is too short"},
      {{"edge-1", "--timeout", "61m"}, Exit::kUsage, "'61m' is too long"},
      {{"edge-1", "--timeout", "1.5d"}, Exit::kUsage, "'1.5d' is no time"},
      {{"edge-1", "--timeout", "m"}, Exit::kUsage, "'m' is no time"},
      {{"edge-1", "--interval", "20"}, Exit::kUsage, "write for example `20ms`"},
      {{"edge-1", "-i", "20"}, Exit::kUsage, "write for example `20ms`"},
      {{"edge-1", "-W", "61m"}, Exit::kUsage, "'61m' is too long"},
      {{"edge-1", "-s", "15"}, Exit::kUsage, "from 16 to 65507 bytes"},
      {{"edge-1", "-w", "-o", "json"}, Exit::kUsage, "'--watch' shows tables"},
      {{"edge-1", "--method", "smoke"}, Exit::kUsage, "smoke"},
      {{"nowhere"}, Exit::kInput, "no address of 'nowhere'"},
      {{"edge-1", "--targets", "empty"}, Exit::kInput, "no target in this file"},
      {{"--targets", "twice"}, Exit::kInput, "twice:2:1: error: 'a' stands on line 1 already"},
      {{"--targets", "gone"}, Exit::kInput, "cannot open gone"},
      {{"--targets", "many"}, Exit::kInput, "16384 targets are more than the 16383 that a matrix"},
      {{"edge-1", "edge-1=10.0.0.3"}, Exit::kInput, "'edge-1' is to be measured twice"},
      {{"here"}, Exit::kInput, "nothing to measure but 'here' itself"},
  };
  for (const Case& wrong : cases) {
    const Outcome outcome = world.run(wrong.args);
    CAPTURE(wrong.said);
    CHECK(outcome.exit == wrong.exit);
    CHECK(has(outcome.err, wrong.said));
    CHECK(outcome.out.empty());
  }
  CHECK(world.network.opened.empty());  // not one probe before all is checked

  world.network.opens_left = 0;
  const Outcome denied = world.run({"edge-1"});
  CHECK(denied.exit == Exit::kWorld);
  CHECK(has(denied.err, "no permission to open an ICMP socket"));
  CHECK(has(denied.err, "--method tcp"));
  world.network.opens_left = 1;
  CHECK(world.run({"edge-1", "--method", "tcp"}).exit == Exit::kYes);
}
