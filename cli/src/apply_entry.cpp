// apply_entry.cpp - carrying out a plan, in the library of daemons: it needs TLS.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apply_command.hpp"
#include "gedge/codec/fingerprint.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/drive/bind_pods.hpp"
#include "input.hpp"
#include "live_source.hpp"
#include "render/numbers.hpp"
#include "report.hpp"
#include "server_access.hpp"
#include "term/diagnostics.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kMostReasons = 5;

std::string text_of(const Decision& decision) {
  return decision.namespace_name.str() + "/" + decision.pod.str();
}

/// One pod of the plan, and what became of it.
struct Line {
  const Decision* decision = nullptr;
  const Pod* pod = nullptr;  // where the plan has a node for it
  const char* result = "unschedulable";
  std::string node, why;
  std::optional<std::size_t> bind;  // its place among those that are sent
};

bool is_good(const Line& line) {
  const std::string_view result = line.result;
  return line.bind && (result == "bound" || result == "would-bind");
}

class Application {
 public:
  Application(ApplyCommand& command, Io& io)
      : command_(command), io_(io), progress_(io.err, command.output.quiet, io.clock) {}
  Exit run();

 private:
  using Name = std::pair<std::string, std::string>;  // after its namespace
  using PodsByName = std::map<Name, const Pod*>;

  PodsByName pods_by_name() const;
  std::optional<Exit> read_plan_file();
  std::optional<Exit> read_cluster();
  std::optional<Exit> refuse_stale();
  std::optional<Exit> refuse_altered();
  std::vector<std::string> differences() const;
  std::set<Name> unbound_claims() const;
  std::string why_left_alone(const Pod& pod, const std::set<Name>& unbound) const;
  void choose();
  void leave_groups_alone();
  Status bind();
  static std::string why_of(const BoundPod& result);
  void show() const;
  Exit conclude() const;

  ApplyCommand& command_;
  Io& io_;
  ProgressLine progress_;
  Plan plan_;
  Server server_;
  Input input_;
  Nanos read_at_{0};
  std::vector<Line> lines_;
  std::vector<BindRequest> binds_;
};

std::optional<Exit> Application::read_plan_file() {
  const auto bytes = io_.files.read(command_.plan, command_.input.max_input);
  if (!bytes) return fail(io_, bytes.error());
  PlanReading reading = read_plan({command_.plan, *bytes, 0});
  if (!reading.plan) return fail(io_, reading.errors, command_.output);
  plan_ = *std::move(reading.plan);
  if (plan_.snapshot.empty())
    return fail(io_, invalid_input("the plan does not say what it was made from",
                                   {command_.plan, 0, 0, "", 1},
                                   "give the file that `gedge plan --out` wrote"));
  return std::nullopt;
}

std::optional<Exit> Application::read_cluster() {
  if (const auto failed =
          open_server(io_, command_.input.server, command_.output, "apply", server_))
    return failed;
  progress_.show("listing the cluster", 0, 0);
  read_at_ = Nanos(io_.clock.now());
  InputReader reader(io_, command_.input, plan_.compat, progress_);
  reader.give_live(command_.input.cluster.front(),
                   list_server(io_, command_.input.server, server_));
  auto input = reader.read();
  progress_.erase();
  if (!input) return fail(io_, reader.take_errors(), command_.output);
  input_ = *std::move(input);
  return std::nullopt;
}

Application::PodsByName Application::pods_by_name() const {
  PodsByName pods;
  for (const Pod& pod : input_.facts.pods) pods[{pod.namespace_name, pod.name}] = &pod;
  return pods;
}

// What can be seen of it in the plan's own words.
std::vector<std::string> Application::differences() const {
  const PodsByName pods = pods_by_name();
  std::vector<std::string> found;
  for (const Decision& decision : plan_.decisions) {
    const auto at = pods.find({decision.namespace_name, decision.pod});
    if (at == pods.end())
      found.push_back("pod " + text_of(decision) + " is not there");
    else if (!at->second->bound_node.empty())
      found.push_back("pod " + text_of(decision) + " is on node " + at->second->bound_node.str());
  }
  return found;
}

