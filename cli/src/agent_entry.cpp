// agent_entry.cpp - the running agent, in the library of daemons.
#include <poll.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "agent_command.hpp"
#include "agent_log.hpp"
#include "agent_lookup.hpp"
#include "begin_daemon.hpp"
#include "freed_memory.hpp"
#include "gate.hpp"
#include "gedge/codec/agent_replies.hpp"
#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/io/http_server.hpp"
#include "gedge/io/udp_echo.hpp"
#include "gedge/io/wall_clock.hpp"
#include "probe_options.hpp"
#include "report.hpp"
#include "serve_beside.hpp"

namespace gedge::cli {
namespace {

constexpr int kLookMs = 50;  // how long the echo does not see that it is to stop
constexpr Micros kWarnEvery{60'000'000}, kFactsAge{100'000};
constexpr Micros kWarnOfEndEvery{3'600'000'000};
constexpr UnixSeconds kSoon = 7 * 24 * 3'600;  // a certificate that ends so soon should be renewed
constexpr std::size_t kMostBody = 4 << 10;     // nothing that is answered has one

/// A Service has no name before its first pod is ready, and name servers come up when they do: both
/// are asked again.
bool may_come_later(const AgentPlaces& places, const Error& error) {
  return error.code == Errc::kTimeout || (is_dns_source(places) && error.code == Errc::kNotFound);
}

// What others measure here waits for no TLS handshake and for no long reply: it has this thread.
void answer_probes(const std::stop_token& stop, UdpEcho& echo) {
  pollfd wanted{echo.descriptor(), POLLIN, 0};
  while (!stop.stop_requested())
    if (::poll(&wanted, 1, kLookMs) > 0) echo.answer();
}

/// The running agent: everything that its threads share.
class RunningAgent {
 public:
  RunningAgent(const AgentCommand& command, Io& io, ProbeNetwork& network)
      : command_(command),
        io_(io),
        network_(network),
        log_(io.err, wall_clock_, command.output),
        started_(wall_clock_.date()),
        lookup_([this](const std::stop_token& stop) {
          return find_agent_targets(command_.places, io_.files, network_, stop);
        }),
        loop_(
            loop_options(), network, io.clock, [this] { return find_targets(); }, events()) {}

  Status open(const IpAddress& listen) {
    if (Status found = loop_.refresh(); !found) {
      if (!may_come_later(command_.places, found.error())) return found;
      log_.failed(found.error());
    }
    const AgentGuard& guard = command_.guard;
    auto gate = Gate::open(guard);
    if (!gate) return std::move(gate).error();
    gate_ = *std::move(gate);
    auto echo = UdpEcho::open(listen);
    if (!echo) return std::move(echo).error();
    echo_ = std::make_unique<UdpEcho>(*std::move(echo));
    HttpServerOptions options;
    options.listen = listen;
    options.most_body_bytes = kMostBody;
    options.stops_on_signals = true;
    options.tls = guard.tls();
    options.tls_events = {[this](const TlsCertificate& certificate) { tell(certificate); },
                          [this](const Error& error) { tell(error); }};
    auto server = open_http_server(
        std::move(options),
        {[this](const HttpRequest& request) { return answer(request); }, agent_refusal});
    if (!server) return std::move(server).error();
    server_ = *std::move(server);
    network_.give_up_rights(command_.loop.method);
    return {};
  }

  Exit run() {
    log_.event("listening", {{"address", to_text_with_port(server_->address())},
                             {"udp", to_text_with_port(echo_->address())},
                             {"node", command_.places.own_name},
                             {"method", std::string(word_of(command_.loop.method))}});
    warn();
    running_ = true;
    let_go_of_code();
    const std::jthread echo([this](const std::stop_token& stop) { answer_probes(stop, *echo_); });
    const int signal = serve_beside(
        *server_, [this] { loop_.run(); }, [this] { loop_.stop(); });
    log_.event("stopped", {{"rounds", std::to_string(loop_.view().rounds)}});
    return signal == SIGINT ? Exit::kInterrupted : Exit::kYes;
  }

 private:
  AgentLoopOptions loop_options() const {
    AgentLoopOptions options = command_.loop;
    options.verify = !command_.web.skip_verify;
    options.trusted = [this] { return read_trusted(io_.files, command_.web); };
    return options;
  }

  std::optional<Result<std::vector<AgentTarget>>> find_targets() {
    auto found = running_ ? lookup_.poll() : std::optional(lookup_.find());
    if (!found) return std::nullopt;
    if (!*found) return std::move(*found).error();
    log_.left_out((*found)->without_address);
    return std::move((*found)->targets);
  }

  AgentEvents events() {
    return {[this](const std::vector<AgentTarget>& targets) {
              log_.event("targets", {{"count", std::to_string(targets.size())}});
            },
            [this](const Error& error) { log_.failed(error); }, [this] { log_.recovered(); },
            [this](const std::vector<TargetReport>& reports) {
              log_.compare(reports);
              if (io_.clock.now() - warned_ >= kWarnEvery) warn();
            }};
  }

  void warn() {
    warned_ = io_.clock.now();
    if (const auto what = insecurity(command_.guard); !what.empty())
      log_.event("insecure", {{"what", std::string(what)}});
    if (command_.guard.has_tls() &&
        (!warned_of_end_ || warned_ - *warned_of_end_ >= kWarnOfEndEvery)) {
      warned_of_end_ = warned_;
      warn_of_end();
    }
  }

  void warn_of_end() {
    const UnixSeconds end = certificate_end_;
    const UnixSeconds now = wall_clock_.date();
    if (end - now >= kSoon) return;
    log_.event("certificate-ends", {{"file", command_.guard.certificate},
                                    {"end", codec::format_timestamp(end)},
                                    {"what", end <= now ? "it has expired: clients refuse it"
                                                        : "it ends within a week"}});
  }

  void tell(const TlsCertificate& certificate) {
    certificate_end_ = certificate.not_after;
    log_.event("certificate", {{"subject", certificate.subject},
                               {"begin", codec::format_timestamp(certificate.not_before)},
                               {"end", codec::format_timestamp(certificate.not_after)}});
  }

  void tell(const Error& error) {
    const std::string& file = error.where.origin;
    log_.event("failed", {{"what", file.empty() ? error.what : file + ": " + error.what},
                          {"fix", error.hint}});
  }

  HttpReply answer(const HttpRequest& request) {
    if (!gate_.lets_in(request, [this](const Error& error) { tell(error); }))
      return ++denied_, agent_denial();
    return agent_reply(request, facts());
  }

  // Of the last tenth of a second: a flood of requests shall not take the time of the probes.
  const AgentFacts& facts() {
    facts_.http = server_->counts();
    facts_.denied = denied_;
    if (command_.guard.has_tls()) facts_.certificate_end = certificate_end_;
    const Micros now = io_.clock.now();
    if (looked_at_ && now - *looked_at_ < kFactsAge) return facts_;
    looked_at_ = now;
    AgentLoop::View view = loop_.view();
    facts_.node = command_.places.own_name;
    facts_.address = command_.places.own_address ? to_text(*command_.places.own_address) : "";
    facts_.method = word_of(command_.loop.method);
    facts_.now = view.now;
    facts_.date = wall_clock_.date();
    facts_.started = started_;
    facts_.targets = std::move(view.targets);
    facts_.rounds = view.rounds;
    facts_.odd = view.odd;
    facts_.probing = view.alive;
    facts_.asks_for_token = gate_.is_guarded();
    facts_.insecure = !insecurity(command_.guard).empty();
    return facts_;
  }

  const AgentCommand& command_;
  Io& io_;
  ProbeNetwork& network_;
  SystemWallClock wall_clock_;
  AgentLog log_;
  UnixSeconds started_;
  Micros warned_{0};
  std::optional<Micros> warned_of_end_;
  bool running_ = false;  // probes are under way: no look-up may keep them waiting
  AgentLookup lookup_;
  AgentLoop loop_;
  std::atomic<UnixSeconds> certificate_end_{0};
  // All below belong to the thread that serves.
  AgentFacts facts_;
  std::optional<Micros> looked_at_;
  Gate gate_;
  std::uint64_t denied_ = 0;
  std::unique_ptr<UdpEcho> echo_;
  std::unique_ptr<HttpServer> server_;
};

Exit run(const AgentCommand& command, const IpAddress& listen, Io& io) {
  RunningAgent agent(command, io, *io.network);
  if (const Status opened = agent.open(listen); !opened) return fail(io, opened.error());
  return agent.run();
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_agent(
    const gedge::cli::AgentCommand& command, const gedge::IpAddress& listen, gedge::cli::Io& io) {
  gedge::cli::begin_daemon(io);
  return static_cast<int>(gedge::cli::run(command, listen, io));
}
