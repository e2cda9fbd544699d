#include "gedge/drive/bind_pods.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gedge {
namespace {

using Outcome = BoundPod::Outcome;

/// Answers at once whatever it is asked; time passes only while nothing is under way.
struct PromptServer final : ApiTransport, Clock {
  using Answer = std::function<ApiAnswer(bool is_bind, const std::string& target)>;

  explicit PromptServer(Answer how) : answer(std::move(how)) {}
  void send(std::uint64_t ticket, ApiRequest request) override {
    log += request.verb == ApiVerb::kPost ? 'b' : 'r';
    under_way.emplace(ticket, std::move(request));
    most_at_once = std::max(most_at_once, under_way.size());
  }
  void cancel(std::uint64_t ticket) override { under_way.erase(ticket); }
  Status wait(Nanos most, const ApiListener& listener) override {
    if (under_way.empty()) time += most;
    for (const auto& [ticket, request] : std::exchange(under_way, {}))
      listener.answer(ticket, answer(request.verb == ApiVerb::kPost, request.target));
    return {};
  }
  void wake() override {}
  Micros now() const override { return std::chrono::ceil<Micros>(time); }

  Answer answer;
  std::map<std::uint64_t, ApiRequest> under_way;
  std::string log;  // b: a bind, r: a read
  std::size_t most_at_once = 0;
  Nanos time{0};
};

constexpr const char* kNotFound = R"({"kind":"Status","reason":"NotFound"})";

ApiAnswer say(unsigned status, std::string body = "{}") {
  ApiAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

ApiAnswer silence() {
  ApiAnswer answer;
  answer.error = {Errc::kTimeout, "no answer", {}, {}};
  return answer;
}

ApiAnswer pod(const std::string& uid, const std::string& node) {
  const std::string spec = node.empty() ? "{}" : R"({"nodeName":")" + node + R"("})";
  return say(200, R"({"metadata":{"uid":")" + uid + R"("},"spec":)" + spec + "}");
}

BoundPod bind_one(PromptServer& server) {
  const auto bound = bind_pods(server, server, {{1, {"shop", "web"}, "u1", "n1"}});
  REQUIRE(bound);
  REQUIRE(bound->size() == 1);
  return bound->front();
}

TEST_CASE("bind pods: all are sent, no more at once than allowed, and told in their order") {
  PromptServer server([](bool, const std::string& target) {
    return target.find("pods/p3/") == std::string::npos ? say(201) : say(404, kNotFound);
  });
  std::vector<BindRequest> binds;
  for (std::uint64_t i = 0; i < 7; ++i)
    binds.push_back({i + 1, {"shop", "p" + std::to_string(i)}, "u", "n"});
  BindPodsOptions options;
  options.most_at_once = 2;
  const auto bound = bind_pods(server, server, binds, options);
  REQUIRE(bound);
  for (std::size_t i = 0; i < bound->size(); ++i)
    CHECK((*bound)[i].outcome == (i == 3 ? Outcome::kGone : Outcome::kBound));
  CHECK(server.log == "bbbbbbb");
  CHECK(server.most_at_once == 2);
}

TEST_CASE("bind pods: in a dry run the server judges every bind, and does none") {
  std::size_t binds = 0;
  PromptServer server([&](bool is_bind, const std::string& target) {
    if (!is_bind) return pod("u1", "");
    CHECK(target.ends_with("/binding?dryRun=All"));
    return ++binds == 1 ? say(500) : say(201);
  });
  BindPodsOptions options;
  options.is_dry_run = true;
  const auto bound = bind_pods(server, server, {{1, {"shop", "web"}, "u1", "n1"}}, options);
  REQUIRE(bound);
  CHECK(bound->front().outcome == Outcome::kBound);
  CHECK(server.log == "brb");
}

TEST_CASE("bind pods: what became of an unclear bind is read, and never guessed") {
  const auto outcome = [](const ApiAnswer& bind, const ApiAnswer& read) {
    PromptServer server([&](bool is_bind, const std::string&) { return is_bind ? bind : read; });
    return bind_one(server);
  };
  CHECK(outcome(silence(), pod("u1", "n1")).outcome == Outcome::kBound);
  CHECK(outcome(say(500), pod("u1", "n1")).outcome == Outcome::kBound);
  const BoundPod elsewhere = outcome(say(409), pod("u1", "n2"));
  CHECK(elsewhere.outcome == Outcome::kElsewhere);
  CHECK(elsewhere.node == SharedText("n2"));
  CHECK(outcome(silence(), pod("u2", "n1")).outcome == Outcome::kGone);
  CHECK(outcome(silence(), say(404, kNotFound)).outcome == Outcome::kGone);
  const BoundPod refused = outcome(say(403, R"({"message":"not you"})"), say(500));
  CHECK(refused.outcome == Outcome::kRefused);
  CHECK(refused.why == "the bind failed: the server says 403: not you");
}

TEST_CASE("bind pods: a bind that was not done is sent again after a read, but not for ever") {
  PromptServer never([](bool is_bind, const std::string&) {
    return is_bind ? say(500, R"({"message":"no"})") : pod("u1", "");
  });
  const BoundPod result = bind_one(never);
  CHECK(result.outcome == Outcome::kRefused);
  CHECK(result.why == "the bind failed: the server says 500: no");
  CHECK(never.log == "brbrbrbrbr");
  int binds = 0;
  PromptServer second([&](bool is_bind, const std::string&) {
    if (!is_bind) return pod("u1", "");
    return ++binds == 1 ? silence() : say(201);
  });
  CHECK(bind_one(second).outcome == Outcome::kBound);
  CHECK(second.log == "brb");
}

TEST_CASE(
    "bind pods: a server that is busy says when, and a pod that cannot be read stays unclear") {
  int asked = 0;
  PromptServer busy([&](bool, const std::string&) {
    if (++asked > 2) return say(201);
    ApiAnswer answer = say(429);
    answer.retry_after = Nanos{20'000'000'000};
    return answer;
  });
  CHECK(bind_one(busy).outcome == Outcome::kBound);
  CHECK(busy.log == "bbb");
  CHECK(busy.time >= Nanos{40'000'000'000});
  PromptServer dark([](bool, const std::string&) { return silence(); });
  const BoundPod unclear = bind_one(dark);
  CHECK(unclear.outcome == Outcome::kUnclear);
  CHECK(unclear.why == "it cannot be read: no answer");
  CHECK(dark.log.substr(0, 3) == "brr");
  CHECK(dark.log.find('b', 1) == std::string::npos);
  CHECK(dark.time >= Nanos{60'000'000'000});
}

TEST_CASE("bind pods: what is slow is not bound by what was known long ago") {
  constexpr Nanos kSecond{1'000'000'000};
  std::vector<BindRequest> binds;
  for (std::uint64_t i = 0; i < 4; ++i)
    binds.push_back({i + 1, {"shop", "p" + std::to_string(i)}, "u1", "n1"});
  PromptServer* slow = nullptr;
  PromptServer server([&](bool is_bind, const std::string& target) {
    slow->time += 25 * kSecond;
    const bool is_third = target.find("/pods/p2") != std::string::npos;
    if (!is_third) return say(201);
    return is_bind ? silence() : pod("u1", "");
  });
  slow = &server;
  BindPodsOptions options;
  options.most_at_once = 1;
  options.send_by = 60 * kSecond;
  const auto bound = bind_pods(server, server, binds, options);
  REQUIRE(bound);
  const std::vector wanted{Outcome::kBound, Outcome::kBound, Outcome::kTooLate, Outcome::kTooLate};
  for (std::size_t i = 0; i < binds.size(); ++i) CHECK((*bound)[i].outcome == wanted[i]);
  CHECK((*bound)[2].why == "the bind failed: no answer");
  CHECK(server.log == "bbbr");  // the read settles what was sent in time
}

TEST_CASE("bind pods: who shall come back later than allowed does not") {
  PromptServer busy([](bool, const std::string&) {
    ApiAnswer answer = say(429);
    answer.retry_after = Nanos{30'000'000'000};
    return answer;
  });
  BindPodsOptions options;
  options.send_by = Nanos{40'000'000'000};
  const auto bound = bind_pods(busy, busy, {{1, {"shop", "web"}, "u1", "n1"}}, options);
  REQUIRE(bound);
  CHECK(bound->front().outcome == Outcome::kTooLate);
  CHECK(busy.log == "bb");
  CHECK(busy.time < options.send_by);
}

}  // namespace
}  // namespace gedge
