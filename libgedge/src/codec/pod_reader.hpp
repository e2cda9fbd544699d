// codec/pod_reader.hpp - PodSpecs, as templates and in pods.
#pragma once

#include <optional>
#include <vector>

#include "codec/fields.hpp"
#include "gedge/model/facts.hpp"

namespace gedge::codec {

/// What a pod's own spec or a template says, before admission. Limits without requests have become
/// requests (those of the pod where no container says any), and the container ports of pods on the
/// host's network host ports, as API defaulting does to every pod.
struct PodTemplate {
  PodSpec spec;
  bool has_priority = false;
  std::int32_t priority = 0;  ///< spec.priority
  bool has_preemption_policy = false;
  /// Claims of ephemeral volumes: name of the volume and what the pod asks for.
  std::vector<PersistentVolumeClaim> ephemeral;
  bool has_overhead = false;
};

/// `metadata` and `spec` may be absent. `place` stands for the template in messages. 1.20 knows no
/// sidecars: an init container keeps no port there.
PodTemplate read_pod_template(std::optional<Cursor> metadata, std::optional<Cursor> spec,
                              Metadata&& meta, Compat compat);

/// The part of a spec that a template's metadata says.
struct TemplateMetadata {
  Labels labels, annotations;
  std::vector<DelayBudget> budgets;
  Place place;
};
TemplateMetadata read_template_metadata(std::optional<Cursor> metadata, Metadata&& meta);
/// Takes that part away from a spec, and gives it one.
TemplateMetadata take_metadata(PodSpec& spec);
void put_metadata(TemplateMetadata&& meta, PodSpec& spec);

/// What a pod does not share with others of its template.
struct PodDraft {
  Metadata meta;  ///< without labels and annotations
  bool has_phase = false;
  PodPhase phase = PodPhase::kPending;
  UnixSeconds started = kNever;
  std::string nominated_node, told;
};

PodDraft read_pod(Cursor object);
/// A spec of which not all could be read becomes that of a pod that wants nothing of others: what
/// it asks of its node is left, and whom it keeps away.
void leave_its_place(PodSpec& spec);

/// spec of a PersistentVolumeClaim or of a template for one.
void read_claim_spec(Cursor spec, PersistentVolumeClaim& out);

}  // namespace gedge::codec
