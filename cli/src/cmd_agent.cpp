// cmd_agent.cpp - "gedge agent": measures its peers on a period and serves what it knows.
#include <atomic>
#include <charconv>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "agent_guard.hpp"
#include "agent_log.hpp"
#include "agent_source.hpp"
#include "cmd.hpp"
#include "gedge/codec/agent_replies.hpp"
#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/drive/agent_loop.hpp"
#include "gedge/io/http_server.hpp"
#include "gedge/io/token_file.hpp"
#include "gedge/io/udp_echo.hpp"
#include "gedge/io/wall_clock.hpp"
#include "listen_address.hpp"
#include "options.hpp"
#include "probe_options.hpp"
#include "report.hpp"
#include "web_options.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge agent --peers peers.txt",
     "Measures the peers of a file, and answers on 127.0.0.1:8787:"},
    {"gedge agent --peers dns:agents.gedge.svc --listen 0.0.0.0:8787 --tls-cert tls.crt "
     "--tls-key tls.key --token-file token",
     "In a pod, with the addresses of a headless Service as peers, for those with a token:"},
};
constexpr Page kPage{
    .name = "agent",
    .summary = "Measure peers for ever and serve what is known",
    .usage = "--peers FILE|dns:NAME [--clusters FILE] [--listen ADDRESS:PORT] [FLAG]...",
    .description =
        "Probes each peer a few times a period and keeps the latest outcomes. A file has one "
        "NAME or NAME=ADDRESS a line; it is read again every half minute, and so is a DNS name, "
        "each address of which is a peer. `--clusters` names other clusters in the same way. A "
        "name without an address is left out, and said. Nothing but these is ever probed, whatever "
        "anybody asks for.\n\n"
        "`tcp` takes handshakes, `udp` needs an agent at the other end. `http` and `https` send "
        "GET / as gedge-measure(1) says; a peer of a file is asked by the ADDRESS, or the NAME, "
        "that stands there, one of dns:NAME by that NAME, and its certificate has to be of it. "
        "`--ca-file` is read again with the peers.\n\n"
        "It answers GET and HEAD of `/monitoring/near-nodes/latency`, "
        "`/monitoring/near-clusters/latency`, `/monitoring/node/NAME/latency` and "
        "`/monitoring/clusters/NAME/latency` (as the worker agents of GS-Scheduler), `/check` and "
        "`/check_all` (as Goldpinger), `/matrix.json` (kind LatencyMatrix), `/metrics` "
        "(Prometheus), `/livez` and `/readyz`; and it sends the UDP probes of other agents back. "
        "What nobody answered is left out or an error, never 0.\n\n"
        "On an address other than loopback it needs TLS and a token: `--tls-cert`, `--tls-key` and "
        "`--token-file`; `--insecure` does without what is missing. Requests then carry the "
        "header \"Authorization: Bearer TOKEN\", or get status 401. Only `/livez` and `/readyz` "
        "answer everybody, since the probes of a kubelet carry no token and check no certificate; "
        "and so do the UDP probes of other agents, which tell nothing. TLS is 1.2 with forward "
        "secrecy, or 1.3. A token file has one token a line, each is accepted. All three files "
        "are read again when they change, without an interruption; where they are wrong then, "
        "what was read before stays, and an event says so. So does one of a certificate that ends "
        "within a week.\n\n"
        "SIGTERM and SIGINT end the agent when replies under way are finished.",
    .output = "Nothing. Standard error has one line an event: at=TIME event=NAME KEY=VALUE...",
    .examples = kExamples,
    .yes = "stopped by SIGTERM",
    .see_also = "gedge-matrix-convert(1) gedge-measure(1)",
};

