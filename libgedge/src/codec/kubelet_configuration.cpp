// Source: pkg/kubelet/apis/config and pkg/kubelet/cm/{cpumanager,topologymanager}/policy_options.go
// of Kubernetes, 1.36.
#include "gedge/codec/kubelet_configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "codec/fields.hpp"
#include "codec/profile_fields.hpp"

namespace gedge {
namespace codec {
namespace {

enum class Stage { kStable, kBeta, kAlpha };

struct CpuOption {
  std::string_view name;
  Stage stage;
  bool StaticOptions::*field;
};
constexpr std::array kCpuOptions{
    CpuOption{"full-pcpus-only", Stage::kStable, &StaticOptions::full_pcpus_only},
    CpuOption{"strict-cpu-reservation", Stage::kStable, &StaticOptions::strict_cpu_reservation},
    CpuOption{"prefer-align-cpus-by-uncorecache", Stage::kStable,
              &StaticOptions::prefer_align_cpus_by_uncorecache},
    CpuOption{"distribute-cpus-across-numa", Stage::kBeta,
              &StaticOptions::distribute_cpus_across_numa},
    CpuOption{"align-by-socket", Stage::kAlpha, &StaticOptions::align_by_socket},
    CpuOption{"distribute-cpus-across-cores", Stage::kAlpha,
              &StaticOptions::distribute_cpus_across_cores},
};
constexpr std::array<std::pair<std::string_view, TopologyPolicy>, 4> kPolicies{
    {{"none", TopologyPolicy::kNone},
     {"best-effort", TopologyPolicy::kBestEffort},
     {"restricted", TopologyPolicy::kRestricted},
     {"single-numa-node", TopologyPolicy::kSingleNumaNode}}};

// As Go's strconv reads a bool.
std::optional<bool> go_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return std::nullopt;
}

class KubeletReader {
 public:
  explicit KubeletReader(Compat compat) : old_(compat == Compat::k1_20) {
    rules_.form = old_ ? KubeletForm::k1_20 : KubeletForm::kToday;
  }

  void read(Cursor root) {
    if (text_at(root, "kind") != "KubeletConfiguration")
      return root.fail("no KubeletConfiguration",
                       "give the file of the kubelet's --config: /var/lib/kubelet/config.yaml");
    if (const auto gates = root.find("featureGates")) read_gates(*gates);
    root.fields([&](std::string_view key, Cursor value) {
      if (key == "cpuManagerPolicy") read_cpu_policy(value);
      if (key == "cpuManagerPolicyOptions") read_cpu_options(value);
      if (key == "topologyManagerPolicy") read_topology_policy(value);
      if (key == "topologyManagerScope") read_scope(value);
      if (key == "topologyManagerPolicyOptions") read_topology_options(value);
      if (key == "reservedSystemCPUs") read_reserved(value);
      if (key == "kubeReserved" || key == "systemReserved") read_amount(value);
      if (key == "memoryManagerPolicy") read_memory_policy(value);
      if (key == "reservedMemory")
        value.items([&](Cursor reservation) { read_reserved_memory(reservation); });
      if (key == "evictionHard") read_eviction(value);
    });
  }

  KubeletRules take() {
    constexpr std::int64_t kMilli = 1'000;
    CpuReservation& reservation = rules_.reservation;
    reservation.count = reservation.cpus.empty()
                            ? static_cast<int>(std::min<std::int64_t>(
                                  (reserved_milli_ + kMilli - 1) / kMilli, CpuSet::kLast + 1))
                            : reservation.cpus.size();
    if (!eviction_is_share_) rules_.memory.reserved_by_node = reserved_bytes_ + eviction_bytes_;
    return rules_;
  }

 private:
  void read_gates(Cursor gates) {
    gates.fields([&](std::string_view key, Cursor value) {
      if (key == "CPUManagerPolicyAlphaOptions") read_bool(value, cpu_alpha_);
      if (key == "CPUManagerPolicyBetaOptions") read_bool(value, cpu_beta_);
    });
  }

  void read_cpu_policy(Cursor value) {
    std::string text;
    read_text(value, text);
    if (text == "static")
      rules_.is_static = true;
    else if (!text.empty() && text != "none")
      value.fail("unknown policy: \"" + text + "\"", "none and static are known");
  }

  void read_cpu_options(Cursor map) {
    map.fields([&](std::string_view name, Cursor value) {
      const auto option = std::find_if(kCpuOptions.begin(), kCpuOptions.end(),
                                       [&](const CpuOption& o) { return o.name == name; });
      if (old_ || option == kCpuOptions.end())
        return fail_option(value, "unsupported cpumanager option: \"" + std::string(name) + '"');
      const std::string given = "enabled, but option \"" + std::string(name) + "\" provided";
      if (option->stage == Stage::kAlpha && !cpu_alpha_)
        return value.fail("CPU Manager Policy Alpha-level Options not " + given,
                          "set featureGates.CPUManagerPolicyAlphaOptions to true");
      if (option->stage == Stage::kBeta && !cpu_beta_)
        return value.fail("CPU Manager Policy Beta-level Options not " + given,
                          "set featureGates.CPUManagerPolicyBetaOptions to true");
      const auto text = value.text_or_number();
      const auto flag = text ? go_bool(*text) : std::nullopt;
      if (text && !flag)
        return value.fail("bad value for option \"" + std::string(name) + '"',
                          "write \"true\" or \"false\"");
      if (flag) rules_.cpu.*(option->field) = *flag;
    });
  }

