// Which CPUs a kubelet would give to two pods, on a machine that is one line of text.
//
// No Kubernetes, no kubelet: what `gedge pin plan` says is one object, which a program can ask.
// Prints:
//   training gets 2-7
//   encoder is rejected: TopologyAffinityError
#include <iostream>

#include "gedge/io/files.hpp"
#include "gedge/io/machine_facts.hpp"
#include "gedge/pin/admission.hpp"

int main() {
  gedge::DiskFiles files;
  const auto machine = gedge::read_machine("synthetic:pack:2 numa:1 core:4 pu:2", files);
  if (!machine) return 1;

  gedge::KubeletRules rules;
  rules.is_static = true;
  rules.reservation = {2, gedge::CpuSet{0, 1}};
  rules.topology.policy = gedge::TopologyPolicy::kSingleNumaNode;
  auto kubelet = gedge::Kubelet::create(*machine, rules);
  if (!kubelet) return 1;

  for (const gedge::PodCpus& pod :
       {gedge::PodCpus{"training", {{"c", gedge::ContainerRole::kApp, 6}}},
        gedge::PodCpus{"encoder", {{"c", gedge::ContainerRole::kApp, 10}}}}) {
    const gedge::PinAnswer answer = kubelet->admit(pod);
    if (answer.refusal)
      std::cout << pod.uid << " is rejected: " << answer.refusal->reason << '\n';
    else
      std::cout << pod.uid << " gets " << to_string(answer.containers[0].cpus) << '\n';
  }
}
