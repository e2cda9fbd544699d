// gedge matrix complete: estimates are marked, and budgets meet their upper bounds.
#include <doctest/doctest.h>

#include <string>

#include "gedge/codec/write_latency.hpp"
#include "support/latency_space.hpp"
#include "unit/cli/memory_io.hpp"

using namespace gedge;
using namespace gedge::test;
using cli::Exit;

namespace {

MemoryFiles with_some_pairs() {
  LatencySpace space;
  space.nodes = 40;
  space.sites = 6;
  MemoryFiles files;
  files.files["rtt.json"] =
      write(show_some(make_latency_space(space), 6, 1), PairDetails{}, TextFormat::kJson);
  return files;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("matrix complete: estimates carry their mark and bound, measurements neither") {
  MemoryFiles files = with_some_pairs();
  const auto done = run_in_memory({"matrix", "complete", "rtt.json"}, files);
  REQUIRE(done.exit == Exit::kYes);
  const std::size_t marks = count(done.out, "\"estimated\":true");
  CHECK(marks > 800);
  CHECK(count(done.out, "\"upperUs\":") == marks);
  CHECK(count(done.out, "\"method\":\"estimate\"") == marks);
  const std::size_t measured = count(files.files["rtt.json"], "\"from\"");
  CHECK(count(done.out, "\"from\"") == measured + marks);
  CHECK(done.err.find(" estimated, 0 unknown\n") != std::string::npos);
  CHECK(done.err.find(std::to_string(marks / 2) + " estimated") != std::string::npos);
}

TEST_CASE("matrix complete: what is read back is the upper bound, and is estimated anew") {
  MemoryFiles files = with_some_pairs();
  files.files["all.json"] = run_in_memory({"matrix", "complete", "rtt.json"}, files).out;
  const auto again = run_in_memory({"matrix", "complete", "all.json"}, files);
  CHECK(again.out == files.files["all.json"]);
  const auto table = run_in_memory({"matrix", "convert", "all.json", "-o", "csv"}, files);
  CHECK(table.exit == Exit::kYes);
  CHECK(table.err.find("estimate") != std::string::npos);  // a table cannot mark them, and says so
  const auto edges = run_in_memory({"matrix", "complete", "rtt.json", "-o", "edges"}, files);
  files.files["all.csv"] = edges.out;
  CHECK(run_in_memory({"matrix", "convert", "all.csv", "-o", "csv"}, files).out == table.out);
  const auto seeded = run_in_memory({"matrix", "complete", "rtt.json", "--seed", "7"}, files);
  CHECK(seeded.out != again.out);
}

TEST_CASE("matrix complete: too little to go by is bad input, a table is no format for estimates") {
  MemoryFiles files;
  files.files["rtt.csv"] = ",a,b\na,0,1\nb,1,0\n";
  const auto few = run_in_memory({"matrix", "complete", "rtt.csv"}, files);
  CHECK(few.exit == Exit::kInput);
  CHECK(few.out.empty());
  CHECK(few.err.find("too few measured pairs") != std::string::npos);
  CHECK(run_in_memory({"matrix", "complete", "rtt.csv", "-o", "csv"}, files).exit == Exit::kUsage);
  CHECK(run_in_memory({"matrix", "complete", "rtt.csv", "--seed", "x"}, files).exit ==
        Exit::kUsage);
  CHECK(run_in_memory({"matrix", "complete"}, files).exit == Exit::kUsage);
}
