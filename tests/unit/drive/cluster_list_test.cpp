#include "gedge/drive/cluster_list.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gedge {
namespace {

/// Answers at once whatever it is asked; time passes only while nothing is under way.
struct PromptServer final : ApiTransport, Clock {
  using Answer = std::function<ApiAnswer(const std::string& target)>;

  explicit PromptServer(Answer how) : answer(std::move(how)) {}
  void send(std::uint64_t ticket, ApiRequest request) override {
    targets.push_back(request.target);
    under_way.emplace(ticket, std::move(request));
    most_at_once = std::max(most_at_once, under_way.size());
  }
  void cancel(std::uint64_t ticket) override { under_way.erase(ticket); }
  Status wait(Nanos most, const ApiListener& listener) override {
    if (under_way.empty()) time += most;
    for (const auto& [ticket, request] : std::exchange(under_way, {}))
      listener.answer(ticket, answer(request.target));
    return {};
  }
  void wake() override {}
  Micros now() const override { return std::chrono::ceil<Micros>(time); }
  std::size_t count(const std::string& begin) const {
    std::size_t count = 0;
    for (const std::string& target : targets) count += target.starts_with(begin) ? 1U : 0U;
    return count;
  }

  Answer answer;
  std::map<std::uint64_t, ApiRequest> under_way;
  std::vector<std::string> targets;
  std::size_t most_at_once = 0;
  Nanos time{0};
};

ApiAnswer say(unsigned status, std::string body = "{}") {
  ApiAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

std::string list(const std::string& items, const std::string& next = "") {
  return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":")" +
         next + R"("},"items":[)" + items + "]}";
}

bool asks(const std::string& target, const std::string& path) {
  return target.starts_with(path + "?");
}

TEST_CASE("cluster list: every kind is listed, all pages, in one order") {
  PromptServer server([](const std::string& target) {
    if (!asks(target, "/api/v1/pods")) return say(200, list(""));
    if (target.find("continue") == std::string::npos) return say(200, list("1", "t"));
    return say(200, list("2"));
  });
  const auto listing = list_cluster(server, server);
  REQUIRE(listing);
  CHECK(listing->warnings.empty());
  REQUIRE(listing->pages.size() == 19);
  CHECK(listing->pages[0].name == "GET /api/v1/pods");
  CHECK(listing->pages[0].json == list("1", "t"));
  CHECK(listing->pages[1].json == list("2"));
  CHECK(listing->pages[2].name == "GET /api/v1/nodes");
  CHECK(listing->pages.back().name == "GET /apis/policy/v1beta1/poddisruptionbudgets");
  CHECK(server.most_at_once == 4);
  ClusterListOptions newer;
  newer.minor = 25;
  REQUIRE(list_cluster(server, server, newer));
  CHECK(server.count("/apis/policy/v1/poddisruptionbudgets") == 1);
}

TEST_CASE("cluster list: what the server does not know is empty, what we may not read is said") {
  PromptServer server([](const std::string& target) {
    if (asks(target, "/apis/gedge.io/v1alpha1/nodelatencies")) return say(404);
    if (asks(target, "/api/v1/limitranges")) return say(403, R"({"message":"not you"})");
    return say(200, list(""));
  });
  const auto listing = list_cluster(server, server);
  REQUIRE(listing);
  CHECK(listing->pages.size() == 16);
  REQUIRE(listing->warnings.size() == 1);
  CHECK(listing->warnings[0].code == "UnreadKind");
  CHECK(listing->warnings[0].message ==
        "cannot read /api/v1/limitranges: the server says 403: not you; read as if there were "
        "none");
}

TEST_CASE("cluster list: without nodes or pods there is nothing to plan with") {
  for (const std::string path : {"/api/v1/nodes", "/api/v1/pods"}) {
    PromptServer server([&](const std::string& target) {
      return asks(target, path) ? say(403) : say(200, list(""));
    });
    const auto listing = list_cluster(server, server);
    REQUIRE_FALSE(listing);
    CHECK(listing.error().code == Errc::kDenied);
    CHECK(listing.error().what.starts_with("cannot read " + path + ": the server says 403"));
  }
}

TEST_CASE("cluster list: a list that the server forgot begins anew, a page that failed does not") {
  int pages = 0;
  PromptServer server([&](const std::string& target) {
    if (!asks(target, "/api/v1/pods")) return say(200, list(""));
    const bool is_first = target.find("continue") == std::string::npos;
    ++pages;
    if (pages == 2) return say(500);  // asked for again
    if (pages == 3) return say(410);  // too late: from the first page
    return is_first ? say(200, list(std::to_string(pages), "t")) : say(200, list("9"));
  });
  const auto listing = list_cluster(server, server);
  REQUIRE(listing);
  CHECK(pages == 5);
  CHECK(listing->pages[0].json == list("4", "t"));
  CHECK(listing->pages[1].json == list("9"));
  CHECK(listing->pages[2].name == "GET /api/v1/nodes");
}

TEST_CASE("cluster list: a server that is busy is obeyed, and not asked for ever") {
  int refused = 0;
  PromptServer server([&](const std::string& target) {
    if (!asks(target, "/api/v1/nodes") || refused >= 2) return say(200, list(""));
    ++refused;
    ApiAnswer busy = say(429);
    busy.retry_after = Nanos{60'000'000'000};
    return busy;
  });
  REQUIRE(list_cluster(server, server));
  CHECK(server.time >= Nanos{120'000'000'000});
  refused = -1000;
  const auto never = list_cluster(server, server);
  REQUIRE_FALSE(never);
  CHECK(refused == -995);
}

TEST_CASE("cluster list: an answer that does not come, or is no list, ends it") {
  PromptServer silent([](const std::string&) {
    ApiAnswer answer;
    answer.error = {Errc::kTimeout, "no answer within 60 s", {}, {}};
    return answer;
  });
  const auto late = list_cluster(silent, silent);
  REQUIRE_FALSE(late);
  CHECK(late.error().code == Errc::kTimeout);
  CHECK(silent.targets.size() == 4);
  PromptServer odd([](const std::string&) { return say(200, "<html>"); });
  const auto none = list_cluster(odd, odd);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Errc::kInvalidInput);
  CHECK(none.error().what.starts_with("cannot read /api/v1/"));
}

}  // namespace
}  // namespace gedge
