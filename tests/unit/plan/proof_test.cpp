// A proof in the session of an explanation against one with a session of its own.
#include "plan/proof.hpp"

#include <doctest/doctest.h>

#include "support/random_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

struct Turn {
  std::unique_ptr<Session> session;
  std::vector<Decision> decided;
  PodIndex pod = kNoPod;
};

/// A session at the turn of the first single pod from group number `first` on; none: kNoPod.
Turn turn_at(const PlanRequest& request, std::size_t first) {
  Turn turn;
  auto session = Session::start(request);
  REQUIRE(session);
  turn.session = *std::move(session);
  Group group = turn.session->next();
  for (std::size_t i = 0; !group.empty(); ++i, group = turn.session->next()) {
    if (i >= first && group.size() == 1) {
      turn.pod = group.front();
      return turn;
    }
    turn.session->decide(group, turn.decided);
  }
  return turn;
}

/// One edit of everything that is there.
std::vector<EditSet> edits_of(const Facts& facts) {
  std::vector<EditSet> all;
  const auto add = [&](const std::string& text) {
    const auto edit = parse_edit(text);
    REQUIRE_MESSAGE(edit, text);
    all.push_back({candidate(*edit)});
  };
  for (const Node& node : facts.nodes)
    for (const char* what : {":drain", ":cpu=+2", ":label.zone-", ":delete"})
      add("node/" + node.name + what);
  for (const Pod& pod : facts.pods) add("pod/" + pod.namespace_name + "/" + pod.name + ":delete");
  return all;
}

}  // namespace

TEST_CASE("proof: a session that goes on to the end of its plan proves what one of its own does") {
  std::size_t placed = 0, nowhere = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const RandomSite site = make_random_site(dice, {seed % 4 == 0});
    PlanRequest request;
    request.facts = &site.facts;
    request.rtt = &site.rtt;
    request.rtt_by = site.rtt_by;
    request.profiles = {*builtin_profile(seed % 2 == 0 ? "edge" : "kube", Compat::k1_36)};
    Turn here = turn_at(request, seed % 5), there = turn_at(request, seed % 5);
    if (here.pod == kNoPod) continue;
    Proof goes_on(*here.session, request, here.pod, &here.decided);
    Proof own(*there.session, request, there.pod, nullptr);
    for (const EditSet& set : edits_of(site.facts)) {
      if (own.spent()) break;
      CAPTURE(seed);
      CAPTURE(set.front().text);
      const bool replan = set.front().text.size() % 7 == 0;
      const auto place = own.place_after(set, replan);
      CHECK(goes_on.place_after(set, replan) == place);
      ++(place ? placed : nowhere);
    }
    CHECK(goes_on.spent() == own.spent());
  }
  CHECK(placed > 100);
  CHECK(nowhere > 100);
}
