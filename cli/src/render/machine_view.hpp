// render/machine_view.hpp - a machine as a tree, a drawing of it, and what a kubelet says to pods.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/codec/write_machine.hpp"
#include "gedge/pin/defragment.hpp"
#include "gedge/pin/pin_trial.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// What is inside what: sockets, NUMA nodes, caches that cores share, cores. The deeper, the
/// further in.
struct MachinePart {
  std::string name;  ///< "socket 0", "NUMA node 1", "L3", "core 4"
  CpuSet cpus;
  std::uint64_t bytes = 0;  ///< memory or cache; 0: none, or not known
  std::size_t depth = 0;
  bool is_core = false;
  std::string note{};  ///< of a NUMA node: "21 to 1-2, 31 to 3"
};
/// In the order in which they are shown: each part stands behind what it lies in.
std::vector<MachinePart> parts_of(const Machine& machine);

/// PART CPUS SIZE NOTE, then the devices, and who holds CPUs.
void print_machine(Stream& out, const Machine& machine, const PinCheck& pins, bool headers);
/// "16 CPUs, 8 cores, 2 sockets, 2 NUMA nodes".
std::string summary_of(const Machine& machine);

/// One box in another, each CPU a square.
std::string machine_svg(const Machine& machine);

/// POD CONTAINER CPUS NUMA VERDICT, a row for each container.
Status print_pin_plan(Stream& out, const PinPlan& plan, const TableOptions& options);

/// HOLDER PROGRAM CPUS THREADS VERDICT, a row for each pin.
Status print_pin_check(Stream& out, const PinCheck& check, const TableOptions& options);

/// STEP POD CONTAINER FROM TO CORES NUMA, a row for each container that is restarted, behind one
/// for how it is now.
void print_pin_defrag(Stream& out, const Defragmentation& found, bool headers);

/// "0.573".
std::string ratio_text(double ratio);
/// PAIR PLAIN PINNED RATIO, a row for each pair, then the medians and their bounds.
void print_pin_trial(Stream& out, const TrialOutcome& outcome, std::span<const TrialPair> pairs,
                     bool headers);

}  // namespace gedge::cli
