// What a machine is read from: hwloc's XML, hwloc's one-line description behind "synthetic:", and
// the files of /sys, each behind its name on a line of its own. No input may crash a reader, and
// what it makes is a machine that a kubelet can be asked about.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/codec/write_machine.hpp"
#include "gedge/io/machine_facts.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/pin/admission.hpp"

namespace {

namespace fs = std::filesystem;

void require(bool fact) {
  if (!fact) std::abort();
}

// One file that holds the input.
class OneFile final : public gedge::FileStore {
 public:
  explicit OneFile(const std::string& text) : text_(text) {}
  gedge::Result<std::string> read(const std::string&, std::uint64_t) override { return text_; }
  bool is_directory(const std::string&) const override { return false; }
  gedge::Result<std::vector<std::string>> list(const std::string&, bool) const override {
    return std::vector<std::string>{};
  }
  gedge::Status replace(const std::string&, std::string_view) override { return {}; }

 private:
  const std::string& text_;
};

void check_cpus(const gedge::Machine& machine) {
  require(!machine.cpus.empty());
  const gedge::CpuSet all = machine.cpu_set();
  int before = -1;
  for (const gedge::Cpu& cpu : machine.cpus) {
    require(cpu.id > before && cpu.id <= gedge::CpuSet::kLast);
    require(all.contains(cpu.core) && cpu.core <= cpu.id);
    require(cpu.cache < static_cast<int>(machine.caches.size()));
    before = cpu.id;
  }
  require(!machine.offline.meets(all));
  for (const gedge::Cache& cache : machine.caches) require(cache.cpus.is_subset_of(all));
}

void check_nodes(const gedge::Machine& machine) {
  const auto& nodes = machine.numa_nodes;
  require(std::is_sorted(nodes.begin(), nodes.end(),
                         [](const auto& a, const auto& b) { return a.id < b.id; }));
  for (const gedge::NumaNode& node : nodes) require(node.cpus.is_subset_of(machine.cpu_set()));
  require(machine.distances.empty() || machine.distances.size() == nodes.size() * nodes.size());
}

void check(const gedge::Machine& machine) {
  check_cpus(machine);
  check_nodes(machine);
  require(!write(machine, {}, gedge::TextFormat::kJson).empty());
  gedge::KubeletRules rules;
  rules.is_static = true;
  rules.needs_reservation = false;
  auto kubelet = gedge::Kubelet::create(machine, rules);
  if (!kubelet) return;
  const auto answer = kubelet->admit({"p", {{"c", gedge::ContainerRole::kApp, 1, {}}}});
  if (answer.refusal) return;
  require(answer.containers.front().cpus.size() == 1);
  require(answer.containers.front().cpus.is_subset_of(machine.cpu_set()));
}

// "NAME\nBYTES\n" again and again; names stay below the folder.
void check_tree(std::string_view text) {
  static const fs::path root =
      fs::temp_directory_path() / ("gedge-machine-fuzz-" + std::to_string(::getpid()));
  fs::remove_all(root);
  const fs::path system = root / "sys/devices/system";
  const auto line = [&text] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string taken(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
  };
  while (!text.empty()) {
    const std::string name = line(), bytes = line();
    if (name.empty() || name.front() == '/' || name.find("..") != std::string::npos) continue;
    std::error_code failed;
    fs::create_directories((system / name).parent_path(), failed);
    std::ofstream(system / name) << bytes;
  }
  for (const gedge::CpuFacts facts : {gedge::CpuFacts::kAll, gedge::CpuFacts::kPlaces})
    if (const auto machine = gedge::read_cpus(root.string(), facts)) check(*machine);
  fs::remove_all(root);
}

}  // namespace

// hwloc 2.9 forgets the object it was reading where XML ends or errs within one. The machine itself
// comes from other functions: one that this reader forgot would still be seen.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:^hwloc_alloc_setup_object$";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kTree = "sys\n";
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with(kTree)) {
    check_tree(std::string_view(text).substr(kTree.size()));
    return 0;
  }
  OneFile file(text);
  const std::string source = text.starts_with("synthetic:") ? text : "machine.xml";
  if (const auto machine = gedge::read_machine(source, file)) check(*machine);
  return 0;
}
