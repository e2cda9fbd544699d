#include "codec/status_replies.hpp"

#include <utility>

#include "codec/http_target.hpp"

namespace gedge::codec {

HttpReply text_reply(unsigned status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.content_type = "text/plain; charset=utf-8";
  reply.body = std::move(body) + '\n';
  return reply;
}

HttpReply status_reply(const HttpRequest& request, const StatusAnswers& answers) {
  if (!request.origin.empty()) return text_reply(403, "pages of other sites may not ask");
  if (!answers.any_host && !is_own_host(request.host))
    return text_reply(403, "ask by address, or as localhost");
  if (request.method != "GET" && request.method != "HEAD") {
    HttpReply reply = text_reply(405, "only GET and HEAD");
    reply.allow = "GET, HEAD";
    return reply;
  }
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/livez")
    return answers.is_alive ? text_reply(200, "ok") : text_reply(503, "the loop stands still");
  if (path == "/readyz") return answers.ready;
  if (path != "/metrics") return text_reply(404, "there are /livez, /readyz and /metrics");
  HttpReply reply;
  reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  reply.body = answers.metrics();
  return reply;
}

FaultText fault_text(HttpFault fault) {
  switch (fault) {
    case HttpFault::kHeaderTooLarge:
      return {431, "the headers are too large"};
    case HttpFault::kBodyTooLarge:
      return {413, "the body is too large"};
    case HttpFault::kIncomplete:
      return {408, "the request did not end in time"};
    case HttpFault::kInternal:
      return {500, "a bug in gedge"};
    case HttpFault::kMalformed:
    case HttpFault::kNoTls:
      break;
  }
  return {400, "this is no request"};
}

}  // namespace gedge::codec
