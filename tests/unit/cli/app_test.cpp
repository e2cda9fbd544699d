#include "app.hpp"

#include <doctest/doctest.h>

#include "unit/cli/memory_io.hpp"

using namespace gedge;
using namespace gedge::test;
using cli::Exit;

namespace {

const std::string kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: web}}\nspec: {containers: "
    "[{name: c, image: c}]}\n";

std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

}  // namespace

TEST_CASE("app: a failing write after a plan is the world's refusal and not the plan's verdict") {
  MemoryFiles files;
  files.files["web.yaml"] = kPod;
  const std::vector<std::string> plan{"plan",     "--cluster", "synthetic:nodes=1", "-f",
                                      "web.yaml", "--out",     "plan.json"};
  CHECK(run_in_memory(plan, files).exit == Exit::kYes);
  CHECK(files.files.count("plan.json") == 1);
  files.read_only = true;
  const Outcome refused = run_in_memory(plan, files);
  CHECK(refused.exit == Exit::kWorld);
  CHECK(refused.out.empty());
  CHECK(refused.err == "gedge: error: cannot write plan.json: read-only file system\n");
}

TEST_CASE("app: a file missing and a file refused lead to different exit codes") {
  class Locked final : public FileStore {
   public:
    Result<std::string> read(const std::string& path, std::uint64_t) override {
      return Error{Errc::kDenied, "cannot open " + path + ": permission denied", {}, {}};
    }
    bool is_directory(const std::string&) const override { return false; }
    Result<std::vector<std::string>> list(const std::string&, bool) const override {
      return std::vector<std::string>{};
    }
    Status replace(const std::string&, std::string_view) override { return {}; }
  };
  const std::vector<std::string> plan{"plan", "--cluster", "synthetic:nodes=1", "-f", "web.yaml"};
  MemoryFiles none;
  Locked locked;
  CHECK(run_in_memory(plan, none).exit == Exit::kInput);
  CHECK(run_in_memory(plan, locked).exit == Exit::kWorld);
}

TEST_CASE("app: an exception is a bug and says so") {
  class Broken final : public FileStore {
   public:
    Result<std::string> read(const std::string&, std::uint64_t) override {
      throw std::logic_error("x > 0");
    }
    bool is_directory(const std::string&) const override { return false; }
    Result<std::vector<std::string>> list(const std::string&, bool) const override {
      throw std::bad_alloc();
    }
    Status replace(const std::string&, std::string_view) override { return {}; }
  };
  Broken files;
  const Outcome bug = run_in_memory({"validate", "-f", "x.yaml"}, files);
  CHECK(bug.exit == Exit::kBug);
  CHECK(bug.err.starts_with("gedge: error: internal error: x > 0\n  fix: this is a bug in gedge "));
}

TEST_CASE("app: several cluster sources are one cluster") {
  MemoryFiles files;
  files.files["web.yaml"] = kPod;
  files.files["a.yaml"] =
      "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 1, memory: "
      "1Gi, pods: 10}}\n";
  files.files["dump/b.yaml"] =
      "apiVersion: v1\nkind: Node\nmetadata: {name: b}\nstatus: {allocatable: {cpu: 1, memory: "
      "1Gi, pods: 10}}\n";
  files.files["dump/readme.txt"] = "not read";
  const Outcome explained =
      run_in_memory({"explain", "web", "-f", "web.yaml", "--cluster", "a.yaml", "--cluster", "dump",
                     "--cluster", "synthetic:nodes=1"},
                    files);
  CHECK(explained.exit == Exit::kYes);
  CHECK(explained.out.find("Filters (3 nodes, 3 feasible)") != std::string::npos);
}

TEST_CASE("app: the same file named twice is not an error and a different object is") {
  MemoryFiles files;
  files.files["web.yaml"] = kPod;
  files.files["other.yaml"] = kPod + "---\n" + kPod;
  std::string changed = kPod;
  changed.replace(changed.find("image: c"), 8, "image: d");
  files.files["changed.yaml"] = changed;
  const std::vector<std::string> base{"plan", "--cluster", "synthetic:nodes=1", "-o",
                                      "name", "-f",        "web.yaml"};
  CHECK(run_in_memory(with(base, {"-f", "web.yaml", "-f", "other.yaml"}), files).out ==
        "pod/web\n");
  CHECK(run_in_memory(with(base, {"-f", "changed.yaml"}), files).exit == Exit::kInput);
}

