// Every manifest and dump of the public data is read; the counts are those of its README files.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "codec/cursor.hpp"
#include "support/objects.hpp"
#include "support/paths.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml" || entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

LoadResult load(const std::vector<fs::path>& files, bool manifests) {
  FactsLoader loader;
  for (const fs::path& file : files) {
    const std::string bytes = bytes_of(file);
    const InputFile input{file.filename().string(), bytes, 0};
    if (manifests)
      loader.add_manifests(input);
    else
      loader.add_cluster(input);
  }
  return loader.finish();
}

struct App {
  const char* folder;
  std::size_t workloads, pods;
  std::int64_t cpu_m, memory_mib;
};

TEST_CASE("public inputs: the applications have the pods and requests that their README says") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const App apps[] = {{"online-boutique", 12, 12, 1570, 1368},
                      {"sock-shop", 14, 14, 799, 1700},
                      {"hotel-reservation", 19, 19, 1900, 0},
                      {"bookinfo", 6, 6, 0, 0},
                      {"karpenter-workloads", 11, 72, 72000, 17578}};
  for (const App& app : apps) {
    INFO(app.folder);
    const LoadResult result = load(files_in(*data / "k8s-apps" / app.folder), true);
    REQUIRE(result.loaded);
    const Facts& facts = result.loaded->facts;
    CHECK(facts.pods.size() == app.pods);
    const auto made =
        std::count_if(facts.spread_owners.begin(), facts.spread_owners.end(),
                      [](const SpreadOwner& owner) { return owner.kind == "ReplicaSet"; });
    CHECK(made == static_cast<std::ptrdiff_t>(app.workloads));
    std::int64_t cpu = 0, memory = 0;
    for (const Pod& pod : facts.pods)
      for (const Container& container : facts.spec_of(pod).containers) {
        cpu += container.requests.amount("cpu");
        memory += container.requests.amount("memory");
      }
    CHECK(cpu == app.cpu_m);
    CHECK(memory / (1 << 20) == app.memory_mib);
    CHECK(facts.warnings.empty());
  }
}

TEST_CASE("public inputs: one manifest is invalid as published, and the place is named") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  std::size_t read = 0;
  std::string refused;
  for (const fs::path& file : files_in(*data / "k8s-apps")) {
    const LoadResult result = load({file}, true);
    if (result.loaded) {
      ++read;
      continue;
    }
    for (const Error& error : result.errors)
      refused += error.where.origin + ":" + std::to_string(error.where.line) + ":" +
                 std::to_string(error.where.column) + ": " + error.what + "\n";
  }
  CHECK(
      refused ==
      "kubeedge-counter-demo__crds__kubeedge-pi-counter-app.yaml:24:7: key 'nodeSelector' appears "
      "twice, first at 17:7\n");
  CHECK(read == 107);
}

TEST_CASE("public inputs: variants of one application clash when all are loaded") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const LoadResult result = load(files_in(*data / "k8s-apps" / "guestbook"), true);
  CHECK_FALSE(result.loaded);
  REQUIRE_FALSE(result.errors.empty());
  for (const Error& error : result.errors)
    CHECK(error.what.find("is declared twice and differently, first at ") != std::string::npos);
}

TEST_CASE("public inputs: every dump of a cluster is read") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  std::size_t nodes = 0, pods = 0, bound = 0;
  for (const fs::path& file : files_in(*data / "cluster-dumps")) {
    INFO(file.string());
    const LoadResult result = load({file}, false);
    for (const Error& error : result.errors) FAIL_CHECK(error.where.line << ": " << error.what);
    REQUIRE(result.loaded);
    nodes += result.loaded->facts.nodes.size();
    for (const Pod& pod : result.loaded->facts.pods) {
      ++pods;
      bound += pod.bound_node.empty() ? 0 : 1;
    }
  }
  CHECK(nodes == 2 + 2 + 5 + 9);
  CHECK(pods == 11 + 4 + 10);
  CHECK(bound == 11 + 4);
}

TEST_CASE("public inputs: the honeycomb dump") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const LoadResult result = load(files_in(*data / "cluster-dumps" / "honeycomb"), false);
  REQUIRE(result.loaded);
  const Facts& facts = result.loaded->facts;
  REQUIRE(facts.nodes.size() == 2);
  for (const Node& node : facts.nodes) {
    CHECK(node.allocatable.amount("cpu") == 7910);
    CHECK(node.allocatable.amount("pods") == 58);
    CHECK(node.taints == std::vector<Taint>{{"type", "hound", TaintEffect::kNoSchedule}});
  }
  REQUIRE(facts.pods.size() == 11);
  for (const Pod& pod : facts.pods) CHECK(pod.bound_node == "duckboat-01");
  CHECK(facts.warnings.empty());
}

TEST_CASE("public inputs: JSON and YAML of one object read alike") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  std::size_t pairs = 0;
  for (const char* folder : {"api-roundtrip-1.20", "api-roundtrip-1.33"})
    for (const fs::path& file : files_in(*data / "golden" / folder)) {
      if (file.extension() != ".json") continue;
      INFO(file.string());
      const fs::path twin = fs::path(file).replace_extension(".yaml");
      const std::string json = bytes_of(file), yaml = bytes_of(twin);
      codec::Diagnostics diagnostics;
      const codec::Source left("json", json), right("yaml", yaml);
      const auto a = codec::Document::parse(left, diagnostics);
      const auto b = codec::Document::parse(right, diagnostics);
      REQUIRE(a);
      REQUIRE(b);
      CHECK(a->root().fingerprint() == b->root().fingerprint());
      CHECK(diagnostics.ok());
      const LoadResult first = load({file}, true), second = load({twin}, true);
      std::vector<std::string> said, also;
      for (const Error& error : first.errors) said.push_back(error.what);
      for (const Error& error : second.errors) also.push_back(error.what);
      std::sort(said.begin(), said.end());  // their fields stand in different orders
      std::sort(also.begin(), also.end());
      CHECK(said == also);
      ++pairs;
    }
  CHECK(pairs == 16);
}

}  // namespace
}  // namespace gedge
