// Who the peers of an agent are, and what is said where that is not clear.
#include "agent_source.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "agent_log.hpp"
#include "gedge/sim/scripted_network.hpp"
#include "memory_io.hpp"

namespace gedge::cli {
namespace {

struct World {
  World() {
    for (std::uint8_t last = 1; last <= 5; ++last) {
      IpAddress address;
      address.bytes = {10, 0, 0, last};
      network.addresses["10.0.0." + std::to_string(last)] = address;
    }
    network.addresses["c"] = network.addresses["10.0.0.3"];
    places.peers = "peers";
    places.own_name = "a";
    places.port = 99;
  }
  Result<FoundTargets> find() { return find_agent_targets(places, files, network); }

  test::MemoryFiles files;
  ScriptedNetwork network{[](auto, auto) { return Fate{}; }};
  AgentPlaces places;
};

std::vector<std::string> names_of(const FoundTargets& found) {
  std::vector<std::string> names;
  for (const AgentTarget& target : found.targets) names.push_back(target.name);
  return names;
}

class StoppedDate final : public WallClock {
 public:
  UnixSeconds date() const override { return 0; }
};

TEST_CASE("agent peers: all of a file but oneself, by address or by name, at the port") {
  World world;
  world.files.files["peers"] = "a\nb=10.0.0.2\nc\nme=10.0.0.5\n";
  world.files.files["clusters"] = "a=10.0.0.4\n";
  world.places.clusters = "clusters";
  world.places.own_address = "10.0.0.5";
  const auto found = world.find();
  REQUIRE(found);
  CHECK(names_of(*found) == std::vector<std::string>{"b", "c", "a"});
  CHECK(found->targets[2].kind == AgentTargetKind::kCluster);
  CHECK(std::all_of(found->targets.begin(), found->targets.end(),
                    [](const AgentTarget& target) { return target.address.port == 99; }));
  CHECK(found->targets[0].host == "10.0.0.2");
  CHECK(found->targets[1].host == "c");
}

TEST_CASE("agent peers: a name without an address keeps no other one from being probed") {
  World world;
  world.files.files["peers"] = "gone\nb=10.0.0.2\nalso-gone\n";
  const auto found = world.find();
  REQUIRE(found);
  CHECK(names_of(*found) == std::vector<std::string>{"b"});
  REQUIRE(found->without_address.size() == 2);
  CHECK(found->without_address[0].what == "no address of 'gone'");

  world.files.files["peers"] = "gone\nalso-gone\n";
  REQUIRE_FALSE(world.find());
  CHECK(world.find().error().code == Errc::kNotFound);
}

TEST_CASE("agent peers: a file that is too large is refused, without a flag that is not there") {
  World world;
  world.files.files["peers"] = std::string(9 << 20, '#');
  REQUIRE_FALSE(world.find());
  CHECK(world.find().error().code == Errc::kInvalidInput);
  CHECK(world.find().error().hint.empty());
}

TEST_CASE("agent peers: where no name server answers, the first question is the last") {
  World world;
  world.files.files["peers"] = "b=10.0.0.2\n";
  world.network.nobody_knows = true;
  REQUIRE_FALSE(world.find());
  CHECK(world.find().error().code == Errc::kTimeout);
  world.places.peers = "dns:c";
  CHECK(world.find().error().code == Errc::kTimeout);
  world.network.nobody_knows = false;
  REQUIRE(world.find());
  CHECK(names_of(*world.find()) == std::vector<std::string>{"10.0.0.3"});
  CHECK(world.find()->targets[0].host == "c");
}

TEST_CASE("agent log: no value can look like another pair or like another line") {
  Stream err = Stream::in_memory(0);
  const StoppedDate clock;
  AgentLog log(err, clock, false);
  log.event("x", {{"a", "plain-1.2:3"},
                  {"b", ""},
                  {"c", "k=v"},
                  {"d", "say \"hi\""},
                  {"e", "back\\"},
                  {"f", "two\nlines"}});
  CHECK(err.text() ==
        "at=1970-01-01T00:00:00Z event=x a=plain-1.2:3 b=\"\" c=\"k=v\" d=\"say \\\"hi\\\"\" "
        "e=\"back\\\\\" f=\"two\\nlines\"\n");
}

TEST_CASE("agent log: what goes on failing is one line, and so is a name that is left out") {
  Stream err = Stream::in_memory(0);
  const StoppedDate clock;
  AgentLog log(err, clock, false);
  const Error broken{Errc::kDenied, "cannot open peers", {}, {}};
  for (int refresh = 0; refresh < 3; ++refresh) {
    log.failed(broken);
    log.compare({});  // rounds go on with the peers known before
  }
  CHECK(std::count(err.text().begin(), err.text().end(), '\n') == 1);
  log.recovered();
  log.failed(broken);
  CHECK(std::count(err.text().begin(), err.text().end(), '\n') == 2);

  const Error gone{Errc::kNotFound, "no address of 'b'", {}, {}};
  for (int refresh = 0; refresh < 3; ++refresh) log.left_out({gone, gone});
  CHECK(std::count(err.text().begin(), err.text().end(), '\n') == 3);
  CHECK(err.text().find(" event=left-out what=\"no address of 'b'\"\n") != std::string::npos);
  log.left_out({});
  log.left_out({gone});
  CHECK(std::count(err.text().begin(), err.text().end(), '\n') == 4);
}

}  // namespace
}  // namespace gedge::cli
