#include "render/answer_views.hpp"

#include <algorithm>
#include <array>

#include "gedge/snapshot/cluster_state.hpp"
#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

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

// A table whose first column is NAMESPACE where that tells anything, as in the table of a plan.
class PodTable {
 public:
  PodTable(bool namespaces, std::vector<Column> columns) : namespaces_(namespaces) {
    if (namespaces) columns.insert(columns.begin(), {"NAMESPACE", Align::kLeft, Shrink::kLast});
    table_ = Table(std::move(columns));
  }
  void add(const std::string& namespace_name, std::vector<Cell> row) {
    if (namespaces_) row.insert(row.begin(), Cell{namespace_name});
    table_.add(std::move(row));
  }
  Table take() { return std::move(table_); }

 private:
  bool namespaces_;
  Table table_{{}};
};

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
  for (std::size_t i = kFirstExtended; i < state.resource_count(); ++i) {
    const ResourceIndex resource{static_cast<std::uint16_t>(i)};
    const auto allocatable = state.allocatable(resource);
    if (std::any_of(nodes.begin(), nodes.end(),
                    [&](NodeIndex node) { return allocatable[raw(node)] > 0; }))
      resources.push_back(resource);
  }
  return resources;
}

std::string capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

Status print_what_if(Stream& out, const WhatIf& what_if, bool all, const TableOptions& options) {
  if (what_if.differences.empty()) {
    if (!options.names) out.line(all ? "no pod changes" : "no pod that is shown changes");
    return {};
  }
  PodTable table(options.namespaces || several_namespaces(what_if.differences),
                 {{"CHANGE"},
                  {"POD", Align::kLeft, Shrink::kLast},
                  {"BEFORE", Align::kLeft, Shrink::kLast},
                  {"AFTER", Align::kLeft, Shrink::kLast}});
  for (const Difference& difference : what_if.differences)
    table.add(difference.namespace_name, {outcome_cell(difference.outcome),
                                          {difference.pod},
                                          {difference.before},
                                          {difference.after}});
  return finish_table(table.take(), out, options, "POD", "pod/");
}

Status print_violations(Stream& out, const std::vector<Violation>& violations,
                        const TableOptions& options) {
  PodTable table(options.namespaces || several_namespaces(violations),
                 {{"POD", Align::kLeft, Shrink::kLast},
                  {"NODE", Align::kLeft, Shrink::kLast},
                  {"RULE", Align::kLeft, Shrink::kLast},
                  {"VIOLATION", Align::kLeft, Shrink::kFlows}});
  for (const Violation& violation : violations)
    table.add(violation.namespace_name,
              {{violation.pod}, {violation.node}, {violation.rule, Ink::kBad}, {violation.text}});
  return finish_table(table.take(), out, options);
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
  std::vector<Column> columns{{"NODE", Align::kLeft, Shrink::kLast},
                              {"CPU", Align::kRight},
                              {"CPU%", Align::kRight},
                              {"MEMORY", Align::kRight},
                              {"MEMORY%", Align::kRight},
                              {"PODS", Align::kRight},
                              {"PODS%", Align::kRight}};
  for (const ResourceIndex resource : extended) {
    const std::string name = capitals(state.resource_name(resource));
    columns.push_back({name, Align::kRight, Shrink::kNever, true});
    columns.push_back({name + '%', Align::kRight, Shrink::kNever, true});
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
  std::vector<Column> columns{{"NAME", Align::kLeft, Shrink::kLast},
                              {"KIND"},
                              {"FILTERS"},
                              {"WEIGHT", Align::kRight},
                              {"RANGE", Align::kLeft, Shrink::kFirst, true},
                              {"FORMULA", Align::kLeft, Shrink::kFirst, true}};
  if (options.wide)
    columns.insert(columns.end(), {{"SOURCE", Align::kLeft, Shrink::kFirst, true},
                                   {"MODULE", Align::kLeft, Shrink::kFirst, true}});
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
  return finish_table(std::move(table), out, options, "NAME", "policy/");
}

}  // namespace gedge::cli
