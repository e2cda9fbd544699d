// Trials of a command whose times are made up.
#include "gedge/drive/compare_pinned.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gedge {
namespace {

struct World {
  std::string ledger, verdicts;
  Micros now{0};
  Micros plain{1'000}, pinned{600};
  std::string order;  // p: plain, P: pinned
  int status = 0;
};

class WorldClock final : public Clock {
 public:
  explicit WorldClock(const World& world) : world_(world) {}
  Micros now() const override { return world_.now; }

 private:
  const World& world_;
};

class Store final : public PinStore {
 public:
  explicit Store(World& world) : world_(world) {}
  Result<std::unique_ptr<PinLock>> lock() override { return std::make_unique<PinLock>(); }
  Result<std::string> read(PinFile file) override { return at(file); }
  Status replace(PinFile file, std::string_view bytes) override {
    at(file) = bytes;
    return {};
  }
  std::string name(PinFile) const override { return "verdicts"; }

 private:
  std::string& at(PinFile file) {
    return file == PinFile::kVerdicts ? world_.verdicts : world_.ledger;
  }
  World& world_;
};

class All final : public Processes {
 public:
  bool lives(const PinHolder&) const override { return true; }
};

class Launch final : public PinnedLaunch {
 public:
  explicit Launch(World& world) : world_(world) {}
  Result<ProcessId> start() override { return ProcessId{1, 1}; }
  std::optional<NotBegun> begin(const CpuGrant& grant, MemoryMode) override {
    const bool is_plain = grant.cpus.size() == 4;
    world_.order += is_plain ? 'p' : 'P';
    world_.now += is_plain ? world_.plain : world_.pinned;
    return std::nullopt;
  }
  int wait() override { return world_.status; }
  void cancel() override {}

 private:
  World& world_;
};

PinGround ground() {
  PinGround made;
  for (int cpu = 0; cpu < 4; ++cpu) made.machine.cpus.push_back({cpu, cpu, 0, 0, 0});
  made.allowed = made.machine.cpu_set();
  made.machine.numa_nodes.push_back({0, 0, made.allowed});
  return made;
}

Result<PinTrial> compare(World& world, std::size_t pairs, int cpus = 2) {
  Store store(world);
  const MakeLaunch make = [&] { return std::make_unique<Launch>(world); };
  return compare_pinned(store, All(), make, WorldClock(world), ground(),
                        {{cpus, {}, {}}, MemoryMode::kDefault, pairs}, [](std::size_t) {});
}

}  // namespace

TEST_CASE("compare: a run that does not count, then pairs whose order alternates") {
  World world;
  const auto trial = compare(world, 6);
  REQUIRE(trial);
  CHECK(world.order == "ppPPppPPppPPp");
  CHECK(trial->pairs == std::vector<TrialPair>(6, {Micros{1'000}, Micros{600}}));
  CHECK(trial->outcome.verdict == TrialVerdict::kHelps);
  CHECK(trial->cpus.size() == 2);
  world.pinned = Micros{1'600};
  CHECK(compare(world, 6)->outcome.verdict == TrialVerdict::kHarms);
}

TEST_CASE("compare: a run that fails, CPUs that are not there, and too few pairs are errors") {
  World world;
  world.status = 3;
  CHECK(compare(world, 6).error().what.find("ended with 3") != std::string::npos);
  CHECK(world.order == "p");
  world.status = 0;
  CHECK(compare(world, 6, 5).error().code == Errc::kDenied);
  world.order.clear();
  CHECK(compare(world, kLeastPairs - 1).error().code == Errc::kInvalidInput);
  CHECK(world.order.empty());
}

TEST_CASE("verdicts: remembered and recalled, by command and number of CPUs") {
  World world;
  Store store(world);
  const std::vector<std::string> command{"encode", "it's \"a\""}, other{"encode"};
  CHECK_FALSE(*recall_verdict(store, command, 2));
  REQUIRE(remember_verdict(store, {command, 2, TrialVerdict::kNoDifference}));
  REQUIRE(remember_verdict(store, {other, 2, TrialVerdict::kHelps}));
  CHECK((*recall_verdict(store, command, 2))->verdict == TrialVerdict::kNoDifference);
  CHECK_FALSE(*recall_verdict(store, command, 1));
  const std::vector<std::string> bytes{"encode", "\xff\x01"}, alike{"encode", "\xfe\x01"};
  REQUIRE(remember_verdict(store, {bytes, 2, TrialVerdict::kHarms}));
  CHECK((*recall_verdict(store, bytes, 2))->verdict == TrialVerdict::kHarms);
  CHECK_FALSE(*recall_verdict(store, alike, 2));
  CHECK_FALSE(*recall_verdict(store, std::vector<std::string>{"encode", "\uFFFD\x01"}, 2));
  for (const char* const broken :
       {"{", R"({"verdicts": [{"verdict": "maybe"}]})", R"({"verdicts": [{"cpus": 0}]})",
        R"({"verdicts": [{"commandBytes": ["6g"]}]})",
        R"({"verdicts": [{"commandBytes": ["616"]}]})"}) {
    world.verdicts = broken;
    CHECK(recall_verdict(store, command, 2).error().hint.find("remove verdicts: ") == 0);
    CHECK_FALSE(remember_verdict(store, {command, 2, {}}));
    CHECK(world.verdicts == broken);
  }
}

}  // namespace gedge
