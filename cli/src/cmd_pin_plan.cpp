// cmd_pin_plan.cpp - "gedge pin plan": which CPUs a kubelet would give to pods.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cmd.hpp"
#include "gedge/codec/write_machine.hpp"
#include "gedge/io/machine_facts.hpp"
#include "input.hpp"
#include "pin_kubelet.hpp"
#include "pin_machine.hpp"
#include "render/machine_view.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin plan -f app.yaml --machine 'synthetic:pack:2 core:4 pu:2' --reserved 0-1",
     "Would a kubelet with policy static admit these pods?"},
    {"gedge pin plan -f app.yaml --kubelet-config /var/lib/kubelet/config.yaml --state "
     "/var/lib/kubelet/cpu_manager_state",
     "The kubelet of this machine, as it is configured and as full as it is:"},
};
constexpr Page kPage{
    .name = "pin plan",
    .summary = "Predict which CPUs a kubelet gives to pods",
    .usage =
        "-f FILE... [--machine SOURCE] [--kubelet-config FILE] [--state FILE] "
        "[--memory-state FILE] [--reserved CPUS] [--device RESOURCE=DEVICE]... [-o FORMAT] "
        "[FLAG]...",
    .description =
        "Does what the kubelet of `--compat` does when pods arrive one after the other: its CPU "
        "manager gives whole CPUs to containers of class Guaranteed, its topology manager asks "
        "whether they lie well. Says for each pod with which CPUs it is admitted, or why it is "
        "not, in the kubelet's own words. Pods come in the order of the queue: priority, age, "
        "namespace, workload. All of them stay; init containers have ended before the next pod "
        "comes. Whether the requests of all fit the machine is the scheduler's question, and not "
        "asked here: `gedge plan --machines` asks both. Nothing is changed.\n\n"
        "`--kubelet-config` reads a KubeletConfiguration: cpuManagerPolicy, "
        "topologyManagerPolicy, their options, the scope, memoryManagerPolicy, and what is "
        "reserved. Without it, the "
        "CPU manager's policy is static without options, the topology manager's is none, and "
        "`--reserved` names the reserved CPUs, by default 0. `--state` goes on from a "
        "cpu_manager_state file.\n\n"
        "Under memoryManagerPolicy Static, containers of class Guaranteed get memory of certain "
        "NUMA nodes, which the topology manager is asked about too; reservedMemory has to add up, "
        "as a kubelet demands. `--memory-state` goes on from a memory_manager_state file; without "
        "it all memory that is not reserved counts as free. Huge pages are not asked for.\n\n"
        "`--device` says which devices of the machine a resource of pods stands for, by kind "
        "(`gpu`, `network`, `storage`), name or address: the device manager then has its say, and "
        "of devices that do as well those are given to a container that are nearest to each other "
        "(see `costs` in `gedge pin show -o json`). Which ones a plugin gives is its own "
        "affair.\n\n"
        "`--machine` takes `live` (this machine, all CPUs that are online), a file of hwloc's XML "
        "(`lstopo --of xml FILE.xml`), `synthetic:` and hwloc's one-line description, or a "
        "directory with a recorded tree: `sys/devices/system`, and `proc` where it was recorded.",
    .output =
        "A table: pod, container, CPUs, the NUMA nodes that they lie on, and the verdict: "
        "exclusive, shared, memory of which NUMA nodes, with which devices, or the reason of a "
        "rejection. `json` and `yaml` "
        "print one object of "
        "kind PinPlan.",
    .examples = kExamples,
    .yes = "all pods are admitted",
    .no = "some pod is rejected",
    .see_also = "gedge-pin-defrag(1) gedge-pin-run(1) gedge-pin-show(1) gedge-plan(1)",
};

struct PinPlanOptions {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
  KubeletOptions kubelet;
  std::string machine = "live";
};

class PinPlanning {
 public:
  PinPlanning(const PinPlanOptions& options, Io& io)
      : options_(options),
        io_(io),
        progress_(io.err, options.output.quiet, io.clock),
        reader_(io, options.input, options.rules.compat(), progress_),
        files_(options.kubelet, options.rules.compat(), reader_) {
    reader_.needs_no_nodes();
  }