constexpr int kAges = 6;  // periods until an answer is too old, without --max-age
constexpr Micros kWarnEvery{60'000'000}, kFactsAge{100'000};
constexpr Micros kWarnOfEndEvery{3'600'000'000};
constexpr UnixSeconds kSoon = 7 * 24 * 3'600;  // a certificate that ends so soon should be renewed
constexpr std::size_t kMostBody = 4 << 10;     // nothing that is answered has one

struct AgentCommand {
  AgentPlaces places;
  AgentGuard guard;
  WebOptions web;  // of the probes; no token
  OutputOptions output;
  AgentLoopOptions loop;
  std::string listen = "127.0.0.1:8787";
  std::uint64_t port = 0, probes = 3, bandwidth = 100'000;
  Nanos period{10'000'000'000}, timeout{1'000'000'000}, max_age{0};
};

// What leaves this machine for one probe.
std::uint32_t wire_bytes(ProbeMethod method, std::size_t payload) {
  constexpr std::uint32_t kHeaders = 42;  // Ethernet, IPv4 and ICMP or UDP
  // Five packets of TCP and a request; with TLS also what agrees on a key. As counted on loopback.
  constexpr std::uint32_t kRequest = 500, kSecureRequest = 1'500;
  if (method == ProbeMethod::kHttp) return kRequest;
  if (method == ProbeMethod::kHttps) return kSecureRequest;
  return static_cast<std::uint32_t>(payload) + kHeaders;
}

Status check(const AgentCommand& command) {
  if (command.places.peers.empty())
    return invalid_input("no peers", {}, "name them: `--peers FILE` or `--peers dns:NAME`");
  if (command.places.peers == "-" || command.places.clusters == "-")
    return invalid_input("peers are read again and again: standard input will not do", {},
                         "name a file");
  GEDGE_TRY(check_port(command.loop.method, command.port));
  if (command.web.wants_tls() && command.loop.method != ProbeMethod::kHttps)
    return invalid_input(
        "flags '--ca-file' and '--insecure-skip-tls-verify' need '--method https'");
  if (command.web.ca_file == "-")
    return invalid_input("certificates are read again: standard input will not do", {},
                         "name a file");
  if (command.probes == 0) return invalid_input("'--count 0' measures nothing");
  return check_guard(command.guard);
}

void finish(AgentCommand& command, const ProbeNetwork& network) {
  const ProbeMethod method = command.loop.method;
  if (command.places.own_name.empty()) command.places.own_name = network.host_name();
  command.places.port =
      command.port == 0 ? usual_port(method) : static_cast<std::uint16_t>(command.port);
  AgentOptions& agent = command.loop.agent;
  agent.period = command.period;
  agent.probes = static_cast<std::uint32_t>(command.probes);
  agent.timeout = command.timeout;
  agent.interval = std::min(agent.interval, command.period / (2 * agent.probes));
  agent.max_age = command.max_age.count() > 0 ? command.max_age : kAges * command.period;
  agent.probe_bytes = wire_bytes(method, command.loop.probe_size);
  agent.bytes_per_second = static_cast<std::uint32_t>(command.bandwidth);
}

/// A Service has no name before its first pod is ready, and name servers come up when they do: both
/// are asked again.
bool may_come_later(const AgentPlaces& places, const Error& error) {
  return error.code == Errc::kTimeout || (is_dns_source(places) && error.code == Errc::kNotFound);
}

/// The running agent: everything that its two threads share.
class RunningAgent {
 public:
  RunningAgent(const AgentCommand& command, Io& io, ProbeNetwork& network)
      : command_(command),
        io_(io),
        network_(network),
        log_(io.err, wall_clock_, command.output.quiet),
        started_(wall_clock_.date()),
        loop_(
            loop_options(), network, io.clock, [this] { return find_targets(); }, events()) {}

  Status open(const IpAddress& listen) {
    if (Status found = loop_.refresh(); !found) {
      if (!may_come_later(command_.places, found.error())) return found;
      log_.failed(found.error());
    }
    const AgentGuard& guard = command_.guard;
    if (guard.has_tokens()) {
      auto tokens = TokenFile::open(guard.tokens);
      if (!tokens) return std::move(tokens).error();
      tokens_.emplace(*std::move(tokens));
    }
    auto echo = UdpEcho::open(listen);
    if (!echo) return std::move(echo).error();
    echo_ = std::make_unique<UdpEcho>(*std::move(echo));
    HttpServerOptions options;
    options.listen = listen;
    options.most_body_bytes = kMostBody;
    options.stops_on_signals = true;
    options.watched.push_back({echo_->descriptor(), [this] { echo_->answer(); }});
    if (guard.has_tls()) options.tls = {guard.certificate, guard.key};
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
    const int signal = serve_and_probe();
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

  Result<std::vector<AgentTarget>> find_targets() {
    auto found = find_agent_targets(command_.places, io_.files, network_);
    if (!found) return std::move(found).error();
    log_.left_out(found->without_address);
    return std::move(found->targets);
  }

  // Whatever one thread fails with ends the other one too, and is told by whoever called.
  int serve_and_probe() {
    std::exception_ptr failure;
    std::thread probing([this, &failure] {
      try {
        loop_.run();
      } catch (...) {
        failure = std::current_exception();
        server_->stop();
      }
    });
    int signal = 0;
    try {
      signal = server_->run();
    } catch (...) {
      loop_.stop();
      probing.join();
      throw;
    }
    loop_.stop();
    probing.join();
    if (failure) std::rethrow_exception(failure);
    return signal;
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
    if (tokens_ && needs_token(request)) {
      if (const Status read = tokens_->refresh(); !read) tell(read.error());
      if (!tokens_->accepts(bearer_token(request))) return ++denied_, agent_denial();
    }
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
    facts_.address = command_.places.own_address;
    facts_.method = word_of(command_.loop.method);
    facts_.now = view.now;
    facts_.date = wall_clock_.date();
    facts_.started = started_;
    facts_.targets = std::move(view.targets);
    facts_.rounds = view.rounds;
    facts_.odd = view.odd;
    facts_.probing = view.alive;
    facts_.asks_for_token = tokens_.has_value();
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
  AgentLoop loop_;
  std::atomic<UnixSeconds> certificate_end_{0};
  // All below belong to the thread that serves.
  AgentFacts facts_;
  std::optional<Micros> looked_at_;
  std::optional<TokenFile> tokens_;
  std::uint64_t denied_ = 0;
  std::unique_ptr<UdpEcho> echo_;
  std::unique_ptr<HttpServer> server_;
};

Exit run_agent(AgentCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  ProbeNetwork& network = *io.network;
  const auto listen = listen_address(command.listen, network);
  if (!listen) return fail(io, listen.error());
  if (const Status guarded = check_reach(command.guard, *listen, command.listen); !guarded)
    return fail(io, guarded.error());
  if (const auto trusted = read_trusted(io.files, command.web); !trusted)
    return fail(io, trusted.error());
  finish(command, network);
  RunningAgent agent(command, io, network);
  if (const Status opened = agent.open(*listen); !opened) return fail(io, opened.error());
  return agent.run();
}

void add_probing_flags(FlagSet& flags, AgentCommand& command) {
  flags.heading("How to probe");
  add_method_flag(flags, command.loop.method);
  add_port_flag(flags, command.port, "10250 tcp, 8787 udp, 80 http, 443 https");
  flags.add({.name = "period",
             .value = "DURATION",
             .help = "Between the begins of two rounds",
             .fallback = "10s"},
            span_into(command.period, false));
  flags.add({.name = "count", .value = "N", .help = "Probes a peer and round", .fallback = "3"},
            number_into(command.probes, AgentOptions::kKept));
  add_timeout_flag(flags, command.timeout);
  flags.add({.name = "max-age",
             .value = "DURATION",
             .help = "Older answers are not known any more",
             .fallback = "six periods"},
            span_into(command.max_age, false));
  flags.add({.name = "bandwidth",
             .value = "BYTES",
             .help = "Probes a second, in bytes, at most; 0: any",
             .fallback = "100000"},
            number_into(command.bandwidth, 1'000'000'000));
  add_trust_flags(flags, command.web);
}

Run add_agent(FlagSet& flags) {
  auto command = std::make_shared<AgentCommand>();
  flags.heading("Who and where");
  flags.add({.name = "peers",
             .value = "FILE|dns:NAME",
             .help = "The nodes to measure",
             .live = Live::kFiles},
            command->places.peers);
  flags.add({.name = "clusters",
             .value = "FILE",
             .help = "Other clusters to measure",
             .live = Live::kFiles},
            command->places.clusters);
  flags.add({.name = "node",
             .value = "NAME",
             .help = "What this node is called; no peer of itself",
             .fallback = "host name"},
            command->places.own_name);
  flags.add({.name = "address", .value = "ADDRESS", .help = "Its own address; no peer of itself"},
            command->places.own_address);
  flags.add({.name = "listen",
             .value = "ADDRESS:PORT",
             .help = "Where to answer; port 0: any",
             .fallback = "127.0.0.1:8787"},
            command->listen);
  add_guard_flags(flags, command->guard);
  add_probing_flags(flags, *command);
  add_talk_flags(flags, command->output);
  return [command](Io& io) { return run_agent(*command, io); };
}

}  // namespace

Command agent_command() { return {&kPage, Group::kLatency, add_agent}; }

}  // namespace gedge::cli
