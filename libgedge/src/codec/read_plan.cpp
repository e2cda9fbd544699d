// A plan comes back from its own document; decisions are streamed.
#include <limits>

#include "codec/fields.hpp"
#include "codec/stream.hpp"
#include "codec/write_parts.hpp"
#include "gedge/codec/write.hpp"

namespace gedge {
namespace codec {
namespace {

constexpr std::string_view kWhatToGive = "give the file that `gedge plan --out` wrote";
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

class PlanReader final : public StreamHandler {
 public:
  bool wants_elements(Cursor) override { return true; }

  void element(Cursor element, StreamContext&) override {
    if (element.diagnostics().error_count() >= Diagnostics::kMaxErrors) return;
    read_decision(element);
  }

  void document(Cursor root, bool) override {
    if (!root.is_map() || std::exchange(seen_, true)) {
      if (root.is_map())
        root.fail("a second plan in one file", "verify one plan at a time");
      else
        root.fail("no gedge plan", std::string(kWhatToGive));
      return;
    }
    const auto kind = root.find("kind");
    if (!kind || kind->raw_text() != "Plan") {
      (kind ? *kind : root).fail("no gedge plan", std::string(kWhatToGive));
      return;
    }
    const auto version = root.find("apiVersion");
    if (!version || version->raw_text() != kApiVersion) {
      (version ? *version : root).fail("no plan of " + std::string(kApiVersion));
      return;
    }
    root.fields([&](std::string_view key, Cursor value) { read_field(key, value); });
    if (!root.find("decisions")) root.fail("a plan without decisions");
  }

  bool seen() const { return seen_; }
  Plan take() { return std::move(plan_); }

 private:
  void read_field(std::string_view key, Cursor value) {
    if (key == "profile") read_text(value, plan_.profile);
    if (key == "snapshot") read_text(value, plan_.snapshot);
    if (key == "seed") read_seed(value);
    if (key == "compat") {
      const auto compat = parse_compat(value.text().value_or(""));
      if (compat)
        plan_.compat = *compat;
      else
        value.fail("unknown Kubernetes version " + quote(value.raw_text()),
                   "write \"1.20\" or \"1.36\"");
    }
    if (key == "decisions" && !value.is_list()) value.fail_type("a list");
    if (key == "warnings") value.items([&](Cursor item) { read_warning(item); });
    if (key == "skipped") value.items([&](Cursor item) { read_skipped(item); });
  }

  void read_seed(Cursor value) {
    std::uint64_t seed = 0;
    const std::string_view text = value.raw_text();
    for (const char c : text) {
      const bool fits = c >= '0' && c <= '9' &&
                        !__builtin_mul_overflow(seed, std::uint64_t{10}, &seed) &&
                        !__builtin_add_overflow(seed, static_cast<std::uint64_t>(c - '0'), &seed);
      if (!fits) return value.fail_type("a number from 0 to 2^64-1");
    }
    if (text.empty() || value.is_quoted()) return value.fail_type("a number from 0 to 2^64-1");
    plan_.seed = seed;
  }

  void read_decision(Cursor item) {
    const std::size_t errors_before = item.diagnostics().error_count();
    Decision decision;
    std::optional<std::string> node;
    std::int64_t score = 0;
    item.fields([&](std::string_view key, Cursor value) {
      if (key == "namespace") read_text(value, decision.namespace_name);
      if (key == "pod") read_text(value, decision.pod);
      if (key == "message") read_text(value, decision.message);
      if (key == "node")
        node =
            value.is_null() ? std::nullopt : std::optional(std::string(value.text().value_or("")));
      if (key == "score") score = value.integer().value_or(0);
      if (key == "runnerUp") read_runner_up(value, decision);
      if (key == "budgets") value.items([&](Cursor budget) { read_budget(budget, decision); });
      if (key == "rejectedBy")
        value.fields([&](std::string_view policy, Cursor nodes) {
          const auto count =
              nodes.integer(0, std::numeric_limits<std::uint32_t>::max()).value_or(0);
          decision.rejected_by.emplace_back(policy, static_cast<std::uint32_t>(count));
        });
    });
    if (item.diagnostics().error_count() > errors_before) return;
    if (decision.namespace_name.empty() || decision.pod.empty() || (node && node->empty()))
      return item.fail("a decision needs a namespace, a pod and a node or null");
    if (node) decision.chosen = ScoredNode{std::move(*node), score};
    plan_.decisions.push_back(std::move(decision));
  }

  static void read_runner_up(Cursor value, Decision& decision) {
    if (value.is_null()) return;
    ScoredNode second;
    value.fields([&](std::string_view key, Cursor field) {
      if (key == "node") read_text(field, second.node);
      if (key == "score") second.score = field.integer().value_or(0);
    });
    decision.runner_up = std::move(second);
  }

  static void read_budget(Cursor value, Decision& decision) {
    BudgetReport report;
    value.fields([&](std::string_view key, Cursor field) {
      if (key == "from") read_text(field, report.from);
      if (key == "limitUs") report.limit_us = field.integer(0, kMost).value_or(0);
      if (key == "rttUs") report.rtt_us = field.integer(0, kMost);
    });
    decision.budgets.push_back(std::move(report));
  }

  void read_warning(Cursor value) {
    Warning warning;
    value.fields([&](std::string_view key, Cursor field) {
      if (key == "code") read_text(field, warning.code);
      if (key == "message") read_text(field, warning.message);
      if (key == "where") warning.where = parse_place(std::string(field.text().value_or("")));
    });
    plan_.warnings.push_back(std::move(warning));
  }

  void read_skipped(Cursor value) {
    SkippedObject object;
    value.fields([&](std::string_view key, Cursor field) {
      if (key == "kind") read_text(field, object.kind);
      if (key == "name") read_text(field, object.name);
    });
    plan_.skipped.push_back(std::move(object));
  }

  bool seen_ = false;
  Plan plan_;
};

}  // namespace
}  // namespace codec

PlanReading read_plan(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes);
  codec::PlanReader reader;
  codec::StreamOptions options;
  options.list_key = "decisions";
  codec::read_stream(source, diagnostics, options, reader);
  if (diagnostics.ok() && !reader.seen())
    diagnostics.add(
        invalid_input("no gedge plan", source.span({1, 1}), std::string(codec::kWhatToGive)));
  PlanReading result;
  if (diagnostics.ok()) result.plan = reader.take();
  result.errors = diagnostics.take_errors();
  return result;
}

}  // namespace gedge
