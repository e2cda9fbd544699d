#include <doctest/doctest.h>

#include "integration/cli/gedge.hpp"
#include "support/folder.hpp"

using namespace gedge::test;

namespace {

// The camera application and a pod too big for any node, in a folder of their own.
struct Site {
  Folder folder;
  RunOptions here() const {
    RunOptions options;
    options.folder = folder.path();
    return options;
  }
  Site() {
    folder.put("camera.yaml", kCamera);
    folder.put("big.yaml", kBig);
  }
  Ran plan(std::vector<std::string> more, RunOptions options = {}) const {
    std::vector<std::string> args{"plan", "--cluster", kSite, "-f", "camera.yaml"};
    args.insert(args.end(), more.begin(), more.end());
    options.folder = folder.path();
    return run_gedge(args, options);
  }
};

}  // namespace

TEST_CASE("plan: in a pipe the answer has tabs and the rest goes to standard error") {
  const Ran ran = Site{}.plan({"-f", "big.yaml"});
  CHECK(ran.exit == 1);
  CHECK(ran.out ==
        "POD\tNODE\tSCORE\tRTT\tBUDGET\tSLACK\n"
        "big\t-\t-\t-\t1.0 ms\t-\n"
        "decode-0\tedge-1\t1142\t0.0 ms\t5.0 ms\t5.0 ms\n"
        "decode-1\tedge-1\t1051\t0.0 ms\t5.0 ms\t5.0 ms\n"
        "decode-2\tedge-2\t942\t2.0 ms\t5.0 ms\t3.0 ms\n"
        "store-0\tedge-2\t1091\t2.0 ms\t25.0 ms\t23.0 ms\n");
  CHECK(ran.err ==
        "4 of 5 pods placed; big is unschedulable:\n"
        "  0/6 nodes are available: 6 Insufficient cpu.\n"
        "  see: gedge explain big -f camera.yaml -f big.yaml --cluster "
        "synthetic:nodes=6,tiers=2/2/2\n");
}

TEST_CASE("plan: on a terminal the same is aligned and coloured") {
  RunOptions terminal;
  terminal.out_columns = 80;
  terminal.environment = {{"TERM", "xterm"}};
  const Ran ran = Site{}.plan({}, terminal);
  CHECK(ran.exit == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out ==
        "POD       NODE    SCORE     RTT   BUDGET    SLACK\n"
        "decode-0  \x1b[32medge-1\x1b[0m   1142  0.0 ms   5.0 ms   5.0 ms\n"
        "decode-1  \x1b[32medge-1\x1b[0m   1051  0.0 ms   5.0 ms   5.0 ms\n"
        "decode-2  \x1b[32medge-2\x1b[0m    942  2.0 ms   5.0 ms   3.0 ms\n"
        "store-0   \x1b[32medge-2\x1b[0m   1091  2.0 ms  25.0 ms  23.0 ms\n");
}

