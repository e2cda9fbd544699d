#include "codec/object_readers.hpp"

#include <algorithm>
#include <limits>

#include "codec/selectors.hpp"

namespace gedge::codec {
namespace {

void read_avoided_controller(Cursor entry, Node& node) {
  const auto signature = entry.find("podSignature");
  const auto controller = signature ? signature->find("podController") : std::nullopt;
  if (!controller) return;
  AvoidedController avoided;
  if (const auto kind = controller->find("kind")) avoided.kind = kind->raw_text();
  if (const auto uid = controller->find("uid")) avoided.uid = uid->raw_text();
  node.avoided.push_back(std::move(avoided));
}

// JSON inside an annotation; kube-scheduler ignores what it cannot read.
void read_avoided(Cursor value, Node& node) {
  const auto text = value.text();
  if (!text || text->empty()) return;
  const Source source("preferAvoidPods", *text);
  Diagnostics unread;
  const auto document = Document::parse(source, unread);
  if (!document || !document->root().is_map()) {
    value.warn("AvoidPodsUnreadable", "the annotation preferAvoidPods of node " + node.name +
                                          " holds no JSON object, it is ignored");
    return;
  }
  if (const auto list = document->root().find("preferAvoidPods"); list && list->is_list())
    list->items([&](Cursor entry) { read_avoided_controller(entry, node); });
}

void read_taint(Cursor value, Node& node) {
  Taint taint;
  bool has_effect = false;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "key") read_text(field, taint.key);
    if (key == "value") read_text(field, taint.value);
    if (key != "effect") return;
    has_effect = true;
    taint.effect = read_effect(field).value_or(TaintEffect::kNoSchedule);
  });
  if (!value.is_map()) return;
  if (!has_effect)
    value.fail("a taint without effect", "write NoSchedule, PreferNoSchedule or NoExecute");
  node.taints.push_back(std::move(taint));
}

void read_image(Cursor value, Node& node, ImagePool& images) {
  std::vector<std::string_view> names;
  std::int64_t size_bytes = 0;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "names")
      field.items([&](Cursor name) {
        if (const auto text = name.text()) names.push_back(*text);
      });
    if (key == "sizeBytes") size_bytes = field.integer(0).value_or(0);
  });
  node.images.push_back(images.of(names, size_bytes));
}

void read_address(Cursor value, Node& node) {
  const auto type = value.find("type");
  const auto address = value.find("address");
  if (!type || !address) return;
  if (type->raw_text() != "InternalIP" && type->raw_text() != "Hostname") return;
  if (const auto text = address->text()) node.addresses.emplace_back(*text);
}

void read_node_status(Cursor status, Node& node, ImagePool& images) {
  bool has_allocatable = false;
  Resources capacity;
  status.fields([&](std::string_view key, Cursor value) {
    if (key == "allocatable") {
      has_allocatable = value.size() > 0;
      read_resources(value, node.allocatable);
    } else if (key == "capacity") {
      read_resources(value, capacity);
    } else if (key == "images") {
      node.images.reserve(value.size());
      value.items([&](Cursor image) { read_image(image, node, images); });
    } else if (key == "addresses") {
      value.items([&](Cursor address) { read_address(address, node); });
    } else if (key == "conditions") {
      value.items([&](Cursor condition) {
        const auto type = condition.find("type");
        const auto state = condition.find("status");
        if (type && state && type->raw_text() == "Ready") node.ready = state->raw_text() == "True";
      });
    }
  });
  if (!has_allocatable) node.allocatable = std::move(capacity);
}

std::string class_of(Cursor object) {
  std::string out;
  if (const auto spec = object.find("spec"))
    if (const auto name = spec->find("storageClassName")) read_text(*name, out);
  return out;
}

void read_topologies(Cursor list, std::vector<NodeSelectorTerm>& out) {
  list.items([&](Cursor item) {
    NodeSelectorTerm term;
    const auto expressions = item.find("matchLabelExpressions");
    if (expressions)
      expressions->items([&](Cursor expression) {
        Requirement requirement;
        requirement.op = SelectorOp::kIn;
        expression.fields([&](std::string_view key, Cursor value) {
          if (key == "key") read_text(value, requirement.key);
          if (key == "values") read_texts(value, requirement.values);
        });
        std::sort(requirement.values.begin(), requirement.values.end());
        term.expressions.push_back(std::move(requirement));
      });
    out.push_back(std::move(term));
  });
}

