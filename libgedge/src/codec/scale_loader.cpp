#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "codec/autoscaler_reader.hpp"
#include "codec/metric_documents.hpp"
#include "codec/object_readers.hpp"
#include "codec/rollout_reader.hpp"
#include "codec/stream.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/codec/autoscaling.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge {
namespace codec {
namespace {

enum class Kind : std::uint8_t {
  kOther,
  kAutoscaler,
  kShort,
  kPod,
  kWorkload,
  kUsage,
  kValue,
  kExternal,
  kLimitRange,
  kNode
};

constexpr std::array<std::pair<std::string_view, Kind>, 13> kKinds{
    {{"HorizontalPodAutoscaler", Kind::kAutoscaler},
     {"Autoscaler", Kind::kShort},
     {"Pod", Kind::kPod},
     {"Deployment", Kind::kWorkload},
     {"ReplicaSet", Kind::kWorkload},
     {"ReplicationController", Kind::kWorkload},
     {"StatefulSet", Kind::kWorkload},
     {"PodMetrics", Kind::kUsage},
     {"NodeMetrics", Kind::kUsage},
     {"MetricValue", Kind::kValue},
     {"ExternalMetricValue", Kind::kExternal},
     {"LimitRange", Kind::kLimitRange},
     {"Node", Kind::kNode}}};

Kind kind_named(std::string_view name) {
  for (const auto& [known, kind] : kKinds)
    if (known == name) return kind;
  return Kind::kOther;
}

// The kinds that are looked at, by the group of their API.
const std::vector<std::string>& kinds_of(std::string_view api_version) {
  static const std::vector<std::pair<std::string_view, std::vector<std::string>>> kGroups{
      {"autoscaling", {"HorizontalPodAutoscaler"}},
      {"gedge.io", {"Autoscaler"}},
      {"apps", {"Deployment", "ReplicaSet", "StatefulSet"}},
      {"metrics.k8s.io", {"PodMetrics", "NodeMetrics"}},
      {"", {"Pod", "ReplicationController", "LimitRange", "Node"}}};
  static const std::vector<std::string> kNone;
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const auto& [name, kinds] : kGroups)
    if (name == group) return kinds;
  return kNone;
}

constexpr std::string_view kList = "List";

void read_ready(Cursor condition, ScaledPod& pod) {
  if (text_at(condition, "type") != "Ready") return;
  pod.ready = ReadyState::kUnknown;
  condition.fields([&](std::string_view key, Cursor value) {
    if (key == "lastTransitionTime") read_time(value, pod.ready_since);
    if (key != "status") return;
    if (value.raw_text() == "True") pod.ready = ReadyState::kTrue;
    if (value.raw_text() == "False") pod.ready = ReadyState::kFalse;
  });
}

// Of the condition PodResizePending: there is no room on its node now, or there never will be. Of
// PodResizeInProgress: it gets what it was told.
void read_unresized(Cursor condition, ScaledPod& pod) {
  if (!condition.is_map() || text_at(condition, "status") != "True") return;
  const std::string type = text_at(condition, "type");
  if (type == "PodResizeInProgress") pod.is_resizing = true;
  if (type != "PodResizePending") return;
  pod.unresized = text_at(condition, "reason");
  if (pod.unresized.empty()) pod.unresized = "pending";
}

// Servers before 1.34 do not say what a machine has seen.
void read_resizing(Cursor object, Cursor status, ScaledPod& pod) {
  const auto number_at = [](std::optional<Cursor> map, std::string_view key) {
    const auto found = map && map->is_map() ? map->find(key) : std::nullopt;
    return found ? found->integer(0, std::numeric_limits<std::int64_t>::max()).value_or(0) : 0;
  };
  const std::int64_t seen = number_at(status, "observedGeneration");
  const bool is_unseen = seen > 0 && seen < number_at(object.find("metadata"), "generation");
  pod.is_resizing = pod.is_resizing || is_unseen;
}

// Of the condition PodScheduled.
void read_unplaced(Cursor condition, ScaledPod& pod) {
  if (!condition.is_map() || text_at(condition, "type") != "PodScheduled" ||
      text_at(condition, "reason") != "Unschedulable")
    return;
  pod.unplaced = text_at(condition, "message");
  if (pod.unplaced.empty()) pod.unplaced = "no node takes it";
}

// When a container was killed for want of memory: it runs again, or it does not.
void read_kill(Cursor status, ScaledPod& pod) {
  const std::string name = text_at(status, "name");
  for (const std::string_view field : {"lastState", "state"}) {
    const auto state = status.find(field);
    const auto ended = state && state->is_map() ? state->find("terminated") : std::nullopt;
    if (!ended || !ended->is_map() || text_at(*ended, "reason") != "OOMKilled") continue;
    const auto finished = ended->find("finishedAt");
    UnixSeconds at = 0;
    if (finished) read_time(*finished, at);
    if (at == 0) continue;
    for (auto* const list : {&pod.containers, &pod.sidecars})
      for (ScaledContainer& container : *list)
        if (container.name == name) container.out_of_memory = at;
  }
}

void read_kills(Cursor status, ScaledPod& pod) {
  for (const std::string_view field : {"containerStatuses", "initContainerStatuses"})
    if (const auto list = status.find(field); list && list->is_list())
      list->items([&](Cursor item) {
        if (item.is_map()) read_kill(item, pod);
      });
}

std::string version_of(Cursor object) {
  const auto metadata = object.find("metadata");
  return metadata && metadata->is_map() ? text_at(*metadata, "resourceVersion") : std::string();
}

ScaledContainer scaled(const Container& container, bool keeps_limits) {
  ScaledContainer made{container.name, container.requests};
  if (keeps_limits) made.limits = container.limits;
  return made;
}

void read_made_of(const PodSpec& spec, bool keeps_limits, ScaledTemplate& out) {
  for (const Container& container : spec.containers)
    out.containers.push_back(scaled(container, keeps_limits));
  for (const Container& container : spec.init_containers)
    if (container.restartable) out.sidecars.push_back(scaled(container, keeps_limits));
  out.pod_requests = spec.pod_requests;
}

ScaledPod read_scaled_pod(Cursor object, bool keeps_object) {
  ScaledPod pod;
  PodDraft draft = read_pod(object);
  read_notes(object, draft.meta);
  pod.namespace_name = draft.meta.namespace_name;
  pod.name = draft.meta.name;
  pod.labels = draft.meta.labels;
  pod.phase = draft.phase;
  pod.deleting = draft.meta.terminating;
  pod.started = draft.started;
  if (keeps_object) {
    pod.uid = draft.meta.uid;
    pod.version = version_of(object);
    pod.controller = draft.meta.controller;
  }
  const PodTemplate made = read_pod_template(object.find("metadata"), object.find("spec"),
                                             std::move(draft.meta), Compat::k1_36);
  read_made_of(made.spec, keeps_object, pod);
  const auto status = object.find("status");
  const auto conditions = status && status->is_map() ? status->find("conditions") : std::nullopt;
  if (conditions)
    conditions->items([&](Cursor item) {
      read_ready(item, pod);
      read_unresized(item, pod);
      if (keeps_object) read_unplaced(item, pod);
    });
  if (status && status->is_map()) {
    read_kills(*status, pod);
    read_resizing(object, *status, pod);
  }
  return pod;
}

ContainerLimits read_container_limits(Cursor object) {
  ContainerLimits result;
  const Metadata meta = read_identity(object);
  result.namespace_name = meta.namespace_name;
  result.name = meta.name;
  const auto spec = object.find("spec");
  const auto limits = spec && spec->is_map() ? spec->find("limits") : std::nullopt;
  if (!limits) return result;
  limits->items([&](Cursor item) {
    const std::string type = item.is_map() ? text_at(item, "type") : std::string();
    const bool is_pod = type == "Pod";
    if (!is_pod && type != "Container") return;
    item.fields([&](std::string_view key, Cursor value) {
      if (key == "max") read_resources(value, is_pod ? result.pod_most : result.most);
      if (key == "min") read_resources(value, is_pod ? result.pod_least : result.least);
      if (key == "default" && !is_pod) read_resources(value, result.unless_said);
    });
  });
  return result;
}

void raise_to(const Resources& amounts, Resources& largest) {
  for (const auto& [name, amount] : amounts)
    largest.set(name, std::max(largest.amount(name), amount));
}

void read_template(Cursor object, ScaledTemplate& out) {
  const auto spec = object.find("spec");
  const auto made = spec && spec->is_map() ? spec->find("template") : std::nullopt;
  if (!made || !made->is_map()) return;
  const PodTemplate read = read_pod_template(made->find("metadata"), made->find("spec"),
                                             read_metadata(*made), Compat::k1_36);
  read_made_of(read.spec, true, out);
}

ScaleTarget read_target(const std::string& kind, Cursor object, const ScaleLoadOptions& options) {
  ScaleTarget target;
  const Metadata meta = read_identity(object);
  target.namespace_name = meta.namespace_name;
  target.kind = kind;
  target.name = meta.name;
  target.spec_replicas = 1;
  const auto spec = object.find("spec");
  const auto wanted = spec && spec->is_map() ? spec->find("replicas") : std::nullopt;
  if (wanted) read_int32(*wanted, target.spec_replicas, 0);
  target.status_replicas = target.spec_replicas;
  const auto status = object.find("status");
  // Servers write an empty one where there are none yet, and so do templates of no server.
  if (status && status->is_map() && (status->size() > 0 || !version_of(object).empty())) {
    target.status_replicas = 0;
    if (const auto present = status->find("replicas"))
      read_int32(*present, target.status_replicas, 0);
  }
  target.selector = read_workload_selector(kind, object);
  target.has_selector = !target.selector.requirements.empty();
  if (!options.keep_objects && !options.keep_versions) return target;
  target.uid = meta.uid;
  target.version = version_of(object);
  if (!options.keep_objects) return target;
  read_template(object, target.made_of);
  target.rollout = read_rollout(kind, object, target.spec_replicas);
  target.grown = read_grown(object);
  return target;
}

}  // namespace
}  // namespace codec