  void fail_option(Cursor value, std::string what) const {
    value.key().value_or(value).fail(
        std::move(what),
        old_ ? "policy options came with 1.22: leave out `--compat 1.20`" : std::string());
  }

  void read_topology_policy(Cursor value) {
    std::string text;
    read_text(value, text);
    if (text.empty()) return;
    const auto at = std::find_if(kPolicies.begin(), kPolicies.end(),
                                 [&](const auto& policy) { return policy.first == text; });
    if (at == kPolicies.end())
      return value.fail("unknown policy: \"" + text + "\"",
                        "none, best-effort, restricted and single-numa-node are known");
    rules_.topology.policy = at->second;
  }

  void read_scope(Cursor value) {
    std::string text;
    read_text(value, text);
    if (text == "pod")
      rules_.topology.scope = TopologyScope::kPod;
    else if (!text.empty() && text != "container")
      value.fail("unknown scope: \"" + text + "\"", "container and pod are known");
  }

  void read_topology_options(Cursor map) {
    map.fields([&](std::string_view name, Cursor value) {
      const auto text = value.text_or_number();
      if (!text) return;
      if (!old_ && name == "prefer-closest-numa-nodes") {
        const auto flag = go_bool(*text);
        if (!flag)
          return value.fail("bad value for option \"" + std::string(name) + '"',
                            "write \"true\" or \"false\"");
        rules_.topology.prefer_closest_numa_nodes = *flag;
      } else if (!old_ && name == "max-allowable-numa-nodes") {
        read_most_nodes(value);
      } else {
        fail_option(value, "unsupported topologymanager option: \"" + std::string(name) + '"');
      }
    });
  }

  void read_most_nodes(Cursor value) {
    const std::string text = value.text_or_number().value_or("");
    int most = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), most);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() ||
        most < TopologyOptions::kMostNodes)
      return value.fail(
          "the minimum value of \"max-allowable-numa-nodes\" should not be less than "
          "8",
          "write a whole number, 8 or more");
    rules_.topology.max_allowable_numa_nodes = most;
  }

  void read_reserved(Cursor value) {
    std::string text;
    read_text(value, text);
    auto set = parse_cpu_set(text);
    if (!set) return value.fail(set.error().what, set.error().hint);
    rules_.reservation.cpus = *std::move(set);
  }

  void read_amount(Cursor map) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;  // far more than any machine has
    if (const auto cpu = map.find("cpu"))
      reserved_milli_ += std::min(read_quantity(*cpu, true).value_or(0), kMost);
    if (const auto memory = map.find("memory")) reserved_bytes_ += read_bytes(*memory);
  }

  static std::uint64_t read_bytes(Cursor value) {
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    return static_cast<std::uint64_t>(std::min(read_quantity(value, false).value_or(0), kMost));
  }

  void read_reserved_memory(Cursor reservation) {
    const auto node = reservation.find("numaNode");
    const auto limits = reservation.find("limits");
    if (!node || !limits)
      return reservation.fail("it names no NUMA node with limits",
                              "write `{numaNode: 0, limits: {memory: 1Gi}}`");
    const std::string text = node->text_or_number().value_or("");
    int id = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || id < 0)
      return node->fail("'numaNode' is no number of a NUMA node: " + quote(text));
    const auto memory = limits->find("memory");
    if (memory && !rules_.memory.reserved.emplace(id, read_bytes(*memory)).second)
      memory->fail("the reserved memory has a duplicate value for NUMA node " + text +
                   " and resource \"memory\"");
  }

  void read_eviction(Cursor map) {
    eviction_bytes_ = 0;
    const auto memory = map.find("memory.available");
    if (!memory) return;
    eviction_is_share_ = memory->text_or_number().value_or("").ends_with('%');
    if (!eviction_is_share_) eviction_bytes_ = read_bytes(*memory);
  }

  void read_memory_policy(Cursor value) {
    std::string text;
    read_text(value, text);
    if (old_ && !text.empty() && text != "None")
      return value.warn("MemoryManagerIgnored",
                        "what the memory manager's policy " + quote(text) + " says is not asked");
    if (text == "Static")
      rules_.memory.is_static = true;
    else if (!text.empty() && text != "None")
      value.fail("unknown policy: \"" + text + "\"", "None and Static are known");
  }

  bool old_;
  bool cpu_alpha_ = false, cpu_beta_ = true;
  std::int64_t reserved_milli_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t eviction_bytes_ = 100 << 20;  // what a kubelet takes where nothing is said
  bool eviction_is_share_ = false;
  KubeletRules rules_;
};

}  // namespace
}  // namespace codec

KubeletReading read_kubelet_configuration(const InputFile& file, Compat compat) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  KubeletReading reading;
  codec::KubeletReader reader(compat);
  if (const auto document = codec::Document::parse(source, diagnostics))
    reader.read(document->root());
  reading.warnings = diagnostics.take_warnings();
  if (diagnostics.ok()) reading.rules = reader.take();
  reading.errors = diagnostics.take_errors();
  return reading;
}

}  // namespace gedge
