// codec/loader.cpp - which object goes to which reader, and what happens to one that comes twice.
#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <utility>

#include "codec/drafts.hpp"
#include "codec/known_kinds.hpp"
#include "codec/known_pods.hpp"
#include "codec/known_workloads.hpp"
#include "codec/load_parsed.hpp"
#include "codec/seen_objects.hpp"
#include "codec/shared_texts.hpp"
#include "codec/stream.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/model/image_pool.hpp"
#include "gedge/policy/annotations.hpp"

namespace gedge {
namespace codec {
namespace {

bool has(Cursor map, std::string_view key) {
  const auto value = map.find(key);
  return value && !value->is_null();
}

// The kind of an object; reports one that is no text.
std::string kind_of(Cursor object) {
  if (const auto kind = object.find("kind")) kind->text();
  return text_at(object, "kind");
}

constexpr const char* kInCluster = "\ncluster";

// Into `key`, whose memory serves again and again.
void make_key(std::string& key, std::string_view kind, std::string_view space,
              std::string_view name) {
  key.clear();
  key.append(kind).append(1, '\n').append(space).append(1, '\n').append(name);
}

constexpr const char* kTwiceHint = "remove one of the two or give it another name";

// Names and places in quotes: errors that differ in nothing else are one kind of error.
std::string twice(std::string_view kind, const std::string& name, const SourceSpan& first,
                  std::string_view how) {
  std::string place = first.origin;
  if (first.line > 0)
    place += ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
  std::string what = quote(std::string(kind) + " " + name) + " is declared twice";
  return what.append(how).append(", first at '").append(place).append("'");
}

Error out_of_memory(std::string origin) {
  return invalid_input("not enough memory to read this", {std::move(origin), 0, 0, "", 1},
                       "split it, or lower `--max-input`");
}

/// What a pod has from its template. Of its own labels and its node there may be one each.
struct KnownTemplate {
  SpecIndex spec{};
  Labels extra_labels;
  SharedText node_name;
};
/// The shared tapes of spec, labels and annotations; null: absent.
using TemplateParts = std::array<const Tape*, 3>;

// The time that a pod has for itself; kNever where all of its mould have the same.
std::optional<UnixSeconds> time_in(const Mould& mould, std::uint32_t entry) {
  return entry == 0 ? kNever : parse_timestamp(mould.text(entry));
}

bool is_list_kind(std::string_view kind) {
  return kind.size() >= 4 && kind.substr(kind.size() - 4) == "List";
}

}  // namespace

/// Drafts, and what was seen of every object.
struct LoadState : StreamHandler {
  explicit LoadState(LoadOptions options) { drafts.options = std::move(options); }

  void read(const InputFile& file, bool manifests);
  void make(LoadResult& result);
  LoadResult finish();
  bool wants_elements(Cursor root) override;
  void element(Cursor element, StreamContext& context) override;
  void document(Cursor root, bool streamed) override;

  void any_element(Cursor element, StreamContext& context);
  void any_document(Cursor root, bool streamed);
  template <typename Read>
  void by_mould(Cursor object, Read read);
  bool take_known(Cursor element, const Mould& mould);
  bool take_known_workload(Cursor object, const Mould& mould);
  void object(Cursor object, const std::string& kind);
  void take(const KnownKind& known, const std::string& kind, Cursor object);
  void skip(const std::string& kind, Cursor object);
  void take_node(Cursor object);
  void take_pod(Cursor object, Fingerprint fingerprint);
  KnownTemplate template_of(Cursor object);
  std::string take_back(Cursor object, const Diagnostics::Mark& begin) const;
  KnownTemplate read_template(Cursor object, std::string unread = {});
  void take_workload(const std::string& kind, Cursor object, const Workload* like = nullptr);
  void take_config_map(Cursor object);
  void take_latency(const std::string& kind, Cursor object);
  bool is_new(const KnownKind& known, const std::string& kind, Cursor object,
              Fingerprint fingerprint);
  bool is_new_pod(const std::string& space, const std::string& name, Cursor object,
                  Fingerprint fingerprint);
  void fail_twice(const std::string& kind, const std::string& space, const std::string& name,
                  Cursor object, Place first);
  bool is_unread_pod(const Pod& pod) const {
    return !drafts.templates[raw(pod.spec)].spec.unread.empty();
  }
  std::string namespace_or_default(std::string name) const {
    if (!name.empty()) return name;
    return in_manifests ? drafts.options.namespace_name : "default";
  }
  void settle_namespace(std::string& name) const { name = namespace_or_default(std::move(name)); }