TEST_CASE("plan: long names give way to a narrow terminal and never in a pipe") {
  const Folder folder;
  const std::string name = "a-pod-with-a-rather-long-name-that-fills-a-line";
  folder.put("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
                             "}\nspec: {containers: [{name: c, image: c}]}\n");
  RunOptions options;
  options.folder = folder.path();
  const std::vector<std::string> args{"plan", "--cluster", kSite, "-f", "pod.yaml"};
  CHECK(run_gedge(args, options).out.find(name) != std::string::npos);
  options.out_columns = 60;
  const Ran narrow = run_gedge(args, options);
  CHECK(narrow.out.find(name) == std::string::npos);
  CHECK(narrow.out.find("\na-pod-") != std::string::npos);
  CHECK(narrow.out.find("..") != std::string::npos);
  CHECK(narrow.out.find('\n') <= 60);
  for (const unsigned short columns :
       {static_cast<unsigned short>(1), static_cast<unsigned short>(10'000)}) {
    options.out_columns = columns;
    CHECK(run_gedge(args, options).exit == 0);
  }
}

TEST_CASE("plan: wide adds who is measured from and the use of every node afterwards") {
  const Ran ran = Site{}.plan({"-o", "wide"});
  CHECK(ran.out.find("store-0\tedge-2\t1091\t2.0 ms\t25.0 ms\t23.0 ms\tdeployment/decode\t") !=
        std::string::npos);
  CHECK(ran.out.find("\nNODE\tCPU\tCPU%\tMEMORY\tMEMORY%\tPODS\tPODS%\n"
                     "cloud-1\t0m\t0 %\t0.0 GiB\t0 %\t0\t0 %\n") != std::string::npos);
  CHECK(ran.out.find("edge-1\t3000m\t75 %\t2.0 GiB\t25 %\t2\t1 %\n") != std::string::npos);
}

TEST_CASE("plan: names and headers and sorting as kubectl has them") {
  const Site site;
  CHECK(site.plan({"-o", "name"}).out == "pod/decode-0\npod/decode-1\npod/decode-2\npod/store-0\n");
  CHECK(site.plan({"--no-headers"}).out.starts_with("decode-0\t"));
  CHECK(site.plan({"--no-headers", "--sort-by", "score"}).out.starts_with("decode-2\t"));
  CHECK(site.plan({"--no-headers", "--sort-by={.node}"}).out.find("decode-2\tedge-2") > 60);
  CHECK(site.plan({"-o", "name", "--sort-by", "score"}).out ==
        "pod/decode-2\npod/decode-1\npod/store-0\npod/decode-0\n");
  const Ran wrong = site.plan({"--sort-by", "nodes"});
  CHECK(wrong.exit == 2);
  CHECK(wrong.err ==
        "gedge: error: no column 'nodes' to sort by\n  fix: use pod, node, score, rtt, budget or "
        "slack\n");
}

TEST_CASE("plan: everything is planned and only what was asked for is shown") {
  const Site site;
  CHECK(site.plan({"-l", "app=store", "--no-headers"}).out.starts_with("store-0\tedge-2\t1091"));
  CHECK(site.plan({"-l", "app=store", "-o", "name"}).out == "pod/store-0\n");
  CHECK(site.plan({"-n", "other", "-o", "name"}).out ==
        "pod/decode-0\npod/decode-1\npod/decode-2\npod/store-0\n");
  CHECK(site.plan({"-A"}).out.starts_with("NAMESPACE\tPOD\t"));
  // The exit code speaks of all pods, shown or not.
  CHECK(site.plan({"-f", "big.yaml", "-l", "app=store"}).exit == 1);
  const Ran none = site.plan({"-f", "big.yaml", "-l", "nosuch=1", "-o", "json"});
  CHECK(none.exit == 1);
  CHECK(none.out.find("\"decisions\": []") != std::string::npos);
  CHECK(none.out.find("\"pods\": 5,\n    \"placed\": 4,") != std::string::npos);
  CHECK(site.plan({"-l", "nosuch=1"}).out == "POD\tNODE\tSCORE\tRTT\tBUDGET\tSLACK\n");
  const Ran wrong = site.plan({"-l", "app in store"});
  CHECK(wrong.exit == 2);
  CHECK(wrong.err.starts_with("--selector:1:"));
}

TEST_CASE("plan: manifests come from standard input and from folders") {
  const Site site;
  RunOptions options = site.here();
  options.input = kCamera;
  const Ran piped = run_gedge({"plan", "--cluster", kSite, "-f", "-", "-o", "name"}, options);
  CHECK(piped.out == "pod/decode-0\npod/decode-1\npod/decode-2\npod/store-0\n");
  CHECK(run_gedge({"plan", "--cluster", kSite, "-f", "-", "-f", "-"}, options).exit == 3);

  const Folder folder;
  folder.put("a/deep.yml", kCamera);
  folder.put("notes.txt", "not a manifest");
  const Ran flat = run_gedge({"plan", "--cluster", kSite, "-f", folder.path().string()});
  CHECK(flat.exit == 3);
  CHECK(flat.err == "gedge: error: no .yaml, .yml or .json file in " + folder.path().string() +
                        "\n  fix: `-R` looks into the directories below too\n");
  CHECK(run_gedge({"plan", "--cluster", kSite, "-R", "-f", folder.path().string(), "-o", "name"})
            .out == piped.out);
}

TEST_CASE("plan: out writes the whole plan and verify holds it") {
  const Site site;
  const Ran ran = site.plan({"--out", "plan.json"});
  CHECK(ran.exit == 0);
  const std::string written = read_file(site.folder / "plan.json");
  CHECK(written == site.plan({"-o", "json"}).out);
  CHECK(std::distance(std::filesystem::directory_iterator(site.folder.path()), {}) == 3);
  const std::vector<std::string> verify{"verify", "plan.json", "--cluster",
                                        kSite,    "-f",        "camera.yaml"};
  const Ran held = run_gedge(verify, site.here());
  CHECK(held.exit == 0);
  CHECK(held.out == "every rule and budget holds: 4 pods checked\n");
  CHECK(held.err.empty());

  const Ran other = run_gedge({"verify", "plan.json", "--cluster",
                               "synthetic:nodes=6,tiers=2/2/2,cpu=2", "-f", "camera.yaml"},
                              site.here());
  CHECK(other.exit == 1);
  CHECK(other.out.find("decode-1\tedge-1\tNodeResourcesFit\t") != std::string::npos);
  CHECK(other.err.find("the plan was made from other facts than these") != std::string::npos);
}

TEST_CASE("plan: verify counts and names the pods that have no node in the plan") {
  const Site site;
  REQUIRE(site.plan({"--out", "plan.json", "-f", "big.yaml"}).exit == 1);
  const std::vector<std::string> verify{"verify", "plan.json",   "--cluster", kSite,
                                        "-f",     "camera.yaml", "-f",        "big.yaml"};
  const Ran some = run_gedge(verify, site.here());
  CHECK(some.exit == 0);
  CHECK(some.out == "every rule and budget holds: 4 pods checked, 1 unplaced\n");
  CHECK(some.err ==
        "big.yaml:1:1: warning: pod default/big has no node in this placement and was not "
        "checked\n");

  site.folder.put("plan.json",
                  "{\"apiVersion\": \"gedge.io/v1alpha1\", \"kind\": \"Plan\", \"decisions\": []}");
  const Ran none = run_gedge(verify, site.here());
  CHECK(none.exit == 0);
  CHECK(none.out == "every rule and budget holds: 0 pods checked, 5 unplaced\n");
  CHECK(none.err.find("pod default/decode-0 has no node") != std::string::npos);
  CHECK(none.err.find("... and 2 more of this kind") != std::string::npos);
}

TEST_CASE("plan: a full disk or a folder that is not there leaves nothing and says why") {
  const Site site;
  const Ran full = site.plan({"--out", "/dev/full"});
  CHECK(full.exit == 4);
  CHECK(full.err == "gedge: error: cannot write /dev/full: no space left on device\n");
  const Ran nowhere = site.plan({"--out", "no/such/plan.json"});
  CHECK(nowhere.exit == 4);
  CHECK(nowhere.err ==
        "gedge: error: cannot write no/such/plan.json: no such directory\n"
        "  fix: make it with `mkdir -p no/such`\n");
  CHECK(site.plan({"--out", "/proc/plan.json"}).exit == 4);
  CHECK_FALSE(std::filesystem::exists(site.folder.path() / "no"));
}

TEST_CASE("plan: out is a file and never standard output") {
  const Site site;
  const Ran ran = site.plan({"--out", "-"});
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "gedge: error: flag '--out' writes a file, not standard output\n"
        "  fix: `-o json` prints the same plan there\n");
  CHECK_FALSE(std::filesystem::exists(site.folder / "-"));
}

TEST_CASE("plan: what-if shows what changes with a mark and a word") {
  const Site site;
  const Ran moved = site.plan({"--what-if", "node/edge-1:drain"});
  CHECK(moved.out.starts_with("CHANGE\tPOD\tBEFORE\tAFTER\n"));
  CHECK(moved.out.find("~ moved\tdecode-0\tedge-1\tedge-2\n") != std::string::npos);
  CHECK(moved.out.find("! unschedulable\tdecode-1\tedge-1\t-\n") != std::string::npos);
  CHECK(moved.exit == 1);

  const Ran lost = site.plan({"--what-if", "pod/default/store-0:delete"});
  CHECK(lost.out == "CHANGE\tPOD\tBEFORE\tAFTER\n- lost\tstore-0\tedge-2\t-\n");
  CHECK(lost.exit == 0);

  const Ran placed =
      site.plan({"-f", "big.yaml", "--what-if", "node/edge-1:cpu=16", "--replan", "--no-headers"});
  CHECK(placed.out.find("+ placed\tbig\t-\tedge-1\n") != std::string::npos);

  CHECK(site.plan({"--what-if", "node/edge-1:label.x=y"}).out == "no pod changes\n");
}

TEST_CASE("plan: what-if shows the pods and the columns that are asked for") {
  const Site site;
  const std::vector<std::string> drain{"--what-if", "node/edge-1:drain"};
  const auto drained = [&](std::vector<std::string> more) {
    more.insert(more.end(), drain.begin(), drain.end());
    return site.plan(more);
  };
  CHECK(drained({"-l", "app=store"}).out.find("decode") == std::string::npos);
  CHECK(drained({"-l", "app=decode", "--no-headers"}).out.starts_with("~ moved\tdecode-0\t"));
  CHECK(drained({"-l", "nosuch=1"}).out == "no pod that is shown changes\n");
  CHECK(drained({"-A"}).out.starts_with("NAMESPACE\tCHANGE\tPOD\tBEFORE\tAFTER\ndefault\t"));
  const Ran wide = drained({"-o", "wide"});
  CHECK(wide.out.find("\nNODE\tCPU\tCPU%\t") != std::string::npos);
  CHECK(wide.out.find("\nedge-1\t0m\t0 %\t") != std::string::npos);
  CHECK(site.plan({"-o", "wide"}).out.find("\nedge-1\t3000m\t") != std::string::npos);

  const std::string all = drained({"-o", "json"}).out;
  const std::string some = drained({"-o", "json", "-l", "app=store"}).out;
  CHECK(all.find("\"pod\":\"decode-0\"") != std::string::npos);
  CHECK(some.find("\"pod\":\"decode-0\"") == std::string::npos);
  CHECK(some.find("\"pods\": 4,") != std::string::npos);
  const std::size_t at = all.find("\"snapshot\": \"xxh128:");
  REQUIRE(at != std::string::npos);
  CHECK(site.plan({"-o", "json"}).out.find(all.substr(at, 50)) != std::string::npos);
}

TEST_CASE("plan: the hint names the pod by its namespace and is left out where input is gone") {
  const Site site;
  site.folder.put("here.yaml",
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: here, namespace: default}\nspec: "
                  "{nodeName: \"\", containers: [{name: c, image: c, resources: {requests: {cpu: "
                  "900}}}]}\n");
  const std::vector<std::string> plan{"plan", "--cluster", kSite};
  std::vector<std::string> named = plan, piped = plan;
  named.insert(named.end(), {"-f", "here.yaml", "-n", "shop"});
  const Ran ran = run_gedge(named, site.here());
  CHECK(ran.err.find("  see: gedge explain default/here -f here.yaml -n shop ") !=
        std::string::npos);
  CHECK(run_gedge({"explain", "default/here", "-f", "here.yaml", "-n", "shop", "--cluster", kSite},
                  site.here())
            .exit == 1);
  RunOptions options = site.here();
  options.input = kBig;
  piped.insert(piped.end(), {"-f", "-"});
  const Ran gone = run_gedge(piped, options);
  CHECK(gone.exit == 1);
  CHECK(gone.err.find("see:") == std::string::npos);
}

