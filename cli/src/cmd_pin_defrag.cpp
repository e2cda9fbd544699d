// cmd_pin_defrag.cpp - "gedge pin defrag": which restarts bring whole cores and NUMA nodes back.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cmd.hpp"
#include "gedge/codec/write_machine.hpp"
#include "gedge/drive/pin_desk.hpp"
#include "gedge/io/machine_facts.hpp"
#include "gedge/io/system_pins.hpp"
#include "pin_ask.hpp"
#include "pin_kubelet.hpp"
#include "pin_machine.hpp"
#include "render/machine_view.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin defrag --kubelet-config /var/lib/kubelet/config.yaml --state "
     "/var/lib/kubelet/cpu_manager_state",
     "Which pods of this node are worth a restart?"},
    {"gedge pin defrag --machine node.xml --state cpu_manager_state -o json | jq -r "
     "'.restarts[].pod'",
     "Of another node, their uids alone, in order:"},
    {"gedge pin defrag", "Of this machine, what `gedge pin run` and `gedge pin apply` gave out:"},
};
constexpr Page kPage{
    .name = "pin defrag",
    .summary = "Find the restarts that bring whole cores back",
    .usage =
        "[--state FILE] [--machine SOURCE] [--kubelet-config FILE] [--reserved CPUS] [-o FORMAT] "
        "[FLAG]...",
    .description =
        "CPUs are given out and come back in any order, and what is free then lies apart: half "
        "cores that no pod with full-pcpus-only gets, NUMA nodes that no pod of one node fits "
        "into. Counts the cores and NUMA nodes that are whole and free, and looks for the pods "
        "that, restarted one after the other, bring most of them back: most NUMA nodes, then most "
        "cores, with the fewest restarts. A restarted pod is given what the kubelet of `--compat` "
        "chooses then, and none is restarted that it would refuse. A core is whole if none of its "
        "CPUs is held or reserved, a NUMA node if nobody holds a CPU of it.\n\n"
        "`--state` names the cpu_manager_state file of a kubelet, `--kubelet-config` its "
        "configuration; pods are named by their uids. They ask for as many CPUs as they hold; "
        "containers of one pod that hold the same CPUs, as init containers do, count as one. "
        "Without `--state`, what stands in the ledger of `gedge pin run` and `gedge pin apply` on "
        "this machine, each process and control group pinned anew.\n\n"
        "The search is exact up to 20,000 restarts tried, and says so where it ends there. "
        "Nothing is changed.",
    .output =
        "A table: first how it is now, then a row for each container of each restart: pod, CPUs "
        "before and after, and the cores and NUMA nodes that are whole and free then. `json` and "
        "`yaml` print one object of kind PinDefrag.",
    .examples = kExamples,
    .yes = "no restart brings anything back",
    .no = "restarts bring cores or NUMA nodes back",
    .see_also = "gedge-pin-plan(1) gedge-pin-show(1)",
};

struct PinDefragOptions {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
  KubeletOptions kubelet;
  std::string machine = "live", state_dir;
};

std::string units_text(const WholeUnits& units) {
  return counted(static_cast<std::size_t>(units.cores), "core") + " and " +
         counted(static_cast<std::size_t>(units.nodes), "NUMA node");
}

std::string sentence(const Defragmentation& found) {
  std::string text =
      units_text(found.now) + " whole and free, at most " + units_text(found.possible) + "; ";
  if (found.restarts.empty())
    text += "no restart brings more";
  else
    text += counted(found.restarts.size(), "restart") + ": " + units_text(found.after);
  if (!found.is_proven) text += "; the search ended at its bound, and more may be possible";
  return text;
}

class Defragmenting {
 public:
  Defragmenting(const PinDefragOptions& options, Io& io)
      : options_(options),
        io_(io),
        progress_(io.err, options.output.quiet, io.clock),
        reader_(io, options.input, options.rules.compat(), progress_),
        files_(options.kubelet, options.rules.compat(), reader_) {}

