// status_server.hpp - who asks after a loop that runs: probes and Prometheus, with TLS and a token
// where that is wanted. SIGTERM and SIGINT stop it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "agent_guard.hpp"
#include "event_log.hpp"
#include "gate.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/http_server.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge::cli {

class StatusServer {
 public:
  using Answer = std::function<HttpReply(const HttpRequest&)>;

  /// `log` outlives it.
  explicit StatusServer(EventLog& log) : log_(log) {}

  /// `answer` is asked by who may ask, in the thread that serves; so is `hung_up` called, on
  /// SIGHUP. Errors: those of opening a server, and of reading the files of `guard`.
  Status listen(const IpAddress& address, const AgentGuard& guard, Answer answer,
                std::function<void()> hung_up = {});
  /// Where tokens, certificates or whoever started it guard it, nobody has to name it by its
  /// address.
  bool any_host() const { return any_host_; }
  /// Runs `work`; serves beside it, if it listens. `stop` makes work return, from any thread.
  /// Returns the signal that stopped it; 0: none.
  int run_beside(const std::function<void()>& work, const std::function<void()>& stop);

 private:
  HttpReply answer(const HttpRequest& request);
  void warn();

  EventLog& log_;
  Answer answer_;
  std::unique_ptr<HttpServer> server_;
  Gate gate_;  // of the thread that serves
  bool any_host_ = false;
  std::string_view insecurity_;  // empty: nothing is wrong
  Nanos warned_{0};
};

}  // namespace gedge::cli
