// `gedge simulate`: scenarios that lie in memory.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "memory_io.hpp"

using gedge::cli::Exit;
using gedge::test::MemoryFiles;
using gedge::test::Outcome;

namespace {

const std::string kHead = "apiVersion: gedge.io/v1alpha1\nkind: Scenario\n";

std::string deployment(const std::string& name, int replicas, const std::string& cpu) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         "}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: " + name +
         "}}\n  template:\n    metadata: {labels: {app: " + name +
         ", delay_edge-1: \"5\"}}\n    spec:\n      containers:\n      - name: c\n"
         "        image: nginx\n        resources: {requests: {cpu: \"" +
         cpu + "\"}}\n";
}

struct World {
  World() { files.files["site/web.yaml"] = deployment("web", 2, "2"); }
  Outcome run(const std::string& rest, std::vector<std::string> flags = {}) {
    files.files["site/s.yaml"] = kHead + rest;
    flags.insert(flags.begin(), {"simulate", "site/s.yaml"});
    return gedge::test::run_in_memory(flags, files);
  }
  MemoryFiles files;
};

const std::string kSite = "cluster: synthetic:tiers=3,cpu=2\nmanifests: web.yaml\n";

}  // namespace

TEST_CASE("a node dies, and its pod is bound within its budget elsewhere") {
  World world;
  const Outcome played = world.run(kSite + "events:\n- {at: 60s, fail: edge-2}\n");
  CHECK(played.exit == Exit::kYes);
  CHECK(played.out ==
        "TIME\tWHAT\tPOD\tNODE\tRTT\tBUDGET\tNOTE\n"
        "0.0 s\tbound\tweb-0\tedge-1\t0.0 ms\t5.0 ms\t-\n"
        "0.0 s\tbound\tweb-1\tedge-3\t0.2 ms\t5.0 ms\t-\n"
        "60.0 s\tnode-failed\t-\tedge-2\t-\t-\t-\n"
        "100.0 s\tnode-unreachable\t-\tedge-2\t-\t-\t-\n");
  const Outcome lost = world.run(kSite + "events:\n- {at: 60s, fail: edge-3}\n");
  CHECK(lost.exit == Exit::kYes);
  CHECK(lost.out.find("400.0 s\tdeleted\tweb-1\tedge-3\t-\t-\tevicted\n"
                      "400.0 s\tbound\tweb-2\tedge-2\t2.0 ms\t5.0 ms\t"
                      "for web-1 of edge-3, lost for 340.0 s\n") != std::string::npos);
  CHECK(lost.err ==
        "2 of 2 pods placed at the end; 3 binds\n"
        "1 pod bound for others that were lost, 1 on another node, the last 340.0 s after the "
        "loss\n");
  CHECK(world.run(kSite + "events:\n- {at: 60s, fail: edge-3}\n", {"-q"}).err.empty());
}

TEST_CASE("who has no place at the end, or is too far away, makes the answer no") {
  World world;
  const Outcome waits = world.run(kSite +
                                  "events:\n- {at: 9s, edit: \"node/edge-3:drain\"}\n"
                                  "- {at: 9s, edit: \"node/edge-2:delete\"}\n");
  CHECK(waits.exit == Exit::kNo);
  CHECK(waits.err ==
        "1 of 2 pods placed at the end; 2 binds\n"
        "web-2 is unschedulable: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were "
        "unschedulable.\n");
  const Outcome far = world.run(kSite + "events:\n- {at: 9s, edit: \"rtt/edge-1,edge-3=9ms\"}\n");
  CHECK(far.exit == Exit::kNo);
  CHECK(far.err ==
        "2 of 2 pods placed at the end; 2 binds\n1 pod over a delay budget at the end\n");
}

TEST_CASE("files are added, workloads scaled and removed, pods finished") {
  World world;
  world.files.files["site/more.yaml"] = deployment("more", 1, "1");
  world.files.files["site/node.yaml"] =
      "apiVersion: v1\nkind: Node\nmetadata: {name: extra}\n"
      "status: {allocatable: {cpu: \"9\", memory: 9Gi, pods: \"9\"}}\n";
  const Outcome played = world.run(
      "cluster: synthetic:tiers=3,cpu=2\nmanifests: [web.yaml]\nevents:\n"
      "- {at: 1s, add: more.yaml}\n- {at: 2s, remove: deployment/web}\n"
      "- {at: 60s, scale: Deployment/more, replicas: 2}\n- {at: 70s, finish: default/more-1}\n"
      "- {at: 80s, add: node.yaml}\n",
      {"-o", "wide"});
  CHECK(played.exit == Exit::kYes);
  for (const char* line :
       {"1.0 s\tcreated\tmore-0\t-", "2.0 s\tscaled\tDeployment/web\t-", "3.0 s\tgone\tweb-1\t",
        "60.0 s\tbound\tmore-1\t", "70.0 s\tfinished\tmore-1\t", "70.0 s\tcreated\tmore-2\t-",
        "80.0 s\tnode-added\t-\textra"})
    CHECK_MESSAGE(played.out.find(line) != std::string::npos, line, "\n", played.out);
  CHECK(played.err.starts_with("2 of 2 pods placed"));
}

