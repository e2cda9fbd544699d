#include "render/measure_view.hpp"

#include <algorithm>
#include <vector>

#include "render/numbers.hpp"
#include "term/table.hpp"

namespace gedge::cli {
namespace {

// Columns of times; the first five are those of the plain table.
struct TimeColumn {
  const char* header;
  Rtt RttSummary::*value;
  bool only_wide;
};
constexpr TimeColumn kTimes[] = {
    {"MIN", &RttSummary::min, false},  {"P50", &RttSummary::p50, false},
    {"P95", &RttSummary::p95, false},  {"P99", &RttSummary::p99, false},
    {"MAX", &RttSummary::max, false},  {"MEAN", &RttSummary::mean, true},
    {"MDEV", &RttSummary::mdev, true}, {"JITTER", &RttSummary::jitter, true},
};

std::vector<const MeasuredTarget*> by_name(const Measurement& measurement) {
  std::vector<const MeasuredTarget*> rows;
  for (const MeasuredTarget& target : measurement.targets) rows.push_back(&target);
  std::stable_sort(rows.begin(), rows.end(), [](const MeasuredTarget* a, const MeasuredTarget* b) {
    return a->name < b->name;
  });
  return rows;
}

DurationColumn units_of(const Measurement& measurement) {
  std::vector<std::int64_t> micros;
  for (const MeasuredTarget& target : measurement.targets)
    if (target.rtt.measured()) micros.push_back(target.rtt.max.us);
  return DurationColumn(micros);
}

}  // namespace

Cell loss_cell(std::uint32_t loss_ppm) {
  constexpr std::int64_t kPpmInPercent = 10'000, kAll = 100 * kPpmInPercent;
  if (loss_ppm == kNotKnown) return {};
  const Ink ink = loss_ppm == kAll ? Ink::kBad : loss_ppm > 0 ? Ink::kWarn : Ink::kPlain;
  const std::int64_t tenths = (loss_ppm * 10LL + kPpmInPercent - 1) / kPpmInPercent;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += '.' + std::to_string(tenths % 10);
  return {text + " %", ink, loss_ppm};
}

Status print_measurement(Stream& out, const std::string& from, const Measurement& measurement,
                         const TableOptions& options) {
  const DurationColumn units = units_of(measurement);
  std::vector<Column> columns{{"FROM", Align::kLeft, Shrink::kLast},
                              {"TO", Align::kLeft, Shrink::kLast}};
  for (const TimeColumn& time : kTimes)
    if (options.wide || !time.only_wide) columns.push_back({time.header, Align::kRight});
  columns.push_back({"LOSS", Align::kRight});
  columns.push_back({"SAMPLES", Align::kRight});
  if (options.wide) columns.push_back({"METHOD"});

  Table table(std::move(columns));
  for (const MeasuredTarget* target : by_name(measurement)) {
    const RttSummary& rtt = target->rtt;
    std::vector<Cell> row{{from}, {target->name}};
    for (const TimeColumn& time : kTimes) {
      if (!options.wide && time.only_wide) continue;
      const Rtt value = rtt.*time.value;
      row.push_back(value == kUnmeasured
                        ? Cell{}
                        : Cell{units.text(value.us), Ink::kPlain, std::int64_t{value.us}});
    }
    row.push_back(loss_cell(rtt.probes == 0 ? kNotKnown : rtt.loss_ppm));
    row.push_back({std::to_string(rtt.samples), Ink::kPlain, std::int64_t{rtt.samples}});
    if (options.wide) row.push_back({target->method});
    table.add(std::move(row));
  }
  if (!options.sort_by.empty())
    if (Status sorted = table.sort_by(options.sort_by); !sorted) return sorted;
  table.print(out, options.headers);
  return {};
}

std::string_view words_of(Refusal refusal, bool has_port) {
  switch (refusal) {
    case Refusal::kUnreachable:
      return "it cannot be reached";
    case Refusal::kClosed:
      return has_port ? "nobody listens at that port" : "something on the way refuses it";
    case Refusal::kForbidden:
      return "a firewall of this machine forbids it";
    case Refusal::kTooLarge:
      return "the probes are too large for the network";
    case Refusal::kNoRoom:
      return "the system has no memory or descriptors left";
    case Refusal::kOther:
      return "the system refused to send";
    case Refusal::kNoHttp:
      return "what answers there does not speak HTTP";
    case Refusal::kUntrusted:
      return "its certificate is not trusted";
    case Refusal::kNone:
      break;
  }
  return "";
}

}  // namespace gedge::cli
