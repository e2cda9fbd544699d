// gedge pin, on machines and files that are in memory.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "memory_io.hpp"

namespace gedge {
namespace {

using test::MemoryFiles;
using test::Outcome;
using test::run_in_memory;

const std::string kMachine = "synthetic:pack:2 core:4 pu:2";  // 0-7, 8-15

std::string pod(const std::string& name, const std::string& cpu) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  containers:\n  - name: c\n    image: i\n    resources:\n"
         "      limits: {cpu: \"" +
         cpu + "\", memory: 1Gi}\n---\n";
}

Outcome plan(const std::string& pods, const std::vector<std::string>& more = {},
             const std::string& config = {}, const std::string& state = {}) {
  MemoryFiles files;
  files.files = {{"pods.yaml", pods}, {"config.yaml", config}, {"state", state}};
  std::vector<std::string> args{"pin", "plan", "-f", "pods.yaml", "--machine", kMachine};
  args.insert(args.end(), more.begin(), more.end());
  return run_in_memory(args, files);
}

const std::string kConfig =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    "cpuManagerPolicy: static\nreservedSystemCPUs: 0-1\ntopologyManagerPolicy: single-numa-node\n";

}  // namespace

TEST_CASE("pin show: a tree of parts, and a count") {
  MemoryFiles files;
  const Outcome shown =
      run_in_memory({"pin", "show", "--machine", "synthetic:pack:2 l3:1 core:1 pu:2"}, files);
  CHECK(shown.exit == cli::Exit::kYes);
  CHECK(shown.out.find("PART\tCPUS\tSIZE\tNOTE\nmachine\t0-3\t-\t-\n") == 0);
  CHECK(shown.out.find("  socket 1\t2-3\t-\t-\n") != std::string::npos);
  CHECK(shown.out.find("core 2\t2-3\t-\t-\n") != std::string::npos);
  CHECK(shown.err == "4 CPUs, 2 cores, 2 sockets, 1 NUMA node\n");
}

TEST_CASE("pin show: a drawing holds every CPU once") {
  MemoryFiles files;
  const std::string svg =
      run_in_memory({"pin", "show", "--machine", "synthetic:pack:2 core:2 pu:2", "-o", "svg"},
                    files)
          .out;
  CHECK(svg.find("<svg ") == 0);
  CHECK(svg.ends_with("</svg>\n"));
  for (int cpu = 0; cpu < 8; ++cpu)
    CHECK(svg.find(">" + std::to_string(cpu) + "</text>") != std::string::npos);
  CHECK(svg.find(">8</text>") == std::string::npos);
}

TEST_CASE("pin plan: CPUs of each container, in the order of the queue") {
  const Outcome told = plan(pod("b", "4") + pod("a", "2") + pod("c", "500m"));
  CHECK(told.exit == cli::Exit::kYes);
  CHECK(told.out ==
        "POD\tCONTAINER\tCPUS\tNUMA\tVERDICT\n"
        "a\tc\t2-3\t0\texclusive\n"
        "b\tc\t4-7\t0\texclusive\n"
        "c\tc\t0-1,8-15\t0\tshared\n");
  CHECK(told.err == "3 of 3 pods admitted; CPUs left: 1,8-15\n");
}

TEST_CASE("pin plan: a resource that stands for devices, and one that names none") {
  const std::string gpu =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: g}\nspec:\n  containers:\n  - name: c\n"
      "    image: i\n    resources:\n      limits: {cpu: 2, memory: 1Gi, example.com/gpu: 1}\n";
  const Outcome told = plan(gpu, {"--device", "example.com/gpu=gpu"});
  CHECK(told.exit == cli::Exit::kNo);
  CHECK(told.out.find("requested number of devices unavailable for example.com/gpu. Requested: 1, "
                      "Available: 0") != std::string::npos);
  CHECK(plan(gpu).exit == cli::Exit::kYes);
  CHECK(plan(gpu, {"--device", "gpu"}).exit == cli::Exit::kUsage);
  CHECK(plan(gpu, {"--device", "=gpu"}).exit == cli::Exit::kUsage);
}

TEST_CASE("pin plan: the kubelet's own reason, and exit code 1") {
  const Outcome told =
      plan(pod("a", "6") + pod("b", "20"), {"--kubelet-config", "config.yaml"}, kConfig);
  CHECK(told.exit == cli::Exit::kNo);
  CHECK(told.out.find("b\t-\t-\t-\tTopologyAffinityError: Resources cannot be allocated with "
                      "Topology locality\n") != std::string::npos);
  CHECK(told.err.find("1 of 2 pods admitted") == 0);
}

