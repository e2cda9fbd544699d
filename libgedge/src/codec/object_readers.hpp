// codec/object_readers.hpp - nodes, volumes, policies and workloads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/pod_reader.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/model/image_pool.hpp"

namespace gedge::codec {

/// Its images are those of `images`, which keeps those that are new.
Node read_node(Cursor object, ImagePool& images);

PersistentVolume read_volume_object(Cursor object);
PersistentVolumeClaim read_claim(Cursor object);
StorageClass read_storage_class(Cursor object);
PriorityClass read_priority_class(Cursor object);
PodDisruptionBudget read_disruption_budget(Cursor object);
PodGroup read_pod_group(Cursor object);
/// Empty for a Service without selector.
std::optional<SpreadOwner> read_service(Cursor object);

/// Defaults that a LimitRange gives to containers; API defaulting of the LimitRange itself applied.
struct LimitRange {
  std::string namespace_name, name;
  Resources limits, requests;
};
LimitRange read_limit_range(Cursor object);

struct RuntimeClass {
  std::string name;
  Resources overhead;
  Labels node_selector;
  std::vector<Toleration> tolerations;
};
RuntimeClass read_runtime_class(Cursor object);

/// A controller and the pods it would make.
struct Workload {
  SharedText kind;
  Metadata meta;
  SharedValue<PodTemplate> pod;  ///< without metadata; those of one mould share it
  TemplateMetadata template_meta;
  LabelSelector selector;
  bool has_selector = false;
  std::int32_t replicas = 1;                  ///< Jobs: pods that run at first
  std::int32_t first_ordinal = 0;             ///< StatefulSet
  bool is_indexed = false;                    ///< Job
  std::vector<PersistentVolumeClaim> claims;  ///< StatefulSet: one of each for every pod
};
/// Only the selector; that of the template's labels where there is none.
LabelSelector read_workload_selector(const std::string& kind, Cursor object);
/// `meta` is what read_metadata() says.
Workload read_workload(const std::string& kind, Cursor object, Metadata&& meta, Compat compat);
/// The same of an object that differs from that of `like` in nothing but its metadata, the
/// metadata of its template, and its selector. `like` has none of what these say.
Workload read_workload_like(const Workload& like, Cursor object, Metadata&& meta);

}  // namespace gedge::codec
