// Published measurements with most of their pairs hidden: estimates against what was measured.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/latency.hpp"
#include "support/estimate_errors.hpp"
#include "support/latency_space.hpp"
#include "support/paths.hpp"
#include "support/read_files.hpp"
#include "support/vivaldi.hpp"

namespace gedge::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 16;  // pairs of each node

RttMatrix read_all(const std::vector<fs::path>& paths, const RttOptions& options) {
  RttReading reading = read_rtt_files(paths, options);
  REQUIRE(reading.errors.empty());
  return std::move(reading.matrix);
}

void check_against_vivaldi(const RttMatrix& truth, std::uint64_t seed) {
  CAPTURE(seed);
  const RttMatrix shown = show_some(truth, kShown, seed);
  const std::vector<Cell> cells = hidden_cells(truth, shown);
  REQUIRE(cells.size() > 5000);
  const auto completion = complete(shown, {});
  REQUIRE(completion);
  const RelativeErrors found = errors_of(truth, cells, *completion);
  Vivaldi rested;
  rested.rounds = 500;
  for (const Vivaldi& how : {Vivaldi{}, rested}) {
    const RelativeErrors springs = errors_of(truth, cells, vivaldi(shown, how));
    CHECK(found.median <= springs.median);
    CHECK(found.p90 <= 0.87 * springs.p90);
  }
  CHECK(coverage_of(truth, cells, *completion).inside >= 0.95);
}

TEST_CASE("completion of Seattle: better than Vivaldi, within its bounds") {
  const auto data = public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  RttOptions options;
  options.unit = TimeUnit::kSecond;
  for (int i = 0; i < 99; ++i) options.names.push_back("s" + std::to_string(100 + i));
  const std::vector<fs::path> frames = files_of(*data / "rtt/seattle-99-nodes");
  REQUIRE(frames.size() == 14);
  for (const fs::path& frame : frames) {
    CAPTURE(frame.filename().string());
    const RttMatrix truth = read_all({frame}, options);
    for (const std::uint64_t seed : {1U, 2U}) check_against_vivaldi(truth, seed);
  }
}

TEST_CASE("completion of WonderNetwork: better than Vivaldi, within its bounds") {
  const auto data = public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  const RttMatrix truth = read_all(files_of(*data / "rtt/wondernetwork-2018"), {});
  REQUIRE(truth.size() == 248);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) check_against_vivaldi(truth, seed);
}

}  // namespace
}  // namespace gedge::test
