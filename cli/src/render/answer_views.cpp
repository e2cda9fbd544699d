#include "render/answer_views.hpp"

#include <algorithm>
#include <array>

#include "gedge/snapshot/cluster_state.hpp"
#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

Status finish(Table& table, Stream& out, const TableOptions& options) {
  if (!options.sort_by.empty()) GEDGE_TRY(table.sort_by(options.sort_by));
  table.print(out, options.headers);
  return {};
}

Cell outcome_cell(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPlaced:
      return {"+ placed", Ink::kGood};
    case Outcome::kMoved:
      return {"~ moved", Ink::kWarn};
    case Outcome::kLost:
      return {"- lost", Ink::kBad};
    case Outcome::kUnschedulable:
      return {"! unschedulable", Ink::kBad};
    case Outcome::kSame:
      break;
  }
  return {"same"};
}

std::string qualified(const std::string& namespace_name, const std::string& pod) {
  return namespace_name == "default" ? pod : namespace_name + '/' + pod;
}

std::string kind_of(const PolicyInfo& policy) {
  if (policy.filter && policy.score) return "filter, score";
  return policy.filter ? "filter" : "score";
}

// The state after everything that was planned is bound.
void bind_plan(ClusterState& state, const Plan& plan) {
  for (const Decision& decision : plan.decisions) {
    if (!decision.chosen) continue;
    const auto pod = state.find_pod(decision.namespace_name, decision.pod);
    const auto node = state.find_node(decision.chosen->node);
    if (pod && node && !state.is_placed(*pod)) state.bind(*pod, *node);
  }
}

std::vector<NodeIndex> nodes_by_name(const ClusterState& state) {
  std::vector<NodeIndex> nodes;
  state.alive().for_each([&](NodeIndex node) { nodes.push_back(node); });
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeIndex a, NodeIndex b) { return state.rank_of(a) < state.rank_of(b); });
  return nodes;
}

// Resources beyond the four that every node has, where at least one node has them.
std::vector<ResourceIndex> extended_resources(const ClusterState& state,
                                              const std::vector<NodeIndex>& nodes) {
  std::vector<ResourceIndex> resources;
  for (std::uint16_t i = kFirstExtended; i < state.resource_count(); ++i) {
    const auto allocatable = state.allocatable(ResourceIndex{i});
    if (std::any_of(nodes.begin(), nodes.end(),
                    [&](NodeIndex node) { return allocatable[raw(node)] > 0; }))
      resources.push_back(ResourceIndex{i});
  }
  return resources;
}

std::string capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

Status print_what_if(Stream& out, const WhatIf& what_if, const TableOptions& options) {
  if (what_if.differences.empty()) {
    out.line("no pod changes");
    return {};
  }
  Table table({{"CHANGE"},
               {"POD", Align::kLeft, true},
               {"BEFORE", Align::kLeft, true},
               {"AFTER", Align::kLeft, true}});
  for (const Difference& difference : what_if.differences)
    table.add({outcome_cell(difference.outcome),
               {qualified(difference.namespace_name, difference.pod)},
               {difference.before},
               {difference.after}});
  return finish(table, out, options);
}

Status print_violations(Stream& out, const std::vector<Violation>& violations,
                        const TableOptions& options) {
  Table table({{"POD", Align::kLeft, true},
               {"NODE", Align::kLeft, true},
               {"RULE"},
               {"VIOLATION", Align::kLeft, true}});
  for (const Violation& violation : violations)
    table.add({{qualified(violation.namespace_name, violation.pod)},
               {violation.node},
               {violation.rule, Ink::kBad},
               {violation.text}});
  return finish(table, out, options);
}

void print_node_use(Stream& out, const Facts& facts, const Plan& plan, bool headers) {
  const RttMatrix no_rtt;
  ClusterState state(facts, no_rtt, {plan.compat, ""});
  bind_plan(state, plan);
  const std::vector<NodeIndex> nodes = nodes_by_name(state);
  const std::vector<ResourceIndex> extended = extended_resources(state, nodes);

  std::vector<std::int64_t> memory;
  for (const NodeIndex node : nodes)
    memory.push_back(state.requested(ResourceIndex::kMemoryColumn)[raw(node)]);
  const BytesColumn bytes(memory);
  std::vector<Column> columns{{"NODE", Align::kLeft, true}, {"CPU", Align::kRight},
                              {"CPU%", Align::kRight},      {"MEMORY", Align::kRight},
                              {"MEMORY%", Align::kRight},   {"PODS", Align::kRight},
                              {"PODS%", Align::kRight}};
  for (const ResourceIndex resource : extended) {
    columns.push_back({capitals(state.resource_name(resource)), Align::kRight});
    columns.push_back({capitals(state.resource_name(resource)) + '%', Align::kRight});
  }
  Table table(std::move(columns));
  for (const NodeIndex node : nodes) {
    const auto used = [&](ResourceIndex resource) { return state.requested(resource)[raw(node)]; };
    const auto share = [&](ResourceIndex resource) {
      return percent(used(resource), state.allocatable(resource)[raw(node)]);
    };
    const ResourceIndex cpu = ResourceIndex::kCpuColumn, ram = ResourceIndex::kMemoryColumn,
                        pods = ResourceIndex::kPodsColumn;
    std::vector<Cell> row{{state.node(node).name},
                          {std::to_string(used(cpu)) + 'm'},
                          {share(cpu)},
                          {bytes.text(used(ram))},
                          {share(ram)},
                          {std::to_string(state.pods_on(node).size())},
                          {percent(static_cast<std::int64_t>(state.pods_on(node).size()),
                                   state.allocatable(pods)[raw(node)])}};
    for (const ResourceIndex resource : extended) {
      row.push_back({std::to_string(used(resource))});
      row.push_back({share(resource)});
    }
    table.add(std::move(row));
  }
  table.print(out, headers);
}

Status print_policies(Stream& out, const PolicyList& list, const TableOptions& options) {
  std::vector<Column> columns{{"NAME"},    {"KIND"},
                              {"FILTERS"}, {"WEIGHT", Align::kRight},
                              {"RANGE"},   {"FORMULA", Align::kLeft, true}};
  if (options.wide)
    columns.insert(columns.end(), {{"SOURCE", Align::kLeft, true}, {"MODULE", Align::kLeft, true}});
  Table table(std::move(columns));
  for (const PolicyRow& policy : list.policies) {
    const std::string filters = !policy.info.filter ? "" : policy.filters ? "yes" : "no";
    const Cell weight =
        policy.weight ? Cell{std::to_string(*policy.weight), Ink::kPlain, *policy.weight} : Cell{};
    std::vector<Cell> row{{std::string(policy.info.name)},
                          {kind_of(policy.info)},
                          {filters},
                          weight,
                          {std::string(policy.info.range)},
                          {std::string(policy.info.formula)}};
    if (options.wide) row.insert(row.end(), {{std::string(policy.info.source)}, {policy.module}});
    table.add(std::move(row));
  }
  return finish(table, out, options);
}

}  // namespace gedge::cli