using namespace codec;

struct ScaleLoader::State final : StreamHandler {
  explicit State(ScaleLoadOptions given) : options(std::move(given)) {}

  bool wants_elements(Cursor /*root*/) override { return true; }
  void element(Cursor element, StreamContext& context) override;
  void document(Cursor root, bool streamed) override;

  void take(Cursor object, const std::string& kind);
  void keep_usage(Cursor object, const std::string& kind);
  void skip(Cursor object, const std::string& kind);
  bool is_new(Cursor object, const std::string& kind, std::string_view space,
              std::string_view name);
  template <typename T>
  void keep(Cursor object, const std::string& kind, T value, std::vector<T>& list) {
    if (value.namespace_name.empty()) value.namespace_name = options.namespace_name;
    if (is_new(object, kind, value.namespace_name, value.name)) list.push_back(std::move(value));
  }

  ScaleLoadOptions options;
  Diagnostics diagnostics;
  ScaleFacts facts;
  ImagePool images;
  std::vector<SkippedObject> skipped;
  std::map<std::string, std::pair<Fingerprint, SourceSpan>, std::less<>> seen;
};

// False for one that came before; reports another one of that name.
bool ScaleLoader::State::is_new(Cursor object, const std::string& kind, std::string_view space,
                                std::string_view name) {
  std::string key = kind;
  key.append("\n").append(space).append("\n").append(name);
  const auto [at, added] =
      seen.try_emplace(std::move(key), std::pair{object.fingerprint(), SourceSpan{}});
  if (added) {
    at->second.second = object.where();
    return true;
  }
  if (at->second.first != object.fingerprint()) {
    const SourceSpan& first = at->second.second;
    object.fail(quote(kind + " " + std::string(name)) + " is declared twice, first at '" +
                    first.origin + ":" + std::to_string(first.line) + "'",
                "remove one of the two or give it another name");
  }
  return false;
}

