#include "render/recommend_view.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gedge/base/quantity.hpp"
#include "render/numbers.hpp"
#include "term/table.hpp"

namespace gedge::cli {
namespace {

// Memory in whole Mi, rounded up.
std::string amount_text(bool is_bytes, std::int64_t amount) {
  constexpr std::int64_t kMi = std::int64_t{1} << 20;
  if (amount == kAnyRequest) return "any";
  return is_bytes ? std::to_string((amount + kMi - 1) / kMi) + "Mi" : format_milli(amount);
}

std::string declared_text(bool is_bytes, std::int64_t amount) {
  return is_bytes ? format_bytes(amount) : format_milli(amount);
}

Ink ink_of(RequestAdvice advice) {
  return advice == RequestAdvice::kKeep ? Ink::kGood : Ink::kWarn;
}

std::string bound_text(RequestCap cap) {
  switch (cap) {
    case RequestCap::kNone:
      return "";
    case RequestCap::kLimitRange:
      return "the LimitRange";
    case RequestCap::kNode:
      return "the largest node";
  }
  return "";
}

std::string headline(const Recommendation& of) {
  const std::string name = of.kind + " " + of.name + ": ";
  if (of.containers.empty()) return name + "no usage of its pods is known";
  std::size_t changes = 0, requests = 0;
  for (const ContainerRecommendation& container : of.containers)
    for (const auto* range : {&container.cpu, &container.memory}) {
      if (!*range) continue;
      ++requests;
      if ((*range)->advice != RequestAdvice::kKeep) ++changes;
    }
  return name + std::to_string(changes) + " of " + counted(requests, "request") +
         " should change, by the usage of " + counted(of.pods, "pod");
}

std::string left_out(const Recommendation& of) {
  const std::array<std::pair<std::size_t, const char*>, 3> kinds{
      {{of.old_samples, "too old"},
       {of.future_samples, "of the future"},
       {of.undated_samples, "without a time"}}};
  std::string text;
  for (const auto& [count, what] : kinds)
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  return text;
}

std::string change_text(bool is_bytes, std::optional<std::int64_t> before,
                        std::optional<std::int64_t> after) {
  if (!after) return "";
  std::string text = declared_text(is_bytes, *after);
  if (before == after) return text;
  return (before ? declared_text(is_bytes, *before) : std::string("none")) + " -> " + text;
}

Ink ink_of(ResizeOutcome outcome) {
  if (outcome == ResizeOutcome::kPlanned) return Ink::kPlain;
  return outcome == ResizeOutcome::kDone ? Ink::kGood : Ink::kWarn;
}

std::string headline(const ResizeRun& run) {
  if (run.objects.empty()) return "nothing is to be changed";
  const bool is_of_pods = run.way == ResizeWay::kInPlace;
  const std::string of =
      is_of_pods ? "pods, where they run" : "the template, by which pods are replaced";
  return run.held ? "held: " + run.held->what : "changes of " + of;
}

}  // namespace

void print_resize(Stream& out, const ResizeRun& run, const TableOptions& options) {
  out.line("");
  out.line(out.style().paint(Ink::kStrong, headline(run)));
  if (run.objects.empty()) return;
  Table table({{"OBJECT", Align::kLeft, Shrink::kFirst},
               {"CONTAINER"},
               {"RESOURCE"},
               {"REQUEST"},
               {"LIMIT"},
               {"RESULT"},
               {"WHY", Align::kLeft, Shrink::kFlows}});
  for (const ResizedObject& object : run.objects)
    for (const ContainerResize& container : object.resize.containers)
      for (const ResourceResize& one : container.resources) {
        const bool is_bytes = one.resource == kMemory;
        table.add({{object.resize.kind + "/" + object.resize.name.str()},
                   {container.name},
                   {one.resource},
                   {change_text(is_bytes, one.request_before, one.request)},
                   {change_text(is_bytes, one.limit_before, one.limit)},
                   {std::string(to_string(object.outcome)), ink_of(object.outcome)},
                   {object.why}});
      }
  out.line("");
  table.print(out, options.headers);
}

void print_recommendation(Stream& out, const Recommendation& recommendation,
                          const TableOptions& options) {
  out.line(out.style().paint(Ink::kStrong, headline(recommendation)));
  if (const std::string text = left_out(recommendation); !text.empty())
    out.line("samples that do not count: " + text);
  const auto right = Align::kRight;
  Table table({{"CONTAINER", Align::kLeft, Shrink::kFirst},
               {"RESOURCE"},
               {"REQUEST", right},
               {"ADVICE"},
               {"LOWER", right},
               {"TARGET", right},
               {"UPPER", right},
               {"SAMPLES", right, Shrink::kNever, true},
               {"OOM KILLS", right, Shrink::kNever, true},
               {"BOUND BY"}});
  for (const ContainerRecommendation& container : recommendation.containers)
    for (const bool is_bytes : {false, true}) {
      const auto& range = is_bytes ? container.memory : container.cpu;
      if (!range) continue;
      const auto text = [&](std::int64_t amount) { return Cell{amount_text(is_bytes, amount)}; };
      table.add({{container.name},
                 {is_bytes ? "memory" : "cpu"},
                 range->request ? Cell{declared_text(is_bytes, *range->request)} : Cell{},
                 {std::string(to_string(range->advice)), ink_of(range->advice)},
                 text(range->lower),
                 text(range->target),
                 text(range->upper),
                 {std::to_string(container.samples)},
                 is_bytes ? Cell{std::to_string(container.out_of_memory)} : Cell{},
                 {bound_text(range->cap)}});
    }
  if (table.rows() == 0) return;
  out.line("");
  table.print(out, options.headers);
}

}  // namespace gedge::cli