std::optional<Exit> Application::refuse_stale() {
  if (fingerprint(input_.facts, input_.rtt) == plan_.snapshot) return std::nullopt;
  print_error(io_.err, {Errc::kConflict,
                        "the plan was made from other facts than there are now",
                        {command_.plan, 0, 0, "", 1},
                        "plan anew, with the same flags: `" + io_.program +
                            " plan --cluster live --out " + command_.plan + "`"});
  const std::vector<std::string> found = differences();
  for (std::size_t i = 0; i < found.size() && i < kMostReasons; ++i)
    io_.err.line(escape_controls(found[i]));
  if (found.size() > kMostReasons)
    io_.err.line("... and " + std::to_string(found.size() - kMostReasons) + " more");
  return Exit::kStale;
}

// The facts are those of the plan: what it says of them is wrong only where somebody wrote in it.
std::optional<Exit> Application::refuse_altered() {
  const auto refuse = [&](const std::string& what) {
    return fail(io_, invalid_input(what, {command_.plan, 0, 0, "", 1},
                                   "give the file as `" + io_.program + " plan --out` wrote it"));
  };
  const PodsByName pods = pods_by_name();
  std::set<std::string_view> nodes;
  for (const Node& node : input_.facts.nodes) nodes.insert(node.name.str());
  std::set<const Pod*> chosen;
  for (const Decision& decision : plan_.decisions) {
    if (!decision.chosen) continue;
    const auto at = pods.find({decision.namespace_name, decision.pod});
    const std::string who = "the plan places pod " + text_of(decision);
    if (at == pods.end()) return refuse(who + ", which does not exist");
    if (!at->second->bound_node.empty())
      return refuse(who + ", which is on node " + at->second->bound_node.str());
    if (!nodes.contains(decision.chosen->node))
      return refuse(who + " on node " + decision.chosen->node + ", which does not exist");
    if (!chosen.insert(at->second).second) return refuse(who + " twice");
  }
  return std::nullopt;
}

std::set<Application::Name> Application::unbound_claims() const {
  std::set<Name> unbound;
  for (const PersistentVolumeClaim& claim : input_.facts.claims)
    if (claim.volume_name.empty()) unbound.insert({claim.namespace_name, claim.name});
  return unbound;
}

// Empty: it is to be bound. Bound before its claims are, a pod waits on its node for ever: who
// provides volumes waits for a scheduler to ask.
std::string Application::why_left_alone(const Pod& pod, const std::set<Name>& unbound) const {
  const PodSpec& spec = input_.facts.spec_of(pod);
  const std::string& scheduler = spec.scheduler_name;
  if (std::find(command_.names.begin(), command_.names.end(), scheduler) == command_.names.end())
    return "it is a pod of " + scheduler;
  for (const PodVolume& volume : spec.volumes)
    if (unbound.contains({pod.namespace_name, volume.claim}))
      return "its claim " + volume.claim + " is not bound yet, and no plan binds claims: `" +
             io_.program + " schedule --watch` does";
  return {};
}

void Application::choose() {
  const PodsByName pods = pods_by_name();
  const std::set<Name> unbound = unbound_claims();
  for (const Decision& decision : plan_.decisions) {
    Line& line = lines_.emplace_back();
    line.decision = &decision;
    if (!decision.chosen) {
      line.why = decision.message;
      continue;
    }
    line.node = decision.chosen->node;
    line.pod = pods.at({decision.namespace_name, decision.pod});
    line.why = why_left_alone(*line.pod, unbound);
    line.result = line.why.empty() ? "would-bind" : "left-alone";
  }
  leave_groups_alone();
  for (Line& line : lines_) {
    if (line.pod == nullptr || !line.why.empty()) continue;
    line.bind = binds_.size();
    binds_.push_back(
        {binds_.size() + 1, {line.pod->namespace_name, line.pod->name}, line.pod->uid, line.node});
  }
}

