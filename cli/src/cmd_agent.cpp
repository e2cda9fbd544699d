// cmd_agent.cpp - "gedge agent": measures its peers on a period and serves what it knows.
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "agent_command.hpp"
#include "cmd.hpp"
#include "daemon_library.hpp"
#include "listen_address.hpp"
#include "parse_address.hpp"
#include "probe_options.hpp"
#include "report.hpp"

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
        "Probes each peer a few times a period and keeps the latest outcomes. Where a round takes "
        "longer, since peers are silent or `--bandwidth` stretches it, the next one begins when it "
        "is over, and answers are known for as much longer. A file has one NAME or NAME=ADDRESS a "
        "line; it is read again every half minute, and so is a DNS name, "
        "each address of which is a peer. `--clusters` names other clusters in the same way. A "
        "name without an address is left out, and said. Nothing but these is ever probed, whatever "
        "anybody asks for.\n\n"
        "`tcp` takes handshakes, `udp` needs an agent at the other end. `http` and `https` send "
        "GET / as gedge-measure(1) says; a peer of a file is asked by the ADDRESS, or the NAME, "
        "that stands there, one of dns:NAME by that NAME, and its certificate has to be of it. "
        "`--ca-file` is read again with the peers.\n\n"
        "It answers GET and HEAD of `/monitoring/near-nodes/latency`, "
        "`/monitoring/near-clusters/latency`, `/monitoring/node/NAME/latency` and "
        "`/monitoring/clusters/NAME/latency` (as the worker agents of GS-Scheduler, in ms; "
        "near-nodes has to be asked with `?pingSize=56&pingCount=3`: so many of the last probes "
        "count, whatever their size), `/check` and `/check_all` (as Goldpinger, of what this agent "
        "measured), `/matrix.json` (kind LatencyMatrix), `/metrics` (Prometheus), `/livez` and "
        "`/readyz`; and it sends the UDP probes of other agents back. "
        "What nobody answered is left out or an error, never 0.\n\n"
        "On an address other than loopback it needs TLS and a token: `--tls-cert`, `--tls-key` and "
        "`--token-file`; `--insecure` does without what is missing. Requests then carry the "
        "header \"Authorization: Bearer TOKEN\", or get status 401. Only `/livez` and `/readyz` "
        "answer everybody, since the probes of a kubelet carry no token and check no certificate; "
        "and so do the UDP probes of other agents, which tell nothing. TLS is 1.2 with forward "
        "secrecy, or 1.3. A token file has one token a line, each is accepted. Whoever shows a "
        "certificate that one of `--client-ca` has signed needs no token; with `--client-name`, "
        "one for that DNS name or common name. All these files "
        "are read again when they change, without an interruption; where they are wrong then, "
        "what was read before stays, and an event says so. So does one of a certificate that ends "
        "within a week.\n\n"
        "SIGTERM and SIGINT end the agent when replies under way are finished.",
    .output =
        "Nothing. Standard error has one line an event: at=TIME level=LEVEL event=NAME "
        "KEY=VALUE... A line "
        "that nobody takes within 0.1 s is lost, and `lost` says how many were.",
    .examples = kExamples,
    .yes = "stopped by SIGTERM",
    .see_also = "gedge-manifests(1) gedge-matrix-convert(1) gedge-measure(1) gedge-schedule(1)",
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

FlagSet::Take address_into(std::optional<IpAddress>& target) {
  return [&target](const std::string& text) -> Status {
    target = parse_address(text);
    if (target) return {};
    return invalid_input("'" + text + "' is no address", {},
                         "write for example `10.0.0.7` or `fd00::7`");
  };
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
  if (command.max_age > Nanos{0} && command.max_age < command.timeout)
    return invalid_input(
        "'--max-age' is shorter than '--timeout': no answer outlives the wait for a silent peer",
        {}, "make it several times as long");
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
  agent.max_age = command.max_age;
  agent.probe_bytes = wire_bytes(method, command.loop.probe_size);
  agent.bytes_per_second = static_cast<std::uint32_t>(command.bandwidth);
}

Exit run_agent(AgentCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  ProbeNetwork& network = *io.network;
  const auto listen = listen_address(command.listen, network);
  if (!listen) return fail_flag(io, listen.error());
  if (const Status guarded = check_reach(command.guard, *listen, command.listen); !guarded)
    return fail_usage(io, guarded.error());
  if (const auto trusted = read_trusted(io.files, command.web); !trusted)
    return fail(io, trusted.error());
  finish(command, network);
  return run_in_daemon_library<RunAgent>(kRunAgent, io, command, *listen);
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
             .fallback = "six rounds"},
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
            address_into(command->places.own_address));
  flags.add({.name = "listen",
             .value = "ADDRESS:PORT",
             .help = "Where to answer; port 0: any",
             .fallback = "127.0.0.1:8787"},
            command->listen);
  add_guard_flags(flags, command->guard);
  add_probing_flags(flags, *command);
  add_daemon_talk_flags(flags, command->output);
  return [command](Io& io) { return run_agent(*command, io); };
}

}  // namespace

Command agent_command() { return {&kPage, Group::kLatency, add_agent}; }

}  // namespace gedge::cli
