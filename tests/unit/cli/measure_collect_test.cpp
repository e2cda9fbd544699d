#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/sim/scripted_http.hpp"
#include "gedge/sim/scripted_network.hpp"
#include "memory_io.hpp"

using gedge::HttpAnswer;
using gedge::Micros;
using gedge::ScriptedHttp;
using gedge::cli::Exit;
using gedge::test::MemoryFiles;
using gedge::test::Outcome;

namespace {

std::string row(const std::string& from, const std::vector<std::pair<std::string, int>>& peers) {
  std::string nodes = '"' + from + '"', pairs;
  for (const auto& [to, us] : peers) {
    nodes += ",\"" + to + '"';
    if (!pairs.empty()) pairs += ',';
    pairs += R"({"from":")" + from + R"(","to":")" + to + R"(",)";
    pairs += us < 0 ? R"("p95Us":null,"lossPpm":1000000,"samples":0})"
                    : R"("minUs":)" + std::to_string(us / 2) + R"(,"p95Us":)" + std::to_string(us) +
                          R"(,"lossPpm":0,"samples":3,"method":"icmp"})";
  }
  return R"({"kind":"LatencyMatrix","nodes":[)" + nodes + R"(],"pairs":[)" + pairs + "]}";
}

struct World {
  World() {
    files.files["peers"] = "a=10.0.0.1\nb=10.0.0.2 # near\n";
    answer("http://10.0.0.1:8787/matrix.json", row("a", {{"b", 1'000}}));
    answer("http://10.0.0.2:8787/matrix.json", row("b", {{"a", 1'100}}));
  }
  void answer(const std::string& url, const std::string& body) {
    http.answers.insert_or_assign(url, HttpAnswer{200, "", body});
  }
  Outcome run(std::vector<std::string> args) {
    args.insert(args.begin(), "measure");
    gedge::cli::Stream out = gedge::cli::Stream::in_memory(0),
                       err = gedge::cli::Stream::in_memory();
    const gedge::test::StoppedClock clock;
    gedge::cli::Io io{out, err, files, {}, clock, "gedge"};
    io.network = &network;
    io.http = &http;
    const Exit exit = gedge::cli::run(args, io);
    return {exit, out.text(), err.text()};
  }

  ScriptedHttp http;
  gedge::ScriptedNetwork network{[](std::uint32_t, std::uint32_t) { return gedge::Fate{}; }};
  MemoryFiles files;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "measure --agents: one table of all ordered pairs, and nothing to say where all is well") {
  World world;
  const Outcome outcome = world.run({"--agents", "peers"});
  CHECK(outcome.out ==
        "FROM\tTO\tMIN\tP50\tP95\tP99\tMAX\tLOSS\tSAMPLES\n"
        "a\tb\t0.5 ms\t-\t1.0 ms\t-\t-\t0 %\t3\n"
        "b\ta\t0.6 ms\t-\t1.1 ms\t-\t-\t0 %\t3\n");
  CHECK(outcome.err.empty());
  CHECK(outcome.exit == Exit::kYes);
  CHECK(world.network.opened.empty());  // nothing was probed
}

TEST_CASE(
    "measure --agents: who does not answer is named with the reason, the pairs stay unknown") {
  World world;
  world.files.files["peers"] += "c=10.0.0.3\n";
  world.answer("http://10.0.0.1:8787/matrix.json", row("a", {{"b", 1'000}, {"c", -1}}));
  const Outcome outcome = world.run({"--agents", "peers"});
  CHECK(has(outcome.out, "a\tc\t-\t-\t-\t-\t-\t100 %\t0\n"));
  CHECK(has(outcome.out, "c\ta\t-\t-\t-\t-\t-\t-\t-\n"));
  CHECK(has(outcome.err, "2 of 3 agents can be believed:\n"));
  CHECK(has(outcome.err, "  c (http://10.0.0.3:8787/matrix.json) is silent: connection refused\n"));
  CHECK(has(outcome.err, "of 3 pairs, 2 not known in either direction:\n  a <-> c\n  b <-> c\n"));
  CHECK(outcome.exit == Exit::kNo);

  const Outcome json = world.run({"--agents", "peers", "-o", "json"});
  CHECK(has(json.out, R"({"name":"c","source":"http://10.0.0.3:8787/matrix.json",)"
                      R"("state":"silent","why":"connection refused"})"));
  CHECK(has(json.out, R"("c")"));
  CHECK(json.exit == Exit::kNo);
  CHECK(world.run({"--agents", "peers", "-q"}).err.empty());
  CHECK(world.run({"--agents", "peers", "-q"}).exit == Exit::kNo);
}

TEST_CASE("measure --agents: a liar is flagged in every output and believed in none") {
  World world;
  std::string list;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "n" + std::to_string(i);
    list += name + "=10.0.1." + std::to_string(i) + '\n';
    std::vector<std::pair<std::string, int>> peers;
    for (int j = 0; j < 8; ++j)
      if (j != i) peers.emplace_back("n" + std::to_string(j), i == 3 ? 100 : 10'000);
    world.answer("http://10.0.1." + std::to_string(i) + ":8787/matrix.json", row(name, peers));
  }
  world.files.files["peers"] = list;
  const Outcome table = world.run({"--agents", "peers"});
  CHECK(
      has(table.out, "n3\tn0\t-\t-\t-\t-\t-\t-\t-\tleft out: 100us, its agent is not believed\n"));
  CHECK(has(table.out, "n0\tn3\t5.0 ms\t-\t10.0 ms\t-\t-\t0 %\t3\t-\n"));
  CHECK(has(table.err, "is distrusted: its peers contradict what it reports\n"));
  CHECK(has(table.err, "of 28 pairs, 7 in one direction only\n"));
  CHECK(table.exit == Exit::kNo);
  const Outcome json = world.run({"--agents", "peers", "-o", "json"});
  CHECK(has(json.out, R"({"from":"n3","to":"n0","minUs":null,"p50Us":null,"p95Us":null,)"));
  CHECK(has(json.out, R"("suspicious":true)"));
  CHECK(has(world.run({"--agents", "peers", "-o", "csv"}).out, "n3,,,,0,,,,\n"));
  CHECK_FALSE(has(world.run({"--agents", "peers", "-o", "edges"}).out, "n3,n0,0.1,"));
}

TEST_CASE("measure --agents: sources are files, URLs with and without names, and ports") {
  World world;
  const auto asked = [&world] {
    std::vector<std::string> urls;
    for (const gedge::HttpCall& call : world.http.calls) urls.push_back(call.url);
    world.http.calls.clear();
    return urls;
  };
  world.files.files["mixed"] = "edge-1\nv6=fd00::7\nurl=https://edge-3/m?a=1,2\n";
  world.run({"--agents", "mixed", "--port", "99"});
  CHECK(asked() == std::vector<std::string>{"http://edge-1:99/matrix.json",
                                            "http://[fd00::7]:99/matrix.json",
                                            "https://edge-3/m?a=1,2"});
  world.run({"--agents", "a=http://10.0.0.1:1,https://10.0.0.2/x,y,b=http://[::1]:2/", "--agents",
             "http://10.0.0.1:1/"});
  CHECK(asked() == std::vector<std::string>{"http://10.0.0.1:1/matrix.json", "https://10.0.0.2/x,y",
                                            "http://[::1]:2/matrix.json"});
  world.files.files["token"] = "\n  s3cr3t-token  \nthe-old-one\n";
  world.files.files["ca"] = "-----BEGIN CERTIFICATE-----\n";
  world.run(
      {"--agents", "peers", "--token-file", "token", "--ca-file", "ca", "--request-timeout", "2s"});
  CHECK(world.http.calls[0].token == "s3cr3t-token");
  CHECK(world.http.terms.trusted == "-----BEGIN CERTIFICATE-----\n");
  CHECK(world.http.terms.verify);
  CHECK(world.http.terms.timeout == Micros{2'000'000});
  CHECK(world.http.terms.connect_timeout == Micros{2'000'000});
  CHECK(asked() == std::vector<std::string>{"https://10.0.0.1:8787/matrix.json",
                                            "https://10.0.0.2:8787/matrix.json"});
  const Outcome open = world.run({"--agents", "https://10.0.0.1", "--insecure-skip-tls-verify"});
  CHECK_FALSE(world.http.terms.verify);
  CHECK(has(open.err, "certificates were not checked"));
}

TEST_CASE("measure --agents: of dns:NAME each address is an agent, which says what it is called") {
  World world;
  world.network.addresses["agents.svc"].bytes = {10, 0, 0, 2};
  world.answer("http://10.0.0.2:8787/matrix.json", row("b", {{"10.0.0.2", 7}, {"10.0.0.9", 900}}));
  const Outcome outcome = world.run({"--agents", "dns:agents.svc"});
  CHECK(has(outcome.out, "b\t10.0.0.9\t450 us\t"));
  CHECK_FALSE(has(outcome.out, "b\t10.0.0.2"));  // that is itself
  CHECK(outcome.exit == Exit::kYes);
  CHECK(world.run({"--agents", "dns:nobody"}).exit == Exit::kInput);
}

TEST_CASE("measure --agents: nodes of a cluster give addresses their names") {
  World world;
  world.files.files["nodes.json"] =
      R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"far"},
         "status":{"addresses":[{"type":"InternalIP","address":"10.0.0.9"}]}}]})";
  world.answer("http://10.0.0.1:8787/matrix.json", row("a", {{"10.0.0.9", 9'000}}));
  const Outcome outcome =
      world.run({"--agents", "http://10.0.0.1:8787", "--cluster", "nodes.json"});
  CHECK(has(outcome.out, "a\tfar\t4.5 ms\t-\t9.0 ms\t"));
  CHECK(outcome.exit == Exit::kYes);
}

TEST_CASE("measure --import: Goldpinger by URL and by file, and who says nothing is named") {
  World world;
  const std::string check_all = R"({
    "hosts":[{"hostIP":"10.0.0.1","podName":"gp-a"},{"hostIP":"10.0.0.2","podName":"gp-b"},
             {"hostIP":"10.0.0.3","podName":"gp-c"}],
    "responses":{
      "gp-a":{"HostIP":"10.0.0.1","OK":true,"response":{"podResults":{
        "gp-b":{"HostIP":"10.0.0.2","OK":true,"response-time-ms":3,"status-code":200}}}},
      "gp-b":{"HostIP":"10.0.0.2","OK":true,"response":{"podResults":{
        "gp-a":{"HostIP":"10.0.0.1","OK":true,"response-time-ms":4,"status-code":200}}}},
      "gp-c":{"HostIP":"10.0.0.3","OK":false,"error":"timed out"}}})";
  world.answer("http://gp:8080/check_all", check_all);
  world.files.files["check_all.json"] = check_all;
  world.files.files["nodes.json"] =
      R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"edge-1"},
         "status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}}]})";
  for (const std::string source : {"http://gp:8080", "check_all.json"}) {
    const Outcome outcome =
        world.run({"--import", "goldpinger", source, "--cluster", "nodes.json"});
    CHECK(has(outcome.out, "10.0.0.2\tedge-1\t-\t-\t4.0 ms\t-\t-\t0 %\t1\n"));
    CHECK(has(outcome.out, "10.0.0.3\tedge-1\t-\t-\t-\t-\t-\t-\t-\n"));
    CHECK(has(outcome.err, "pod 'gp-c' gave no results: 'timed out'"));
    CHECK(has(outcome.err, "of 3 pairs, 2 not known in either direction"));
    CHECK(outcome.exit == Exit::kNo);
  }
  const Outcome json = world.run({"--import", "goldpinger", "check_all.json", "-o", "json"});
  CHECK(has(json.out, R"({"from":"10.0.0.1","to":"10.0.0.2",)"));
  CHECK_FALSE(has(json.out, "agents"));
}

TEST_CASE("measure --import: other files, each in its own format, and no other") {
  World world;
  world.files.files["rtt.csv"] = ",a,b\na,0,2\nb,3,0\n";
  world.files.files["a.log"] =
      "PING b (10.0.0.2) 56(84) bytes of data.\n"
      "64 bytes from b (10.0.0.2): icmp_seq=1 ttl=64 time=1.5 ms\n";
  const Outcome any = world.run({"--import", "any", "rtt.csv"});
  CHECK(has(any.out, "a\tb\t-\t-\t2.0 ms\t"));
  CHECK(any.exit == Exit::kYes);
  CHECK(has(world.run({"--import", "ping", "a.log", "-o", "edges"}).out, "a,b,"));
  const Outcome named = world.run({"--import", "ping", "a.log", "--from", "edge-1"});
  CHECK(named.exit == Exit::kYes);
  CHECK(has(named.out, "edge-1\tb\t"));
  const Outcome wrong = world.run({"--import", "goldpinger", "rtt.csv"});
  CHECK(wrong.exit == Exit::kInput);
  CHECK(has(wrong.err, "what was read is square CSV, not Goldpinger"));
  world.http.answers.insert_or_assign("http://gp/check_all", HttpAnswer{418, "", "teapot"});
  const Outcome teapot = world.run({"--import", "goldpinger", "http://gp"});
  CHECK(teapot.exit == Exit::kInput);
  CHECK(has(teapot.err, "http://gp/check_all: it answers with status 418"));
  CHECK(world.run({"--import", "goldpinger", "http://gone"}).exit == Exit::kWorld);
  CHECK(world.run({"--import", "any"}).exit == Exit::kUsage);
  CHECK(world.run({"--import", "any", "rtt.csv", "--agents", "peers"}).exit == Exit::kUsage);
  CHECK(world.run({"edge-1", "--rtt-zero", "value"}).exit == Exit::kUsage);
  const Outcome zero = world.run({"--import", "any", "rtt.csv", "--rtt-zero", "value"});
  CHECK(zero.exit == Exit::kYes);
}

TEST_CASE("measure: flags that only probes look at are refused where nothing is probed") {
  World world;
  world.files.files["rtt.csv"] = ",a,b\na,0,2\nb,3,0\n";
  const std::vector<std::vector<std::string>> flags{
      {"--count", "10"},   {"--method", "icmp"}, {"--interval", "0"},
      {"--size", "56"},    {"--timeout", "1s"},  {"--rate", "0"},
      {"--family", "any"}, {"--watch"},          {"--from", "a"}};
  const auto refused = [&](std::vector<std::string> args, const std::vector<std::string>& flag) {
    args.insert(args.end(), flag.begin(), flag.end());
    const Outcome outcome = world.run(args);
    CAPTURE(flag[0]);
    CHECK(outcome.exit == Exit::kUsage);
    CHECK(has(outcome.err, "flag '" + flag[0] + "'"));
  };
  for (const std::vector<std::string>& flag : flags) {
    refused({"--agents", "peers"}, flag);
    refused({"--import", "any", "rtt.csv"}, flag);
  }
  refused({"--import", "any", "rtt.csv"}, {"--port", "1"});
  CHECK(world.http.calls.empty());
}

TEST_CASE("measure --agents: wrong uses exit with 2, bad inputs with 3, nobody there with 4") {
  World world;
  world.files.files["empty"] = "# none\n";
  world.files.files["blank"] = " \n\n";
  struct Case {
    std::vector<std::string> args;
    Exit exit;
    std::string said;
  };
  const std::vector<Case> cases{
      {{"--agents", "peers", "edge-1"}, Exit::kUsage, "probes nothing itself"},
      {{"--agents", "peers", "--targets", "peers"}, Exit::kUsage, "probes nothing itself"},
      {{"--agents", "peers", "-w"}, Exit::kUsage, "'--watch' shows probes"},
      {{"edge-1", "--token-file", "x"}, Exit::kUsage, "needs '--agents'"},
      {{"--agents", "peers", "--request-timeout", "0"}, Exit::kUsage, "'0' is too short"},
      {{"--agents", "empty"}, Exit::kInput, "no target in this file"},
      {{"--agents", "gone"}, Exit::kInput, "cannot open gone"},
      {{"--agents", "127.0.0.1:8787"}, Exit::kInput, "URLs as http://NODE:8787"},
      {{"--agents", "ftp://a"}, Exit::kInput, "'ftp' is neither http nor https"},
      {{"--agents", "http://me:secret@a"}, Exit::kInput, "a user or a password"},
      {{"--agents", "peers", "--token-file", "blank"}, Exit::kInput, "no token in blank"},
      {{"--agents", "peers", "--ca-file", "gone"}, Exit::kInput, "cannot open gone"},
      {{"--agents", "http://10.0.0.9"}, Exit::kWorld, "no agent answered"},
  };
  for (const Case& wrong : cases) {
    const Outcome outcome = world.run(wrong.args);
    CAPTURE(wrong.said);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == wrong.exit);
    CHECK(has(outcome.err, wrong.said));
    CHECK_FALSE(has(outcome.err, "secret"));
    CHECK(outcome.out.empty());
  }
  world.http.denies = true;
  const Outcome denied = world.run({"--agents", "peers"});
  CHECK(denied.exit == Exit::kWorld);
  CHECK(has(denied.err, "libcurl"));
}
