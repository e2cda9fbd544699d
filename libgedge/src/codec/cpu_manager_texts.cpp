// Source: pkg/kubelet/cm/cpumanager/state/checkpoint.go of Kubernetes, 1.36.
#include "codec/cpu_manager_texts.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace gedge {
namespace codec {
namespace {

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

std::string printed(const CpuManagerTexts& texts, std::string_view entries) {
  return "(*state.CPUManagerCheckpoint){PolicyName:(string)" + texts.policy +
         " DefaultCPUSet:(string)" + texts.shared + " Entries:" + std::string(entries) +
         " Checksum:(checksum.Checksum)0}";
}

std::string by_pod(const CpuManagerTexts& texts) {
  return "(map[string]map[string]string)" +
         shown(texts.pods, [](const auto& containers) { return shown(containers, same); });
}

std::uint32_t usual_checksum(const CpuManagerTexts& texts) {
  return fnv(printed(texts, by_pod(texts)));
}

}  // namespace

CpuManagerTexts texts_of(const CpuManagerState& state) {
  CpuManagerTexts texts{state.policy, to_string(state.cpus.shared), {}, {}};
  for (const auto& [pod, containers] : state.cpus.pods)
    for (const auto& [name, cpus] : containers) texts.pods[pod][name] = to_string(cpus);
  return texts;
}

std::uint32_t fnv(std::string_view text) {
  constexpr std::uint32_t kBasis = 2'166'136'261u, kPrime = 16'777'619u;
  std::uint32_t hash = kBasis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

bool is_checksum_of(const CpuManagerTexts& texts, std::uint32_t checksum) {
  if (checksum == usual_checksum(texts)) return true;
  // 1.36, before it wrote `data`: no pod holds CPUs as a whole.
  if (checksum == fnv(printed(texts, by_pod(texts) + " PodEntries:(state.PodCPUAssignments)map[]")))
    return true;
  return texts.pods.empty() &&
         checksum == fnv(printed(texts, "(map[string]string)" + shown(texts.containers, same)));
}

}  // namespace codec

namespace {

using Json = nlohmann::ordered_json;

bool take_set(const Json& json, CpuSet& out) {
  if (!json.is_string()) return false;
  auto set = parse_cpu_set(json.get_ref<const std::string&>());
  if (!set) return false;
  out = *std::move(set);
  return true;
}

// Whatever is not as it is written may be read wrongly here.
bool take_state(const Json& json, CpuManagerState& out) {
  if (!json.is_object() || !json.contains("policyName") || !json["policyName"].is_string() ||
      !json.contains("defaultCpuSet") || !take_set(json["defaultCpuSet"], out.cpus.shared))
    return false;
  out.policy = json["policyName"].get_ref<const std::string&>();
  if (!json.contains("entries")) return true;
  for (const auto& [pod, containers] : json["entries"].items())
    for (const auto& [name, cpus] : containers.items())
      if (!take_set(cpus, out.cpus.pods[pod][name])) return false;
  return true;
}

}  // namespace

std::uint32_t checksum_of(const CpuManagerState& state) {
  return codec::usual_checksum(codec::texts_of(state));
}

std::string write_cpu_manager_state(const CpuManagerState& state) {
  const codec::CpuManagerTexts texts = codec::texts_of(state);
  Json json{{"policyName", texts.policy}, {"defaultCpuSet", texts.shared}};
  if (!texts.pods.empty()) json["entries"] = texts.pods;
  json["checksum"] = codec::usual_checksum(texts);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<CpuManagerState> recognise_cpu_manager_state(std::string_view bytes) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  if (bytes.size() > kMostBytes) return std::nullopt;
  const Json json = Json::parse(bytes, nullptr, false);
  CpuManagerState state;
  if (!take_state(json, state) || write_cpu_manager_state(state) != bytes) return std::nullopt;
  return state;
}

}  // namespace gedge
