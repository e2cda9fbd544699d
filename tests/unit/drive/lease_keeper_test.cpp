#include "gedge/drive/lease_keeper.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

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

namespace {

constexpr Nanos kSecond{1'000'000'000};

std::string lease_text(const std::string& holder, const std::string& version,
                       const std::string& annotations = "{}", int transitions = 3) {
  return R"({"metadata":{"resourceVersion":")" + version + R"(","annotations":)" + annotations +
         R"(},"spec":{"holderIdentity":")" + holder +
         R"(","leaseDurationSeconds":15,"leaseTransitions":)" + std::to_string(transitions) + "}}";
}

/// Waits for the Lease of others; a second passes from look to look.
struct Waiting {
  explicit Waiting(std::string controller) : keeper(as_me(), 1, std::move(controller)) {}
  static LeaseOptions as_me() {
    LeaseOptions options;
    options.identity = "me";
    return options;
  }

  void look(const std::string& body, unsigned status = 200) {
    now += 3 * kSecond;
    REQUIRE(keeper.advance(api, last_ticket, now, 1'700'000'000));
    ApiAnswer answer;
    answer.status = status;
    answer.body = body;
    keeper.take(
        answer, now, [](const Error&) {}, [] {});
    REQUIRE(keeper.advance(api, last_ticket, now, 1'700'000'000));
  }
  std::vector<ApiRequest> events() const {
    std::vector<ApiRequest> found;
    for (const auto& [ticket, request] : api.asked)
      if (request.lane == ApiLane::kEvent) found.push_back(request);
    return found;
  }

  LeaseKeeper keeper;
  ScriptedApi api;
  std::uint64_t last_ticket = 0;
  Nanos now{0};
};

}  // namespace

TEST_CASE("lease keeper: a version that is older than the one before it tells of the store") {
  Waiting waiting("gedge");
  for (const auto& [version, is_older] : {std::pair("9", false),
                                          {"9", false},
                                          {"10", false},
                                          {"8", true},
                                          {"8", false},
                                          {"x", false},
                                          {"7", false}}) {
    CAPTURE(version);
    waiting.look(lease_text("other", version));
    CHECK(waiting.keeper.has_gone_back() == is_older);
  }
}

TEST_CASE("lease keeper: an Event tells of a Lease that was taken from its holder") {
  Waiting waiting("gedge");
  waiting.look(lease_text("other", "1"));
  waiting.look(lease_text("other", "2"));
  CHECK(waiting.events().empty());
  waiting.look(lease_text("evil", "3"));
  REQUIRE(waiting.events().size() == 1);
  const ApiRequest event = waiting.events().front();
  CHECK(event.verb == ApiVerb::kPost);
  CHECK(event.target.find("/apis/events.k8s.io/v1/namespaces/gedge-system/events") == 0);
  for (const char* part :
       {R"("reason":"LeaseTaken")", R"("type":"Warning")", R"("kind":"Lease")",
        R"("apiVersion":"coordination.k8s.io/v1")", R"("name":"gedge-scheduler")",
        R"("note":"Taken from other before its time was over; held now by evil")",
        R"("reportingController":"gedge")"}) {
    CAPTURE(part);
    CHECK(event.body.find(part) != std::string::npos);
  }
  waiting.look(lease_text("evil", "4"));
  CHECK(waiting.events().size() == 1);
  waiting.look(lease_text("other", "5"));  // somebody has mended it
  CHECK(waiting.events().size() == 2);
}

TEST_CASE("lease keeper: who takes it again and again is told of as often as Events may be") {
  Waiting waiting("gedge");
  for (int i = 0; i < 200; ++i)
    waiting.look(lease_text(i % 2 == 0 ? "a" : "b", std::to_string(i + 1)));
  CHECK(waiting.keeper.election().seizures() == 198);  // of the first nobody knows
  const std::size_t told = waiting.events().size();
  CHECK(told >= 25);
  CHECK(told <= 30);
  CHECK(waiting.keeper.events_dropped() == 198 - told);
}

TEST_CASE("lease keeper: a Lease that was given away, or nobody to say it: no Event") {
  Waiting lawful("gedge");
  lawful.look(lease_text("other", "1"));
  lawful.look(lease_text("other", "2"));
  lawful.look(lease_text("next", "4", R"({"gedge.io/given-away":"3"})", 4));
  CHECK(lawful.keeper.election().seizures() == 0);
  CHECK(lawful.events().empty());
  for (const char* lie : {R"({"gedge.io/given-away":"2"})", R"({"gedge.io/given-away":"x"})",
                          R"({"gedge.io/given-away":"9223372036854775807"})",
                          R"({"gedge.io/given-away":3})", R"([])"}) {
    CAPTURE(lie);
    Waiting silent("");
    silent.look(lease_text("other", "1"));
    silent.look(lease_text("other", "2"));
    silent.look(lease_text("next", "4", lie, 4));
    CHECK(silent.keeper.election().seizures() == 1);
    CHECK(silent.events().empty());
  }
}

TEST_CASE("lease keeper: a 404 that does not say that there is no Lease says nothing") {
  Waiting waiting("gedge");
  waiting.look(lease_text("other", "1"));
  waiting.look(lease_text("other", "2"));
  waiting.look("404 page not found", 404);
  CHECK(waiting.keeper.election().seizures() == 0);
  CHECK(waiting.keeper.election().holder() == "other");
  waiting.look(R"({"kind":"Status","reason":"NotFound"})", 404);
  CHECK(waiting.keeper.election().seizures() == 1);
  CHECK(waiting.keeper.election().holder().empty());
}

TEST_CASE(
    "lease keeper: a holder that says too much, or odd things, is told of as far as it goes") {
  Waiting waiting("gedge");
  waiting.look(lease_text("other", "1"));
  waiting.look(lease_text("other", "2"));
  waiting.look(lease_text(R"(\u001b[2J\u00e4)" + std::string(100'000, 'x'), "3"));
  REQUIRE(waiting.events().size() == 1);
  CHECK(waiting.keeper.election().holder() == "?[2J??" + std::string(250, 'x'));
  CHECK(waiting.events().front().body.find("held now by ?[2J??xx") != std::string::npos);
}

TEST_CASE("lease keeper: who gives its Lease away says so in it") {
  Waiting leads("gedge");
  leads.look(R"({"metadata":{"resourceVersion":"1"},"spec":{"leaseTransitions":6}})");
  ApiAnswer answer;
  answer.status = 200;
  answer.body = lease_text("", "2");
  leads.keeper.take(
      answer, leads.now, [](const Error&) {}, [] {});
  leads.keeper.election().release();
  leads.api.asked.clear();
  REQUIRE(leads.keeper.advance(leads.api, leads.last_ticket, leads.now, 0));
  REQUIRE(leads.api.asked.size() == 1);
  const std::string& body = leads.api.asked.begin()->second.body;
  CHECK(body.find(R"("annotations":{"gedge.io/given-away":"7"})") != std::string::npos);
}

}  // namespace gedge
