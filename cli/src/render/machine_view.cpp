#include "render/machine_view.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

struct Node {
  MachinePart part;
  std::vector<std::unique_ptr<Node>> inside;
};

void attach(Node& under, MachinePart part) {
  part.depth = under.part.depth + 1;
  under.inside.push_back(std::make_unique<Node>(Node{std::move(part), {}}));
}

// Under the smallest part that holds it. Larger parts come first.
void place(Node& under, MachinePart part) {
  if (part.cpus.empty()) return attach(under, std::move(part));
  for (const auto& child : under.inside)
    if (part.cpus.is_subset_of(child->part.cpus)) return place(*child, std::move(part));
  attach(under, std::move(part));
}

void flatten(const Node& node, std::vector<MachinePart>& parts) {
  parts.push_back(node.part);
  for (const auto& child : node.inside) flatten(*child, parts);
}

MachinePart make_part(std::string name, CpuSet cpus, std::uint64_t bytes = 0) {
  return {std::move(name), std::move(cpus), bytes, 0, false, {}};
}

std::vector<MachinePart> sockets_of(const Machine& machine) {
  std::vector<MachinePart> parts;
  std::set<int> ids;
  for (const Cpu& cpu : machine.cpus) ids.insert(cpu.socket);
  for (const int id : ids) {
    MachinePart& made = parts.emplace_back(make_part("socket " + std::to_string(id), {}));
    for (const Cpu& cpu : machine.cpus)
      if (cpu.socket == id) made.cpus.add(cpu.id);
  }
  return parts;
}

// What memory of other nodes costs the one at `row`, where firmware says it: 10 is its own.
std::string distances_of(const Machine& machine, std::size_t row) {
  const std::size_t count = machine.numa_nodes.size();
  if (machine.distances.size() != count * count) return {};
  std::map<std::uint32_t, CpuSet> nodes;
  for (std::size_t i = 0; i < count; ++i)
    if (i != row) nodes[machine.distances[row * count + i]].add(machine.numa_nodes[i].id);
  std::string text;
  for (const auto& [distance, ids] : nodes)
    text += (text.empty() ? "" : ", ") + std::to_string(distance) + " to " + to_string(ids);
  return text;
}

std::vector<MachinePart> nodes_of(const Machine& machine) {
  std::vector<MachinePart> parts;
  for (std::size_t i = 0; i < machine.numa_nodes.size(); ++i) {
    const NumaNode& node = machine.numa_nodes[i];
    parts.push_back(
        make_part("NUMA node " + std::to_string(node.id), node.cpus, node.memory_bytes));
    parts.back().note = distances_of(machine, i);
  }
  return parts;
}

std::vector<MachinePart> cores_of(const Machine& machine) {
  std::map<int, CpuSet> cores;
  for (const Cpu& cpu : machine.cpus) cores[cpu.core].add(cpu.id);
  std::vector<MachinePart> parts;
  for (auto& [id, cpus] : cores) {
    parts.push_back(make_part("core " + std::to_string(id), std::move(cpus)));
    parts.back().is_core = true;
  }
  return parts;
}

std::string note_of(const MachinePart& part, const Machine& machine) {
  if (!part.is_core) return part.note;
  std::vector<std::string> notes;
  if (part.cpus.is_subset_of(machine.isolated)) notes.push_back("isolated");
  if (part.cpus.is_subset_of(machine.nohz_full)) notes.push_back("nohz_full");
  const int first = part.cpus.first();
  for (const Cpu& cpu : machine.cpus)
    if (cpu.id == first && cpu.kind >= 0) notes.push_back("kind " + std::to_string(cpu.kind));
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : ", ") + note;
  return text;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return {};
  const auto amount = static_cast<std::int64_t>(bytes);
  return BytesColumn({amount}).text(amount);
}

std::string kind_text(DeviceKind kind) {
  if (kind == DeviceKind::kGpu) return "GPU";
  return kind == DeviceKind::kNetwork ? "network" : "storage";
}

std::string ids_text(const std::vector<int>& ids) {
  CpuSet set;
  for (const int id : ids) set.add(id);
  return to_string(set);
}

std::string in_brackets(const std::string& text) {
  return text.empty() ? std::string() : " (" + text + ')';
}

}  // namespace

