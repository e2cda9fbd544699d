#include <algorithm>

#include "codec/budgets.hpp"
#include "codec/object_readers.hpp"
#include "codec/selectors.hpp"

namespace gedge::codec {
namespace {

struct JobSize {
  std::int32_t parallelism = 1;
  std::int32_t completions = -1;  // absent
  bool suspended = false;

  std::int32_t pods() const {
    if (suspended) return 0;
    return completions < 0 ? parallelism : std::min(parallelism, completions);
  }
};

void read_template(Cursor value, Workload& out, Compat compat) {
  PodTemplate pod =
      read_pod_template(value.find("metadata"), value.find("spec"), read_metadata(value), compat);
  out.template_meta = take_metadata(pod.spec);
  out.pod = SharedValue<PodTemplate>(std::move(pod));
}

// False where there is none.
bool read_selector(const std::string& kind, Cursor value, LabelSelector& out) {
  if (value.is_null()) return false;
  if (kind != "ReplicationController") {
    read_label_selector(value, out);
    return true;
  }
  Labels labels;
  read_labels(value, labels);
  out = selector_of(labels);
  return !labels.empty();
}

void read_claim_templates(Cursor list, Workload& out) {
  list.items([&](Cursor item) {
    PersistentVolumeClaim claim;
    claim.name = read_metadata(item).name;
    if (const auto spec = item.find("spec")) read_claim_spec(*spec, claim);
    out.claims.push_back(std::move(claim));
  });
}

void read_workload_spec(Cursor spec, Workload& out, Compat compat) {
  JobSize job;
  bool has_template = false;
  spec.fields([&](std::string_view key, Cursor value) {
    if (key == "replicas") read_int32(value, out.replicas, 0);
    if (key == "selector") out.has_selector = read_selector(out.kind, value, out.selector);
    if (key == "parallelism") read_int32(value, job.parallelism, 0);
    if (key == "completions") read_int32(value, job.completions, 0);
    if (key == "suspend") read_bool(value, job.suspended);
    if (key == "completionMode") out.is_indexed = value.raw_text() == "Indexed";
    if (key == "volumeClaimTemplates") read_claim_templates(value, out);
    if (key == "ordinals")
      if (const auto start = value.find("start")) read_int32(*start, out.first_ordinal, 0);
    if (key != "template") return;
    has_template = value.is_map();
    read_template(value, out, compat);
  });
  if (!has_template && spec.is_map())
    spec.fail(out.kind + " without a pod template", "add spec.template");
  if (out.kind == "Job" || out.kind == "CronJob") out.replicas = job.pods();
}

// spec.jobTemplate.spec is the Job's; a suspended CronJob makes none.
void read_cron_job(Cursor spec, Workload& out, Compat compat) {
  bool suspended = false;
  if (const auto flag = spec.find("suspend")) read_bool(*flag, suspended);
  const auto job = spec.find("jobTemplate");
  const auto inner = job ? job->find("spec") : std::nullopt;
  if (!inner) {
    spec.fail("CronJob without a job template", "add spec.jobTemplate.spec");
    return;
  }
  read_workload_spec(*inner, out, compat);
  if (suspended) out.replicas = 0;
}

}  // namespace

LabelSelector read_workload_selector(const std::string& kind, Cursor object) {
  LabelSelector selector;
  const auto spec = object.find("spec");
  if (!spec || !spec->is_map()) return selector;
  const auto declared = spec->find("selector");
  if (declared && read_selector(kind, *declared, selector)) return selector;
  if (const auto pods = spec->find("template")) selector = selector_of(read_metadata(*pods).labels);
  return selector;
}

Workload read_workload(const std::string& kind, Cursor object, Metadata&& meta, Compat compat) {
  Workload out;
  out.kind = kind;
  out.meta = std::move(meta);
  const auto spec = object.find("spec");
  if (!spec || !spec->is_map()) {
    object.fail(kind + " without spec");
    return out;
  }
  if (kind == "CronJob")
    read_cron_job(*spec, out, compat);
  else
    read_workload_spec(*spec, out, compat);
  if (out.pod.get() == nullptr) out.pod = SharedValue<PodTemplate>(PodTemplate());
  if (!out.has_selector) out.selector = selector_of(out.template_meta.labels);
  check_own_metadata(out.kind, object, !out.template_meta.budgets.empty());
  return out;
}

Workload read_workload_like(const Workload& like, Cursor object, Metadata&& meta) {
  Workload out = like;
  out.meta = std::move(meta);
  const Cursor spec = *object.find("spec");
  if (const auto pods = spec.find("template"))
    out.template_meta = read_template_metadata(pods->find("metadata"), read_metadata(*pods));
  if (const auto declared = spec.find("selector"))
    out.has_selector = read_selector(out.kind, *declared, out.selector);
  if (!out.has_selector) out.selector = selector_of(out.template_meta.labels);
  check_own_metadata(out.kind, object, !out.template_meta.budgets.empty());
  return out;
}

}  // namespace gedge::codec
