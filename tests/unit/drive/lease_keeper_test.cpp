#include "gedge/drive/lease_keeper.hpp"

#include <doctest/doctest.h>

#include "gedge/sim/scripted_api.hpp"

namespace gedge {

TEST_CASE("lease keeper: by durations that cannot be kept nobody is elected") {
  LeaseOptions options;
  options.identity = "a";
  options.election.renew_deadline = options.election.duration;
  LeaseKeeper keeper(options, 1);
  ScriptedApi api;
  std::uint64_t ticket = 0;
  const Status refused = keeper.advance(api, ticket, Nanos{0}, 0);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kInvalidInput);
  CHECK(refused.error().what ==
        "a lease of 15000 ms does not last longer than its renewal may take, 15000 ms");
  CHECK(refused.error().hint == "leave them as they are: 15 s, 10 s and 2 s");
  CHECK(api.asked.empty());
  LeaseKeeper usual({}, 1);
  CHECK(usual.advance(api, ticket, Nanos{0}, 0));
  CHECK(api.asked.size() == 1);
}

}  // namespace gedge
