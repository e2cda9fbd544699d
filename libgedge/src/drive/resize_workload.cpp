#include "gedge/drive/resize_workload.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/autoscaling.hpp"
#include "gedge/codec/resize_requests.hpp"
#include "gedge/drive/api_call.hpp"
#include "gedge/drive/list_kind.hpp"

namespace gedge {
namespace {

constexpr int kMostLooks = 5;
constexpr std::size_t kPadding = 64;  // list_kind() leaves that much room

std::string in_space(std::string_view group, const std::string& space, std::string_view plural) {
  return std::string(group) + "/namespaces/" + space + "/" + std::string(plural);
}

Status add_kind(ApiTransport& transport, const Clock& clock, const std::string& path,
                ScaleLoader& loader) {
  const auto listed = list_kind(transport, clock, path);
  if (!listed) return listed.error();
  for (const ListedPage& page : listed->pages) loader.add({page.name, page.json, kPadding});
  return {};
}

// Without them nothing is done, but much can be said.
void add_nodes(ApiTransport& transport, const Clock& clock, ScaleLoader& loader,
               WorkloadLook& look) {
  if (const Status read = add_kind(transport, clock, "/api/v1/nodes", loader); !read)
    look.warnings.push_back({"UnreadKind", read.error().what, {}});
}

Status add_usage(ApiTransport& transport, const std::string& space, WorkloadLook& look) {
  MetricRead read;
  read.source = MetricSource::kUsage;
  read.namespace_name = space;
  const auto answer = call(transport, codec::metric_request(read, {}));
  if (!answer) return answer.error();
  MetricReading reading = codec::metric_reading(*answer, read);
  if (!reading.is_read) look.warnings.push_back({"UnreadMetrics", std::move(reading.why), {}});
  look.facts.metrics = std::move(reading.values);
  return {};
}

ResizeOutcome outcome_of(ScaleAnswer answer) {
  switch (answer) {
    case ScaleAnswer::kDone:
      return ResizeOutcome::kDone;
    case ScaleAnswer::kConflict:
      return ResizeOutcome::kConflict;
    case ScaleAnswer::kGone:
      return ResizeOutcome::kGone;
    case ScaleAnswer::kNotSent:
      return ResizeOutcome::kNotSent;
    case ScaleAnswer::kUnknown:
      return ResizeOutcome::kUnclear;
    case ScaleAnswer::kRefused:
      break;
  }
  return ResizeOutcome::kRefused;
}

const char* words_of(ResizeOutcome outcome) {
  switch (outcome) {
    case ResizeOutcome::kConflict:
      return "it was changed meanwhile";
    case ResizeOutcome::kGone:
      return "it is not there any more";
    case ResizeOutcome::kNotSent:
      return "the server cannot be asked";
    case ResizeOutcome::kUnclear:
      return "nobody knows whether it was done";
    default:
      return "the server refused it";
  }
}

bool is_open(ResizeOutcome outcome) {
  return outcome == ResizeOutcome::kConflict || outcome == ResizeOutcome::kUnclear ||
         outcome == ResizeOutcome::kNotSent || outcome == ResizeOutcome::kPlanned;
}

bool is_same(const ObjectResize& a, const ObjectResize& b) {
  return a.kind == b.kind && a.name == b.name && a.uid == b.uid;
}

bool is_there(const ObjectResize& object, const ScaleFacts& facts) {
  const auto is_it = [&](const auto& one) { return one.uid == object.uid; };
  return std::any_of(facts.pods.begin(), facts.pods.end(), is_it) ||
         std::any_of(facts.targets.begin(), facts.targets.end(), is_it);
}

// What a look finds as it should be was done after all.
void settle(const ScaleFacts& facts, const ResizePlan& plan, ResizeRun& run) {
  for (ResizedObject& one : run.objects) {
    const bool is_planned =
        std::any_of(plan.objects.begin(), plan.objects.end(),
                    [&](const ObjectResize& object) { return is_same(object, one.resize); });
    if (!is_open(one.outcome) || is_planned) continue;
    const bool is_gone = !is_there(one.resize, facts);
    one.outcome = is_gone ? ResizeOutcome::kGone : ResizeOutcome::kDone;
    one.why = is_gone ? words_of(ResizeOutcome::kGone) : "";
  }
  for (const ObjectResize& object : plan.objects) {
    const auto known =
        std::find_if(run.objects.begin(), run.objects.end(),
                     [&](const ResizedObject& one) { return is_same(one.resize, object); });
    if (known == run.objects.end())
      run.objects.push_back({object, ResizeOutcome::kPlanned, {}});
    else if (is_open(known->outcome))
      known->resize = object;
  }
}

// True: some of it is to be tried again. What was refused would be again.
Result<bool> carry_out(ApiTransport& transport, ResizeRun& run) {
  bool is_any_open = false;
  for (ResizedObject& object : run.objects) {
    if (!is_open(object.outcome)) continue;
    const auto answer = call(transport, codec::resize_request(object.resize, run.way));
    if (!answer) return answer.error();
    object.outcome = outcome_of(codec::scale_answer(*answer));
    object.why.clear();
    if (object.outcome != ResizeOutcome::kDone)
      object.why = codec::refusal(*answer, words_of(object.outcome)).what;
    is_any_open = is_any_open || is_open(object.outcome);
  }
  return is_any_open;
}

}  // namespace

Result<WorkloadLook> look_at_workloads(ApiTransport& transport, const Clock& clock,
                                       const std::string& namespace_name) {
  WorkloadLook look;
  ScaleLoadOptions options;
  options.namespace_name = namespace_name;
  options.keep_objects = true;
  ScaleLoader loader(options);
  for (const std::string_view plural : {"deployments", "statefulsets", "replicasets"})
    GEDGE_TRY(
        add_kind(transport, clock, in_space("/apis/apps/v1", namespace_name, plural), loader));
  for (const std::string_view plural : {"replicationcontrollers", "pods", "limitranges"})
    GEDGE_TRY(add_kind(transport, clock, in_space("/api/v1", namespace_name, plural), loader));
  add_nodes(transport, clock, loader, look);
  ScaleLoadResult loaded = loader.finish();
  if (!loaded.facts) return std::move(loaded.errors.front());
  look.facts = *std::move(loaded.facts);
  GEDGE_TRY(add_usage(transport, namespace_name, look));
  return look;
}

Result<bool> resizes_pods(ApiTransport& transport) {
  const auto answer = call(transport, codec::kinds_request("v1"));
  if (!answer) return answer.error();
  return codec::resizes_pods(*answer);
}

Result<ResizeRun> resize_workload(ApiTransport& transport, const Clock& clock,
                                  const std::string& namespace_name, const PlanResize& plan) {
  ResizeRun run;
  for (int looks = 0; looks < kMostLooks; ++looks) {
    const auto look = look_at_workloads(transport, clock, namespace_name);
    auto planned = look ? plan(*look) : Result<ResizePlan>(look.error());
    if (!planned && looks == 0) return std::move(planned).error();
    if (!planned) break;
    run.way = planned->way;
    settle(look->facts, *planned, run);
    run.held = planned->held;
    if (run.held) break;
    const auto is_open = carry_out(transport, run);
    if (!is_open && looks == 0) return is_open.error();
    if (!is_open || !*is_open) break;
  }
  return run;
}

}  // namespace gedge