// Of a history, each moment of a pod counts.
void ScaleLoader::State::keep_usage(Cursor object, const std::string& kind) {
  PodUsage usage = read_usage(object);
  if (usage.namespace_name.empty()) usage.namespace_name = options.namespace_name;
  const std::string name = options.keep_history
                               ? usage.name.str() + " of " + format_timestamp(usage.at)
                               : usage.name.str();
  if (is_new(object, kind, usage.namespace_name, name))
    facts.metrics.usage.push_back(std::move(usage));
}

// Whatever is for others, but no slip of the pen.
void ScaleLoader::State::skip(Cursor object, const std::string& kind) {
  const std::string api_version = text_at(object, "apiVersion");
  const auto is_at = [&](const char* key) { return object.find(key).value_or(object); };
  if (kind_named(kind) == Kind::kShort && api_version.starts_with("gedge.io/"))
    return is_at("apiVersion")
        .fail("unknown version " + quote(api_version),
              "did you mean " + std::string(kShortAutoscaler) + "?");
  if (const auto meant = nearest(kind, kinds_of(api_version)); meant && !api_version.empty())
    return is_at("kind").fail("unknown kind " + quote(kind), "did you mean " + *meant + "?");
  skipped.push_back({kind, read_identity(object).name});
}

void ScaleLoader::State::take(Cursor object, const std::string& kind) {
  switch (kind_named(kind)) {
    case Kind::kAutoscaler:
      return keep(object, kind, read_autoscaler(object), facts.autoscalers);
    case Kind::kShort:
      if (text_at(object, "apiVersion") == kShortAutoscaler)
        return keep(object, kind, read_short_autoscaler(object), facts.autoscalers);
      return skip(object, kind);
    case Kind::kPod:
      return keep(object, kind, read_scaled_pod(object, options.keep_objects), facts.pods);
    case Kind::kWorkload:
      return keep(object, kind, read_target(kind, object, options), facts.targets);
    case Kind::kUsage:
      if (kind == "NodeMetrics")
        read_usage(object);
      else
        keep_usage(object, kind);
      return;
    case Kind::kValue: {
      ObjectMetric value = read_object_metric(object);
      if (value.namespace_name.empty()) value.namespace_name = options.namespace_name;
      facts.metrics.objects.push_back(std::move(value));
      return;
    }
    case Kind::kExternal:
      facts.metrics.external.push_back(read_external_metric(object));
      return;
    case Kind::kLimitRange:
      return keep(object, kind, read_container_limits(object), facts.limits);
    case Kind::kNode:
      facts.nodes.push_back(read_node(object, images).allocatable);
      return raise_to(facts.nodes.back(), facts.largest);
    case Kind::kOther:
      return skip(object, kind);
  }
}

