// `gedge scale`: what it says of files that lie in memory, in pipes and on terminals.
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "memory_io.hpp"

using gedge::cli::Exit;
using gedge::test::MemoryFiles;
using gedge::test::Outcome;

namespace {

const std::string kTarget = "  target: {kind: Deployment, name: web}\n";
const std::string kRequests = "  - {pods: requests, average: 100}\n";
const std::string kShare = "  - {resource: cpu, utilization: 50}\n";
const std::string kSites = "  sites: {order: [tier-1, tier-2], label: tier, budget: 50ms}\n";

std::string autoscaler(const std::string& metric, const std::string& more = "") {
  return "apiVersion: gedge.io/v1alpha1\nkind: Autoscaler\nmetadata: {name: web}\nspec:\n" +
         kTarget + "  max: 10\n  metrics:\n" + metric + more;
}

const std::string kDeployment =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n"
    "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
    "    spec: {containers: [{name: main, image: web, resources: {requests: {cpu: 500m}}}]}\n";

const std::string kUsage =
    "apiVersion: metrics.k8s.io/v1beta1\nkind: PodMetricsList\nitems:\n"
    "- metadata: {name: web-a, namespace: default, labels: {app: web}}\n"
    "  timestamp: \"2026-11-21T09:00:00Z\"\n  window: 30s\n"
    "  containers: [{name: main, usage: {cpu: 520m, memory: 64Mi}}]\n";

const std::string kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web-a, labels: {app: web}}\n"
    "spec: {containers: [{name: main, image: web, resources: {requests: {cpu: 500m}}}]}\n"
    "status:\n  phase: Running\n  startTime: \"2026-11-21T08:00:00Z\"\n"
    "  conditions: [{type: Ready, status: \"True\", lastTransitionTime: "
    "\"2026-11-21T08:00:20Z\"}]\n";

struct World {
  World() {
    files.files["load.csv"] = "time,value\n0,150\n10,850\n20,150\n";
    files.files["web.yaml"] = autoscaler(kRequests);
  }
  Outcome run(std::vector<std::string> flags, std::size_t width = 0) {
    flags.insert(flags.begin(), "scale");
    return gedge::test::run_in_memory(flags, files, width);
  }
  Outcome play(const std::string& spec, std::size_t width = 0) {
    files.files["web.yaml"] = spec;
    return run({"simulate", "--metrics", "load.csv", "--spec", "web.yaml"}, width);
  }
  MemoryFiles files;
};

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

// The bottom row of the drawing: of two replicas.
std::string row_of_two(const std::string& out) {
  const std::size_t at = out.find("\n2 |");
  REQUIRE(at != std::string::npos);
  return out.substr(at + 4, out.find('\n', at + 1) - at - 4);
}

}  // namespace

TEST_CASE("scale simulate: a load of few seconds is drawn without gaps") {
  World world;
  const Outcome played = world.play(autoscaler(kRequests));
  CHECK(played.exit == Exit::kYes);
  CHECK(row_of_two(played.out) == std::string(60, '#'));
  const Outcome picture =
      world.run({"simulate", "--metrics", "load.csv", "--spec", "web.yaml", "-o", "svg"});
  std::size_t bars = 0;
  for (std::size_t at = picture.out.find("width=\"1\""); at != std::string::npos;
       at = picture.out.find("width=\"1\"", at + 1))
    ++bars;
  CHECK_MESSAGE(bars >= 720, "one for each column at least");
}

TEST_CASE("scale simulate: a drawing is no wider than the terminal, and 60 columns in a pipe") {
  World world;
  CHECK(row_of_two(world.play(autoscaler(kRequests), 40).out) == std::string(37, '#'));
  CHECK(row_of_two(world.play(autoscaler(kRequests), 200).out) == std::string(60, '#'));
  CHECK(row_of_two(world.play(autoscaler(kRequests)).out) == std::string(60, '#'));
  CHECK_MESSAGE(row_of_two(world.play(autoscaler(kRequests), 3).out).size() == 10, "the least");
}

TEST_CASE("scale: tables fit a terminal of 80 columns, and pipes get all of them") {
  World world;
  world.files.files["web.yaml"] = autoscaler(kShare) + "---\n" + kDeployment + "---\n" + kPod;
  world.files.files["usage.yaml"] = kUsage;
  const std::vector<std::string> flags{"web", "-f", "web.yaml", "--metrics", "usage.yaml"};
  for (const auto& [command, column] : std::initializer_list<std::pair<std::string, std::string>>{
           {"explain", "\tIGNORED\t"}, {"recommend", "\tOOM KILLS\t"}}) {
    std::vector<std::string> all = flags;
    all.insert(all.begin(), command);
    const Outcome narrow = world.run(all, 80), pipe = world.run(all);
    CHECK(narrow.exit == Exit::kYes);
    CHECK_MESSAGE(longest_line(narrow.out) <= 80, narrow.out);
    CHECK(pipe.out.find(column) != std::string::npos);
  }
  const Outcome played = world.play(autoscaler(kRequests), 80);
  CHECK_MESSAGE(longest_line(played.out) <= 80, played.out);
  CHECK(longest_line(world.play(autoscaler(kRequests), 40).out) <= 40);
}

TEST_CASE("scale explain: one replica stays, two replicas stay") {
  World world;
  world.files.files["web.yaml"] = autoscaler(kRequests) + "---\n" + kDeployment;
  CHECK(world.run({"explain", "web", "-f", "web.yaml"})
            .out.starts_with("web: 1 replica stays, no metric has a value\n"));
}

