#include "codec/template_pool.hpp"

#include <xxhash.h>

#include <bit>
#include <type_traits>

namespace gedge::codec {
namespace {

// Every value is written with its length or as eight bytes, so different contents never meet.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) { out_.clear(); }
  template <typename T>
  std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>> add(T value) {
    auto bits = static_cast<std::uint64_t>(value);
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
    out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  void add(const std::string& text) {
    add(text.size());
    out_ += text;
  }
  void add(const Labels& labels) {
    add(labels.size());
    for (const auto& [key, value] : labels) add_all(key, value);
  }
  void add(const Resources& resources) {
    add(resources.size());
    for (const auto& [name, amount] : resources) add_all(name, amount);
  }
  void add(const Requirement& r) { add_all(r.key, r.op, r.values); }
  void add(const LabelSelector& s) { add_all(s.nothing, s.requirements); }
  void add(const NodeSelectorTerm& t) { add_all(t.expressions, t.fields, t.broken); }
  void add(const PreferredNodeTerm& t) { add_all(t.weight, t.term); }
  void add(const PodAffinityTerm& t) {
    add_all(t.selector, t.namespaces, t.namespace_selector, t.topology_key, t.match_label_keys,
            t.mismatch_label_keys);
  }
  void add(const PreferredPodTerm& t) { add_all(t.weight, t.term); }
  void add(const TopologySpread& s) {
    add_all(s.max_skew, s.topology_key, s.hard, s.selector, s.min_domains, s.honor_node_affinity,
            s.honor_node_taints, s.match_label_keys);
  }
  void add(const HostPort& p) { add_all(p.ip, p.protocol, p.port); }
  void add(const Container& c) { add_all(c.name, c.image, c.requests, c.limits, c.restartable); }
  void add(const PodVolume& v) { add_all(v.name, v.claim, v.ephemeral); }
  void add(const Toleration& t) { add_all(t.key, t.exists, t.value, t.effect); }
  void add(const DelayBudget& b) { add_all(b.from, b.limit_us); }
  void add(const PersistentVolumeClaim& c) {
    add_all(c.namespace_name, c.name, c.storage_class, c.volume_name, c.selected_node,
            c.request_bytes, c.access_modes, c.selector, c.is_block);
  }
  template <typename T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  template <typename T>
  void add(const SharedList<T>& values) {
    add(values.get());
  }
  void add(const SharedText& text) { add(text.str()); }
  template <typename T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <typename... T>
  void add_all(const T&... values) {
    (add(values), ...);
  }

 private:
  std::string& out_;
};

void add_spec(Writer& out, const PodSpec& s) {
  out.add_all(s.labels, s.annotations, s.containers, s.init_containers, s.pod_requests,
              s.pod_limits, s.overhead, s.node_selector, s.has_required_node_terms,
              s.required_node_terms, s.preferred_node_terms, s.required_affinity,
              s.required_anti_affinity, s.preferred_affinity, s.preferred_anti_affinity,
              s.tolerations, s.spread, s.host_ports, s.volumes, s.budgets, s.node_name,
              s.scheduler_name, s.priority_class, s.runtime_class, s.host_network, s.preempts,
              s.gated, s.latency_source);
  // Names are made of this content: it is that of before where all was read.
  if (!s.unread.empty()) out.add(s.unread);
}

}  // namespace

void put_content(const PodSpec& spec, std::string& out) {
  Writer writer(out);
  add_spec(writer, spec);
}

void put_content(const PodTemplate& pod, std::string& out) { put_content(pod, pod.spec, out); }

void put_content(const PodTemplate& pod, const PodSpec& spec, std::string& out) {
  Writer writer(out);
  add_spec(writer, spec);
  writer.add_all(pod.has_priority, pod.priority, pod.has_preemption_policy, pod.ephemeral,
                 pod.has_overhead);
}

std::string content_of(const PodSpec& spec) {
  std::string out;
  put_content(spec, out);
  return out;
}

std::string content_of(const PodTemplate& pod) {
  std::string out;
  put_content(pod, out);
  return out;
}

std::uint64_t hash_content(std::string_view content) {
  return XXH3_64bits(content.data(), content.size());
}

std::string hash_label(std::string_view content) {
  constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t hash = hash_content(content);
  std::string out;
  for (int i = 0; i < 10; ++i, hash /= alphabet.size()) out += alphabet[hash % alphabet.size()];
  return out;
}

}  // namespace gedge::codec
