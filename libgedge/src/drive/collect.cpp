#include "gedge/drive/collect.hpp"

#include <utility>

#include "gedge/codec/agent_report.hpp"

namespace gedge {
namespace {

constexpr std::size_t kPadding = 64;  // what the JSON parser may read behind the end

Result<AgentSaid> said_in(Result<HttpAnswer> answer, const AgentPlace& agent) {
  if (!answer) return std::move(answer).error();
  if (auto refusal = refusal_in(*answer)) return *std::move(refusal);
  answer->body.reserve(answer->body.size() + kPadding);
  return read_agent_report({agent.url, answer->body, kPadding}, agent.name);
}

}  // namespace

std::optional<Error> refusal_in(const HttpAnswer& answer) {
  switch (answer.status) {
    case 200:
      return std::nullopt;
    case 401:
    case 403:
      return Error{
          Errc::kDenied,
          "it answers with status " + std::to_string(answer.status) + ": not for everybody",
          {},
          "give the token that it wants in the file of `--token-file`"};
    default:
      break;
  }
  if (!answer.location.empty())
    return invalid_input("it sends those who ask elsewhere (status " +
                         std::to_string(answer.status) + "), where nobody follows");
  return invalid_input("it answers with status " + std::to_string(answer.status));
}

Result<AgentMatrix> collect(HttpClient& http, const std::vector<AgentPlace>& agents,
                            const CollectOptions& options, const CollectProgress& progress) {
  std::vector<HttpCall> calls;
  std::vector<AskedAgent> asked;
  for (const AgentPlace& agent : agents) {
    calls.push_back({agent.url, options.token});
    asked.push_back({agent.url, agent.name, agent.address, {}, {}});
  }
  std::size_t over = 0;
  const Status fetched =
      http.fetch(calls, options.terms, [&](std::size_t call, Result<HttpAnswer> answer) {
        auto said = said_in(std::move(answer), agents[call]);
        if (said)
          asked[call].said = *std::move(said);
        else
          asked[call].failure = std::move(said).error();
        if (progress) progress(++over, calls.size());
      });
  if (!fetched) return fetched.error();
  return merge_agents(asked, options.others, options.seed);
}

}  // namespace gedge