void ScaleLoader::State::element(Cursor element, StreamContext& context) {
  if (element.is_null()) return;
  if (!element.is_map()) return element.fail_type("an object");
  std::string kind = text_at(element, "kind");
  if (kind.empty()) {
    kind = context.root_text("kind").value_or("");
    if (kind.size() <= kList.size() || !kind.ends_with(kList))
      return element.fail("this item has no kind", "write apiVersion and kind");
    kind.resize(kind.size() - kList.size());
  }
  take(element, kind);
}

void ScaleLoader::State::document(Cursor root, bool streamed) {
  if (root.is_null() || streamed) return;
  if (!root.is_map()) return root.fail("no Kubernetes object", "write apiVersion, kind, metadata");
  const std::string kind = text_at(root, "kind");
  if (kind.empty()) return root.fail("this document has no kind", "write apiVersion and kind");
  if (!kind.ends_with(kList)) take(root, kind);
}

ScaleLoader::ScaleLoader(ScaleLoadOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
ScaleLoader::~ScaleLoader() = default;
ScaleLoader::ScaleLoader(ScaleLoader&&) noexcept = default;
ScaleLoader& ScaleLoader::operator=(ScaleLoader&&) noexcept = default;

void ScaleLoader::add(const InputFile& file) {
  ScaleFacts& facts = state_->facts;
  facts.files.push_back(file.name);
  const Source source(file.name, file.bytes, static_cast<std::uint32_t>(facts.files.size() - 1),
                      file.padding);
  StreamOptions options;
  options.max_bytes = state_->options.max_bytes;
  read_stream(source, state_->diagnostics, options, *state_);
}

ScaleLoadResult ScaleLoader::finish() {
  const auto by_name = [](const auto& a, const auto& b) {
    return std::tie(a.namespace_name, a.name) < std::tie(b.namespace_name, b.name);
  };
  ScaleFacts& facts = state_->facts;
  std::sort(facts.autoscalers.begin(), facts.autoscalers.end(), by_name);
  std::sort(facts.pods.begin(), facts.pods.end(), by_name);
  std::sort(facts.metrics.usage.begin(), facts.metrics.usage.end(),
            [](const PodUsage& a, const PodUsage& b) {
              return std::tie(a.namespace_name, a.name, a.at) <
                     std::tie(b.namespace_name, b.name, b.at);
            });
  std::stable_sort(facts.targets.begin(), facts.targets.end(), by_name);
  ScaleLoadResult result;
  result.skipped = std::move(state_->skipped);
  result.warnings = state_->diagnostics.take_warnings();
  if (state_->diagnostics.ok()) result.facts = std::move(facts);
  result.errors = state_->diagnostics.take_errors();
  state_ = std::make_unique<State>(state_->options);
  return result;
}

}  // namespace gedge
