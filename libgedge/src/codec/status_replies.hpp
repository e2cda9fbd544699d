// codec/status_replies.hpp - what every daemon replies to probes and to Prometheus, as plain text.
#pragma once

#include <functional>
#include <string>

#include "gedge/port/http_server.hpp"

namespace gedge::codec {

HttpReply text_reply(unsigned status, std::string body);

struct StatusAnswers {
  bool is_alive = true;                  ///< /livez
  HttpReply ready;                       ///< /readyz
  std::function<std::string()> metrics;  ///< /metrics, only where it is asked for
  bool any_host = false;                 ///< false: the Host is an address, or localhost
};
/// GET and HEAD of these three paths; anything else is refused, and so is every Origin.
HttpReply status_reply(const HttpRequest& request, const StatusAnswers& answers);

/// What is wrong where no request came to be, in words.
struct FaultText {
  unsigned status = 400;
  const char* text = "";
};
FaultText fault_text(HttpFault fault);

}  // namespace gedge::codec
