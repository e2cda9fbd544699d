// The engine against the reference on random sites.
//
//   GEDGE_CASES=100000   more of them
//   GEDGE_SEED=4711      only this one, with its description
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "integration/equivalence/cases.hpp"

namespace {

using namespace gedge;
using test::Coverage;

constexpr std::uint64_t kFirstSeed = 1, kCases = 30'000;
constexpr int kEnough = 200;
constexpr std::size_t kReasons = 28;  // distinct texts; those of modules are not among them
constexpr std::size_t kShown = 5;
constexpr std::uint64_t kExplainEvery = 5;

std::optional<std::uint64_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

/// Runs cases on a few threads, because each stands alone.
class Run {
 public:
  Run(std::uint64_t first, std::uint64_t count) : first_(first), count_(count) {}

  void go() {
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([this, i, threads] { work(i, threads); });
    for (std::thread& worker : workers) worker.join();
  }

  Coverage coverage;
  std::map<std::uint64_t, std::string> mismatches;  ///< by seed

 private:
  void work(unsigned offset, unsigned step) {
    Coverage mine;
    std::map<std::uint64_t, std::string> found;
    for (std::uint64_t i = offset; i < count_; i += step) {
      const std::uint64_t seed = first_ + i;
      std::string difference =
          test::compare(test::make_case(seed), seed % kExplainEvery == 0, mine);
      if (!difference.empty()) found.emplace(seed, std::move(difference));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    coverage.add(mine);
    mismatches.merge(found);
  }

  std::uint64_t first_, count_;
  std::mutex mutex_;
};

void print(const char* title, const std::map<std::string, int>& counts) {
  std::printf("%s\n", title);
  for (const auto& [name, count] : counts) std::printf("  %-56s %8d\n", name.c_str(), count);
}

void print(const Run& run, std::uint64_t first, std::uint64_t count) {
  const Coverage& c = run.coverage;
  std::printf(
      "seeds %llu to %llu: %d cases compared, %d left out (circular budgets), %d pods, %d placed, "
      "%d explained\n",
      static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + count - 1),
      c.cases, c.cyclic, c.pods, c.placed, c.explained);
  print("filters: cases in which it was the first to reject a node", c.rejected);
  print("evidence: pods and nodes that it was given for", c.reasons);
  print("scores: cases in which another node would have won without it", c.decided);
  print("of these, strategies of NodeResourcesFit", c.strategies);
}

/// Every policy that the library has did its part, and every reason that it can give was given.
void check_coverage(const Coverage& coverage) {
  const auto times = [](const std::map<std::string, int>& counts, std::string_view name) {
    const auto at = counts.find(std::string(name));
    return at == counts.end() ? 0 : at->second;
  };
  for (const PolicyInfo& policy : policy_catalogue()) {
    if (policy.filter)
      CHECK_MESSAGE(times(coverage.rejected, policy.name) >= kEnough,
                    policy.name << " rejected too rarely");
    if (policy.score)
      CHECK_MESSAGE(times(coverage.decided, policy.name) >= kEnough,
                    policy.name << " decided too rarely");
  }
  for (const auto& reason : coverage.reasons)
    CHECK_MESSAGE(reason.second >= kEnough, "given too rarely: " << reason.first);
  CHECK(coverage.reasons.size() == kReasons);
}

}  // namespace

TEST_CASE("the engine agrees with the reference on random sites") {
  const auto only = number_from("GEDGE_SEED");
  const std::uint64_t first = only.value_or(kFirstSeed);
  const std::uint64_t count = only ? 1 : number_from("GEDGE_CASES").value_or(kCases);
  Run run(first, count);
  run.go();
  print(run, first, count);
  std::size_t shown = 0;
  for (const auto& [seed, difference] : run.mismatches) {
    if (++shown > kShown) break;
    std::printf("seed %llu\n%s\n", static_cast<unsigned long long>(seed), difference.c_str());
  }
  if (only) std::printf("%s", test::describe(test::make_case(*only)).c_str());
  CHECK_MESSAGE(run.mismatches.empty(), run.mismatches.size() << " cases differ");
  if (only) return;
  check_coverage(run.coverage);
}
