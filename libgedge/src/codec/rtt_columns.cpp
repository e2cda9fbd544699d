#include "codec/rtt_columns.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gedge::codec {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Words in lower case with '_' between them: "avg (ms)" and "avgMs" are "avg_ms", "RTT" is "rtt".
std::string plain_form(std::string_view header) {
  std::string form;
  char before = '_';
  for (const char c : header) {
    const bool word = is_upper(c) || is_lower_or_digit(c);
    const bool begins = !word || (is_upper(c) && is_lower_or_digit(before));
    if (begins && !form.empty() && form.back() != '_') form += '_';
    if (word) form += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  while (!form.empty() && form.back() == '_') form.pop_back();
  return form;
}

std::optional<TimeUnit> take_unit(std::string& form) {
  constexpr std::array<std::pair<std::string_view, TimeUnit>, 8> units{
      {{"_us", TimeUnit::kMicro},
       {"_usec", TimeUnit::kMicro},
       {"_micros", TimeUnit::kMicro},
       {"_ms", TimeUnit::kMilli},
       {"_msec", TimeUnit::kMilli},
       {"_millis", TimeUnit::kMilli},
       {"_s", TimeUnit::kSecond},
       {"_sec", TimeUnit::kSecond}}};
  for (const auto& [suffix, unit] : units) {
    if (!form.ends_with(suffix)) continue;
    form.resize(form.size() - suffix.size());
    return unit;
  }
  return std::nullopt;
}

struct Known {
  std::string_view word;
  RttColumn::Role role;
  RttStats::Field stat = RttStats::kOnly;
};

constexpr std::array<Known, 44> kKnown{{{"from", RttColumn::Role::kFrom},
                                        {"src", RttColumn::Role::kFrom},
                                        {"source", RttColumn::Role::kFrom},
                                        {"origin", RttColumn::Role::kFrom},
                                        {"to", RttColumn::Role::kTo},
                                        {"dst", RttColumn::Role::kTo},
                                        {"dest", RttColumn::Role::kTo},
                                        {"destination", RttColumn::Role::kTo},
                                        {"target", RttColumn::Role::kTo},
                                        {"rtt", RttColumn::Role::kStat},
                                        {"latency", RttColumn::Role::kStat},
                                        {"delay", RttColumn::Role::kStat},
                                        {"ping", RttColumn::Role::kStat},
                                        {"value", RttColumn::Role::kStat},
                                        {"min", RttColumn::Role::kStat, RttStats::kMin},
                                        {"minimum", RttColumn::Role::kStat, RttStats::kMin},
                                        {"avg", RttColumn::Role::kStat, RttStats::kMean},
                                        {"mean", RttColumn::Role::kStat, RttStats::kMean},
                                        {"average", RttColumn::Role::kStat, RttStats::kMean},
                                        {"rtt_avg", RttColumn::Role::kStat, RttStats::kMean},
                                        {"rtt_mean", RttColumn::Role::kStat, RttStats::kMean},
                                        {"p50", RttColumn::Role::kStat, RttStats::kP50},
                                        {"median", RttColumn::Role::kStat, RttStats::kP50},
                                        {"rtt_p50", RttColumn::Role::kStat, RttStats::kP50},
                                        {"p95", RttColumn::Role::kStat, RttStats::kP95},
                                        {"rtt_p95", RttColumn::Role::kStat, RttStats::kP95},
                                        {"p99", RttColumn::Role::kStat, RttStats::kP99},
                                        {"rtt_p99", RttColumn::Role::kStat, RttStats::kP99},
                                        {"max", RttColumn::Role::kStat, RttStats::kMax},
                                        {"maximum", RttColumn::Role::kStat, RttStats::kMax},
                                        {"rtt_max", RttColumn::Role::kStat, RttStats::kMax},
                                        {"upper", RttColumn::Role::kStat, RttStats::kUpper},
                                        {"measured_at", RttColumn::Role::kMeasuredAt},
                                        {"timestamp", RttColumn::Role::kMeasuredAt},
                                        {"mdev", RttColumn::Role::kMdev},
                                        {"rtt_mdev", RttColumn::Role::kMdev},
                                        {"jitter", RttColumn::Role::kJitter},
                                        {"rtt_jitter", RttColumn::Role::kJitter},
                                        {"loss_ppm", RttColumn::Role::kLoss},
                                        {"samples", RttColumn::Role::kSamples},
                                        {"method", RttColumn::Role::kMethod},
                                        {"estimated", RttColumn::Role::kEstimated},
                                        {"suspicious", RttColumn::Role::kSuspicious},
                                        {"rtt_min", RttColumn::Role::kStat, RttStats::kMin}}};

bool equals(const std::vector<std::string_view>& header, std::size_t i, std::string_view word) {
  return i < header.size() && plain_form(header[i]) == word;
}

}  // namespace

RttColumn rtt_column(std::string_view header) {
  std::string form = plain_form(header);
  RttColumn column;
  column.unit = take_unit(form);
  const auto at = std::find_if(kKnown.begin(), kKnown.end(),
                               [&](const Known& known) { return known.word == form; });
  if (at == kKnown.end()) return column;
  column.role = at->role;
  column.stat = at->stat;
  return column;
}

bool is_edge_header(const std::vector<std::string_view>& header) {
  if (header.size() < 3) return false;
  bool from = false, to = false;
  for (const std::string_view cell : header) {
    const RttColumn column = rtt_column(cell);
    from = from || column.role == RttColumn::Role::kFrom;
    to = to || column.role == RttColumn::Role::kTo;
  }
  return from && to;
}

bool is_wonder_network(const std::vector<std::string_view>& header) {
  return equals(header, 0, "city") && equals(header, 1, "distance") && header.size() >= 4;
}

bool is_wonder_cities(const std::vector<std::string_view>& header) {
  return equals(header, 0, "city") && equals(header, 1, "lat") && equals(header, 2, "long");
}

}  // namespace gedge::codec
