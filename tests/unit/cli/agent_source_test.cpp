// Who the peers of an agent are, and what is said where that is not clear.
#include "agent_source.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "agent_log.hpp"
#include "agent_lookup.hpp"
#include "gedge/sim/scripted_network.hpp"
#include "memory_io.hpp"
#include "parse_address.hpp"

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
  world.places.own_address = parse_address("10.0.0.5");
  const auto found = world.find();
  REQUIRE(found);
  CHECK(names_of(*found) == std::vector<std::string>{"b", "c", "a"});
  CHECK(found->targets[2].kind == AgentTargetKind::kCluster);
  CHECK(std::all_of(found->targets.begin(), found->targets.end(),
                    [](const AgentTarget& target) { return target.address.port == 99; }));
  CHECK(found->targets[0].host == "10.0.0.2");
  CHECK(found->targets[1].host == "c");
}

TEST_CASE("agent peers: its own address is known however it is written") {
  World world;
  IpAddress own;
  own.is_v6 = true;
  own.bytes = {0xfd};
  own.bytes[15] = 7;
  world.network.addresses["FD00:0::7"] = world.network.addresses["fd00::"] = own;
  world.network.addresses["fd00::"].bytes[15] = 0;
  world.files.files["peers"] = "b=FD00:0::7\nc=fd00::\n";
  for (const char* text : {"fd00::7", "FD00:0:0::0007", "fd00::0.0.0.7"}) {
    world.places.own_address = parse_address(text);
    REQUIRE(world.places.own_address);
    REQUIRE(world.find());
    CHECK(names_of(*world.find()) == std::vector<std::string>{"c"});
  }
  // The same bytes in the other family are another address.
  world.places.own_address = parse_address("253.0.0.0");
  CHECK(world.find()->targets.size() == 2);
  for (const char* text :
       {"", "a", "10.0.0", "10.0.0.5 ", "010.0.0.5", "fd00::7%1", "[fd00::7]", "10.0.0.5:8787"})
    CHECK_FALSE(parse_address(text));
}

TEST_CASE("agent: flags that would make it measure itself, or forget at once, are refused") {
  test::MemoryFiles files;
  const auto refused = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> args{"agent", "--peers", "peers"};
    args.insert(args.end(), flags.begin(), flags.end());
    const test::Outcome outcome = test::run_in_memory(args, files);
    CHECK(outcome.exit == Exit::kUsage);
    return outcome.err;
  };
  CHECK(refused({"--address", "me"}).find("'me' is no address for --address\n") !=
        std::string::npos);
  CHECK(refused({"--max-age", "500ms"}).find("'--max-age' is shorter than '--timeout'") !=
        std::string::npos);
  CHECK(refused({"--max-age", "19s", "--timeout", "20s"}).find("no answer outlives") !=
        std::string::npos);
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

TEST_CASE("agent lookup: nobody waits for a name server, and it is asked one thing at a time") {
  std::promise<void> reply;
  std::atomic<int> begun{0};
  AgentLookup lookup([&begun, replied = reply.get_future().share()](const std::stop_token&) {
    ++begun;
    replied.wait();
    return Result(FoundTargets{{{AgentTargetKind::kNode, "b", {}}}, {}});
  });
  for (int look = 0; look < 3; ++look) CHECK_FALSE(lookup.poll());
  reply.set_value();
  auto found = lookup.poll();
  for (; !found; found = lookup.poll()) std::this_thread::yield();
  REQUIRE(*found);
  CHECK(names_of(**found) == std::vector<std::string>{"b"});
  CHECK(begun == 1);
}

TEST_CASE("agent lookup: whoever ends it waits for the name that is asked for, and no other one") {
  bool told = false;
  {
    AgentLookup lookup([&told](const std::stop_token& stop) -> Result<FoundTargets> {
      while (!stop.stop_requested()) std::this_thread::yield();
      told = true;
      return FoundTargets{};
    });
    CHECK_FALSE(lookup.poll());
  }
  CHECK(told);

  World world;
  world.files.files["peers"] = "b=10.0.0.2\n";
  std::stop_source stop;
  CHECK(find_agent_targets(world.places, world.files, world.network, stop.get_token()));
  stop.request_stop();
  CHECK_FALSE(find_agent_targets(world.places, world.files, world.network, stop.get_token()));
}

TEST_CASE("agent log: no value can look like another pair or like another line") {
  Stream err = Stream::in_memory(0);
  const StoppedDate clock;
  AgentLog log(err, clock, {});
  log.event("x", {{"a", "plain-1.2:3"},
                  {"b", ""},
                  {"c", "k=v"},
                  {"d", "say \"hi\""},
                  {"e", "back\\"},
                  {"f", "two\nlines"},
                  {"g", "a\x1b[31mb"},
                  {"h", "x event=failed"}});
  CHECK(err.text() ==
        "at=1970-01-01T00:00:00Z level=info event=x a=plain-1.2:3 b=\"\" c=\"k=v\" d=\"say "
        "\\\"hi\\\"\" "
        "e=\"back\\\\\" f=\"two\\nlines\" g=\"a\\x1b[31mb\" h=\"x event=failed\"\n");
}

TEST_CASE("agent log: what goes on failing is one line, and so is a name that is left out") {
  Stream err = Stream::in_memory(0);
  const StoppedDate clock;
  AgentLog log(err, clock, {});
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
