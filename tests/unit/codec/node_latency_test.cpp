#include "gedge/codec/node_latency.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "gedge/codec/latency.hpp"
#include "support/paths.hpp"

namespace gedge {
namespace {

TEST_CASE("node latency: an object says what is known, and is read back as it was") {
  RttMatrix matrix({"a", "b", "c"});
  const NameIndex a{0}, b{1}, c{2};
  matrix.set(a, b, Rtt{900});
  matrix.set(b, a, Rtt{7});
  PairDetails details;
  PairStats measured;
  measured.from = a;
  measured.to = b;
  measured.min = Rtt{800};
  measured.p95 = Rtt{900};
  measured.loss_ppm = 0;
  measured.samples = 10;
  measured.method = details.method("icmp");
  measured.measured_at = 1'795'000'000;
  PairStats silent;
  silent.from = a;
  silent.to = c;
  silent.loss_ppm = 1'000'000;
  details.pairs = {measured, silent};

  const std::string json = codec::write_node_latency(matrix, details, a);
  CHECK(json ==
        R"({"apiVersion":"gedge.io/v1alpha1","kind":"NodeLatency","metadata":{"name":"a"},)"
        R"("spec":{"peers":[{"to":"b","minUs":800,"p95Us":900,"lossPpm":0,"samples":10,)"
        R"("method":"icmp","measuredAt":"2026-11-18T11:06:40Z"},{"to":"c","lossPpm":1000000}]}})");
  RttOptions options;
  options.keep_details = true;
  const RttReading read = read_node_latency({{"a", json}}, options);
  REQUIRE(read.errors.empty());
  CHECK(read.matrix.at(*read.matrix.find("a"), *read.matrix.find("b")) == Rtt{900});
  const PairStats* const again = read.details.find(a, b);
  REQUIRE(again != nullptr);
  CHECK(again->samples == 10);
  CHECK(again->measured_at == measured.measured_at);
  CHECK(codec::write_node_latency(RttMatrix({"x"}), {}, NameIndex{0}).find("\"peers\":[]") !=
        std::string::npos);
}

TEST_CASE("node latency: a write is an apply of our own, under a name that is part of a path") {
  const ApiRequest request = codec::apply_node_latency_request("edge-1/x?", "{}");
  CHECK(request.verb == ApiVerb::kPatch);
  CHECK(request.target ==
        "/apis/gedge.io/v1alpha1/nodelatencies/edge-1%2Fx%3F?fieldManager=gedge&force=true");
  CHECK(request.content_type == "application/apply-patch+yaml");
  CHECK(request.body == "{}");
}

TEST_CASE("node latency: the definition that is installed is the one that the library has") {
  std::ifstream file(test::source_dir() / "libgedge" / "manifests" / "nodelatencies.yaml");
  const std::string installed{std::istreambuf_iterator<char>(file), {}};
  CHECK(installed == codec::node_latency_definition());
}

}  // namespace
}  // namespace gedge
