#include "render/scale_view.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "gedge/base/quantity.hpp"
#include "render/numbers.hpp"
#include "term/table.hpp"

namespace gedge::cli {
namespace {

void print_title(Stream& out, std::string_view title) {
  out.line(""), out.line(out.style().paint(Ink::kStrong, title));
}

// Memory in bytes, everything else as Kubernetes writes thousandths.
std::string milli_text(const MetricSpec& metric, std::int64_t milli) {
  const bool is_bytes = metric.kind <= MetricKind::kContainerResource && metric.name != kCpu;
  return is_bytes ? format_bytes(milli / 1'000) : format_milli(milli);
}

// "1.2000"; empty where there is none.
std::string ratio_text(double ratio) {
  constexpr double kTenThousand = 1e4;
  if (!(std::abs(ratio) < 1e9) || ratio == 0) return "";
  const auto parts = static_cast<std::int64_t>(std::llround(ratio * kTenThousand));
  std::string digits = std::to_string(parts % 10'000);
  digits.insert(0, 4 - digits.size(), '0');
  return std::to_string(parts / 10'000) + "." + digits;
}

std::string rule_text(MetricRule rule) {
  switch (rule) {
    case MetricRule::kNone:
      return "";
    case MetricRule::kWithinTolerance:
      return "within tolerance";
    case MetricRule::kRatio:
      return "ratio x ready pods";
    case MetricRule::kFilledWithin:
      return "filled, within tolerance";
    case MetricRule::kFilledTurns:
      return "filled, it points the other way";
    case MetricRule::kFilledRatio:
      return "filled ratio x values";
    case MetricRule::kFilledGoesAgainst:
      return "the number goes against the ratio";
    case MetricRule::kPerReplica:
      return "value / target";
  }
  return "";
}

std::string failure_text(MetricFailure failure) {
  switch (failure) {
    case MetricFailure::kNone:
      return "";
    case MetricFailure::kNoSource:
      return "no values of this metric";
    case MetricFailure::kNoPods:
      return "the selector finds no pod";
    case MetricFailure::kNoReadyPods:
      return "no value of a pod that counts";
    case MetricFailure::kMissingRequest:
      return "a container has no request";
    case MetricFailure::kNoKnownPods:
      return "no pod with a value requests any";
  }
  return "";
}

std::string current_text(const MetricSpec& metric, const MetricAnswer& answer) {
  if (answer.utilization) return amount_text(metric, *answer.utilization);
  if (answer.average_milli) return milli_text(metric, *answer.average_milli);
  return answer.value_milli ? milli_text(metric, *answer.value_milli) : "";
}

Cell count(std::int32_t number) {
  return {std::to_string(number), Ink::kPlain, std::int64_t{number}};
}

Table metric_table(const ScaleExplanation& explanation) {
  const auto right = Align::kRight;
  const auto whole = Shrink::kNever;
  Table table({{"METRIC", Align::kLeft, Shrink::kFirst},
               {"NOW", right},
               {"TARGET", right},
               {"RATIO", right, whole, true},
               {"FILLED", right, whole, true},
               {"READY", right, whole, true},
               {"UNREADY", right, whole, true},
               {"MISSING", right, whole, true},
               {"IGNORED", right, whole, true},
               {"ASKS FOR", right},
               {"RULE"}});
  const ScaleDecision& decision = explanation.decision;
  for (std::size_t i = 0; i < decision.metrics.size(); ++i) {
    const MetricSpec& metric = explanation.autoscaler.metrics[i];
    const MetricAnswer& answer = decision.metrics[i];
    const bool decides = decision.deciding == i;
    table.add({{metric_title(metric), decides ? Ink::kStrong : Ink::kPlain},
               {current_text(metric, answer)},
               {amount_text(metric, metric.amount)},
               {ratio_text(answer.ratio)},
               {ratio_text(answer.filled_ratio)},
               count(answer.ready),
               count(answer.unready),
               count(answer.missing),
               count(answer.ignored),
               answer.ok() ? count(answer.replicas) : Cell{},
               answer.ok() ? Cell{rule_text(answer.rule)}
                           : Cell{failure_text(answer.failure), Ink::kBad}});
  }
  return table;
}

void print_pods(Stream& out, const ScaleExplanation& explanation, const TableOptions& options) {
  Table table({{"POD", Align::kLeft, Shrink::kFirst},
               {"METRIC", Align::kLeft, Shrink::kLast},
               {"COUNTS AS"},
               {"VALUE", Align::kRight},
               {"REQUEST", Align::kRight, Shrink::kNever, true}});
  for (std::size_t i = 0; i < explanation.pods.size(); ++i) {
    const MetricSpec& metric = explanation.autoscaler.metrics[i];
    for (const ExplainedPod& pod : explanation.pods[i]) {
      const bool is_ready = pod.group == PodGroupKind::kReady;
      table.add({{pod.name},
                 {metric_title(metric)},
                 {std::string(to_string(pod.group)), is_ready ? Ink::kGood : Ink::kWarn},
                 pod.milli ? Cell{milli_text(metric, *pod.milli)} : Cell{},
                 pod.request_milli ? Cell{milli_text(metric, *pod.request_milli)} : Cell{}});
    }
  }
  if (table.rows() == 0) return;
  print_title(out, "Samples");
  table.print(out, options.headers);
}

// What became of the number that the metrics ask for.
void print_steps(Stream& out, const ScaleExplanation& explanation, const TableOptions& options) {
  const ScaleDecision& decision = explanation.decision;
  Table table({{"STEP"}, {"REPLICAS", Align::kRight}, {"REASON"}});
  if (decision.deciding) {
    const auto& metric = explanation.autoscaler.metrics[*decision.deciding];
    table.add({{"metrics"}, count(decision.proposal), {metric_title(metric) + " asks for most"}});
  }
  if (decision.normalized) {
    const NormalizedScale& scale = *decision.normalized;
    table.add({{"windows"}, count(scale.stabilized), {std::string(to_string(scale.able.reason))}});
    table.add({{"limits"},
               count(scale.replicas),
               {std::string(to_string(scale.limited.reason)),
                scale.limited.is_true ? Ink::kWarn : Ink::kPlain}});
  }
  if (table.rows() == 0) return;
  print_title(out, "From proposal to replicas");
  table.print(out, options.headers);
}

std::string hint_text(const ScaleExplanation& explanation, const ScaleHint& hint) {
  const auto metric = [&] { return metric_title(explanation.autoscaler.metrics[hint.metric]); };
  const auto amount = [&] {
    return amount_text(explanation.autoscaler.metrics[hint.metric], hint.amount);
  };
  const std::string then = std::to_string(hint.replicas) + " asked for";
  switch (hint.kind) {
    case ScaleHintKind::kMetricRises:
      return metric() + " at " + amount() + " or more: " + then;
    case ScaleHintKind::kMetricFalls:
      return metric() + " at " + amount() + " or less: " + then;
    case ScaleHintKind::kSourceComes:
      return metric() + " with a value: it takes part again";
    case ScaleHintKind::kMaxRises:
      return "maxReplicas of " + std::to_string(hint.replicas) + ": as many";
    case ScaleHintKind::kMinFalls:
      return "minReplicas of " + std::to_string(hint.replicas) + ": as few";
    case ScaleHintKind::kWindowPasses:
      return "the same metrics for " + std::to_string(hint.amount) +
             " s: no recommendation holds " + std::to_string(hint.replicas) + " back";
    case ScaleHintKind::kPeriodPasses:
      return "the next period of the policies: on towards " + std::to_string(hint.replicas);
  }
  return "";
}

std::string headline(const ScaleExplanation& explanation) {
  const ScaleDecision& decision = explanation.decision;
  const Autoscaler& autoscaler = explanation.autoscaler;
  const std::string name = autoscaler.name.str();
  const std::string workload = autoscaler.target.kind + " " + autoscaler.target.name;
  const std::string now = std::to_string(decision.current);
  const std::string stay = now + (decision.current == 1 ? " replica stays" : " replicas stay");
  const std::string kept = name + ": " + stay + ", ";
  switch (decision.step) {
    case ScaleStep::kNoTarget:
      return name + ": no answer, " + workload + " is not among the objects";
    case ScaleStep::kDisabled:
      return name + ": switched off, " + workload + " has 0 replicas";
    case ScaleStep::kAboveMax:
      return name + ": " + now + " -> " + std::to_string(decision.replicas) + ", above maxReplicas";
    case ScaleStep::kBelowMin:
      return name + ": " + now + " -> " + std::to_string(decision.replicas) + ", below minReplicas";
    case ScaleStep::kNoSelector:
      return kept + workload + " does not say which pods are its own";
    case ScaleStep::kAmbiguous:
      return kept + "another autoscaler looks at the same pods";
    case ScaleStep::kMetricsFailed:
      return kept + "no metric has a value";
    case ScaleStep::kFrozen:
      return kept + "a metric failed and the others ask for fewer";
    case ScaleStep::kComputed:
      break;
  }
  if (!decision.rescales()) return name + ": " + stay;
  return name + ": " + now + " -> " + std::to_string(decision.replicas);
}

}  // namespace

std::string amount_text(const MetricSpec& metric, std::int64_t amount) {
  if (metric.target == TargetKind::kUtilization) return std::to_string(amount) + " %";
  return milli_text(metric, amount);
}

std::string metric_title(const MetricSpec& metric) {
  std::string title = metric.name;
  if (!metric.container.empty()) title += " of " + metric.container;
  if (metric.target == TargetKind::kUtilization) return title + " utilization";
  if (metric.target == TargetKind::kAverageValue) return title + " average";
  return title;
}

Status print_scale(Stream& out, const ScaleExplanation& explanation, const TableOptions& options) {
  const Autoscaler& autoscaler = explanation.autoscaler;
  out.line(headline(explanation));
  out.line(autoscaler.target.kind + " " + autoscaler.target.name + ", " +
           std::to_string(autoscaler.min) + " to " + std::to_string(autoscaler.max) + " replicas");
  if (explanation.decision.metrics.empty()) {
    Table table({{"METRIC"}, {"TARGET", Align::kRight}});
    for (const MetricSpec& metric : autoscaler.metrics)
      table.add({{metric_title(metric)}, {amount_text(metric, metric.amount)}});
    print_title(out, "Metrics, not looked at");
    table.print(out, options.headers);
  } else {
    print_title(out, "Metrics");
    metric_table(explanation).print(out, options.headers);
    print_pods(out, explanation, options);
    print_steps(out, explanation, options);
  }
  print_title(out, "Conditions");
  Table conditions({{"TYPE"}, {"STATUS"}, {"REASON"}});
  for (const ScaleCondition& condition : explanation.decision.conditions)
    conditions.add({{std::string(to_string(condition.type))},
                    {condition.is_true ? "True" : "False"},
                    {std::string(to_string(condition.reason))}});
  conditions.print(out, options.headers);
  if (explanation.hints.empty()) return {};
  print_title(out, "What would change this");
  for (const ScaleHint& hint : explanation.hints) out.line("  " + hint_text(explanation, hint));
  return {};
}

}  // namespace gedge::cli