TEST_CASE("the same seed gives the same bytes") {
  World world;
  const std::string faults =
      kSite +
      "faults: {lostBinds: 20%, lostAnswers: 20%, lateWatch: 1s, restarts: 5%, churn: 5s}\n";
  const auto bytes = [&](const char* seed) {
    return world.run(faults, {"-o", "json", "--seed", seed}).out;
  };
  const std::string first = bytes("1");
  CHECK(first.find("\"breaches\": []") != std::string::npos);
  CHECK(first.find("\"restarted\"") != std::string::npos);
  CHECK(first == bytes("1"));
  CHECK(first != bytes("2"));
}

TEST_CASE("several runs are counted") {
  World world;
  const Outcome runs = world.run(kSite, {"--runs", "3"});
  CHECK(runs.exit == Exit::kYes);
  CHECK(runs.out.starts_with("RUNS\tFAULTS\tBOUND\tREPLACED\tBREACHES\n3\t"));
  CHECK(runs.out.ends_with("\t0\n"));
  CHECK(runs.err.empty());
}

// A profile that looks at no taints sends pods for ever to where they are thrown out at once.
TEST_CASE("who never comes to rest breaks an invariant, and it is said how to see that again") {
  World world;
  world.files.files["site/web.yaml"] = deployment("web", 1, "1");
  world.files.files["site/node.yaml"] =
      "apiVersion: v1\nkind: Node\nmetadata: {name: edge-1}\n"
      "spec: {taints: [{key: closed, effect: NoExecute}]}\n"
      "status: {allocatable: {cpu: \"1\", memory: 9Gi, pods: \"9\"}}\n";
  world.files.files["site/blind.yaml"] =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles:\n- plugins: {filter: {disabled: [{name: TaintToleration}]}}\n";
  const std::string quiet =
      "cluster: node.yaml\nmanifests: web.yaml\nduration: 1m\ntiming: {podStop: 20s}\n";
  const std::string faulty = quiet + "faults: {lostReads: 1%}\n";
  std::vector<std::string> flags{"--profile", "site/blind.yaml", "--compat", "1.36", "--seed", "7",
                                 "-q"};

  const Outcome once = world.run(faulty, flags);
  CHECK(once.exit == Exit::kBug);
  CHECK(once.err ==
        "gedge: error: I-5 does not hold with seed 7: it never comes to rest: an hour after the "
        "faults something still happens\n"
        "  fix: `gedge simulate site/s.yaml --profile site/blind.yaml --compat 1.36 --seed 7 "
        "-o wide` shows what led to it\n");
  CHECK(world.run(faulty, {"-q"}).exit == Exit::kNo);  // it waits, as it should
  CHECK(world.run(quiet, flags).exit != Exit::kBug);   // nobody asked it to rest

  flags.insert(flags.end(), {"--runs", "5"});
  const Outcome several = world.run(faulty, flags);
  CHECK(several.exit == Exit::kBug);
  CHECK(several.out.ends_with("\t5\n"));
  CHECK(several.err.find(" --compat 1.36 --seed 9 --runs 1 -o wide`") != std::string::npos);
  CHECK(several.err.find("--seed 10") == std::string::npos);
  CHECK(several.err.ends_with("... and 2 more\n"));
}

TEST_CASE("what cannot happen is said with its place") {
  World world;
  const Outcome nobody = world.run(kSite + "events:\n- {at: 60s, fail: edge-9}\n");
  CHECK(nobody.exit == Exit::kInput);
  CHECK(nobody.err.starts_with("site/s.yaml:6:19: error: there is no node 'edge-9'\n"));
  CHECK(nobody.out.empty());
  for (const char* event : {"{at: 1s, scale: deployment/wep, replicas: 2}",
                            "{at: 1s, scale: web, replicas: 2}", "{at: 1s, finish: a/b/c}",
                            "{at: 1s, edit: \"node/edge-9:drain\"}", "{at: 1s, recover: edge-1}"}) {
    const Outcome wrong = world.run(kSite + "events:\n- " + event + "\n");
    CHECK_MESSAGE(wrong.exit == Exit::kInput, event);
    CHECK_MESSAGE(wrong.err.starts_with("site/s.yaml:6:"), event, "\n", wrong.err);
  }
  CHECK(world.run(kSite + "events:\n- {at: 1s, add: none.yaml}\n")
            .err.starts_with("gedge: error: cannot open site/none.yaml"));
  CHECK(world.run("manifests: web.yaml\n").exit == Exit::kInput);
  CHECK(world.run(kSite, {"--runs", "x"}).exit == Exit::kUsage);
}