TEST_CASE("plan: verify reads the facts as the version of the plan does") {
  const Site site;
  REQUIRE(site.plan({"--compat", "1.20", "--out", "plan.json"}).exit == 0);
  const std::vector<std::string> verify{"verify", "plan.json", "--cluster",
                                        kSite,    "-f",        "camera.yaml"};
  CHECK(run_gedge(verify, site.here()).err.empty());
  std::vector<std::string> other = verify;
  other.insert(other.end(), {"--compat", "1.36"});
  CHECK(run_gedge(other, site.here()).err.empty());
  const Ran unbound = run_gedge({"verify", "--cluster", kSite, "-f", "camera.yaml"}, site.here());
  CHECK(unbound.exit == 2);
  CHECK(unbound.out.empty());
  CHECK(unbound.err.starts_with("gedge: error: no pod is bound and no PLAN is named"));
}

TEST_CASE("plan: what-if reads added files and plans what they hold") {
  const Site site;
  site.folder.put("more.yaml",
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: extra}\nspec: {containers: [{name: "
                  "c, image: c}]}\n");
  const Ran added = site.plan({"--what-if", "add=more.yaml", "--no-headers"});
  CHECK(added.exit == 0);
  CHECK(added.out.starts_with("+ placed\textra\t-\t"));
  RunOptions piped = site.here();
  piped.input = kCamera;
  CHECK(run_gedge(
            {"plan", "--cluster", kSite, "-f", "-", "--what-if", "add=more.yaml", "--no-headers"},
            piped)
            .out == added.out);
  CHECK(site.plan({"--what-if", "add=none.yaml"}).exit == 3);
}

TEST_CASE("plan: an edit that cannot be read or done is refused") {
  const Site site;
  CHECK(site.plan({"--what-if", "node/edge-1:drian"}).exit == 2);
  CHECK(site.plan({"--what-if", "node/nowhere:drain"}).exit == 3);
  const Ran both = site.plan({"--what-if", "node/edge-1:drain", "--out", "x.json"});
  CHECK(both.exit == 2);
  CHECK(both.err.starts_with("gedge: error: flag '--out' does not go with '--what-if'\n"));
}

TEST_CASE("plan: the same input gives the same bytes whatever the order of files") {
  const Site site;
  const std::string forth = site.plan({"-f", "big.yaml", "-o", "json"}).out;
  const Ran back = run_gedge({"plan", "-f", "big.yaml", "-f", "camera.yaml", "--cluster", kSite,
                              "-o", "json", "--threads", "2"},
                             site.here());
  CHECK(forth == back.out);
  CHECK(forth.find("\"snapshot\": \"xxh128:") != std::string::npos);
}

TEST_CASE("plan: who lacks round-trip times altogether is told so, and nobody else is") {
  const std::string hint = "no round-trip times were given: see --rtt\n";
  const Site site;
  site.folder.put("nodes.yaml", R"(apiVersion: v1
kind: Node
metadata: {name: edge-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: edge-2}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
)");
  site.folder.put("far.yaml", R"(apiVersion: v1
kind: Pod
metadata: {name: far, labels: {delay_edge-1: "1"}}
spec:
  nodeSelector: {kubernetes.io/hostname: cloud-1}
  containers: [{name: main, image: "far:1"}]
)");
  const auto plan = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"plan", "--cluster", "nodes.yaml"};
    args.insert(args.end(), more.begin(), more.end());
    return run_gedge(args, site.here());
  };
  const Ran ran = plan({"-f", "camera.yaml"});
  CHECK(ran.exit == 1);
  CHECK(ran.err.find(hint) != std::string::npos);
  CHECK(plan({"-f", "camera.yaml", "-q"}).err.empty());
  const Ran hints =
      run_gedge({"hint", "--cluster", "nodes.yaml", "-f", "camera.yaml"}, site.here());
  CHECK(hints.exit == 0);
  CHECK(hints.err.find(hint) != std::string::npos);
  CHECK(plan({"-f", "big.yaml"}).err.find(hint) == std::string::npos);
  const Ran far = site.plan({"-f", "far.yaml"});
  CHECK(far.err.find("1 node(s) were over the delay budget from edge-1") != std::string::npos);
  CHECK(far.err.find(hint) == std::string::npos);
}

TEST_CASE("plan: quiet says nothing beside the answer and verbose names what was skipped") {
  const Site site;
  site.folder.put("conf.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\n");
  CHECK(site.plan({"-f", "big.yaml", "-f", "conf.yaml", "-q"}).err.empty());
  CHECK(site.plan({"-f", "conf.yaml"}).err == "skipped: 1 ConfigMap\n");
  CHECK(site.plan({"-f", "conf.yaml", "-v", "1"}).err == "skipped ConfigMap/conf\n");
}
