// Which pods of a node are worth a restart, on a machine that is one line of text.
//
// What `gedge pin defrag` says is one call. Two small pods sit on cores of their own; one of them
// can move to the half of a core that the other one leaves.
// Prints:
//   whole cores free: 2 of 4, at most 3
//   restart database: CPUs 2 to 5
//   whole cores free then: 3
#include <iostream>

#include "gedge/io/files.hpp"
#include "gedge/io/machine_facts.hpp"
#include "gedge/pin/defragment.hpp"

int main() {
  gedge::DiskFiles files;
  const auto machine = gedge::read_machine("synthetic:pack:1 core:4 pu:2", files);
  if (!machine) return 1;
  gedge::KubeletRules rules;
  rules.is_static = true;
  rules.needs_reservation = false;
  auto kubelet = gedge::Kubelet::create(*machine, rules);
  if (!kubelet) return 1;

  const gedge::CpuSet database{2}, web{4};
  const gedge::CpuSet shared = machine->cpu_set() - database - web;
  if (!kubelet->restore({shared, {{"database", {{"c", database}}}, {"web", {{"c", web}}}}}))
    return 1;

  const gedge::Defragmentation found = gedge::defragment(*kubelet);
  std::cout << "whole cores free: " << found.now.cores << " of " << found.total.cores
            << ", at most " << found.possible.cores << '\n';
  for (const gedge::Restart& restart : found.restarts)
    for (const gedge::RestartedContainer& container : restart.containers)
      std::cout << "restart " << restart.pod << ": CPUs " << to_string(container.from) << " to "
                << to_string(container.to) << '\n';
  std::cout << "whole cores free then: " << found.after.cores << '\n';
}
