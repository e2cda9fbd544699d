#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/io/system_pins.hpp"
#include "io/cpu_mask.hpp"
#include "io/small_file.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

class Reading {
 public:
  explicit Reading(const std::string& root)
      : cpus_(root + "/sys/devices/system/cpu/"), nodes_(root + "/sys/devices/system/node/") {}

  Result<Machine> run(CpuFacts facts) {
    const auto text = read_small_file(cpus_ + "online", kMostBytes);
    if (!text) return not_there(errno);
    auto online = parse_cpu_set(*text);
    if (!online) return std::move(online).error();
    if (online->empty()) return invalid_input("the machine has no CPU that is online");
    online_ = *std::move(online);
    online_.for_each([&](int cpu) { machine_.cpus.push_back({cpu, -1, 0, 0, -1, -1}); });
    for (Cpu& cpu : machine_.cpus)
      if (cpu.core < 0) read_core(cpu);
    read_nodes();
    if (facts == CpuFacts::kAll) {
      read_caches();
      read_special();
    }
    return std::move(machine_);
  }

 private:
  Error not_there(int error_number) const {
    Error error = system_error("cannot open", cpus_ + "online", error_number);
    if (error.code == Errc::kNotFound && cpus_.starts_with("/sys/"))
      error.hint = "mount /sys: `mount -t sysfs sysfs /sys`";
    return error;
  }

  void read_special() {
    if (auto present = set_in(cpus_ + "present")) machine_.offline = *present - online_;
    for (const char* const file : {"isolated", "nohz_full"})
      if (auto set = set_in(cpus_ + file))
        (file[0] == 'i' ? machine_.isolated : machine_.nohz_full) = *std::move(set);
  }

  // Nothing where there is no such file, or it is no list.
  static std::optional<CpuSet> set_in(const std::string& path) {
    const auto text = read_small_file(path, kMostBytes);
    if (!text) return std::nullopt;
    auto set = parse_cpu_set(*text);
    if (!set) return std::nullopt;
    return *std::move(set);
  }

  static int number_in(const std::string& path, int otherwise) {
    const auto text = read_small_file(path, kMostBytes);
    int number = otherwise;
    if (!text) return otherwise;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
    return read.ec == std::errc{} ? number : otherwise;
  }

  template <typename Visit>
  void each(const CpuSet& set, Visit&& visit) {
    set.for_each([&](int id) {
      const auto at = std::lower_bound(machine_.cpus.begin(), machine_.cpus.end(), id,
                                       [](const Cpu& cpu, int wanted) { return cpu.id < wanted; });
      if (at != machine_.cpus.end() && at->id == id) visit(*at);
    });
  }

  std::string folder_of(int cpu) const { return cpus_ + "cpu" + std::to_string(cpu) + '/'; }

  // Once a core: what is said of one of its CPUs holds for the others.
  void read_core(const Cpu& first) {
    const std::string folder = folder_of(first.id) + "topology/";
    auto siblings = set_in(folder + "thread_siblings_list");
    const CpuSet core =
        siblings && siblings->contains(first.id) ? *siblings & online_ : CpuSet{first.id};
    const int socket = std::max(number_in(folder + "physical_package_id", 0), 0);
    each(core, [&](Cpu& cpu) {
      cpu.core = core.first();
      cpu.socket = socket;
    });
  }

  // The last cache of data that this CPU has; nothing where the kubelet would not align to it.
  // Levels ascend with the index, and the first one may have a cache of instructions behind that
  // of data.
  std::optional<Cache> last_cache(int cpu) const {
    constexpr int kMostCaches = 16;
    const std::string folder = folder_of(cpu) + "cache/index";
    const auto level_of = [&](int index) {
      return number_in(folder + std::to_string(index) + "/level", -1);
    };
    int count = 0, level = -1;
    for (int next = level_of(0); next >= 0 && count < kMostCaches; next = level_of(++count))
      level = next;
    if (level < Cache::kUncore) return std::nullopt;
    for (int index = count - 1; index >= 0; --index) {
      const std::string of = folder + std::to_string(index) + '/';
      const auto type = read_small_file(of + "type", kMostBytes);
      if (type && type->starts_with("Instruction")) continue;
      const auto shared = set_in(of + "shared_cpu_list");
      if (!shared || !shared->contains(cpu)) return std::nullopt;
      const auto kib = static_cast<std::uint64_t>(std::max(number_in(of + "size", 0), 0));
      return Cache{level, kib << 10, *shared & online_};
    }
    return std::nullopt;
  }

  // Once a cache: it is what pinning reads of them.
  void read_caches() {
    CpuSet seen;
    std::vector<Cache>& last = machine_.caches;
    for (const Cpu& cpu : machine_.cpus) {
      if (seen.contains(cpu.id)) continue;
      auto cache = last_cache(cpu.id);
      if (!cache) continue;
      seen |= cache->cpus;
      last.push_back(*std::move(cache));
    }
    std::stable_sort(last.begin(), last.end(),
                     [](const Cache& a, const Cache& b) { return a.level > b.level; });
    for (std::size_t i = 0; i < last.size(); ++i)
      each(last[i].cpus, [&](Cpu& cpu) { cpu.cache = static_cast<int>(i); });
  }

  void read_nodes() {
    const auto ids = set_in(nodes_ + "online");
    if (!ids) {  // a kernel without NUMA
      machine_.numa_nodes.push_back({0, 0, online_});
      return;
    }
    ids->for_each([&](int id) {
      const auto cpus = set_in(nodes_ + "node" + std::to_string(id) + "/cpulist");
      machine_.numa_nodes.push_back({id, 0, cpus ? *cpus & online_ : CpuSet{}});
      each(machine_.numa_nodes.back().cpus, [&](Cpu& cpu) { cpu.numa = id; });
    });
    if (machine_.numa_nodes.size() > 1) read_distances();
  }

  void read_distances() {
    const std::size_t count = machine_.numa_nodes.size();
    std::vector<std::uint32_t> distances;
    for (const NumaNode& node : machine_.numa_nodes) {
      const auto text =
          read_small_file(nodes_ + "node" + std::to_string(node.id) + "/distance", kMostBytes);
      if (!text) return;
      const char* at = text->data();
      const char* const end = at + text->size();
      for (std::uint32_t value = 0; at != end;) {
        const auto read = std::from_chars(at, end, value);
        if (read.ec == std::errc{}) distances.push_back(value);
        at = read.ec == std::errc{} ? read.ptr : at + 1;
      }
    }
    if (distances.size() == count * count) machine_.distances = std::move(distances);
  }

  std::string cpus_, nodes_;
  CpuSet online_;
  Machine machine_;
};

}  // namespace

Result<Machine> read_cpus(const std::string& root, CpuFacts facts) {
  return Reading(root).run(facts);
}

Result<CpuSet> usable_cpus() {
  CpuMask mask;
  if (!mask.get(0))
    return Error{Errc::kDenied,
                 "the kernel does not say which CPUs may be used: " + reason_of(errno),
                 {},
                 {}};
  return mask.set();
}

}  // namespace gedge
