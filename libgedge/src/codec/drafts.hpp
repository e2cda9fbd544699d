// codec/drafts.hpp - what the loader has read before it expands and sorts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/chunks.hpp"
#include "codec/diagnostics.hpp"
#include "codec/object_readers.hpp"
#include "codec/template_pool.hpp"
#include "gedge/codec/load.hpp"

namespace gedge::codec {

/// A pod that was read; `pod.spec` is an index into Drafts::templates. Its workload is known only
/// where it is one of its own.
struct PodEntry {
  Pod pod;
  SharedText generate_name;  ///< instead of pod.name
  SharedText node_name;      ///< spec.nodeName
  Fingerprint fingerprint;   ///< orders pods that have no name yet
  bool has_phase = false;
  bool in_manifests = false;
};

/// "namespace/name" of a ReplicaSet or Job and who made it.
struct MadeBy {
  std::string namespace_name, kind, name;
  ControllerRef maker;
};

struct LatencyDraft {
  std::string kind, name;
  LatencyObject object;
};

struct Drafts {
  LoadOptions options;
  Diagnostics diagnostics;
  Facts facts;  ///< without pods and specs
  TemplatePool templates;
  Chunks<PodEntry> pods;
  Chunks<Workload, 64> workloads;  ///< of manifests
  std::vector<MadeBy> made_by;
  std::vector<LimitRange> limit_ranges;
  std::vector<RuntimeClass> runtime_classes;
  std::vector<LatencyDraft> latency;
  bool has_manifests = false;
};

/// Makes Facts of what was read: names, owners, admission, expansion, order. Errors go to
/// `drafts.diagnostics`; then the result means nothing.
Facts make_facts(Drafts& drafts);

}  // namespace gedge::codec