TEST_CASE("app: with manifests the pending pods of the cluster stay and that is said") {
  MemoryFiles files;
  files.files["web.yaml"] = kPod;
  files.files["cluster.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: waits}\nspec: {containers: [{name: c, image: "
      "c}]}\n";
  const std::vector<std::string> base{
      "plan", "--cluster", "synthetic:nodes=1", "--cluster", "cluster.yaml", "-o", "name"};
  CHECK(run_in_memory(base, files).out == "pod/waits\n");
  const Outcome both = run_in_memory(with(base, {"-f", "web.yaml"}), files);
  CHECK(both.out == "pod/web\n");
  CHECK(both.err.find("warning: ") != std::string::npos);
}

TEST_CASE("app: a profile file may be standard input and pods choose by schedulerName") {
  MemoryFiles files;
  files.files["web.yaml"] = kPod;
  files.files["-"] =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
      "- schedulerName: default-scheduler\n- schedulerName: other\n";
  const Outcome planned = run_in_memory(
      {"plan", "--cluster", "synthetic:nodes=1", "-f", "web.yaml", "--profile", "-", "-o", "json"},
      files);
  CHECK(planned.exit == Exit::kYes);
  CHECK(planned.out.find("\"profile\": \"default-scheduler,other\"") != std::string::npos);
}

TEST_CASE("app: nothing to place is said and is no failure") {
  MemoryFiles files;
  const Outcome nothing = run_in_memory({"plan", "--cluster", "synthetic:nodes=1"}, files);
  CHECK(nothing.exit == Exit::kYes);
  CHECK(nothing.out == "POD\tNODE\tSCORE\tRTT\tBUDGET\tSLACK\n");
  CHECK(nothing.err == "no pods to place\n");
}

TEST_CASE("app: quiet silences warnings and verbose lists them all the same") {
  MemoryFiles files;
  files.files["web.yaml"] = kPod;
  files.files["rtt.csv"] = "from,to,rtt_ms\nnode-1,atlantis,3\n";
  const std::vector<std::string> plan{"plan",  "--cluster", "synthetic:nodes=1", "-f", "web.yaml",
                                      "--rtt", "rtt.csv"};
  CHECK(run_in_memory(plan, files).err.find("warning: ") != std::string::npos);
  CHECK(run_in_memory(with(plan, {"-q"}), files).err.empty());
  CHECK(run_in_memory(with(plan, {"-q", "-v", "1"}), files).err.find("warning: ") !=
        std::string::npos);
}

TEST_CASE("app: a bound pod is explained as one") {
  MemoryFiles files;
  files.files["cluster.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {nodeName: edge-1, containers: "
      "[{name: c, image: c}]}\n";
  const Outcome explained = run_in_memory(
      {"explain", "web", "--cluster", "synthetic:nodes=2", "--cluster", "cluster.yaml"}, files);
  CHECK(explained.out.starts_with("web is bound to edge-1; "));
}

TEST_CASE("app: flags that would do nothing are refused") {
  MemoryFiles files;
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"explain", "web", "--sort-by", "node"},
                                             {"why-not", "web", "node-1", "--sort-by", "node"},
                                             {"verify", "--profile", "kube"},
                                             {"verify", "--seed", "1"},
                                             {"verify", "--plugin", "x.so"},
                                             {"plan", "--cluster", "synthetic:nodes=1", "--replan"},
                                             {"validate"}}) {
    CAPTURE(args.back());
    const Outcome refused = run_in_memory(args, files);
    CHECK(refused.exit == Exit::kUsage);
    CHECK(refused.out.empty());
  }
  CHECK(run_in_memory({"plan", "--replan"}, files)
            .err.starts_with("gedge: error: flag '--replan' needs '--what-if'\n"));
}

TEST_CASE("app: every command explains itself and lists its flags once") {
  MemoryFiles files;
  for (const std::string name : {"plan", "explain", "why-not", "verify", "policies", "validate",
                                 "completion", "version", "help"}) {
    const Outcome help = run_in_memory({name, "-h"}, files);
    CAPTURE(name);
    CHECK(help.exit == Exit::kYes);
    CHECK(help.out.find("Usage: gedge " + name) != std::string::npos);
    const std::size_t first = help.out.find("--help");
    CHECK(first != std::string::npos);
    CHECK(help.out.find("      Print this page") == help.out.rfind("      Print this page"));
  }
}
