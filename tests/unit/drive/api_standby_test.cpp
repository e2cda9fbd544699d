// An ApiCluster that waits for the lease of another one, and takes over.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "unit/drive/api_fixture.hpp"

namespace gedge {
namespace {

using namespace api_test;

constexpr const char* kPods = "/api/v1/pods?";
constexpr const char* kLease = "/apis/coordination.k8s.io/";

std::string lease_of(const std::string& holder, const std::string& version) {
  return R"({"metadata":{"resourceVersion":")" + version + R"("},"spec":{"holderIdentity":")" +
         holder + R"(","leaseDurationSeconds":15}})";
}

/// Waits for a lease that another one holds, and has listed everything at version 5.
struct Standby : Fixture {
  explicit Standby(ApiClusterOptions options = with_lease()) : Fixture(std::move(options)) {
    turn();
    say_lease("other", "1");
    turn();
    list_all();
    notes.take();
  }

  static ApiClusterOptions with_lease() {
    ApiClusterOptions options;
    options.lease.emplace();
    options.lease->identity = "me";
    return options;
  }

  /// Of the call about it that is under way.
  void say_lease(const std::string& holder, const std::string& version,
                 const std::string& heard = "", int duration = 15) {
    const std::uint64_t ticket = api.find(kLease);
    REQUIRE(ticket != 0);
    const std::string note =
        heard.empty() ? "" : R"(,"annotations":{"gedge.io/heard":")" + heard + R"("})";
    api.say(ticket, 200,
            R"({"metadata":{"resourceVersion":")" + version + "\"" + note +
                R"(},"spec":{"holderIdentity":")" + holder + R"(","leaseDurationSeconds":)" +
                std::to_string(duration) + "}}");
    turn();
  }
  void pass(int milliseconds) {
    clock.time += Micros{1'000} * milliseconds;
    turn();
  }
  bool is_listing(const ApiRequest& request) const {
    return request.target.find("watch=") == std::string::npos;
  }
  std::size_t lists_under_way() const {
    std::size_t lists = 0;
    for (const auto& [ticket, request] : api.asked)
      lists += request.target.starts_with(kLease) || !is_listing(request) ? 0U : 1U;
    return lists;
  }
  /// Whatever is listed is empty, and then all are watched.
  void list_all() {
    for (const auto& [ticket, request] : std::map(api.asked))
      if (!request.target.starts_with(kLease) && is_listing(request))
        api.say(ticket, 200, list("List", ""));
    turn();
    turn();
    for (const auto& [ticket, request] : std::map(api.asked))
      if (!request.target.starts_with(kLease)) api.say_opened(ticket);
    turn();
  }
  /// What the other one gives away is taken.
  void take(const std::string& heard) {
    pass(2'200);
    say_lease("", "2", heard, 1);
    turn();
    say_lease("me", "3");
    REQUIRE(cluster.is_leading());
    CHECK_FALSE(cluster.is_synced());
    turn();
  }
};

const std::string kAllHeard = [] {
  std::string heard = "{";
  for (const char* path :
       {"/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces", "/api/v1/services",
        "/api/v1/replicationcontrollers", "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets",
        "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/persistentvolumes",
        "/api/v1/persistentvolumeclaims", "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
        "/apis/policy/v1beta1/poddisruptionbudgets"})
    heard += (heard.size() > 1 ? "," : "") + std::string(R"(\")") + path + R"(\":\")" +
             (std::string(path) == "/api/v1/pods" ? "7" : "5") + R"(\")";
  return heard + "}";
}();

TEST_CASE("api cluster: whoever waits for the lease follows the cluster, and decides nothing") {
  Standby at;
  CHECK_FALSE(at.cluster.is_leading());
  CHECK_FALSE(at.cluster.is_synced());
  CHECK(at.cluster.unsynced().empty());
  const std::uint64_t watch = at.api.find(kPods);
  REQUIRE(watch != 0);
  at.api.say_line(watch, event("ADDED", pod("a", "n1")));
  at.turn();
  CHECK(at.notes.take() == Lines{"pod a on 'n1'"});
  REQUIRE(at.cluster.wait(Nanos{1'000'000'000}, at.notes));
  CHECK(at.api.waited.back() > Nanos{0});
}

TEST_CASE("api cluster: who waits tells of a lease that is taken, unless no Events are wanted") {
  for (const bool tells : {true, false}) {
    CAPTURE(tells);
    ApiClusterOptions options = Standby::with_lease();
    options.controller = "gedge";
    if (!tells) options.events = EventsTold::kNone;
    Standby at(options);
    at.pass(2'200);
    at.say_lease("other", "2");
    at.pass(2'200);
    CHECK(at.cluster.counts().lease_seizures == 0);
    at.say_lease("evil", "3");
    at.turn();
    CHECK(at.cluster.counts().lease_seizures == 1);
    CHECK(at.cluster.leader() == "evil");
    CHECK((at.api.find("/apis/events.k8s.io/v1/namespaces/gedge-system/events") != 0) == tells);
  }
}

TEST_CASE("api cluster: whose lease is taken has half a second to say so, and writes nothing") {
  Fixture at([] {
    ApiClusterOptions options = Standby::with_lease();
    options.controller = "gedge";
    return options;
  }());
  at.turn();
  for (int i = 0; i < 2; ++i) {
    at.api.say(at.api.find(kLease), 200, lease_of("me", "1"));
    at.turn();
    at.turn();
  }
  REQUIRE(at.cluster.is_leading());
  at.clock.time += Micros{2'000'000};
  at.turn();
  at.api.say(at.api.find(kLease), 409, "{}");
  at.turn();
  at.turn();
  at.api.say(at.api.find(kLease), 200, lease_of("evil", "7"));
  at.turn();
  const std::uint64_t event = at.api.find("/apis/events.k8s.io/v1/namespaces/gedge-system/events");
  REQUIRE(event != 0);
  CHECK(at.api.asked.at(event).body.find(
            "Taken from me before its time was over; held now by evil") != std::string::npos);
  CHECK_FALSE(at.cluster.is_leading());
  CHECK(at.cluster.lease_deadline());  // so that it ends where it hangs
  at.cluster.bind({42, {"shop", "a"}, "u-a", "n1"});
  at.clock.time += Micros{499'000};
  REQUIRE(at.cluster.wait(Nanos{60'000'000'000}, at.notes));
  CHECK(at.api.waited.back() <= Nanos{1'000'000});
  CHECK(at.notes.take().back() == "bind 42: 3");
  CHECK(at.api.find("/api/v1/namespaces/shop/pods/a/binding") == 0);
  at.clock.time += Micros{1'000};
  const Status ended = at.cluster.wait(Nanos{0}, at.notes);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().what == "the lease was lost; it says evil");
}

TEST_CASE("api cluster: before anybody is seen to lead nothing is listed") {
  Fixture at(Standby::with_lease());
  at.turn();
  CHECK(at.api.asked.size() == 1);
  CHECK(at.api.find(kLease) != 0);
}

TEST_CASE("api cluster: who has heard as much as the leader before takes over without a list") {
  Standby at;
  at.take(kAllHeard);
  CHECK(at.cluster.unsynced() == Lines{"/api/v1/pods"});
  at.api.say_line(at.api.find(kPods),
                  R"({"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":)"
                  R"({"name":"a","namespace":"shop","uid":"u-a","resourceVersion":"7"},)"
                  R"("spec":{"nodeName":"n1"}}})");
  at.turn();
  CHECK(at.cluster.is_synced());
  CHECK(at.lists_under_way() == 0);
  CHECK(at.notes.take().back() == "pod a on 'n1'");
}

TEST_CASE("api cluster: what does not come to what the leader before had heard is listed") {
  Standby at;
  at.take(kAllHeard);
  at.pass(999);
  CHECK(at.lists_under_way() == 0);
  at.pass(1);
  CHECK(at.lists_under_way() == 1);  // of pods
  CHECK_FALSE(at.cluster.is_synced());
  at.list_all();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: of a leader that does not say what it had heard everything is listed") {
  for (const char* heard : {"", "{}", "none", "[1]", R"({\"/api/v1/pods\":7})"}) {
    CAPTURE(heard);
    Standby at;
    at.take(heard);
    CHECK(at.lists_under_way() == 12);
    CHECK_FALSE(at.cluster.is_synced());
    at.list_all();
    CHECK(at.cluster.is_synced());
  }
}

TEST_CASE("api cluster: when the lease of a silent leader has run out, everything is listed") {
  Standby at;
  for (int i = 0; i < 6; ++i) {
    at.pass(2'200);
    at.say_lease("other", "1");
  }
  at.pass(1'800);  // 15 s
  at.say_lease("other", "1");
  CHECK(at.lists_under_way() == 0);
  at.turn();
  at.say_lease("me", "2");
  at.turn();
  CHECK(at.lists_under_way() == 12);
  CHECK_FALSE(at.cluster.is_synced());
  at.list_all();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: nothing is decided while the holder of a lease may not know it is gone") {
  Standby at;
  at.pass(2'200);
  at.api.say(at.api.find(kLease), 404, R"({"kind":"Status","reason":"NotFound"})");
  at.turn();
  at.turn();
  at.say_lease("me", "2");
  REQUIRE(at.cluster.is_leading());
  CHECK_FALSE(at.cluster.is_synced());
  CHECK(at.cluster.unsynced() == Lines{"(who led before may not know that the lease is gone)"});
  CHECK(at.lists_under_way() == 0);
  at.cluster.leave(true);
  at.turn();
  CHECK(at.cluster.is_leading());  // nor is it given away
  for (int i = 0; i < 5; ++i) {
    at.pass(3'000);
    at.say_lease("me", std::to_string(3 + i));
  }
  at.turn();
  CHECK(at.lists_under_way() == 12);
  at.list_all();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api cluster: who has not caught up hands nothing over") {
  Standby at;
  at.take(kAllHeard);
  REQUIRE_FALSE(at.cluster.is_synced());
  at.cluster.leave(true);
  at.turn();
  const std::string body = at.api.asked.at(at.api.find(kLease)).body;
  CHECK(body.find(R"("holderIdentity":"")") != std::string::npos);
  CHECK(body.find("gedge.io/heard") == std::string::npos);
}

TEST_CASE("api cluster: who has claimed volumes does not say what it had heard of them") {
  Standby at;
  at.take("");
  at.list_all();
  REQUIRE(at.cluster.is_synced());
  ClaimRequest claim;
  claim.claim = {"shop", "data"};
  claim.volume = "disk-1";
  at.cluster.claim(claim);
  at.cluster.leave(true);
  at.turn();
  const std::string body = at.api.asked.at(at.api.find(kLease)).body;
  CHECK(body.find("/api/v1/pods") != std::string::npos);
  CHECK(body.find("/api/v1/persistentvolume") == std::string::npos);
}

TEST_CASE("api cluster: who leaves says what it has heard, if its own writes were told back") {
  for (const bool is_told_back : {false, true}) {
    Standby at;
    at.take("");
    at.list_all();
    REQUIRE(at.cluster.is_synced());
    at.api.say_line(at.api.find("/api/v1/nodes?"),
                    R"({"type":"DELETED","object":{"kind":"Node","metadata":{"name":"n1",)"
                    R"("resourceVersion":"12"}}})");
    at.turn();
    at.cluster.leave(is_told_back);
    at.turn();
    const std::string body = at.api.asked.at(at.api.find(kLease)).body;
    CHECK(body.find(R"("holderIdentity":"")") != std::string::npos);
    CHECK((body.find("gedge.io/heard") != std::string::npos) == is_told_back);
    CHECK((body.find(R"(\"/api/v1/nodes\":\"12\",)") != std::string::npos) == is_told_back);
    CHECK((body.find(R"(\"/api/v1/pods\":\"5\",)") != std::string::npos) == is_told_back);
  }
}

}  // namespace
}  // namespace gedge