TEST_CASE("pin plan: goes on from the state of a kubelet") {
  const std::string state =
      R"({"policyName":"static","defaultCpuSet":"0-3,8-15","entries":{"u":{"c":"4-7"}}})";
  const std::vector<std::string> flags{"--kubelet-config", "config.yaml", "--state", "state"};
  const Outcome told = plan(pod("a", "2"), flags, kConfig, state);
  CHECK(told.exit == cli::Exit::kYes);
  CHECK(told.out.find("a\tc\t2-3\t") != std::string::npos);
}

TEST_CASE("pin defrag: how it is, and which restart makes it better") {
  MemoryFiles files;
  files.files = {{"state", R"({"policyName":"static","defaultCpuSet":"0-1,3,5-7,9-15",)"
                           R"("entries":{"a":{"c":"2"},"b":{"c":"4"},"d":{"c":"8"}}})"},
                 {"none", R"({"policyName":"static","defaultCpuSet":"0-15"})"},
                 {"bad", "{"}};
  const auto defrag = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"pin", "defrag", "--machine", kMachine};
    args.insert(args.end(), more.begin(), more.end());
    return run_in_memory(args, files);
  };
  const Outcome told = defrag({"--state", "state"});
  CHECK(told.exit == cli::Exit::kNo);
  CHECK(told.out ==
        "STEP\tPOD\tCONTAINER\tFROM\tTO\tCORES\tNUMA\n"
        "now\t-\t-\t-\t-\t4\t0\n"
        "1\ta\tc\t2\t1\t5\t0\n"
        "2\td\tc\t8\t5\t6\t0\n");
  CHECK(told.err ==
        "4 cores and 0 NUMA nodes whole and free, at most 6 cores and 0 NUMA nodes; "
        "2 restarts: 6 cores and 0 NUMA nodes\n");
  const Outcome none = defrag({"--state", "none"});
  CHECK(none.exit == cli::Exit::kYes);
  CHECK(none.out.ends_with("now\t-\t-\t-\t-\t7\t1\n"));
  CHECK(none.err.find("no restart brings more") != std::string::npos);
  CHECK(defrag({"--state", "bad"}).exit == cli::Exit::kInput);
  CHECK(defrag({"--state", "gone"}).exit == cli::Exit::kInput);
  CHECK(defrag({}).exit == cli::Exit::kUsage);
  CHECK(defrag({"--state", "none", "--reserved", "0-99"}).exit == cli::Exit::kInput);
}

TEST_CASE("pin plan: what is wrong with a file is said with its name") {
  const std::vector<std::string> flags{"--kubelet-config", "config.yaml", "--state", "state"};
  const auto fails = [&](const std::string& config, const std::string& state,
                         const std::string& with) {
    const Outcome told = plan(pod("a", "2"), flags, config, state);
    CHECK(told.exit == cli::Exit::kInput);
    CHECK_MESSAGE(told.err.find(with) != std::string::npos, told.err);
    CHECK(told.out.empty());
  };
  fails(kConfig, "{", "state:1");
  fails(kConfig, R"({"policyName":"none","defaultCpuSet":"0-15"})",
        "configured policy \"static\" differs");
  fails(kConfig, R"({"policyName":"static","defaultCpuSet":"0-14"})",
        "doesn't match with CPUs in state");
  fails(kConfig, R"({"policyName":"static","defaultCpuSet":"0-15","checksum":7})",
        "checkpoint is corrupted");
  fails("kind: Pod\n", "{}", "config.yaml");
  fails(kConfig + "cpuManagerPolicyOptions: {x: \"true\"}\n", "{}", "config.yaml:6");
  CHECK(plan(pod("a", "2"), {"--reserved", "x"}).exit == cli::Exit::kInput);
  CHECK(plan(pod("a", "2"), {"--reserved", "0-99"}).exit == cli::Exit::kInput);
  CHECK(plan(pod("a", "2"), {"--reserved", "0", "--kubelet-config", "config.yaml"}, kConfig).exit ==
        cli::Exit::kUsage);
  CHECK(plan("kind: [", {}).exit == cli::Exit::kInput);
}

}  // namespace gedge