  Exit run() {
    const auto machine = read_machine(options_.machine, io_.files);
    if (!machine) return fail(io_, machine.error());
    auto kubelet =
        options_.kubelet.state.empty() ? kubelet_of_ledger(*machine) : kubelet_of_files(*machine);
    if (!files_.errors().empty()) return fail(io_, files_.errors(), options_.output);
    if (!kubelet) return fail(io_, kubelet.error());
    Defragmentation found = defragment(*kubelet);
    name_holders(found, kubelet->cpus().assignments());
    return show(found);
  }

 private:
  Result<Kubelet> kubelet_of_files(const Machine& machine) {
    const auto rules = files_.rules();
    if (!rules) return files_.errors().front();
    auto kubelet = Kubelet::create(machine, *rules);
    if (kubelet) GEDGE_TRY(files_.restore(*kubelet));
    return kubelet;
  }

  Result<Kubelet> kubelet_of_ledger(const Machine& machine) const {
    GEDGE_TRY(check_directory(options_.state_dir, io_));
    DiskPinStore store = open_store(options_.state_dir, io_);
    const auto ledger = read_ledger(store, SystemProcesses());
    if (!ledger) return ledger.error();
    return kubelet_for(*ledger, machine, {}, TopologyPolicy::kNone);
  }

  // Entries of gedge's own ledger, as `gedge pin check` names them.
  static void name_holders(Defragmentation& found, const CpuAssignments& held) {
    for (Restart& restart : found.restarts) {
      const auto entry = held.pods.find(restart.pod);
      if (entry == held.pods.end()) continue;
      const auto holder = holder_of(entry->first, entry->second);
      if (!holder) continue;
      if (const auto* const process = std::get_if<ProcessId>(&*holder))
        restart.pod = "process " + std::to_string(process->pid);
      else
        restart.pod = "control group " + std::get<GroupId>(*holder).path;
    }
  }

  Exit show(const Defragmentation& found) {
    const OutputOptions& output = options_.output;
    if (output.format == Format::kTable)
      print_pin_defrag(io_.out, found, !output.no_headers);
    else
      io_.out.write(write(found, text_format(output.format)));
    io_.out.flush();
    if (!output.quiet) io_.err.line(sentence(found));
    report_input(io_, files_.warnings(), {}, output);
    return found.restarts.empty() ? Exit::kYes : Exit::kNo;
  }

  const PinDefragOptions& options_;
  Io& io_;
  ProgressLine progress_;
  InputReader reader_;
  KubeletFiles files_;
};

Exit run_pin_defrag(const PinDefragOptions& options, Io& io) {
  const KubeletOptions& kubelet = options.kubelet;
  if (const Status right = check_kubelet_flags(kubelet); !right)
    return fail_usage(io, right.error());
  if (kubelet.state.empty() && options.machine != "live")
    return fail_usage(io, invalid_input("nothing says who holds CPUs of that machine", {},
                                        "name its cpu_manager_state with `--state FILE`"));
  if (kubelet.state.empty() && !(kubelet.config.empty() && kubelet.reserved.empty()))
    return fail_usage(io, invalid_input("a kubelet is configured, but its state is not given", {},
                                        "name its cpu_manager_state with `--state FILE`"));
  return Defragmenting(options, io).run();
}

Run add_pin_defrag(FlagSet& flags) {
  auto options = std::make_shared<PinDefragOptions>();
  add_machine_flag(flags, options->machine);
  add_kubelet_flags(flags, options->kubelet);
  add_compat_flag(flags, options->rules);
  add_state_flag(flags, options->state_dir);
  add_output_flags(flags, options->output, {"table", "json", "yaml"}, false);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_pin_defrag(*options, io); };
}

}  // namespace

Command pin_defrag_command() { return {&kPage, Group::kPin, add_pin_defrag}; }

}  // namespace gedge::cli
