// gedge matrix cluster and centers: what is printed, and what is said beside it.
#include <doctest/doctest.h>

#include "render/cluster_view.hpp"
#include "unit/cli/memory_io.hpp"

using namespace gedge;
using namespace gedge::test;
using cli::Exit;

namespace {

// a - b - c in a row, 4 ms from one to the next; d is near nobody, e was never measured.
MemoryFiles with_row() {
  MemoryFiles files;
  files.files["rtt.csv"] =
      ",a,b,c,d,e\na,0,4,9,90,\nb,4,0,4,90,\nc,9,3,0,90,\nd,90,90,90,0,\ne,,,,,0\n";
  return files;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("matrix cluster: a line a cluster, and what it loses of the exact radius") {
  MemoryFiles files = with_row();
  const auto near = run_in_memory({"matrix", "cluster", "rtt.csv", "--within", "5ms"}, files);
  CHECK(near.exit == Exit::kYes);
  CHECK(near.out ==
        "CLUSTER\tNODES\tLARGEST\tMEMBERS\n1\t2\t4.0 ms\ta, b\n2\t1\t-\tc\n3\t1\t-\td\n"
        "4\t1\t-\te\n");
  CHECK(says(near.err, "4 clusters, no cover has fewer than 4\n"));
  CHECK(says(near.err,
             "of the pairs within 5.0 ms 50 % are between clusters; by layers 50 %, "
             "with 4 clusters\n"));
  CHECK(says(near.err, "most by 'b': 2 nodes within it, 1 in its cluster\n"));
  const auto far = run_in_memory({"matrix", "cluster", "rtt.csv", "--within", "90ms", "-q"}, files);
  CHECK(far.out == "CLUSTER\tNODES\tLARGEST\tMEMBERS\n1\t4\t90.0 ms\ta, b, c, d\n2\t1\t-\te\n");
  CHECK(far.err.empty());
  const auto sorted = run_in_memory(
      {"matrix", "cluster", "rtt.csv", "--within", "9ms", "--sort-by", "nodes", "--no-headers"},
      files);
  CHECK(sorted.out == "2\t1\t-\td\n3\t1\t-\te\n1\t3\t9.0 ms\ta, b, c\n");
}

TEST_CASE("matrix cluster: layers, and the layer of a radius") {
  MemoryFiles files = with_row();
  const auto layers = run_in_memory({"matrix", "cluster", "rtt.csv", "--layers"}, files);
  CHECK(layers.exit == Exit::kYes);
  CHECK(layers.out ==
        "DELAY\tCLUSTERS\tLARGEST\tALONE\n0.0 ms\t5\t1\t5\n9.0 ms\t3\t3\t2\n90.0 ms\t2\t4\t1\n");
  CHECK(layers.err.empty());
  const auto one =
      run_in_memory({"matrix", "cluster", "rtt.csv", "--layers", "--within", "20ms"}, files);
  CHECK(says(one.out, "a, b, c\n"));
  CHECK(says(one.err, "3 clusters of the layer of 20.0 ms\n"));
  CHECK(says(one.err, "of the pairs within 20.0 ms 0 % are between clusters\n"));
  CHECK_FALSE(says(one.err, "most by"));
}

TEST_CASE("matrix cluster: documents say the same") {
  MemoryFiles files = with_row();
  const auto json =
      run_in_memory({"matrix", "cluster", "rtt.csv", "--within", "5ms", "-o", "json"}, files);
  CHECK(says(json.out, "\"kind\": \"LatencyClusters\""));
  CHECK(says(json.out, "\"withinUs\": 5000"));
  CHECK(says(json.out, "\"layerUs\": null"));
  CHECK(says(json.out, R"({"largestUs":4000,"nodes":["a","b"]})"));
  CHECK(says(json.out, "\"clustersAtLeast\": 4"));
  CHECK(json.err.empty());
  const auto layers =
      run_in_memory({"matrix", "cluster", "rtt.csv", "--layers", "-o", "yaml"}, files);
  CHECK(says(layers.out, "kind: LatencyLayers\n"));
  CHECK(says(layers.out, "delayUs: 9000\n"));
}

TEST_CASE("matrix cluster: a radius has a unit, and there is one or layers are asked for") {
  MemoryFiles files = with_row();
  for (const char* radius : {"5", "fast", "-5ms", ""}) {
    const auto wrong = run_in_memory({"matrix", "cluster", "rtt.csv", "--within", radius}, files);
    CHECK(wrong.exit == Exit::kUsage);
    CHECK(wrong.out.empty());
  }
  const auto none = run_in_memory({"matrix", "cluster", "rtt.csv"}, files);
  CHECK(none.exit == Exit::kUsage);
  CHECK(says(none.err, "--within 10ms"));
  CHECK(run_in_memory({"matrix", "cluster", "rtt.csv", "--within", "5ms", "--sort-by", "x"}, files)
            .exit == Exit::kUsage);
  CHECK(run_in_memory({"matrix", "cluster", "rtt.csv", "--within", "99h"}, files).exit ==
        Exit::kUsage);
  CHECK(run_in_memory({"matrix", "cluster", "rtt.csv", "--within", "9999s"}, files).exit ==
        Exit::kYes);
}

TEST_CASE("matrix centers: who is out of reach is listed, and makes the answer no") {
  MemoryFiles files = with_row();
  const auto one = run_in_memory({"matrix", "centers", "rtt.csv", "-k", "1"}, files);
  CHECK(one.exit == Exit::kNo);
  CHECK(one.out ==
        "CENTER\tNODES\tRADIUS\tMEAN\tMEMBERS\nb\t4\t90.0 ms\t24.5 ms\ta, b, c, d\n"
        "-\t1\t-\t-\te\n");
  CHECK(says(one.err,
             "largest RTT to a center 90.0 ms, mean 24.5 ms; no 1 center can have less "
             "than 90.0 ms\n"));
  CHECK(says(one.err, "1 node without a measured RTT to any center\n"));
  const auto three = run_in_memory({"matrix", "centers", "rtt.csv", "-k", "3"}, files);
  CHECK(three.exit == Exit::kYes);
  CHECK(three.out ==
        "CENTER\tNODES\tRADIUS\tMEAN\tMEMBERS\nb\t3\t4.0 ms\t2.7 ms\ta, b, c\n"
        "d\t1\t0.0 ms\t0.0 ms\td\ne\t1\t0.0 ms\t0.0 ms\te\n");
  CHECK(says(three.err, "no 3 centers can have less than 4.0 ms\n"));
}

TEST_CASE("matrix centers: names, documents, the goal, and what is missing") {
  MemoryFiles files = with_row();
  const auto names =
      run_in_memory({"matrix", "centers", "rtt.csv", "-k", "3", "-o", "name", "-q"}, files);
  CHECK(names.out == "node/b\nnode/d\nnode/e\n");
  CHECK(names.err.empty());
  const auto json = run_in_memory(
      {"matrix", "centers", "rtt.csv", "-k", "1", "--goal", "mean", "-o", "json"}, files);
  CHECK(json.exit == Exit::kNo);
  CHECK(says(json.out, "\"kind\": \"LatencyCenters\""));
  CHECK(says(json.out, "\"goal\": \"mean\""));
  CHECK(says(json.out, R"({"node":"c","rttUs":4000})"));
  CHECK(says(json.out, "\"unreached\": [\n    \"e\"\n  ]"));
  CHECK(says(json.out, "\"totalUs\": 98000"));
  for (const char* count : {"0", "x", "-1", "1.5"})
    CHECK(run_in_memory({"matrix", "centers", "rtt.csv", "-k", count}, files).exit == Exit::kUsage);
  CHECK(run_in_memory({"matrix", "centers", "rtt.csv"}, files).exit == Exit::kUsage);
  const auto more = run_in_memory({"matrix", "centers", "rtt.csv", "-k", "9"}, files);
  CHECK(more.exit == Exit::kYes);
  CHECK(says(more.err, "each of the 5 nodes is a center: there are no 9\n"));
}

TEST_CASE("matrix cluster and centers: what was cut short is said") {
  const RttMatrix matrix({"a", "b"});
  ClusterReport report = report_clusters(matrix, Rtt{5}, clusters_of({0, 1}, 2));
  cli::Stream whole = cli::Stream::in_memory(0), cut = cli::Stream::in_memory(0);
  Centers centers = find_centers(matrix, 2, CentersGoal::kRadius);
  cli::print_clusters_summary(whole, matrix, report, report);
  cli::print_centers_summary(whole, centers);
  CHECK_FALSE(says(whole.text(), "cut short"));
  report.is_exact = centers.is_settled = false;
  cli::print_clusters_summary(cut, matrix, report, report);
  cli::print_centers_summary(cut, centers);
  CHECK(says(cut.text(), "the search for largest cliques was cut short"));
  CHECK(says(cut.text(), "exchanging centers was cut short"));
}