// Empty in what was written by hand.
std::string_view phase_of(Cursor object) {
  const auto status = object.find("status");
  const auto phase = status ? status->find("phase") : std::nullopt;
  return phase ? phase->raw_text() : std::string_view();
}

// All, also those that are not kept.
std::optional<Cursor> annotations_of(Cursor object) {
  const auto metadata = object.find("metadata");
  return metadata ? metadata->find("annotations") : std::nullopt;
}

bool has_annotation(Cursor object, std::string_view name) {
  const auto annotations = annotations_of(object);
  return annotations && annotations->find(name);
}

}  // namespace

Node read_node(Cursor object, ImagePool& images) {
  Node node;
  const Metadata meta = read_metadata(object);
  node.name = meta.name;
  node.labels = meta.labels;
  node.place = meta.place;
  if (const auto spec = object.find("spec"))
    spec->fields([&](std::string_view key, Cursor value) {
      if (key == "unschedulable") read_bool(value, node.unschedulable);
      if (key == "taints") value.items([&](Cursor taint) { read_taint(taint, node); });
    });
  if (const auto status = object.find("status")) read_node_status(*status, node, images);
  if (const auto annotations = annotations_of(object))
    if (const auto avoid = annotations->find("scheduler.alpha.kubernetes.io/preferAvoidPods"))
      read_avoided(*avoid, node);
  return node;
}

PersistentVolume read_volume_object(Cursor object) {
  PersistentVolume volume;
  const Metadata meta = read_metadata(object);
  volume.name = meta.name;
  volume.labels = meta.labels;
  volume.storage_class = class_of(object);
  const auto annotations = annotations_of(object);
  volume.is_annotated = annotations && !annotations->is_null();
  const auto spec = object.find("spec");
  if (!spec) return volume;
  spec->fields([&](std::string_view key, Cursor value) {
    if (key == "accessModes") read_texts(value, volume.access_modes);
    if (key == "volumeMode") volume.is_block = value.raw_text() == "Block";
    if (key == "capacity") {
      const auto storage = value.find("storage");
      if (storage) volume.capacity_bytes = read_quantity(*storage, false).value_or(0);
    }
    if (key == "nodeAffinity") {
      const auto required = value.find("required");
      volume.has_node_affinity = required && !required->is_null();
      const auto terms = required ? required->find("nodeSelectorTerms") : std::nullopt;
      if (terms) volume.node_terms = read_node_terms(*terms);
    }
    if (key == "claimRef")
      value.fields([&](std::string_view part, Cursor inner) {
        if (part == "name") read_text(inner, volume.claim_name);
        if (part == "namespace") read_text(inner, volume.claim_namespace);
        if (part == "uid") read_text(inner, volume.claim_uid);
      });
  });
  const std::string_view phase = phase_of(object);
  const bool is_free = volume.claim_name.empty();
  volume.is_offered = !meta.terminating && (!is_free || phase.empty() || phase == "Available");
  return volume;
}

PersistentVolumeClaim read_claim(Cursor object) {
  PersistentVolumeClaim claim;
  const Metadata meta = read_metadata(object);
  claim.namespace_name = meta.namespace_name;
  claim.name = meta.name;
  claim.uid = meta.uid;
  claim.owner_uid = meta.controller.uid;
  claim.terminating = meta.terminating;
  if (const std::string* node = meta.annotations.find("volume.kubernetes.io/selected-node"))
    claim.selected_node = *node;
  if (const auto spec = object.find("spec")) read_claim_spec(*spec, claim);
  claim.is_half_bound = !claim.volume_name.empty() && phase_of(object) == "Pending" &&
                        !has_annotation(object, "pv.kubernetes.io/bind-completed");
  return claim;
}

StorageClass read_storage_class(Cursor object) {
  StorageClass result;
  const Metadata meta = read_metadata(object);
  result.name = meta.name;
  for (const std::string_view prefix :
       {"storageclass.kubernetes.io/", "storageclass.beta.kubernetes.io/"})
    if (const auto* flag = meta.annotations.find(std::string(prefix) + "is-default-class"))
      result.is_default |= *flag == "true";
  object.fields([&](std::string_view key, Cursor value) {
    if (key == "volumeBindingMode" && value.raw_text() == "WaitForFirstConsumer")
      result.binding = VolumeBinding::kWaitForFirstConsumer;
    if (key == "provisioner")
      result.provisions = value.raw_text() != "kubernetes.io/no-provisioner";
    if (key == "allowedTopologies") read_topologies(value, result.allowed_topologies);
  });
  return result;
}

