// hwloc's XML of a machine: parts by how many CPUs they have, each inside the smallest that holds
// it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "support/machines.hpp"

namespace gedge::test {
namespace {

constexpr const char* kNode = "NUMANode";

struct Part {
  int rank;  // the outer one of two with the same CPUs has the lower
  std::string type;
  CpuSet cpus;
  std::string more;  // attributes
};

std::string bits(const CpuSet& set) {
  std::uint32_t mask = 0;
  set.for_each([&](int cpu) { mask |= std::uint32_t{1} << cpu; });
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", mask);
  return text.data();
}

std::string number(int value) { return " os_index=\"" + std::to_string(value) + '"'; }

class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_(machine) {
    add_all();
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return a.cpus.size() != b.cpus.size() ? a.cpus.size() > b.cpus.size() : a.rank < b.rank;
    });
    done_.resize(parts_.size());
  }

  std::string text() {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM "
        "\"hwloc2.dtd\">\n<topology version=\"2.0\">\n";
    text += write(0);
    std::map<int, CpuSet> kinds;
    for (const Cpu& cpu : machine_.cpus)
      if (cpu.kind >= 0) kinds[cpu.kind].add(cpu.id);
    for (const auto& [kind, cpus] : kinds)
      text += "<cpukind cpuset=\"" + bits(cpus) + "\" forced_efficiency=\"" + std::to_string(kind) +
              "\"/>\n";
    return text + "</topology>\n";
  }

 private:
  void add_all() {
    parts_.push_back({0, "Machine", machine_.cpu_set(), number(0)});
    std::map<int, CpuSet> packages, cores;
    for (const Cpu& cpu : machine_.cpus) {
      packages[cpu.socket].add(cpu.id);
      cores[cpu.core].add(cpu.id);
      parts_.push_back({6, "PU", CpuSet{cpu.id}, number(cpu.id)});
    }
    for (const auto& [socket, cpus] : packages)
      parts_.push_back({1, "Package", cpus, number(socket)});
    for (const NumaNode& node : machine_.numa_nodes) {
      if (node.cpus.empty()) continue;
      parts_.push_back({2, "Group", node.cpus, " kind=\"0\" subkind=\"0\""});
      parts_.push_back({3, kNode, node.cpus, number(node.id) + " local_memory=\"1073741824\""});
    }
    for (const Cache& cache : machine_.caches)
      parts_.push_back({4, "L3Cache", cache.cpus,
                        " cache_size=\"1048576\" depth=\"3\" cache_linesize=\"64\" "
                        "cache_associativity=\"16\" cache_type=\"0\""});
    int next = 0;
    for (const auto& [core, cpus] : cores) parts_.push_back({5, "Core", cpus, number(next++)});
  }

  CpuSet nodes_of(const CpuSet& cpus) const {
    CpuSet nodes;
    for (const NumaNode& node : machine_.numa_nodes)
      if (node.cpus.meets(cpus)) nodes.add(node.id);
    return nodes;
  }

  // A part and, in it, those inside it that nobody else has.
  std::string write(std::size_t at) {
    const Part part = parts_[at];
    done_[at] = true;
    const CpuSet all = part.rank == 0 ? part.cpus | machine_.offline : part.cpus;
    const std::string own = '"' + bits(part.cpus) + '"',
                      nodes = '"' + bits(nodes_of(part.cpus)) + '"';
    std::string text = "<object type=\"" + part.type + '"' + part.more + " cpuset=" + own +
                       " complete_cpuset=\"" + bits(all) + "\" allowed_cpuset=" + own +
                       " nodeset=" + nodes + " complete_nodeset=" + nodes +
                       " allowed_nodeset=" + nodes + " gp_index=\"" + std::to_string(at + 1) +
                       "\">\n";
    if (part.type != kNode)
      for (std::size_t inner = at + 1; inner < parts_.size(); ++inner)
        if (!done_[inner] && parts_[inner].cpus.is_subset_of(part.cpus)) text += write(inner);
    return text + "</object>\n";
  }

  const Machine& machine_;
  std::vector<Part> parts_;
  std::vector<bool> done_;
};

}  // namespace

std::string hwloc_xml(const Machine& machine) { return Writer(machine).text(); }

}  // namespace gedge::test
