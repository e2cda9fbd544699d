#include "render/reason_text.hpp"

#include "gedge/base/quantity.hpp"
#include "render/numbers.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

std::string amount(std::int64_t value, Unit unit) {
  switch (unit) {
    case Unit::kMilliCpu:
      return std::to_string(value) + 'm';
    case Unit::kBytes:
      return format_bytes(value);
    case Unit::kMicros:
      return DurationColumn({value}).text(value);
    case Unit::kThousandths:
      return format_milli(value);
    case Unit::kCount:
    case Unit::kNone:
      break;
  }
  return std::to_string(value);
}

// "4200m > 4000m"; only what is known.
std::string comparison(const Evidence& evidence) {
  if (evidence.measured == kNoNumber) return "";
  if (evidence.limit == kNoNumber) return ' ' + amount(evidence.measured, evidence.unit);
  if (evidence.unit == Unit::kMicros) return ' ' + over_limit(evidence.measured, evidence.limit);
  return ' ' + amount(evidence.measured, evidence.unit) +
         (evidence.measured < evidence.limit ? " < " : " > ") +
         amount(evidence.limit, evidence.unit);
}

}  // namespace

std::string short_reason(const Evidence& evidence, Compat compat) {
  const std::string& subject = evidence.subject;
  switch (evidence.reason) {
    case Reason::kNodeUnschedulable:
      return "unschedulable";
    case Reason::kNodeName:
      return "another node is named";
    case Reason::kUntoleratedTaint:
      return "taint " + subject;
    case Reason::kNodeAffinity:
      return "labels do not match";
    case Reason::kPorts:
      return subject.empty() ? "port taken" : "port " + subject + " taken";
    case Reason::kTooManyPods:
      return "pods" + comparison(evidence);
    case Reason::kInsufficient:
    case Reason::kGpuCard:
    case Reason::kOverBudget:
      return subject + comparison(evidence);
    case Reason::kSpread:
      return "skew by " + subject + comparison(evidence);
    case Reason::kSpreadLabelMissing:
      return "no label " + subject;
    case Reason::kPodAffinity:
      return "no pod to be with";
    case Reason::kPodAntiAffinity:
      return "a pod to keep away from";
    case Reason::kExistingAntiAffinity:
      return subject + " keeps it away";
    case Reason::kUnmeasuredRtt:
      return subject + " unmeasured";
    case Reason::kUnknownPeer:
      return subject + " unknown";
    case Reason::kPeerNotPlaced:
      return subject + " not placed";
    case Reason::kBreaksBudget:
      return "breaks the budget of " + subject;
    default:
      return join_words(reason_texts(evidence, compat));
  }
}

std::string short_reason(Evidence evidence, Compat compat, std::size_t subject_width) {
  evidence.subject = shorten_middle(escape_controls(evidence.subject), subject_width);
  return short_reason(evidence, compat);
}

}  // namespace gedge::cli
