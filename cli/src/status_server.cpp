#include "status_server.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "freed_memory.hpp"
#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/scheduler_replies.hpp"
#include "gedge/io/clock.hpp"
#include "gedge/io/http_server.hpp"
#include "serve_beside.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kMostBody = 4 << 10;
constexpr Nanos kWarnEvery{60'000'000'000};

}  // namespace

HttpReply StatusServer::answer(const HttpRequest& request) {
  const auto tell = [this](const Error& error) {
    log_.event("failed", {{"what", error.what}, {"fix", error.hint}});
  };
  if (!gate_.lets_in(request, tell)) return scheduler_denial();
  HttpReply reply = answer_(request);
  if (insecurity_.empty()) return reply;
  if (Nanos(steady_clock().now()) - warned_ >= kWarnEvery) warn();
  if (request.target.substr(0, request.target.find('?')) == "/readyz")
    reply.body += "insecure: " + std::string(insecurity_) + '\n';
  return reply;
}

void StatusServer::warn() {
  warned_ = Nanos(steady_clock().now());
  log_.event("insecure", {{"what", std::string(insecurity_)}});
}

Status StatusServer::listen(const IpAddress& address, const AgentGuard& guard, Answer answer,
                            std::function<void()> hung_up) {
  answer_ = std::move(answer);
  any_host_ = guard.asks_who() || guard.insecure;
  auto gate = Gate::open(guard);
  if (!gate) return std::move(gate).error();
  gate_ = *std::move(gate);
  HttpServerOptions options;
  options.tls = guard.tls();
  options.tls_events.failed = [this](const Error& error) {
    log_.event("failed", {{"what", error.what}, {"fix", error.hint}});
  };
  options.listen = address;
  options.most_body_bytes = kMostBody;
  options.stops_on_signals = true;
  options.hung_up = std::move(hung_up);
  auto server = open_http_server(
      std::move(options),
      {[this](const HttpRequest& request) { return this->answer(request); }, scheduler_refusal});
  if (!server) return std::move(server).error();
  server_ = *std::move(server);
  log_.event("listening", {{"address", to_text_with_port(server_->address())}});
  insecurity_ = insecurity(guard);
  if (!insecurity_.empty()) warn();
  return {};
}

int StatusServer::run_beside(const std::function<void()>& work, const std::function<void()>& stop) {
  if (!server_) {
    work();
    return 0;
  }
  let_go_of_code();
  return serve_beside(*server_, work, stop);
}

}  // namespace gedge::cli