std::vector<MachinePart> parts_of(const Machine& machine) {
  std::vector<MachinePart> all = sockets_of(machine);
  for (MachinePart& node : nodes_of(machine)) all.push_back(std::move(node));
  std::vector<MachinePart> cores = cores_of(machine);
  int threads = 1;
  for (const MachinePart& core : cores) threads = std::max(threads, core.cpus.size());
  constexpr int kShared = 3;  // lower ones count where several cores share them
  for (const Cache& cache : machine.caches)
    if (cache.level >= kShared || cache.cpus.size() > threads)
      all.push_back(make_part("L" + std::to_string(cache.level), cache.cpus, cache.size_bytes));
  for (MachinePart& core : cores) all.push_back(std::move(core));

  std::stable_sort(all.begin(), all.end(), [](const MachinePart& a, const MachinePart& b) {
    return a.cpus.size() > b.cpus.size();
  });
  Node root{make_part("machine", machine.cpu_set()), {}};
  for (MachinePart& made : all) place(root, std::move(made));
  std::vector<MachinePart> parts;
  flatten(root, parts);
  return parts;
}

void print_machine(Stream& out, const Machine& machine, const PinCheck& pins, bool headers) {
  Table table({{"PART"},
               {"CPUS", Align::kLeft, Shrink::kFirst},
               {"SIZE", Align::kRight},
               {"NOTE", Align::kLeft, Shrink::kLast}});
  for (const MachinePart& part : parts_of(machine))
    table.add({{std::string(2 * part.depth, ' ') + part.name},
               {to_string(part.cpus)},
               {size_text(part.bytes)},
               {note_of(part, machine)}});
  for (const Device& device : machine.devices)
    table.add({{"  " + device.name},
               {to_string(device.near)},
               {},
               {kind_text(device.kind) + " at " + device.bus}});
  const auto add_set = [&](const char* name, const CpuSet& set) {
    if (!set.empty()) table.add({{name}, {to_string(set)}, {}, {}});
  };
  add_set("offline", machine.offline);
  add_set("isolated", machine.isolated);
  add_set("nohz_full", machine.nohz_full);
  for (const HeldPin& pin : pins.pins)
    table.add({{pin.holder}, {to_string(pin.cpus)}, {}, {"held" + in_brackets(pin.name)}});
  table.print(out, headers);
}

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", ratio);
  return text;
}

void print_pin_trial(Stream& out, const TrialOutcome& outcome, std::span<const TrialPair> pairs,
                     bool headers) {
  std::vector<std::int64_t> times;
  for (const TrialPair& pair : pairs) {
    times.push_back(pair.plain.count());
    times.push_back(pair.pinned.count());
  }
  const DurationColumn column(times);
  Table table(
      {{"PAIR"}, {"PLAIN", Align::kRight}, {"PINNED", Align::kRight}, {"RATIO", Align::kRight}});
  const auto add = [&](const std::string& name, Micros plain, Micros pinned, double ratio) {
    table.add(
        {{name}, {column.text(plain.count())}, {column.text(pinned.count())}, {ratio_text(ratio)}});
  };
  for (std::size_t i = 0; i < pairs.size(); ++i)
    add(std::to_string(i + 1), pairs[i].plain, pairs[i].pinned,
        static_cast<double>(pairs[i].pinned.count()) /
            static_cast<double>(std::max<std::int64_t>(pairs[i].plain.count(), 1)));
  add("median", outcome.plain.median, outcome.pinned.median, outcome.ratio);
  add("at least", outcome.plain.low, outcome.pinned.low, outcome.ratio_low);
  add("at most", outcome.plain.high, outcome.pinned.high, outcome.ratio_high);
  table.print(out, headers);
}

namespace {

std::string verdict_on(const LeftBehind& left) {
  std::string text = "left behind: others are still ";
  if (left.is_moved) text += "kept off these CPUs";
  if (left.nice > 0)
    text += (left.is_moved ? ", and " : "") + std::string("at nice value ") +
            std::to_string(left.nice) + " or more";
  return text;
}

}  // namespace

Status print_pin_check(Stream& out, const PinCheck& check, const TableOptions& options) {
  Table table({{"HOLDER", Align::kLeft, Shrink::kLast},
               {"PROGRAM", Align::kLeft, Shrink::kFirst},
               {"CPUS"},
               {"THREADS", Align::kRight},
               {"VERDICT", Align::kLeft, Shrink::kFlows}});
  for (const HeldPin& pin : check.pins) {
    std::string verdict;
    for (const PinFault& fault : pin.faults)
      verdict +=
          (verdict.empty() ? "" : "; ") + std::string(word_of(fault.kind)) + ": " + fault.detail;
    table.add({{pin.holder},
               {pin.name},
               {to_string(pin.cpus)},
               {std::to_string(pin.threads)},
               pin.faults.empty() ? Cell{"true", Ink::kGood} : Cell{verdict, Ink::kBad}});
  }
  for (const LeftBehind& left : check.left)
    table.add({{left.holder}, {}, {to_string(left.cpus)}, {}, Cell{verdict_on(left), Ink::kBad}});
  if (!options.sort_by.empty()) GEDGE_TRY(table.sort_by(options.sort_by));
  table.print(out, options.headers);
  return {};
}

