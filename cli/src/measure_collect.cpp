#include "measure_collect.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "collect_source.hpp"
#include "input.hpp"
#include "render/collect_view.hpp"
#include "report.hpp"
#include "term/progress.hpp"

namespace gedge::cli {
namespace {

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
  auto access = open_web(io.files, command.web);
  if (!access) {
    errors.push_back(std::move(access).error());
    return std::nullopt;
  }
  prepared.options.terms = std::move(access->terms);
  prepared.options.token = std::move(access->token);
  auto names = names_of_nodes(io, input, progress, errors);
  if (!names) return std::nullopt;
  prepared.options.others = *std::move(names);
  progress.show("looking for agents", 0, 0);
  FoundAgents found =
      find_agents({command.agents, command.web.wants_tls(), port}, io.files, *io.network);
  errors = std::move(found.errors);
  prepared.agents = std::move(found.agents);
  if (errors.empty()) return prepared;
  return std::nullopt;
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

Exit run_collect(Io& io, const CollectCommand& command, const InputOptions& input,
                 std::uint16_t port, MeasureFormat format, const PublishCommand& publication,
                 const OutputOptions& output) {
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
  warn_unchecked(io, command.web, output);
  if (nobody_answered(*merged)) {
    if (!output.quiet) report_agents(io.err, *merged, output.verbosity > 0);
    return fail(io, Error{Errc::kUnreachable, "no agent answered", {}, {}});
  }
  const Exit exit = show_matrix(io, *merged, {}, format, output);
  if (exit != Exit::kYes) return exit;
  return publish(io, publication, merged->matrix, merged->details, output,
                 is_whole(*merged) ? Exit::kYes : Exit::kNo);
}

void add_collect_flags(FlagSet& flags, CollectCommand& command) {
  flags.heading("What to collect instead");
  flags.add({.name = "agents",
             .value = "SOURCE",
             .help = "Ask agents: FILE, dns:NAME or URL,...",
             .live = Live::kFiles},
            command.agents);
}

}  // namespace gedge::cli
