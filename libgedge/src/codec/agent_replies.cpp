#include "gedge/codec/agent_replies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "codec/agent_documents.hpp"
#include "codec/diagnostics.hpp"
#include "codec/document_sink.hpp"
#include "codec/http_target.hpp"
#include "gedge/codec/ip_text.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {
namespace {

using codec::HttpTarget;
using codec::Json;

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kPlainType = "text/plain; charset=utf-8";
constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kMethods = "GET, HEAD";

// systems.md 2.3: what the agents of GS-Scheduler take where a parameter may be absent.
constexpr std::uint32_t kDefaultCount = 2;
constexpr std::uint32_t kMostCount = 1'000;

struct ErrorKind {
  std::string_view name;
  unsigned status;
};
constexpr std::array<ErrorKind, 18> kErrors{{{"AccessDeniedException", 502},
                                             {"AuthorizationHeaderMalformed", 400},
                                             {"ExpiredToken", 400},
                                             {"IncompleteBody", 400},
                                             {"InvalidRange", 416},
                                             {"InvalidRequestContentException", 400},
                                             {"InvalidSecurity", 403},
                                             {"InvalidToken", 400},
                                             {"MaxMessageLengthExceeded", 400},
                                             {"MetadataTooLarge", 400},
                                             {"MethodNotAllowed", 405},
                                             {"MissingContentLength", 411},
                                             {"NotImplemented", 501},
                                             {"RequestTimeout", 400},
                                             {"ResourceNotFoundException", 404},
                                             {"ServiceInternalException", 500},
                                             {"TokenRefreshRequired", 400},
                                             {"UnsupportedMediaTypeException", 415}}};

HttpReply json_reply(std::string body) {
  return {200, std::string(kJsonType), std::move(body), {}};
}

HttpReply result_reply(const Json& result) {
  return json_reply(Json{{"result", result}}.dump(-1, ' ', false, Json::error_handler_t::replace) +
                    '\n');
}

HttpReply plain_reply(unsigned status, std::string body) {
  return {status, std::string(kPlainType), std::move(body), {}};
}

/// Mean of the latest answers, at most `count`, in milliseconds; empty where there is none.
std::optional<double> mean_ms(const TargetReport& report, std::uint32_t count) {
  const std::size_t taken = std::min<std::size_t>(count, report.recent.size());
  if (taken == 0) return std::nullopt;
  std::uint64_t sum = 0;
  for (std::size_t i = report.recent.size() - taken; i < report.recent.size(); ++i)
    sum += report.recent[i].us;
  return static_cast<double>((sum + taken - 1) / taken) / 1'000;
}

std::optional<std::uint32_t> number_in(std::string_view text, std::uint32_t least,
                                       std::uint32_t most) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || rest != end || number < least || number > most) return std::nullopt;
  return number;
}

/// How many answers count, or the reply that says what is wrong with the parameters.
struct PingQuery {
  std::uint32_t count = kDefaultCount;
  std::optional<HttpReply> refusal;
};

PingQuery ping_query(const HttpTarget& target, bool required) {
  PingQuery query;
  const auto check = [&](std::string_view name, std::uint32_t least, std::uint32_t most,
                         std::uint32_t& into) {
    const auto text = target.find(name);
    if (query.refusal || (!text && !required)) return;
    const auto number = text ? number_in(*text, least, most) : std::nullopt;
    if (number) {
      into = *number;
      return;
    }
    query.refusal = agent_error(AgentError::kInvalidRequestContent,
                                std::string(name) + (text ? " must be" : " is missing: it is") +
                                    " a whole number from " + std::to_string(least) + " to " +
                                    std::to_string(most));
  };
  std::uint32_t size = 0;
  check("pingSize", 0, kMostProbeSize, size);
  check("pingCount", 1, kMostCount, query.count);
  return query;
}

HttpReply near_reply(const AgentFacts& facts, AgentTargetKind kind, std::uint32_t count) {
  struct Near {
    double latency;
    const AgentTarget* target;
  };
  std::vector<Near> nearest;
  for (const TargetReport& report : facts.targets)
    if (report.target.kind == kind)
      if (const auto latency = mean_ms(report, count))
        nearest.push_back({*latency, &report.target});
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const Near& a, const Near& b) { return a.latency < b.latency; });
  const std::string prefix = kind == AgentTargetKind::kNode ? "node" : "cluster";
  Json result = Json::array();
  for (const Near& near : nearest)
    result.push_back({{prefix + "_name", near.target->name},
                      {prefix + "_ip", to_text(near.target->address)},
                      {"latency", near.latency}});
  return result_reply(result);
}

HttpReply latency_reply(const AgentFacts& facts, AgentTargetKind kind, const std::string& name,
                        std::uint32_t count) {
  const std::string what =
      (kind == AgentTargetKind::kNode ? "node " : "cluster ") + codec::quote(name);
  const auto found =
      std::find_if(facts.targets.begin(), facts.targets.end(), [&](const TargetReport& report) {
        return report.target.kind == kind && report.target.name == name;
      });
  if (found == facts.targets.end())
    return agent_error(AgentError::kResourceNotFound, what + " is not measured by this agent");
  const auto latency = mean_ms(*found, count);
  if (!latency)
    return agent_error(AgentError::kResourceNotFound,
                       "no answer of " + what + " is known that is young enough");
  return result_reply(*latency);
}

