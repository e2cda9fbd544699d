#include <doctest/doctest.h>

#include "integration/cli/gedge.hpp"
#include "support/folder.hpp"

using namespace gedge::test;

namespace {

Ran validate(const std::string& manifest, std::vector<std::string> more = {}) {
  const Folder folder;
  folder.put("app.yaml", manifest);
  RunOptions options;
  options.folder = folder.path();
  std::vector<std::string> args{"validate", "-f", "app.yaml"};
  args.insert(args.end(), more.begin(), more.end());
  return run_gedge(args, options);
}

std::string pod(const std::string& name, const std::string& labels) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {" + labels +
         "}}\nspec: {containers: [{name: c, image: c}]}\n";
}

}  // namespace

TEST_CASE("input: an error shows the place and a fix") {
  const Ran ran = validate(pod("cam", "delay_edge-1: 25"));
  CHECK(ran.exit == 3);
  CHECK(ran.out.empty());
  CHECK(ran.err.starts_with("app.yaml:4:"));
  CHECK(ran.err.find("    4 | metadata: {name: cam, labels: {delay_edge-1: 25}}\n") !=
        std::string::npos);
  CHECK(ran.err.find("^^\n") != std::string::npos);
  CHECK(ran.err.find("  fix: ") != std::string::npos);
  CHECK(ran.err.find("quote it") != std::string::npos);
}

TEST_CASE("input: all errors are listed and many of one kind are folded") {
  std::string manifest;
  for (int i = 0; i < 50; ++i)
    manifest += pod("p" + std::to_string(i), "delay_edge-1: " + std::to_string(i));
  const Ran folded = validate(manifest);
  CHECK(folded.exit == 3);
  CHECK(folded.err.ends_with("... and 47 more of this kind\n"));
  const Ran all = validate(manifest, {"-v", "1"});
  CHECK(all.err.find("more of this kind") == std::string::npos);
  CHECK(all.err.find("{name: p49,") != std::string::npos);
}

TEST_CASE("input: nothing is planned when anything is wrong") {
  const Folder folder;
  folder.put("good.yaml", kCamera);
  folder.put("bad.yaml", "kind: [\n");
  RunOptions options;
  options.folder = folder.path();
  const Ran ran = run_gedge(
      {"plan", "--cluster", kSite, "-f", "good.yaml", "-f", "bad.yaml", "-f", "none.yaml"},
      options);
  CHECK(ran.exit == 3);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("bad.yaml:") != std::string::npos);
  CHECK(ran.err.find("cannot open none.yaml: no such file") != std::string::npos);
}

TEST_CASE("input: a missing file names the similar one") {
  const Folder folder;
  folder.put("site.yaml", kCamera);
  RunOptions options;
  options.folder = folder.path();
  const Ran ran = run_gedge({"plan", "--cluster", kSite, "-f", "site.yml"}, options);
  CHECK(ran.exit == 3);
  CHECK(ran.err ==
        "gedge: error: cannot open site.yml: no such file\n  fix: did you mean site.yaml?\n");
}

TEST_CASE("input: a file over the limit is refused") {
  const Ran ran = validate(kCamera, {"--max-input", "100"});
  CHECK(ran.exit == 3);
  CHECK(ran.err ==
        "app.yaml: error: larger than the limit of 100 bytes\n  fix: raise the limit with "
        "`--max-input`\n");
}