TEST_CASE("scale simulate: what a pod requests is what its workload declares") {
  World world;
  const Outcome unknown = world.play(autoscaler(kShare));
  CHECK(unknown.exit == Exit::kInput);
  CHECK(unknown.err ==
        "web.yaml:1:1: error: autoscaler 'web' aims at a utilization\n"
        "  fix: say what a pod requests: `--request 500m`\n");
  // Half of 500m each: 1 core needs four.
  world.files.files["load.csv"] = "time,value\n0,1\n600,1\n";
  const Outcome declared = world.play(autoscaler(kShare) + "---\n" + kDeployment);
  CHECK(declared.out.find("web hpa\t4 to 4\t") != std::string::npos);
  const Outcome told =
      world.run({"simulate", "--metrics", "load.csv", "--spec", "web.yaml", "--request", "1"});
  CHECK(told.out.find("web hpa\t2 to 2\t") != std::string::npos);
}

TEST_CASE("scale simulate: what is wrong with an autoscaler has its place") {
  World world;
  const Outcome two = world.play(autoscaler(kRequests + kShare));
  CHECK(two.err.starts_with("web.yaml:1:1: error: autoscaler 'web' has 2 metrics\n"));
  std::string spec = autoscaler(kRequests);
  spec.replace(spec.find("max: 10"), 7, "max: 2147483647");
  const Outcome many = world.play(spec);
  CHECK(many.exit == Exit::kInput);
  CHECK(many.err.starts_with("web.yaml:1:1: error: autoscaler 'web' may have 2147483647 "));
  world.files.files["web.yaml"] = autoscaler(kRequests, kSites);
  const Outcome site = world.run({"simulate", "--metrics", "load.csv", "--spec", "web.yaml",
                                  "--cluster", "synthetic:nodes=2,tiers=1/1"});
  CHECK(site.err.starts_with("web.yaml:1:1: error: site 'tier-1' has no node\n"));
}

TEST_CASE("scale: a slip in a kind is told, not skipped") {
  World world;
  std::string spec = autoscaler(kRequests);
  spec.replace(spec.find("Autoscaler"), 10, "Autoscalr");
  const Outcome slip = world.play(spec);
  CHECK(slip.exit == Exit::kInput);
  CHECK(slip.err.starts_with("web.yaml:2:7: error: unknown kind 'Autoscalr'\n"));
  CHECK(slip.err.ends_with("  fix: did you mean Autoscaler?\n"));
}

TEST_CASE("scale recommend: a workload of another namespace is named") {
  World world;
  world.files.files["web.yaml"] = kDeployment;
  CHECK(world.run({"recommend", "deployment/web", "-f", "web.yaml"}).err ==
        "gedge: error: no workload 'web' in namespace 'deployment'\n"
        "  fix: did you mean default/web?\n");
}

TEST_CASE("scale explain: pods that request nothing are said to") {
  World world;
  std::string pod = kPod;
  pod.replace(pod.find("cpu: 500m"), 9, "cpu: 0");
  world.files.files["web.yaml"] = autoscaler(kShare) + "---\n" + kDeployment + "---\n" + pod;
  world.files.files["usage.yaml"] = kUsage;
  const Outcome explained =
      world.run({"explain", "web", "-f", "web.yaml", "--metrics", "usage.yaml"});
  CHECK(explained.exit == Exit::kNo);
  CHECK(explained.out.find("\tno pod with a value requests any\n") != std::string::npos);
}

TEST_CASE("scale recommend: a sample of the future that makes all others too old is told") {
  World world;
  const auto at = [](const std::string& date) {
    std::string list = kUsage;
    return list.replace(list.find("2026-11-21"), 10, date);
  };
  world.files.files["web.yaml"] = kDeployment;
  world.files.files["usage.yaml"] = at("2026-11-20") + "---\n" + at("2026-11-21");
  const std::vector<std::string> flags = {"recommend", "web",       "-f",
                                          "web.yaml",  "--metrics", "usage.yaml"};
  CHECK(world.run(flags).err.empty());
  world.files.files["usage.yaml"] += "---\n" + at("2062-11-21");
  const Outcome pulled = world.run(flags);
  CHECK(pulled.exit == Exit::kYes);
  CHECK(pulled.err.find("2 of 3 samples are too old to count at 2062-11-21T09:00:00Z") !=
        std::string::npos);
  std::vector<std::string> told = flags;
  told.insert(told.end(), {"--now", "2026-11-21T09:00:00Z"});
  CHECK(world.run(told).err.empty());
}

TEST_CASE("scale simulate: times of a load that has no dates are no dates") {
  World world;
  world.files.files["load.csv"] = "time,value\n0,100\n60,900\n120,100\n";
  const std::string site = "synthetic:nodes=4,tiers=2/2";
  const auto wide = [&] {
    return world.run({"simulate", "--metrics", "load.csv", "--spec", "web.yaml", "-f", "web.yaml",
                      "--cluster", site, "-o", "wide"});
  };
  const std::string sites = "  sites: {order: [edge, near-edge], label: gedge.io/tier}\n";
  world.files.files["web.yaml"] = autoscaler(kRequests, sites) + "---\n" + kDeployment;
  const Outcome seconds = wide();
  REQUIRE(seconds.exit == Exit::kYes);
  CAPTURE(seconds.out);
  CHECK(seconds.out.find("\n0s\tout\tedge\t1\t1\n60s\tout\tedge\t") != std::string::npos);
  CHECK(seconds.out.find("1970") == std::string::npos);
  world.files.files["load.csv"] =
      "time,value\n2026-11-21T09:00:00Z,100\n2026-11-21T09:01:00Z,900\n";
  CHECK(wide().out.find("\n2026-11-21T09:01:00Z\tout\t") != std::string::npos);
}