// Without peers there is nothing to wait for; and where peers are the ready pods of a Service,
// nobody would ever become the first.
HttpReply ready_reply(const AgentFacts& facts) {
  std::string text;
  if (!facts.targets.empty() && facts.rounds == 0) text += "the first round is not over\n";
  if (!facts.probing) text += "nothing is probed any more\n";
  if (!text.empty()) return plain_reply(503, text);
  text = "ok\n";
  if (facts.targets.empty()) text += "no peers are known\n";
  if (facts.insecure)
    text += facts.asks_for_token ? "insecure: tokens and replies can be read on their way\n"
                                 : "insecure: whoever reaches this address may ask\n";
  return plain_reply(200, text);
}

std::optional<HttpReply> monitoring_reply(const HttpTarget& target, const AgentFacts& facts) {
  const auto& path = target.path;
  if (path.size() < 3 || path[0] != "monitoring" || path.back() != "latency") return std::nullopt;
  const bool near_nodes = path.size() == 3 && path[1] == "near-nodes";
  const bool near_clusters = path.size() == 3 && path[1] == "near-clusters";
  const bool node = path.size() == 4 && path[1] == "node";
  const bool cluster = path.size() == 4 && path[1] == "clusters";
  if (!near_nodes && !near_clusters && !node && !cluster) return std::nullopt;
  PingQuery query = ping_query(target, near_nodes);
  if (query.refusal) return query.refusal;
  const AgentTargetKind kind =
      near_nodes || node ? AgentTargetKind::kNode : AgentTargetKind::kCluster;
  if (near_nodes || near_clusters) return near_reply(facts, kind, query.count);
  return latency_reply(facts, kind, path[2], query.count);
}

std::optional<HttpReply> document_reply(const HttpTarget& target, const AgentFacts& facts) {
  if (target.path.size() != 1) return std::nullopt;
  const std::string& name = target.path[0];
  if (name == "check") return json_reply(codec::goldpinger_check(facts));
  if (name == "check_all") return json_reply(codec::goldpinger_check_all(facts));
  if (name == "matrix.json") return json_reply(codec::agent_matrix(facts));
  if (name == "metrics")
    return HttpReply{200, std::string(kMetricsType), codec::agent_metrics(facts), {}};
  if (name == "livez")
    return facts.probing ? plain_reply(200, "ok\n")
                         : plain_reply(503, "nothing is probed any more\n");
  if (name == "readyz") return ready_reply(facts);
  return std::nullopt;
}

}  // namespace

HttpReply agent_error(AgentError code, std::string_view message) {
  const ErrorKind& kind = kErrors[static_cast<std::size_t>(code)];
  const Json body{{"Error", {{"ErrorCode", kind.name}, {"Message", message}}}};
  return {kind.status, std::string(kJsonType),
          body.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n',
          code == AgentError::kMethodNotAllowed ? std::string(kMethods) : std::string()};
}

HttpReply agent_reply(const HttpRequest& request, const AgentFacts& facts) {
  if (!request.origin.empty())
    return agent_error(AgentError::kInvalidSecurity, "pages of other sites may not ask");
  if (!facts.insecure && !facts.asks_for_token && !codec::is_own_host(request.host, facts.node))
    return agent_error(AgentError::kInvalidSecurity,
                       "ask by address, as localhost, or by the name of the node");
  if (request.method != "GET" && request.method != "HEAD")
    return agent_error(AgentError::kMethodNotAllowed, "only GET and HEAD are answered");
  const auto target = codec::parse_http_target(request.target);
  if (!target)
    return agent_error(AgentError::kInvalidRequestContent, "the path or the query is malformed");
  if (auto reply = monitoring_reply(*target, facts)) return *std::move(reply);
  if (auto reply = document_reply(*target, facts)) return *std::move(reply);
  return agent_error(AgentError::kResourceNotFound, "there is nothing at this path");
}

bool needs_token(const HttpRequest& request) {
  const auto target = codec::parse_http_target(request.target);
  return !target || target->path.size() != 1 ||
         (target->path[0] != "livez" && target->path[0] != "readyz");
}

std::string_view bearer_token(const HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view header = request.authorization;
  if (codec::lower_case(header.substr(0, kScheme.size())) != kScheme) return {};
  return header.substr(kScheme.size());
}

// The codes of GS-Scheduler know no status 401; without it, no client knows that it lacks a token.
HttpReply agent_denial() {
  HttpReply reply = agent_error(AgentError::kInvalidToken, "a token that is known is needed");
  reply.status = 401;
  reply.challenge = "Bearer";
  return reply;
}

HttpReply agent_refusal(HttpFault fault) {
  switch (fault) {
    case HttpFault::kMalformed:
      return agent_error(AgentError::kInvalidRequestContent, "this is no HTTP request");
    case HttpFault::kHeaderTooLarge:
      return agent_error(AgentError::kMetadataTooLarge, "the headers are too large");
    case HttpFault::kBodyTooLarge:
      return agent_error(AgentError::kMaxMessageLengthExceeded, "the body is too large");
    case HttpFault::kIncomplete:
      return agent_error(AgentError::kIncompleteBody, "the request ended before its end");
    case HttpFault::kNoTls:
      return agent_error(AgentError::kInvalidRequestContent, "TLS is spoken here: ask https://");
    case HttpFault::kInternal:
      break;
  }
  return agent_error(AgentError::kServiceInternal, "the agent failed to answer");
}

}  // namespace gedge
