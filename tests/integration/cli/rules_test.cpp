#include <doctest/doctest.h>

#include "integration/cli/gedge.hpp"
#include "support/folder.hpp"

using namespace gedge::test;

TEST_CASE("policies: every policy with its kind and weight in the profile") {
  const Ran ran = run_gedge({"policies"});
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("NAME\tKIND\tFILTERS\tWEIGHT\tRANGE\tFORMULA\n"));
  CHECK(ran.out.find("\nDelayBudget\tfilter\tyes\t-\t") != std::string::npos);
  CHECK(ran.out.find("\nTaintToleration\tfilter, score\tyes\t3\t") != std::string::npos);
  CHECK(run_gedge({"policies", "-o", "wide"}).out.find("\tSOURCE\tMODULE\n") != std::string::npos);
}

TEST_CASE("policies: the profile and the version decide about weights and names") {
  const Ran kube = run_gedge({"policies", "--profile", "kube", "--compat", "1.20"});
  CHECK(kube.out.find("\nDelayBudget\tfilter\tno\t-\t") != std::string::npos);
  CHECK(kube.out.find("\nNodePreferAvoidPods\tscore\t-\t10000\t") != std::string::npos);
  CHECK(run_gedge({"policies"}).out.find("NodePreferAvoidPods") == std::string::npos);
  CHECK(run_gedge({"policies", "-o", "name"}).out.find("policy/NodeResourcesFit\n") !=
        std::string::npos);
}

TEST_CASE("config view: what it prints is read back to the same") {
  for (const std::string profile :
       {"edge", "kube", "low-latency", "most-requested", "edge-scheduler"})
    for (const std::string compat : {"1.20", "1.36"}) {
      const Ran first = run_gedge({"config", "view", "--profile", profile, "--compat", compat});
      CAPTURE(profile);
      CAPTURE(compat);
      REQUIRE(first.exit == 0);
      const Folder folder;
      const std::string file = folder.put("profile.yaml", first.out);
      const Ran again = run_gedge({"config", "view", "--profile", file, "--compat", compat});
      CHECK(again.exit == 0);
      CHECK(again.out == first.out);
    }
}

TEST_CASE("config view: as JSON it is read back to the same") {
  const Folder folder;
  const Ran json = run_gedge({"config", "view", "-o", "json"});
  const std::string file = folder.put("profile.json", json.out);
  CHECK(json.out.starts_with("{"));
  CHECK(run_gedge({"config", "view", "--profile", file}).out == run_gedge({"config", "view"}).out);
  CHECK(run_gedge({"config", "view", "-o", "yaml"}).out == run_gedge({"config", "view"}).out);
}

TEST_CASE("policies: no row is wider than the terminal") {
  for (const unsigned short columns :
       {static_cast<unsigned short>(80), static_cast<unsigned short>(100)})
    for (const std::string format : {"table", "wide"}) {
      RunOptions options;
      options.out_columns = columns;
      const Ran ran = run_gedge({"policies", "-o", format}, options);
      std::size_t start = 0;
      for (std::size_t end; (end = ran.out.find('\n', start)) != std::string::npos; start = end + 1)
        CHECK_MESSAGE(end - start <= columns + std::size_t{1}, ran.out.substr(start, end - start));
      CHECK(ran.out.find("RANGE") != std::string::npos);
    }
}

TEST_CASE("config view: plugins that gedge lacks are said and unknown ones refused") {
  const Folder folder;
  const std::string head =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- "
      "plugins:\n    filter:\n      enabled:\n      - name: ";
  const Ran lacks = run_gedge(
      {"config", "view", "--profile", folder.put("lacks.yaml", head + "NodeVolumeLimits\n")});
  CHECK(lacks.exit == 0);
  CHECK(lacks.err.find("NodeVolumeLimits") != std::string::npos);
  const Ran unknown = run_gedge(
      {"config", "view", "--profile", folder.put("unknown.yaml", head + "NodeResourceFit\n")});
  CHECK(unknown.exit == 3);
  CHECK(unknown.err.find("unknown.yaml:7:") != std::string::npos);
  CHECK(unknown.err.find("NodeResourcesFit") != std::string::npos);
}

TEST_CASE("config view: a module that is not there is refused with its path") {
  const Ran ran = run_gedge({"policies", "--plugin", "./no-such-module.so"});
  CHECK(ran.exit == 3);
  CHECK(ran.err.starts_with("./no-such-module.so: error: "));
}

TEST_CASE("policies: a module adds its own and says where they come from") {
  const std::filesystem::path module = programs_dir() / "../lib/gedge/plugins/idle-first.so";
  if (!std::filesystem::exists(module)) GEDGE_SKIP("the module idle-first is not built");
  const Ran ran =
      run_gedge({"policies", "-o", "wide", "--no-headers", "--plugin", module.string()});
  CHECK(ran.exit == 0);
  CHECK(ran.out.find("IdleFirst\tscore\t-\t1\t") != std::string::npos);
  CHECK(ran.out.find("idle-first.so\n") != std::string::npos);

  const Folder folder;
  const std::string file = folder.put("camera.yaml", kCamera);
  const Ran plain = run_gedge({"plan", "--cluster", kSite, "-f", file});
  const Ran with = run_gedge({"plan", "--cluster", kSite, "-f", file, "--plugin", module.string()});
  CHECK(with.exit == 0);
  CHECK(with.out != plain.out);
  // A profile file uses what it names; a module that it does not name is of no use, and that is
  // said.
  const std::string profile = folder.put("profile.yaml", run_gedge({"config", "view"}).out);
  const Ran unnamed = run_gedge(
      {"plan", "--cluster", kSite, "-f", file, "--profile", profile, "--plugin", module.string()});
  CHECK(unnamed.out == plain.out);
  CHECK(unnamed.err.find("warning: policy 'IdleFirst' of ") != std::string::npos);
}