  Drafts drafts;
  SeenObjects seen;
  SeenPods seen_pods{drafts.pods};
  SharedTexts texts;
  ImagePool images;
  const SharedText pod_kind = "Pod";
  std::string object_key;                                     // of the object that is read
  std::map<TemplateParts, KnownTemplate> templates_by_parts;  // of the present file
  KnownPods known_pods;                                       // of the present file
  KnownWorkloads known_workloads;                             // of the present file
  std::vector<std::uint32_t> reads;                           // of the element that is read
  bool in_manifests = false;
};

void LoadState::read(const InputFile& file, bool manifests) {
  if (drafts.facts.files.empty()) drafts.facts.files.emplace_back();
  const auto index = static_cast<std::uint32_t>(drafts.facts.files.size());
  drafts.facts.files.push_back(file.name);
  in_manifests = manifests;
  drafts.has_manifests |= manifests;
  const Source source(file.name, file.bytes, index, file.padding);
  try {
    read_stream(source, drafts.diagnostics, {"items", drafts.options.max_bytes}, *this);
  } catch (const std::bad_alloc&) {
    drafts.diagnostics.add(out_of_memory(file.name));
  }
  templates_by_parts.clear();
  known_pods.clear();
  known_workloads.clear();
}

bool LoadState::wants_elements(Cursor root) {
  const auto kind = root.find("kind");
  return !kind || is_list_kind(kind->raw_text());
}

void LoadState::element(Cursor element, StreamContext& context) {
  by_mould(element, [&] { any_element(element, context); });
}

void LoadState::document(Cursor root, bool streamed) {
  by_mould(root, [&] { any_document(root, streamed); });
}

// What is like an earlier object is made of that; what is read of any other is written down.
template <typename Read>
void LoadState::by_mould(Cursor object, Read read) {
  Mould* const mould = object.mould();
  if (mould == nullptr) return read();
  if (take_known(object, *mould) || take_known_workload(object, *mould)) return;
  if (!known_pods.is_open(*mould)) return read();
  const std::size_t pods = drafts.pods.size(), said = drafts.diagnostics.said();
  const std::size_t workloads = drafts.workloads.size();
  reads.clear();
  mould->reads = &reads;
  read();
  mould->reads = nullptr;
  const bool is_unread = drafts.pods.size() > pods && is_unread_pod(drafts.pods[pods].pod);
  if (drafts.diagnostics.said() != said || is_unread) return known_pods.give_up(*mould);
  if (drafts.pods.size() > pods)
    known_pods.remember(*mould, object, drafts.pods[pods], reads);
  else
    known_pods.give_up(*mould);
  if (drafts.workloads.size() > workloads)
    known_workloads.remember(*mould, object, drafts.workloads[workloads]);
}

bool LoadState::take_known_workload(Cursor object, const Mould& mould) {
  const Workload* const like = known_workloads.find(mould);
  if (like == nullptr) return false;
  if (is_new(kAnyWorkload, like->kind, object, object.fingerprint()))
    take_workload(like->kind, object, like);
  return true;
}

// False where it may be anything else than a pod like the known one, of a name that is new.
bool LoadState::take_known(Cursor element, const Mould& mould) {
  const KnownPods::Known* const known = known_pods.find(mould);
  if (known == nullptr) return false;
  const OwnTexts& own = *known->own;
  const std::string_view name = mould.text(own.name);
  const std::string& known_space = known->entry.pod.namespace_name;
  const std::string_view space =
      own.namespace_name != 0 ? mould.text(own.namespace_name) : known_space;
  const std::uint64_t expected = seen_pods.expect(space, name);
  const bool same_space = space == known_space;
  if (name.empty() || !is_dns_subdomain(name)) return false;
  if (!same_space && !is_dns_label(space)) return false;
  const auto created = time_in(mould, own.created), started = time_in(mould, own.started);
  if (!created || !started) return false;
  const Fingerprint fingerprint = element.fingerprint();
  if (seen_pods.find_or_add(space, name, expected) < drafts.pods.size()) return false;
  PodEntry& entry = drafts.pods.push_back(known->entry);
  Pod& pod = entry.pod;
  if (!same_space) pod.namespace_name = texts.of(space);
  pod.name = name;
  if (known->is_its_own_workload) pod.workload_name = pod.name;
  pod.place = element.place();
  if (own.uid != 0) pod.uid = mould.text(own.uid);
  if (own.created != 0) pod.created = *created;
  if (own.started != 0) pod.started = *started;
  if (own.node != 0) entry.node_name = texts.of(mould.text(own.node));
  entry.fingerprint = fingerprint;
  return true;
}

void LoadState::any_element(Cursor element, StreamContext& context) {
  if (element.is_null()) return;
  if (!element.is_map()) {
    element.fail_type("an object");
    return;
  }
  std::string kind = kind_of(element);
  if (kind.empty() && !has(element, "kind")) {
    const std::string list = context.root_text("kind").value_or("");
    if (is_list_kind(list)) kind = list.substr(0, list.size() - 4);
  }
  if (!kind.empty())
    object(element, kind);
  else if (!has(element, "kind"))
    element.fail("this item has no kind", "write apiVersion and kind");
}

void LoadState::any_document(Cursor root, bool streamed) {
  if (root.is_null()) return;
  if (!root.is_map()) {
    root.fail("no Kubernetes object", "write apiVersion, kind and metadata");
    return;
  }
  const std::string kind = kind_of(root);
  if (streamed && !kind.empty() && !is_list_kind(kind))
    root.find("kind")->fail("kind " + quote(kind) + " has items but is no List");
  if (streamed) return;
  if (kind.empty() && has(root, "kind")) return;
  if (kind.empty())
    root.fail("this document has no kind", "write apiVersion and kind");
  else if (!is_list_kind(kind))
    object(root, kind);
  else if (const auto items = root.find("items"))
    items->items([](Cursor) {});
}

void LoadState::object(Cursor object, const std::string& kind) {
  const KnownKind& known = known_kind(kind, text_at(object, "apiVersion"));
  const Fingerprint fingerprint = object.fingerprint();
  if (!is_new(known, kind, object, fingerprint)) return;
  if (known.kind == ObjectKind::kPod)
    take_pod(object, fingerprint);
  else
    take(known, kind, object);
}

// False for the second of two equal objects, and for a different one of the same name: an error.
bool LoadState::is_new(const KnownKind& known, const std::string& kind, Cursor object,
                       Fingerprint fingerprint) {
  const auto metadata = object.find("metadata");
  const std::string name = metadata ? text_at(*metadata, "name") : "";
  const bool matters = known.kind != ObjectKind::kSkipped;
  if (name.empty() && metadata && has(*metadata, "name") && !metadata->find("name")->is_quoted())
    return true;  // reported by whoever reads it
  if (name.empty()) {
    const bool generated =
        known.kind == ObjectKind::kPod && metadata && !text_at(*metadata, "generateName").empty();
    if (matters && !generated) object.fail(kind + " without a name", "write metadata.name");
    return generated || !matters;
  }
  std::string space;
  if (known.is_namespaced) space = namespace_or_default(text_at(*metadata, "namespace"));
  if (known.kind == ObjectKind::kPod) return is_new_pod(space, name, object, fingerprint);
  make_key(object_key, kind, space, name);
  // A workload of the cluster is what is, one of the manifests what is to be.
  if (known.kind == ObjectKind::kWorkload && !in_manifests) object_key += kInCluster;
  auto [earlier, fresh] = seen.try_emplace(object_key);
  if (fresh) {
    earlier = {fingerprint, object.place()};
    return true;
  }
  if (earlier.fingerprint != fingerprint) fail_twice(kind, space, name, object, earlier.place);
  return false;
}

bool LoadState::is_new_pod(const std::string& space, const std::string& name, Cursor object,
                           Fingerprint fingerprint) {
  const std::uint32_t at = seen_pods.find_or_add(space, name);
  if (at == drafts.pods.size()) return true;
  PodEntry& earlier = drafts.pods[at];
  if (earlier.fingerprint != fingerprint)
    fail_twice("Pod", space, name, object, earlier.pod.place);
  else if (in_manifests)
    earlier.in_manifests = true;
  return false;
}

void LoadState::fail_twice(const std::string& kind, const std::string& space,
                           const std::string& name, Cursor object, Place first) {
  const Cursor at = object.find("metadata")->find("name").value_or(object);
  const std::string who = space.empty() ? name : space + "/" + name;
  at.fail(twice(kind, who, drafts.facts.span(first), " and differently"), kTwiceHint);
}

void LoadState::take(const KnownKind& known, const std::string& kind, Cursor object) {
  Facts& facts = drafts.facts;
  const auto add_here = [&](auto& list, auto value) {
    settle_namespace(value.namespace_name);
    list.push_back(std::move(value));
  };
  switch (known.kind) {
    case ObjectKind::kNode:
      take_node(object);
      break;
    case ObjectKind::kWorkload:
      take_workload(kind, object);
      break;
    case ObjectKind::kService:
      if (auto owner = read_service(object)) add_here(facts.spread_owners, std::move(*owner));
      break;
    case ObjectKind::kNamespace: {
      const Metadata meta = read_metadata(object);
      facts.namespaces.push_back({meta.name, meta.labels});
      break;
    }
    case ObjectKind::kPriorityClass:
      facts.priority_classes.push_back(read_priority_class(object));
      break;
    case ObjectKind::kLimitRange:
      add_here(drafts.limit_ranges, read_limit_range(object));
      break;
    case ObjectKind::kRuntimeClass:
      drafts.runtime_classes.push_back(read_runtime_class(object));
      break;
    case ObjectKind::kClaim:
      add_here(facts.claims, read_claim(object));
      break;
    case ObjectKind::kVolume:
      facts.volumes.push_back(read_volume_object(object));
      break;
    case ObjectKind::kStorageClass:
      facts.storage_classes.push_back(read_storage_class(object));
      break;
    case ObjectKind::kDisruptionBudget:
      add_here(facts.disruption_budgets, read_disruption_budget(object));
      break;
    case ObjectKind::kPodGroup:
      add_here(facts.pod_groups, read_pod_group(object));
      break;
    case ObjectKind::kConfigMap:
      take_config_map(object);
      break;
    case ObjectKind::kNodeLatency:
      take_latency(kind, object);
      break;
    default:
      skip(kind, object);
      break;
  }
}

// Other kinds have other rules for names ("system:node"); a part of a path they all are.
void LoadState::skip(const std::string& kind, Cursor object) {
  const auto metadata = object.find("metadata");
  const auto name = metadata ? metadata->find("name") : std::nullopt;
  const std::string text = metadata ? text_at(*metadata, "name") : "";
  const bool is_segment = text != "." && text != ".." && is_printable(text) &&
                          text.find_first_of("/%") == std::string::npos;
  if (!is_segment || text.size() > 253)
    name->fail(quote(text) + " is no name of an object",
               "use at most 253 bytes, without '/', '%' and control characters");
  drafts.facts.skipped.push_back({kind, text});
}

// Labels that replicas of one template do not share.
constexpr std::array<std::string_view, 3> kOwnLabels = {"statefulset.kubernetes.io/pod-name",
                                                        "apps.kubernetes.io/pod-index",
                                                        "batch.kubernetes.io/job-completion-index"};

KnownTemplate LoadState::read_template(Cursor object, std::string unread) {
  const Diagnostics::Mark begin = object.diagnostics().mark();
  Metadata meta;
  meta.place = object.place();
  read_notes(object, meta,
             drafts.options.keeps_annotations ? is_about_object : is_read_by_policies);
  PodTemplate pod = read_pod_template(object.find("metadata"), object.find("spec"), std::move(meta),
                                      drafts.options.compat);
  KnownTemplate known;
  for (const std::string_view key : kOwnLabels)
    if (const std::string* value = pod.spec.labels.find(key)) {
      known.extra_labels.set(key, *value);
      pod.spec.labels.erase(key);
    }
  known.node_name = texts.of(std::exchange(pod.spec.node_name, {}));
  std::string more = take_back(object, begin);  // also where that is not the first
  if (unread.empty()) unread = std::move(more);
  if (!unread.empty()) {
    leave_its_place(pod.spec);
    pod.spec.unread = unread;
  }
  known.spec = SpecIndex{drafts.templates.intern(std::move(pod))};
  return known;
}

// What was wrong in an object that is kept nevertheless; nothing where that is an error, or nothing
// was.
std::string LoadState::take_back(Cursor object, const Diagnostics::Mark& begin) const {
  if (!drafts.options.keeps_unread || in_manifests) return {};
  return object.diagnostics().take_back(begin);
}

// Read once for all pods that say the same about themselves, byte by byte.
KnownTemplate LoadState::template_of(Cursor object) {
  TemplateParts parts{};
  const auto metadata = object.find("metadata");
  const std::array<std::optional<Cursor>, 3> values = {
      object.find("spec"), metadata ? metadata->find("labels") : std::nullopt,
      metadata ? metadata->find("annotations") : std::nullopt};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    parts[i] = values[i]->shared();
    if (parts[i] == nullptr) return read_template(object);
  }
  const auto known = templates_by_parts.find(parts);
  if (known != templates_by_parts.end()) return known->second;
  return templates_by_parts.emplace(parts, read_template(object)).first->second;
}

// Nothing more comes to a node of which nobody knows what it says.
void LoadState::take_node(Cursor object) {
  const Diagnostics::Mark begin = object.diagnostics().mark();
  Node& node = drafts.facts.nodes.emplace_back(read_node(object, images));
  if (!is_dns_subdomain(node.name)) return;
  node.unread = texts.of(take_back(object, begin));
  node.unschedulable = node.unschedulable || !node.unread.empty();
}

void LoadState::take_pod(Cursor object, Fingerprint fingerprint) {
  const Diagnostics::Mark begin = object.diagnostics().mark();
  PodDraft draft = read_pod(object);
  Metadata& meta = draft.meta;
  const bool is_named = is_dns_subdomain(meta.name) &&
                        (meta.namespace_name.empty() || is_dns_label(meta.namespace_name));
  std::string unread = is_named ? take_back(object, begin) : "";
  KnownTemplate known =
      unread.empty() ? template_of(object) : read_template(object, std::move(unread));
  PodEntry& entry = drafts.pods.push_back(PodEntry{});
  Pod& pod = entry.pod;
  pod.extra_labels = std::move(known.extra_labels);
  pod.namespace_name = texts.of(namespace_or_default(std::move(meta.namespace_name)));
  if (meta.name.empty()) entry.generate_name = std::move(meta.generate_name);
  pod.name = std::move(meta.name);
  pod.uid = std::move(meta.uid);
  pod.controller = {texts.of(meta.controller.kind), texts.of(meta.controller.name),
                    texts.of(meta.controller.uid)};
  if (pod.controller.name.empty() && !pod.name.empty()) {
    pod.workload_kind = pod_kind;
    pod.workload_name = pod.name;
  }
  pod.nominated_node = texts.of(draft.nominated_node);
  pod.told = texts.of(draft.told);
  pod.phase = draft.phase;
  pod.created = meta.created;
  pod.started = draft.started;
  pod.terminating = meta.terminating;
  pod.place = meta.place;
  pod.spec = known.spec;
  entry.node_name = std::move(known.node_name);
  entry.has_phase = draft.has_phase;
  entry.in_manifests = in_manifests;
  entry.fingerprint = fingerprint;
}

void LoadState::take_workload(const std::string& kind, Cursor object, const Workload* like) {
  Metadata meta = read_metadata(object);
  settle_namespace(meta.namespace_name);
  if (!meta.controller.name.empty())
    drafts.made_by.push_back({meta.namespace_name, kind, meta.name, meta.controller});
  if (in_manifests) {
    drafts.workloads.push_back(
        like != nullptr ? read_workload_like(*like, object, std::move(meta))
                        : read_workload(kind, object, std::move(meta), drafts.options.compat));
    return;
  }
  const bool spreads =
      kind == "ReplicaSet" || kind == "StatefulSet" || kind == "ReplicationController";
  if (!spreads) return;
  drafts.facts.spread_owners.push_back(
      {kind, meta.namespace_name, meta.name, read_workload_selector(kind, object)});
}

void LoadState::take_config_map(Cursor object) {
  const Metadata meta = read_metadata(object);
  const bool is_matrix = meta.name == "gedge-latency" && meta.namespace_name == "gedge-system";
  if (is_matrix)
    take_latency("ConfigMap", object);
  else
    drafts.facts.skipped.push_back({"ConfigMap", meta.name});
}

// Items of a list need not say what they are; alone they must.
void LoadState::take_latency(const std::string& kind, Cursor object) {
  const SourceSpan where = object.where();
  std::string json = object.to_json();
  if (!object.find("kind")) json.insert(1, "\"kind\":\"" + kind + "\",");
  drafts.latency.push_back({kind,
                            text_at(*object.find("metadata"), "name"),
                            {where.origin + ":" + std::to_string(where.line), std::move(json)}});
}

void LoadState::make(LoadResult& result) {
  try {
    Facts facts = make_facts(drafts);
    if (!drafts.diagnostics.ok()) return;
    facts.warnings = drafts.diagnostics.take_warnings();
    result.loaded = Loaded{std::move(facts), {}};
    for (LatencyDraft& draft : drafts.latency)
      result.loaded->latency.push_back(std::move(draft.object));
  } catch (const std::bad_alloc&) {
    drafts.diagnostics.add(out_of_memory(""));
  }
}

LoadResult LoadState::finish() {
  LoadResult result;
  if (drafts.diagnostics.ok()) make(result);
  result.errors = drafts.diagnostics.take_errors();
  return result;
}

LoadResult load_parsed(Cursor object, const LoadOptions& options) {
  LoadState state(options);
  state.drafts.facts.files.resize(1);
  state.any_document(object, false);
  return state.finish();
}

}  // namespace codec

