#include "measure_collect.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "collect_source.hpp"
#include "gedge/version.hpp"
#include "input.hpp"
#include "render/collect_view.hpp"
#include "report.hpp"
#include "term/progress.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMostTrusted = 4 << 20;  // the system's own bundle has a quarter of a MiB
constexpr std::uint64_t kMostToken = 64 << 10;
constexpr std::string_view kBlanks = " \t\r\n";

// The first line that is not empty: whoever serves may accept several.
std::string first_token(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, text.find_last_not_of(kBlanks) + 1));
}

Result<std::string> read_token(FileStore& files, const std::string& path) {
  const auto bytes = files.read(path, kMostToken);
  if (!bytes) return bytes.error();
  std::string token = first_token(*bytes);
  if (token.empty()) return invalid_input("no token in " + path);
  return token;
}

Result<HttpTerms> terms_of(FileStore& files, const WebOptions& web) {
  HttpTerms terms;
  terms.timeout = std::chrono::duration_cast<Micros>(web.timeout);
  terms.connect_timeout = std::min(terms.connect_timeout, terms.timeout);
  terms.verify = !web.skip_verify;
  terms.user_agent = "gedge/" + std::string(version());
  auto trusted = read_trusted(files, web);
  if (!trusted) return std::move(trusted).error();
  terms.trusted = *std::move(trusted);
  return terms;
}

// Addresses of nodes; one that two nodes claim is nobody's.
std::optional<OtherNames> names_of_nodes(Io& io, const InputOptions& input, ProgressLine& progress,
                                         Errors& errors) {
  OtherNames names;
  if (input.cluster.empty()) return names;
  InputReader reader(io, input, Compat::k1_36, progress);
  const auto read = reader.read();
  if (!read) {
    errors = reader.take_errors();
    return std::nullopt;
  }
  OtherNames claimed;
  for (const Node& node : read->facts.nodes)
    for (const std::string& address : node.addresses) {
      const auto [at, fresh] = claimed.emplace(address, node.name);
      if (!fresh && at->second != node.name.str()) at->second.clear();
    }
  for (auto& [address, name] : claimed)
    if (!name.empty()) names.emplace(address, std::move(name));
  return names;
}

struct Prepared {
  std::vector<AgentPlace> agents;
  CollectOptions options;
};

std::optional<Prepared> prepare(Io& io, const CollectCommand& command, const InputOptions& input,
                                std::uint16_t port, ProgressLine& progress, Errors& errors) {
  Prepared prepared;
  const WebOptions& web = command.web;
  const bool secure = !web.ca_file.empty() || !web.token_file.empty() || web.skip_verify;
  auto terms = terms_of(io.files, web);
  if (!terms)
    errors.push_back(std::move(terms).error());
  else
    prepared.options.terms = *std::move(terms);
  if (!web.token_file.empty()) {
    auto token = read_token(io.files, web.token_file);
    if (!token)
      errors.push_back(std::move(token).error());
    else
      prepared.options.token = *std::move(token);
  }
  if (!errors.empty()) return std::nullopt;
  auto names = names_of_nodes(io, input, progress, errors);
  if (!names) return std::nullopt;
  prepared.options.others = *std::move(names);
  progress.show("looking for agents", 0, 0);
  FoundAgents found = find_agents({command.agents, secure, port}, io.files, *io.network);
  errors = std::move(found.errors);
  prepared.agents = std::move(found.agents);
  if (errors.empty()) return prepared;
  return std::nullopt;
}

Exit print(Io& io, const AgentMatrix& merged, MeasureFormat format, const OutputOptions& output,
           std::vector<Warning>& losses) {
  if (is_table(format)) {
    const TableOptions table{format == MeasureFormat::kWide, !output.no_headers, output.sort_by};
    const Status printed = print_agent_matrix(io.out, merged, table);
    return printed ? Exit::kYes : fail_usage(io, printed.error());
  }
  const RttOutput as = rtt_output(format);
  if (as == RttOutput::kJson || as == RttOutput::kYaml) {
    io.out.write(write(merged, as == RttOutput::kJson ? TextFormat::kJson : TextFormat::kYaml));
    return Exit::kYes;
  }
  WrittenRtt written = write_rtt(merged.matrix, merged.details, as);
  if (!written.errors.empty()) return fail(io, written.errors, output);
  io.out.write(written.text);
  losses = std::move(written.losses);
  return Exit::kYes;
}

bool is_whole(const AgentMatrix& merged) {
  return merged.pairs.unknown == 0 && merged.suspicious.empty() && merged.left_out == 0 &&
         std::all_of(merged.agents.begin(), merged.agents.end(), [](const AgentVerdict& agent) {
           return agent.state == AgentState::kBelieved;
         });
}

bool nobody_answered(const AgentMatrix& merged) {
  return std::all_of(merged.agents.begin(), merged.agents.end(),
                     [](const AgentVerdict& agent) { return agent.state == AgentState::kSilent; });
}

}  // namespace

Result<std::string> read_trusted(FileStore& files, const WebOptions& web) {
  if (web.ca_file.empty()) return std::string();
  auto trusted = files.read(web.ca_file, kMostTrusted);
  if (trusted && trusted->empty()) return invalid_input("no certificate in " + web.ca_file);
  return trusted;
}

Exit run_collect(Io& io, const CollectCommand& command, const InputOptions& input,
                 std::uint16_t port, MeasureFormat format, const OutputOptions& output) {
  ProgressLine progress(io.err, output.quiet, io.clock);
  Errors errors;
  const auto prepared = prepare(io, command, input, port, progress, errors);
  if (!prepared) {
    progress.erase();
    return fail(io, errors, output);
  }
  const auto merged = collect(*io.http, prepared->agents, prepared->options,
                              [&progress](std::size_t over, std::size_t total) {
                                progress.show("asking agents", over, total);
                              });
  progress.erase();
  if (!merged) return fail(io, merged.error());
  if (command.web.skip_verify && !output.quiet)
    io.err.line("certificates were not checked: whoever answered was believed");
  if (nobody_answered(*merged)) {
    if (!output.quiet) report_agents(io.err, *merged, output.verbosity > 0);
    return fail(io, Error{Errc::kUnreachable, "no agent answered", {}, {}});
  }
  std::vector<Warning> losses;
  if (const Exit exit = print(io, *merged, format, output, losses); exit != Exit::kYes) return exit;
  io.out.flush();
  report_input(io, losses, {}, output);
  if (!output.quiet) report_agents(io.err, *merged, output.verbosity > 0);
  return is_whole(*merged) ? Exit::kYes : Exit::kNo;
}

void add_collect_flags(FlagSet& flags, CollectCommand& command) {
  flags.heading("What to collect instead");
  flags.add({.name = "agents",
             .value = "SOURCE",
             .help = "Ask agents: FILE, dns:NAME or URL,...",
             .live = Live::kFiles},
            command.agents);
  flags.add({.name = "token-file",
             .value = "FILE",
             .help = "The token that agents want; over HTTPS only",
             .live = Live::kFiles},
            command.web.token_file);
  flags.add({.name = "ca-file",
             .value = "FILE",
             .help = "Certificates that alone are trusted, in PEM",
             .fallback = "the system's",
             .live = Live::kFiles},
            command.web.ca_file);
  flags.add({.name = "insecure-skip-tls-verify", .help = "Believe whoever answers"},
            command.web.skip_verify);
  flags.add({.name = "request-timeout",
             .value = "DURATION",
             .help = "For the whole answer of one agent",
             .fallback = "10s"},
            span_into(command.web.timeout, false));
}

}  // namespace gedge::cli
