// Published measurements as they are: shapes and a few values that were looked up by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "gedge/codec/latency.hpp"
#include "support/paths.hpp"
#include "support/read_files.hpp"

namespace gedge {
namespace {

std::int64_t us(const RttMatrix& matrix, std::string_view from, std::string_view to) {
  const auto a = matrix.find(from), b = matrix.find(to);
  REQUIRE(a);
  REQUIRE(b);
  const Rtt rtt = matrix.at(*a, *b);
  return rtt == kUnmeasured ? -1 : std::int64_t{rtt.us};
}

std::size_t unmeasured(const RttMatrix& matrix) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < matrix.size(); ++i)
    for (std::uint32_t j = 0; j < matrix.size(); ++j)
      count += i != j && matrix.at(NameIndex{i}, NameIndex{j}) == kUnmeasured ? 1 : 0;
  return count;
}

TEST_CASE("rtt data: the GCP and AWS folders are full meshes of averages") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const test::ReadFiles gcp(test::files_of(*data / "rtt/gcp-20-regions-2020")),
      aws(test::files_of(*data / "rtt/aws-5-regions-2021"));
  RttOptions options;
  options.rtt_by = "topology.kubernetes.io/region";
  const auto read = read_rtt({gcp.source()}, options);
  REQUIRE(read.errors.empty());
  CHECK(read.matrix.size() == 20);
  CHECK(unmeasured(read.matrix) == 0);
  CHECK(us(read.matrix, "asia-east1", "asia-east1") == 338);
  CHECK(us(read.matrix, "asia-east1", "asia-northeast1") == 33140);
  CHECK(read.warnings.empty());
  const auto both = read_rtt({gcp.source(), aws.source()}, {});
  REQUIRE(both.errors.empty());
  CHECK(both.matrix.size() == 25);
  CHECK(us(both.matrix, "eu-west-1", "sa-east-1") == 180554);
  CHECK(us(both.matrix, "eu-west-1", "us-west1") == -1);
  CHECK(us(both.matrix, "asia-east1", "asia-east1") == 0);
}

TEST_CASE("rtt data: fourteen Seattle frames, asymmetric, in seconds, with holes") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const test::ReadFiles frames(test::files_of(*data / "rtt/seattle-99-nodes"));
  REQUIRE(frames.names.size() == 14);
  RttOptions options;
  options.unit = TimeUnit::kSecond;
  for (int i = 0; i < 99; ++i) options.names.push_back("s" + std::to_string(i));
  for (std::size_t i = 0; i < frames.names.size(); ++i) {
    CAPTURE(frames.names[i]);
    const auto read = read_rtt({{{frames.names[i], frames.texts[i]}}}, options);
    REQUIRE(read.errors.empty());
    CHECK(read.formats == std::vector{RttFormat::kPlain});
    CHECK(read.matrix.size() == 99);
    CHECK(unmeasured(read.matrix) >= 42);
    CHECK(unmeasured(read.matrix) <= 65);
    CHECK(read.warnings.size() == 1);
    if (!frames.names[i].ends_with("SeattleData_1")) continue;
    CHECK(us(read.matrix, "s0", "s1") == 170000);
    CHECK(us(read.matrix, "s1", "s0") == 120000);
    CHECK(us(read.matrix, "s0", "s98") == 230000);
    CHECK(us(read.matrix, "s0", "s6") == -1);
    CHECK(unmeasured(read.matrix) == 65);
  }
}

TEST_CASE("rtt data: all WonderNetwork files, alone and together") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const test::ReadFiles cities(test::files_of(*data / "rtt/wondernetwork-2018"));
  REQUIRE(cities.names.size() == 62);
  for (std::size_t i = 0; i < cities.names.size(); ++i) {
    CAPTURE(cities.names[i]);
    const auto one = read_rtt({{{cities.names[i], cities.texts[i]}}}, {});
    const bool lists_places = cities.names[i].ends_with("cities.csv");
    CHECK(one.errors.empty() != lists_places);
    if (lists_places) continue;
    CHECK(one.formats == std::vector{RttFormat::kWonderNetwork});
    CHECK(one.matrix.size() >= 85);
    CHECK(one.matrix.size() <= 248);
  }
  const auto all = read_rtt({cities.source()}, {});
  REQUIRE(all.errors.empty());
  CHECK(all.matrix.size() == 248);
  CHECK(us(all.matrix, "London", "Adelaide") == 294120);
  CHECK(us(all.matrix, "London", "Albany") == 126190);
  CHECK(us(all.matrix, "St Petersburg", "Adelaide") == 337820);
  CHECK(us(all.matrix, "Dar es Salaam", "Adelaide") == 510480);
  CHECK(all.matrix.find("Berkeley Springs"));
  CHECK(all.matrix.find("Hong Kong"));
  CHECK(all.matrix.find("Dubai"));
}

TEST_CASE("rtt data: five ping logs, two with a late start, one cut") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const test::ReadFiles logs(test::files_of(*data / "rtt/5g-oran-ping"));
  REQUIRE(logs.names.size() == 5);
  RttOptions options;
  options.stat = RttStat::kMax;
  const auto read = read_rtt({logs.source()}, options);
  REQUIRE(read.errors.empty());
  CHECK(read.matrix.size() == 8);  // five sources, three targets
  CHECK(us(read.matrix, "MEC-ORAN", "172.16.210.254") == 11051210);
  CHECK(us(read.matrix, "MEC-ORAN-upd", "172.16.210.254") == 461716);
  CHECK(us(read.matrix, "cloud-ORAN", "5gc1.research.comnet.aalto.fi") == 10361054);
  const auto usual = read_rtt({logs.source()}, {});
  REQUIRE(usual.warnings.size() == 1);
  CHECK(usual.warnings[0].code == "CutPingLog");
  CHECK(usual.warnings[0].where.origin.ends_with("ping_results_MEC_ORAN.txt"));
  CHECK(us(usual.matrix, "MEC-ORAN", "172.16.210.254") < 1000000);
  CHECK(us(usual.matrix, "results_MEC_ORAN", "10.6.1.6") > 0);
}

TEST_CASE("rtt data: Goldpinger leaves out one zero of a real cluster") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const std::string text = test::slurp(*data / "goldpinger/checkall-success.json");
  const auto read = read_rtt({{{"checkall-success.json", text}}}, {});
  REQUIRE(read.errors.empty());
  CHECK(read.formats == std::vector{RttFormat::kGoldpinger});
  CHECK(read.matrix.names() == std::vector<std::string>{"10.154.0.6", "10.154.0.7", "10.154.0.8"});
  CHECK(us(read.matrix, "10.154.0.8", "10.154.0.6") == 1000);
  CHECK(us(read.matrix, "10.154.0.6", "10.154.0.8") == -1);
  CHECK(unmeasured(read.matrix) == 1);
}

}  // namespace
}  // namespace gedge