using namespace codec;

struct FactsLoader::State final : LoadState {
  using LoadState::LoadState;
};

FactsLoader::FactsLoader(LoadOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
FactsLoader::~FactsLoader() = default;
FactsLoader::FactsLoader(FactsLoader&&) noexcept = default;
FactsLoader& FactsLoader::operator=(FactsLoader&&) noexcept = default;

void FactsLoader::add_cluster(const InputFile& file) { state_->read(file, false); }
void FactsLoader::add_manifests(const InputFile& file) { state_->read(file, true); }

void FactsLoader::add_nodes(std::vector<Node> nodes, const std::string& origin) {
  Facts& facts = state_->drafts.facts;
  if (facts.files.empty()) facts.files.emplace_back();
  const auto index = static_cast<std::uint32_t>(facts.files.size());
  facts.files.push_back(origin);
  for (Node& node : nodes) {
    node.place.file = index;
    make_key(state_->object_key, "Node", "", node.name);
    auto [earlier, fresh] = state_->seen.try_emplace(state_->object_key);
    if (fresh) {
      earlier.place = node.place;
    } else {
      const std::string what = twice("Node", node.name, facts.span(earlier.place), "");
      state_->drafts.diagnostics.add(invalid_input(what, facts.span(node.place), kTwiceHint));
    }
    facts.nodes.push_back(std::move(node));
  }
}

LoadResult FactsLoader::finish() {
  LoadResult result = state_->finish();
  state_ = std::make_unique<State>(state_->drafts.options);
  return result;
}

}  // namespace gedge