void print_pin_defrag(Stream& out, const Defragmentation& found, bool headers) {
  Table table({{"STEP"},
               {"POD", Align::kLeft, Shrink::kLast},
               {"CONTAINER", Align::kLeft, Shrink::kFirst},
               {"FROM"},
               {"TO"},
               {"CORES", Align::kRight},
               {"NUMA", Align::kRight}});
  const auto cells = [](const WholeUnits& free) {
    return std::pair{Cell{std::to_string(free.cores)}, Cell{std::to_string(free.nodes)}};
  };
  const auto now = cells(found.now);
  table.add({{"now"}, {}, {}, {}, {}, now.first, now.second});
  for (std::size_t i = 0; i < found.restarts.size(); ++i) {
    const Restart& restart = found.restarts[i];
    const auto then = cells(restart.free);
    for (const RestartedContainer& container : restart.containers)
      table.add({{std::to_string(i + 1)},
                 {restart.pod},
                 {container.container},
                 {to_string(container.from)},
                 {to_string(container.to)},
                 then.first,
                 then.second});
  }
  table.print(out, headers);
}

std::string summary_of(const Machine& machine) {
  std::set<int> cores, sockets;
  for (const Cpu& cpu : machine.cpus) {
    cores.insert(cpu.core);
    sockets.insert(cpu.socket);
  }
  return counted(machine.cpus.size(), "CPU") + ", " + counted(cores.size(), "core") + ", " +
         counted(sockets.size(), "socket") + ", " + counted(machine.numa_nodes.size(), "NUMA node");
}

namespace {

std::string memory_text(NumaMask nodes) {
  std::vector<int> ids;
  for (int id = 0; id < kNumaIds; ++id)
    if ((nodes & numa_bit(id)) != 0) ids.push_back(id);
  return (ids.size() == 1 ? "memory of NUMA node " : "memory of NUMA nodes ") + ids_text(ids);
}

// "exclusive, memory of NUMA node 1, with card0 and eth0"
std::string verdict_text(const PinnedContainer& container, const PinPlan& plan) {
  std::string text = container.exclusive ? "exclusive" : "shared";
  if (container.memory) text += ", " + memory_text(*container.memory);
  std::vector<std::string> names;
  for (const std::size_t at : container.devices.devices) names.push_back(plan.devices[at].name);
  return names.empty() ? text : text + ", with " + join_words(names);
}

}  // namespace

Status print_pin_plan(Stream& out, const PinPlan& plan, const TableOptions& options) {
  const bool spaces =
      std::any_of(plan.decisions.begin(), plan.decisions.end(), [&](const PinDecision& decision) {
        return decision.namespace_name != plan.decisions.front().namespace_name;
      });
  std::vector<Column> columns{{"POD", Align::kLeft, Shrink::kLast},
                              {"CONTAINER", Align::kLeft, Shrink::kFirst},
                              {"CPUS"},
                              {"NUMA"},
                              {"VERDICT", Align::kLeft, Shrink::kFlows}};
  if (spaces) columns.insert(columns.begin(), Column{"NAMESPACE"});
  Table table(std::move(columns));
  const auto add = [&](const PinDecision& decision, std::vector<Cell> row) {
    row.insert(row.begin(), Cell{decision.pod});
    if (spaces) row.insert(row.begin(), Cell{decision.namespace_name});
    table.add(std::move(row));
  };
  for (const PinDecision& decision : plan.decisions) {
    if (const auto& refusal = decision.answer.refusal)
      add(decision, {{}, {}, {}, {refusal->reason + ": " + refusal->message, Ink::kBad}});
    for (const PinnedContainer& container : decision.answer.containers)
      add(decision, {{container.container},
                     {to_string(container.cpus)},
                     {ids_text(numa_nodes_of(container.cpus, plan.numa_nodes))},
                     {verdict_text(container, plan), Ink::kGood}});
  }
  if (!options.sort_by.empty()) GEDGE_TRY(table.sort_by(options.sort_by));
  table.print(out, options.headers);
  return {};
}

}  // namespace gedge::cli
