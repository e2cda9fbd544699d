// Source: pkg/kubelet/cm/cpumanager/state/checkpoint.go of Kubernetes, 1.36.
#include "gedge/codec/cpu_manager_state.hpp"

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "codec/cursor.hpp"
#include "codec/fields.hpp"

namespace gedge {
namespace {

using codec::Cursor;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = 64 << 20;

std::uint32_t fnv(std::string_view text) {
  constexpr std::uint32_t kBasis = 2'166'136'261u, kPrime = 16'777'619u;
  std::uint32_t hash = kBasis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

// Sets as they stand in the file: they need not be in the form that the kernel would use.
struct Texts {
  std::string policy, shared;
  std::map<std::string, std::map<std::string, std::string>> pods;
  std::map<std::string, std::string> containers;  // up to 1.17: without their pods
};

// A map of texts as Go's printer for hashes shows it, keys sorted: "map[a:1 b:2]".
template <typename Map, typename Show>
std::string shown(const Map& map, Show show) {
  std::string text = "map[";
  for (const auto& [key, value] : map) {
    if (text.back() != '[') text += ' ';
    text += key + ':' + show(value);
  }
  return text + ']';
}

std::string same(const std::string& text) { return text; }

std::string printed(const Texts& texts, std::string_view entries) {
  return "(*state.CPUManagerCheckpoint){PolicyName:(string)" + texts.policy +
         " DefaultCPUSet:(string)" + texts.shared + " Entries:" + std::string(entries) +
         " Checksum:(checksum.Checksum)0}";
}

std::string by_pod(const Texts& texts) {
  return "(map[string]map[string]string)" +
         shown(texts.pods, [](const auto& containers) { return shown(containers, same); });
}

bool is_right(const Texts& texts, std::uint32_t checksum) {
  if (checksum == fnv(printed(texts, by_pod(texts)))) return true;
  // 1.36, before it wrote `data`: no pod holds CPUs as a whole.
  if (checksum == fnv(printed(texts, by_pod(texts) + " PodEntries:(state.PodCPUAssignments)map[]")))
    return true;
  return texts.pods.empty() &&
         checksum == fnv(printed(texts, "(map[string]string)" + shown(texts.containers, same)));
}

void read_entries(Cursor value, Texts& texts) {
  value.fields([&](std::string_view pod, Cursor entry) {
    if (!entry.is_map()) {
      codec::read_text(entry, texts.containers[std::string(pod)]);
      return;
    }
    auto& containers = texts.pods[std::string(pod)];
    entry.fields([&](std::string_view name, Cursor cpus) {
      codec::read_text(cpus, containers[std::string(name)]);
    });
  });
}

void read_cpus(Cursor at, const std::string& text, const std::string& whose, CpuSet& out) {
  auto set = parse_cpu_set(text);
  if (!set)
    at.fail("could not parse " + whose + ": " + set.error().what, set.error().hint);
  else
    out = *std::move(set);
}

class Reader {
 public:
  void read(Cursor root, bool inside = false) {
    std::optional<std::int64_t> checksum, data_checksum;
    std::optional<Cursor> data, sum;
    root.fields([&](std::string_view key, Cursor value) {
      constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
      if (key == "policyName") codec::read_text(value, texts_.policy);
      // Go reads names of fields in any case.
      if (key == "defaultCpuSet" || key == "defaultCPUSet") codec::read_text(value, texts_.shared);
      if (key == "entries") read_entries(value, texts_);
      if (key == "checksum") {
        checksum = value.integer(0, kMost);
        sum = value;
      }
      if (key == "data") data = value;
      if (key == "dataChecksum") data_checksum = value.integer(0, kMost);
    });
    if (data && !inside) return read_data(*data, data_checksum.value_or(0));
    if (checksum.value_or(0) != 0 && !is_right(texts_, static_cast<std::uint32_t>(*checksum)))
      refuse(*sum);
    fill(root);
  }

  CpuManagerState take() { return std::move(state_); }

 private:
  static void refuse(Cursor at) {
    at.fail("checkpoint is corrupted", "drain the node, then remove the state file");
  }

  // What stands beside it is for older kubelets.
  void read_data(Cursor data, std::int64_t checksum) {
    texts_ = {};
    const auto text = data.text();
    if (!text) return;
    if (static_cast<std::uint32_t>(checksum) != fnv("(string)" + std::string(*text)))
      return refuse(data);
    const codec::Source source(data.source().name() + " (data)", *text);
    if (const auto document = codec::Document::parse(source, data.diagnostics(), kMostBytes))
      read(document->root(), true);
  }

  void fill(Cursor root) {
    state_.policy = texts_.policy;
    read_cpus(root, texts_.shared, "default cpu set", state_.cpus.shared);
    for (const auto& [pod, containers] : texts_.pods)
      for (const auto& [name, cpus] : containers)
        read_cpus(root, cpus,
                  "cpuset " + codec::quote(cpus) + " for container " + codec::quote(name) +
                      " in pod " + codec::quote(pod),
                  state_.cpus.pods[pod][name]);
    for (const auto& [name, cpus] : texts_.containers)
      read_cpus(root, cpus, "cpuset of container " + codec::quote(name),
                state_.cpus.pods[""][name]);
  }

  Texts texts_;
  CpuManagerState state_;
};

Texts texts_of(const CpuManagerState& state) {
  Texts texts{state.policy, to_string(state.cpus.shared), {}, {}};
  for (const auto& [pod, containers] : state.cpus.pods)
    for (const auto& [name, cpus] : containers) texts.pods[pod][name] = to_string(cpus);
  return texts;
}

}  // namespace

CpuManagerStateReading read_cpu_manager_state(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  CpuManagerStateReading reading;
  Reader reader;
  if (const auto document = codec::Document::parse(source, diagnostics, kMostBytes))
    reader.read(document->root());
  if (diagnostics.ok()) reading.state = reader.take();
  reading.errors = diagnostics.take_errors();
  return reading;
}

std::uint32_t checksum_of(const CpuManagerState& state) {
  const Texts texts = texts_of(state);
  return fnv(printed(texts, by_pod(texts)));
}

std::string write_cpu_manager_state(const CpuManagerState& state) {
  const Texts texts = texts_of(state);
  Json json{{"policyName", texts.policy}, {"defaultCpuSet", texts.shared}};
  if (!texts.pods.empty()) json["entries"] = texts.pods;
  json["checksum"] = checksum_of(state);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gedge