// Where some of a group are left alone and the others are too few, nobody of it is bound.
void Application::leave_groups_alone() {
  const auto group_of = [&](const Pod& pod) -> std::optional<Name> {
    const std::string* const name = pod_group_name(pod, input_.facts.spec_of(pod));
    return name == nullptr ? std::nullopt : std::optional<Name>({pod.namespace_name, *name});
  };
  std::map<Name, std::int64_t> missing;
  for (const PodGroup& group : input_.facts.pod_groups)
    missing[{group.namespace_name, group.name}] = group.min_member;
  const auto count = [&](const Pod& pod) {
    if (const auto group = group_of(pod))
      if (const auto at = missing.find(*group); at != missing.end()) --at->second;
  };
  for (const Pod& pod : input_.facts.pods)
    if (!pod.bound_node.empty() && !pod.is_finished()) count(pod);
  for (const Line& line : lines_)
    if (line.pod != nullptr && line.why.empty()) count(*line.pod);
  for (Line& line : lines_) {
    if (line.pod == nullptr || !line.why.empty()) continue;
    const auto group = group_of(*line.pod);
    const auto at = group ? missing.find(*group) : missing.end();
    if (at == missing.end() || at->second <= 0) continue;
    line.result = "left-alone";
    line.why = "its group " + group->second + " would lack " +
               counted(static_cast<std::size_t>(at->second), "pod");
  }
}

std::string Application::why_of(const BoundPod& result) {
  using Outcome = BoundPod::Outcome;
  if (result.outcome == Outcome::kElsewhere) return "it is on node " + result.node.str();
  if (result.outcome != Outcome::kTooLate) return result.why;
  const std::string last = result.why.empty() ? "" : ", last: " + result.why;
  return "the cluster was read too long ago to bind it" + last;
}

Status Application::bind() {
  BindPodsOptions options;
  options.most_at_once = command_.max_binds;
  options.seed = io_.network->random_key();
  options.send_by = read_at_ + command_.within;
  options.is_dry_run = command_.is_dry_run;
  progress_.show("binding", 0, 0);
  const auto bound = bind_pods(*server_.transport, io_.clock, binds_, options);
  progress_.erase();
  if (!bound) return bound.error();
  const std::array<const char*, 6> words{command_.is_dry_run ? "would-bind" : "bound",
                                         "elsewhere",
                                         "gone",
                                         "refused",
                                         "unclear",
                                         "too-late"};
  for (Line& line : lines_) {
    if (!line.bind) continue;
    const BoundPod& result = (*bound)[*line.bind];
    line.result = words[static_cast<std::size_t>(result.outcome)];
    line.why = why_of(result);
  }
  return {};
}

void Application::show() const {
  Table table(
      {{"POD", Align::kLeft, Shrink::kLast}, {"NODE", Align::kLeft, Shrink::kFirst}, {"RESULT"}});
  for (const Line& line : lines_)
    table.add({{text_of(*line.decision)}, {line.node}, {line.result}});
  table.print(io_.out, !command_.output.no_headers);
  io_.out.flush();
  if (command_.output.quiet) return;
  for (const Line& line : lines_)
    if (!line.why.empty() && !is_good(line))
      io_.err.line(escape_controls(text_of(*line.decision) + ": " + line.why));
}

Exit Application::conclude() const {
  std::size_t bound = 0, stale = 0;
  for (const Line& line : lines_) {
    const std::string_view result = line.result;
    bound += is_good(line) ? 1U : 0U;
    stale += result == "elsewhere" || result == "gone" || result == "too-late" ? 1U : 0U;
  }
  if (!command_.output.quiet)
    io_.err.line(std::to_string(bound) + " of " + counted(lines_.size(), "pod") +
                 (command_.is_dry_run ? " would be bound" : " bound"));
  if (bound == binds_.size()) return bound == lines_.size() ? Exit::kYes : Exit::kNo;
  if (bound > 0) return Exit::kPartly;
  return stale == binds_.size() ? Exit::kStale : Exit::kWorld;
}

Exit Application::run() {
  if (const auto stopped = read_plan_file()) return *stopped;
  if (const auto stopped = read_cluster()) return *stopped;
  if (const auto stopped = refuse_stale()) return *stopped;
  if (const auto stopped = refuse_altered()) return *stopped;
  choose();
  if (!command_.is_dry_run || command_.asks_server)
    if (const Status done = bind(); !done) return fail(io_, done.error());
  show();
  return conclude();
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_apply(
    gedge::cli::ApplyCommand& command, gedge::cli::Io& io) {
  return static_cast<int>(gedge::cli::Application(command, io).run());
}
