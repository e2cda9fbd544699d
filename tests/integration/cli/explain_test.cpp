#include <doctest/doctest.h>

#include "integration/cli/gedge.hpp"
#include "support/folder.hpp"

using namespace gedge::test;

namespace {

Ran ask(const std::vector<std::string>& question,
        const std::string& manifest = kCamera + "---\n" + kBig) {
  const Folder folder;
  folder.put("app.yaml", manifest);
  RunOptions options;
  options.folder = folder.path();
  std::vector<std::string> args = question;
  args.insert(args.end(), {"--cluster", kSite, "-f", "app.yaml"});
  return run_gedge(args, options);
}

}  // namespace

TEST_CASE("explain: verdict and budgets and filters and scores and changes") {
  const Ran ran = ask({"explain", "decode-0"});
  CHECK(ran.exit == 0);
  CHECK(ran.err.empty());
  CHECK(
      ran.out.starts_with("decode-0 -> edge-1   score 1142, runner-up edge-2 (942)\n"
                          "\n"
                          "Delay budgets\n"
                          "FROM\tRTT\tBUDGET\tSLACK\n"
                          "edge-1\t0.0 ms\t5.0 ms\t5.0 ms\n"
                          "\n"
                          "Filters (6 nodes, 2 feasible)\n"
                          "NODE\tDelayBudget\tVERDICT\n"
                          "cloud-1\tedge-1 40.0 > 5.0 ms\trejected\n"
                          "cloud-2\tedge-1 40.0 > 5.0 ms\trejected\n"
                          "edge-1\tok\tfeasible\n"
                          "edge-2\tok\tfeasible\n"
                          "near-1\tedge-1 10.0 > 5.0 ms\trejected\n"
                          "near-2\tedge-1 10.0 > 5.0 ms\trejected\n"
                          "ok on every node: NodeUnschedulable, "));
  CHECK(ran.out.find("\nScores (0-100; total = weighted sum)\nNODE\tLatencySlack x5\t") !=
        std::string::npos);
  CHECK(ran.out.find("\t1142\tchosen\n") != std::string::npos);
  CHECK(ran.out.find("\t942\trunner-up\n") != std::string::npos);
  CHECK(ran.out.find("\nWhat would change this\n  ") != std::string::npos);
}

TEST_CASE("explain: an unschedulable pod has its reason and the nearest change") {
  const Ran ran = ask({"explain", "big"});
  CHECK(ran.exit == 1);
  CHECK(ran.out.starts_with("big is unschedulable: 0/6 nodes are available: "));
  CHECK(ran.out.find("\nNODE\tNodeResourcesFit\tDelayBudget\tVERDICT\n"
                     "cloud-1\tcpu 5000m > 4000m\tedge-1 40.0 > 1.0 ms\trejected\n") !=
        std::string::npos);
  CHECK(ran.out.find("edge-1 becomes feasible with node/edge-1:cpu=+") != std::string::npos);
}

TEST_CASE("explain: each printed change holds when it is tried") {
  const Ran why = ask({"why-not", "big", "edge-1", "-o", "name"});
  CHECK(why.exit == 0);
  const std::string edit = why.out.substr(0, why.out.find('\n'));
  CHECK(ask({"plan", "--what-if", edit, "--replan", "--no-headers"})
            .out.find("+ placed\tbig\t-\tedge-1\n") != std::string::npos);
}

TEST_CASE("explain: the winner by name and the pod by its namespace") {
  CHECK(ask({"explain", "decode-0", "-o", "name"}).out == "node/edge-1\n");
  CHECK(ask({"explain", "default/decode-0", "-o", "name"}).out == "node/edge-1\n");
  CHECK(ask({"explain", "pod/decode-0", "-o", "name"}).out == "node/edge-1\n");
  CHECK(ask({"explain", "decode-0", "-n", "default", "-o", "name"}).out == "node/edge-1\n");
}

TEST_CASE("explain: an unknown pod gets the nearest one") {
  const Ran near = ask({"explain", "decdoe-0"});
  CHECK(near.exit == 3);
  CHECK(near.err ==
        "gedge: error: there is no pod 'decdoe-0' in namespace 'default'\n  fix: did you mean "
        "`decode-0`?\n");
  CHECK(ask({"explain", "decode-9"}).err ==
        "gedge: error: there is no pod 'decode-9' in namespace 'default'\n"
        "  fix: `gedge plan` with the same flags shows every pod\n");
  for (const char* const workload : {"decode", "deployment/decode"})
    CHECK(ask({"explain", workload})
              .err.ends_with("\n  fix: name one of its pods, for example `decode-0`\n"));
  CHECK(ask({"explain", "shop/decode-0"}).err.find("did you mean `default/decode-0`?") !=
        std::string::npos);
}

TEST_CASE("explain: no-headers leaves the headings and drops the header lines") {
  const Ran ran = ask({"explain", "decode-0", "--no-headers"});
  CHECK(ran.out.find("VERDICT") == std::string::npos);
  CHECK(ran.out.find("Filters (6 nodes, 2 feasible)\ncloud-1\t") != std::string::npos);
}

TEST_CASE("why-not: the node beside the winner and what would make it feasible") {
  const Ran ran = ask({"why-not", "decode-0", "near-1"});
  CHECK(ran.exit == 1);
  CHECK(ran.out.find("Filters (2 nodes, 1 feasible)\nNODE\tDelayBudget\tVERDICT\n"
                     "edge-1\tok\tfeasible\nnear-1\tedge-1 10.0 > 5.0 ms\trejected\n") !=
        std::string::npos);
  CHECK(ran.out.find("cloud-1") == std::string::npos);
  CHECK(ran.out.find(
            "\nWhat would change this\n"
            "  near-1 becomes feasible with rtt/edge-1,near-1=5ms, at its turn in the queue; "
            "no plan that was tried puts it there\n") != std::string::npos);
  CHECK(ask({"why-not", "decode-0", "node/near-1"}).out == ran.out);
}

TEST_CASE("why-not: nothing to change where the pod goes already and an unknown node is refused") {
  const Ran there = ask({"why-not", "decode-0", "edge-1"});
  CHECK(there.exit == 0);
  CHECK(there.out.find("What would change this") == std::string::npos);
  const Ran unknown = ask({"why-not", "decode-0", "egde-1"});
  CHECK(unknown.exit == 3);
  CHECK(unknown.err == "gedge: error: there is no node 'egde-1'\n  fix: did you mean `edge-1`?\n");
  CHECK(
      ask({"why-not", "decode-0", "nowhere"}).err.ends_with("\n  fix: name one like `cloud-1`\n"));
}