TEST_CASE("input: control characters of a manifest do not reach the terminal") {
  const Ran ran = validate(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\e[31mb\"}\nspec: {containers: [{name: c, "
      "image: c}]}\n");
  CHECK(ran.exit == 3);
  CHECK(ran.err.find('\x1b') == std::string::npos);
}

TEST_CASE("input: validate counts what it read and needs no nodes") {
  const Ran ran = validate(kCamera + pod("cam", ""));
  CHECK(ran.exit == 0);
  CHECK(ran.out == "valid: 1 source, 0 nodes, 5 pods\n");
}

TEST_CASE("input: validate tells of a budget towards nobody, once, where there are nodes") {
  const std::string lost = pod("a", "delay_edge-9: \"5\"") + pod("b", "delay_edge-9: \"5\"") +
                           pod("c", "delay_edge-1: \"5\"");
  const Ran alone = validate(lost);
  CHECK(alone.exit == 0);
  CHECK(alone.out == "valid: 1 source, 0 nodes, 3 pods\n");
  const Ran ran = validate(lost, {"--cluster", kSite});
  CHECK(ran.exit == 0);
  CHECK(ran.out.ends_with("; 1 warning\n"));
  CHECK(ran.err.starts_with("app.yaml:4:"));
  CHECK(
      ran.err.find("pod default/a has a delay budget towards 'edge-9', and nothing is called so") !=
      std::string::npos);
}

TEST_CASE("input: a cluster without nodes is bad input and says what to name instead") {
  const Folder folder;
  folder.put("empty.yaml", "");
  folder.put("app.yaml", kCamera);
  RunOptions options;
  options.folder = folder.path();
  for (const std::string source : {"empty.yaml", "app.yaml"}) {
    const Ran ran = run_gedge({"plan", "--cluster", source, "-f", "app.yaml"}, options);
    CHECK(ran.exit == 3);
    CHECK(ran.out.empty());
    CHECK(ran.err == "gedge: error: no nodes in " + source +
                         "\n  fix: name a source that has some: `kubectl get nodes,pods -A -o "
                         "json` prints one\n");
  }
  CHECK(run_gedge({"validate", "--cluster", "empty.yaml", "-f", "app.yaml"}, options).exit == 0);
}

TEST_CASE("input: nodes of the manifests are a cluster") {
  const Folder folder;
  folder.put("site.yaml",
             "apiVersion: v1\nkind: Node\nmetadata: {name: only}\nstatus: {allocatable: {cpu: 4, "
             "memory: 8Gi, pods: 110}}\n" +
                 pod("cam", ""));
  RunOptions options;
  options.folder = folder.path();
  const Ran ran = run_gedge({"plan", "-f", "site.yaml", "--no-headers"}, options);
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("cam\tonly\t"));
}

TEST_CASE("input: round-trip times are read from a file and from a folder and the later wins") {
  const Folder folder;
  folder.put("site.yaml",
             "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 4, "
             "memory: 8Gi, pods: 110}}\n---\n"
             "apiVersion: v1\nkind: Node\nmetadata: {name: b}\nspec: {unschedulable: "
             "true}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}\n" +
                 pod("cam", "delay_b: \"9\""));
  folder.put("rtt.csv", "from,to,rtt_ms\na,b,12.5\n");
  folder.put("later/rtt.csv", "from,to,rtt_ms\na,b,7.5\n");
  RunOptions options;
  options.folder = folder.path();
  const Ran far = run_gedge({"plan", "-f", "site.yaml", "--rtt", "rtt.csv"}, options);
  CHECK(far.exit == 1);
  CHECK(far.err.find("over the delay budget from b") != std::string::npos);
  const Ran near = run_gedge(
      {"plan", "-f", "site.yaml", "--rtt", "rtt.csv", "--rtt", "later", "--no-headers"}, options);
  CHECK(near.exit == 0);
  CHECK(near.out.find("\t7.5 ms\t9.0 ms\t1.5 ms\n") != std::string::npos);
}

TEST_CASE("input: a cluster may come in several files") {
  const Folder folder;
  folder.put("nodes.json",
             R"({"kind": "List", "apiVersion": "v1", "items": [
           {"kind": "Node", "metadata": {"name": "only"},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}]})");
  folder.put("pods.yaml", pod("cam", ""));
  RunOptions options;
  options.folder = folder.path();
  const Ran ran = run_gedge(
      {"plan", "--cluster", "nodes.json", "--cluster", "pods.yaml", "--no-headers"}, options);
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("cam\tonly\t"));
}