PriorityClass read_priority_class(Cursor object) {
  PriorityClass result;
  result.name = read_metadata(object).name;
  object.fields([&](std::string_view key, Cursor value) {
    if (key == "value") read_int32(value, result.value, std::numeric_limits<std::int32_t>::min());
    if (key == "globalDefault") read_bool(value, result.global_default);
    if (key == "preemptionPolicy") result.preempts = value.raw_text() != "Never";
  });
  return result;
}

PodDisruptionBudget read_disruption_budget(Cursor object) {
  PodDisruptionBudget budget;
  const Metadata meta = read_metadata(object);
  budget.namespace_name = meta.namespace_name;
  budget.name = meta.name;
  budget.selector.nothing = true;
  if (const auto spec = object.find("spec"))
    if (const auto selector = spec->find("selector"))
      read_label_selector(*selector, budget.selector);
  // In v1beta1 the empty selector matches nothing, in v1 everything.
  const auto version = object.find("apiVersion");
  if (version && version->raw_text() == "policy/v1beta1" && budget.selector.requirements.empty())
    budget.selector.nothing = true;
  const auto status = object.find("status");
  if (!status) return budget;
  status->fields([&](std::string_view key, Cursor value) {
    if (key == "disruptionsAllowed") read_int32(value, budget.disruptions_allowed, 0);
    if (key == "disruptedPods")
      value.fields([&](std::string_view pod, Cursor) { budget.disrupted_pods.emplace_back(pod); });
  });
  std::sort(budget.disrupted_pods.begin(), budget.disrupted_pods.end());
  return budget;
}

PodGroup read_pod_group(Cursor object) {
  PodGroup group;
  const Metadata meta = read_metadata(object);
  group.namespace_name = meta.namespace_name;
  group.name = meta.name;
  if (const auto spec = object.find("spec"))
    spec->fields([&](std::string_view key, Cursor value) {
      if (key == "minMember") read_int32(value, group.min_member, 1);
      if (key == "scheduleTimeoutSeconds") read_int32(value, group.timeout_seconds, 0);
    });
  return group;
}

std::optional<SpreadOwner> read_service(Cursor object) {
  const Metadata meta = read_metadata(object);
  Labels labels;
  if (const auto spec = object.find("spec"))
    if (const auto selector = spec->find("selector")) read_labels(*selector, labels);
  if (labels.empty()) return std::nullopt;
  return SpreadOwner{"Service", meta.namespace_name, meta.name, selector_of(labels)};
}

LimitRange read_limit_range(Cursor object) {
  const Metadata meta = read_metadata(object);
  LimitRange range{meta.namespace_name, meta.name, {}, {}};
  const auto complete = [](Resources& target, const Resources& from) {
    for (const auto& [name, amount] : from)
      if (!target.find(name)) target.set(name, amount);
  };
  const auto spec = object.find("spec");
  const auto limits = spec ? spec->find("limits") : std::nullopt;
  if (!limits) return range;
  limits->items([&](Cursor item) {
    const auto type = item.find("type");
    if (!type || type->raw_text() != "Container") return;
    Resources most, least, limit, request;
    item.fields([&](std::string_view key, Cursor value) {
      if (key == "max") read_resources(value, most);
      if (key == "min") read_resources(value, least);
      if (key == "default") read_resources(value, limit);
      if (key == "defaultRequest") read_resources(value, request);
    });
    complete(limit, most);
    complete(request, limit);
    complete(request, least);
    complete(range.limits, limit);
    complete(range.requests, request);
  });
  return range;
}

RuntimeClass read_runtime_class(Cursor object) {
  RuntimeClass result;
  result.name = read_metadata(object).name;
  if (const auto overhead = object.find("overhead"))
    if (const auto fixed = overhead->find("podFixed")) read_resources(*fixed, result.overhead);
  if (const auto scheduling = object.find("scheduling"))
    scheduling->fields([&](std::string_view key, Cursor value) {
      if (key == "nodeSelector") read_labels(value, result.node_selector);
      if (key == "tolerations") result.tolerations = read_tolerations(value);
    });
  return result;
}

}  // namespace gedge::codec
