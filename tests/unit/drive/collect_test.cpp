#include "gedge/drive/collect.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/sim/scripted_http.hpp"

namespace gedge {
namespace {

HttpAnswer row(const std::string& from, const std::string& to, int us) {
  return {200, "",
          R"({"kind":"LatencyMatrix","nodes":[")" + from + "\",\"" + to +
              R"("],"pairs":[{"from":")" + from + R"(","to":")" + to + R"(","p95Us":)" +
              std::to_string(us) + "}]}"};
}

TEST_CASE("collect: every agent is asked, and each failure is a verdict") {
  ScriptedHttp http;
  http.answers.emplace("http://1/", row("a", "b", 700));
  http.answers.emplace("http://2/", row("b", "a", 800));
  http.answers.emplace("http://3/", HttpAnswer{503, "", "busy"});
  http.answers.emplace("http://4/", HttpAnswer{401, "", "who are you?"});
  http.answers.emplace("http://5/", HttpAnswer{307, "http://evil/", ""});
  http.answers.emplace("http://6/", HttpAnswer{200, "", "garbage"});
  std::vector<AgentPlace> agents;
  for (int i = 1; i <= 7; ++i) agents.push_back({"http://" + std::to_string(i) + "/", {}, {}});
  std::vector<std::pair<std::size_t, std::size_t>> told;
  CollectOptions options;
  options.token = "t0ken";
  const auto merged = collect(http, agents, options, [&](std::size_t over, std::size_t total) {
    told.emplace_back(over, total);
  });
  REQUIRE(merged);
  CHECK(merged->matrix.at(*merged->matrix.find("a"), *merged->matrix.find("b")) == Rtt{700});
  CHECK(merged->matrix.at(*merged->matrix.find("b"), *merged->matrix.find("a")) == Rtt{800});
  std::vector<std::string> whys;
  for (const AgentVerdict& agent : merged->agents)
    if (agent.state == AgentState::kSilent) whys.push_back(agent.why);
  CHECK(whys == std::vector<std::string>{
                    "it answers with status 503",
                    "it answers with status 401: not for everybody",
                    "it sends those who ask elsewhere (status 307), where nobody follows",
                    "the reply is no JSON, it begins with 'garbage'",
                    "connection refused",
                });
  CHECK(told.size() == 7);
  CHECK(told.back() == std::pair<std::size_t, std::size_t>{7, 7});
  for (const HttpCall& call : http.calls) CHECK(call.token == "t0ken");
}

TEST_CASE("collect: where no call can be made at all, that is the error") {
  ScriptedHttp http;
  http.denies = true;
  const auto merged = collect(http, {{"http://1/", {}, {}}}, {}, {});
  REQUIRE_FALSE(merged);
  CHECK(merged.error().code == Errc::kDenied);
}

}  // namespace
}  // namespace gedge