  Exit run() {
    const auto rules = files_.rules();
    if (!rules) return stop();
    auto input = reader_.read();
    if (!input) return stop();
    const auto machine = read_machine(options_.machine, io_.files);
    if (!machine) return stop(machine.error());
    auto kubelet = Kubelet::create(*machine, *rules);
    if (!kubelet) return stop(kubelet.error());
    if (!options_.kubelet.devices.empty()) kubelet->know_devices(*machine);
    if (const Status restored = files_.restore(*kubelet); !restored) return stop(restored.error());
    if (!files_.errors().empty()) return stop();
    const PinPlan plan = make(*kubelet, *machine, input->facts);
    progress_.erase();
    return show(plan, input->facts);
  }

 private:
  Exit stop() {
    progress_.erase();
    Errors errors = std::move(files_.errors());
    for (Error& error : reader_.take_errors()) errors.push_back(std::move(error));
    return fail(io_, errors, options_.output);
  }
  Exit stop(const Error& error) {
    progress_.erase();
    return fail(io_, error);
  }
  static std::vector<const Pod*> queue(const Facts& facts) {
    std::vector<const Pod*> pods;
    for (const Pod& pod : facts.pods)
      if (pod.bound_node.empty() && !pod.is_finished()) pods.push_back(&pod);
    // Facts have them by namespace, workload and ordinal.
    std::stable_sort(pods.begin(), pods.end(), [](const Pod* a, const Pod* b) {
      return a->priority != b->priority ? a->priority > b->priority : a->created < b->created;
    });
    return pods;
  }

  PinPlan make(Kubelet& kubelet, const Machine& machine, const Facts& facts) {
    PinPlan plan;
    plan.compat = options_.rules.compat();
    plan.numa_nodes = machine.numa_nodes;
    plan.devices = machine.devices;
    for (const Pod* pod : queue(facts)) {
      const PodCpus asked = cpu_requests(
          facts.specs[raw(pod->spec)],
          pod->uid.empty() ? pod->namespace_name.str() + '/' + pod->name.str() : pod->uid.str(),
          options_.kubelet.devices);
      plan.decisions.push_back({pod->namespace_name.str(), pod->name.str(), kubelet.admit(asked)});
      kubelet.start(asked);
    }
    plan.reserved = kubelet.cpus().reserved();
    plan.shared = kubelet.cpus().assignments().shared;
    plan.free = kubelet.rules().is_static ? kubelet.cpus().free() : CpuSet{};
    return plan;
  }

  Exit show(const PinPlan& plan, const Facts& facts) {
    const OutputOptions& output = options_.output;
    if (output.format != Format::kTable) {
      io_.out.write(write(plan, text_format(output.format)));
    } else if (const Status printed = print_pin_plan(
                   io_.out, plan, {false, !output.no_headers, output.sort_by, false});
               !printed) {
      return fail_usage(io_, printed.error());
    }
    io_.out.flush();
    const std::size_t pods = plan.decisions.size();
    if (!output.quiet)
      io_.err.line(std::to_string(plan.admitted()) + " of " + counted(pods, "pod") +
                   " admitted; CPUs left: " +
                   (plan.free.empty() ? std::string("none") : to_string(plan.free)));
    std::vector<Warning> warnings = facts.warnings;
    warnings.insert(warnings.end(), files_.warnings().begin(), files_.warnings().end());
    report_input(io_, warnings, facts.skipped, output);
    return plan.admitted() == pods ? Exit::kYes : Exit::kNo;
  }

  const PinPlanOptions& options_;
  Io& io_;
  ProgressLine progress_;
  InputReader reader_;
  KubeletFiles files_;
};

Exit run_pin_plan(const PinPlanOptions& options, Io& io) {
  if (const Status right = check_kubelet_flags(options.kubelet); !right)
    return fail_usage(io, right.error());
  if (options.input.files.empty())
    return fail_usage(io,
                      invalid_input("no pods are given", {}, "name their files with `-f FILE`"));
  return PinPlanning(options, io).run();
}

Run add_pin_plan(FlagSet& flags) {
  auto options = std::make_shared<PinPlanOptions>();
  add_file_flags(flags, options->input);
  add_namespace_flag(flags, options->input);
  add_machine_flag(flags, options->machine);
  add_kubelet_flags(flags, options->kubelet);
  add_memory_state_flag(flags, options->kubelet);
  add_device_flag(flags, options->kubelet.devices);
  add_compat_flag(flags, options->rules);
  add_output_flags(flags, options->output, {"table", "json", "yaml"});
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_pin_plan(*options, io); };
}

}  // namespace

Command pin_plan_command() { return {&kPage, Group::kPin, add_pin_plan}; }

}  // namespace gedge::cli
