#include "render/load_view.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "gedge/base/duration.hpp"
#include "gedge/codec/timestamp.hpp"
#include "render/canvas.hpp"
#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

// Of a drawing in text; a narrow terminal has fewer columns.
constexpr std::size_t kColumns = 60, kLeastColumns = 10, kRows = 8;

// What happens in an equal share of the time: the most that is needed, the least that is ready.
struct Bucket {
  std::int32_t needed = 0, ready = 0, replicas = 0;
};

std::vector<Bucket> buckets_of(const LoadRun& run, std::size_t count) {
  std::vector<Bucket> buckets(count);
  std::vector<bool> filled(count, false);
  const UnixSeconds span = std::max<UnixSeconds>(run.end - run.begin, 1);
  const auto all = static_cast<std::int64_t>(count);
  const auto share_of = [&](UnixSeconds time, std::int64_t less) {
    const std::int64_t share = ((time - run.begin) * all - less) / span;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(share, 0, all - 1));
  };
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const LoadStep& step = run.steps[i];
    const UnixSeconds until = i + 1 < run.steps.size() ? run.steps[i + 1].at : run.end;
    const std::int32_t needed = pods_for(step.demand_milli, run.target_milli);
    // A bucket may be shorter than a second: the last one ends with the step.
    const std::size_t first = share_of(step.at, 0), last = std::max(first, share_of(until, 1));
    for (std::size_t b = first; b <= last; ++b) {
      Bucket& bucket = buckets[b];
      bucket.needed = std::max(bucket.needed, needed);
      bucket.replicas = std::max(bucket.replicas, step.replicas);
      bucket.ready = filled[b] ? std::min(bucket.ready, step.ready) : step.ready;
      filled[b] = true;
    }
  }
  return buckets;
}

std::int32_t highest(const std::vector<Bucket>& buckets) {
  std::int32_t most = 1;
  for (const Bucket& bucket : buckets) most = std::max({most, bucket.needed, bucket.replicas});
  return most;
}

std::string hours(std::int64_t seconds) {
  const std::int64_t tenths = seconds * 10 / 3'600;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string seconds_text(std::int64_t seconds) { return std::to_string(seconds) + " s"; }

std::int64_t mean(const std::vector<std::int64_t>& values) {
  std::int64_t sum = 0;
  for (const std::int64_t value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<std::int64_t>(values.size());
}

Table table_of(const LoadRuns& runs) {
  const auto right = Align::kRight;
  const auto whole = Shrink::kNever;
  Table table({{"SETTING", Align::kLeft, Shrink::kLast},
               {"REPLICAS", right},
               {"OUT", right, whole, true},
               {"IN", right, whole, true},
               {"ABOVE TARGET", right},
               {"SHARE", right, whole, true},
               {"REPLICA HOURS", right, whole, true},
               {"REACTION", right, whole, true},
               {"WORST", right, whole, true}});
  for (const LoadRun& run : runs) {
    const bool reacted = !run.reactions_s.empty();
    const std::int64_t worst =
        reacted ? *std::max_element(run.reactions_s.begin(), run.reactions_s.end()) : 0;
    table.add({{run.name},
               {std::to_string(run.fewest) + " to " + std::to_string(run.most)},
               {std::to_string(run.outs)},
               {std::to_string(run.ins)},
               {seconds_text(run.short_seconds), run.short_seconds > 0 ? Ink::kWarn : Ink::kGood},
               {percent(run.short_seconds, run.end - run.begin)},
               {hours(run.replica_seconds)},
               reacted ? Cell{seconds_text(mean(run.reactions_s))} : Cell{},
               reacted ? Cell{seconds_text(worst)} : Cell{}});
  }
  return table;
}

std::string rtt_text(Rtt rtt) { return rtt == kUnmeasured ? "-" : format_duration(rtt.us); }

void print_sites(Stream& out, const LoadRun& run, bool headers) {
  const auto right = Align::kRight;
  const SitesOfRun& found = *run.sites;
  Table table({{"SITE", Align::kLeft, Shrink::kLast},
               {"RTT", right},
               {"MOST REPLICAS", right},
               {"REPLICA HOURS", right}});
  for (const SiteUse& use : found.sites)
    table.add({{use.name},
               {rtt_text(use.rtt), use.in_budget ? Ink::kPlain : Ink::kWarn},
               {std::to_string(use.most)},
               {hours(use.replica_seconds)}});
  out.line("");
  table.print(out, headers);
  out.line(counted(static_cast<std::size_t>(found.moves), "move") + " between sites");
  if (found.users.empty()) return;
  std::string users = "users: RTT " + rtt_text(found.users.quantile(0.5)) + " (p50), " +
                      rtt_text(found.users.quantile(0.95)) + " (p95)";
  if (found.budget_us) {
    constexpr std::int64_t kParts = 1'000'000;
    const double beyond = found.users.share_beyond(*found.budget_us) * kParts;
    users += ", beyond the budget " + percent(static_cast<std::int64_t>(beyond), kParts);
  }
  out.line(users);
}

// A load whose times are seconds from nought has no dates.
std::string time_text(UnixSeconds at) {
  constexpr UnixSeconds kYear = 365 * 86'400;
  return at < kYear ? std::to_string(at) + 's' : codec::format_timestamp(at);
}

// Equal steps of one look are one line.
void print_changes(Stream& out, const LoadRun& run, bool headers) {
  const auto right = Align::kRight;
  Table table({{"TIME", Align::kLeft},
               {"STEP", Align::kLeft},
               {"SITE", Align::kLeft, Shrink::kLast},
               {"REPLICAS", right},
               {"THERE", right}});
  const std::vector<SiteChange>& changes = run.sites->changes;
  std::vector<std::int64_t> there(run.sites->sites.size(), 0);
  for (std::size_t i = 0; i < changes.size();) {
    const SiteChange& first = changes[i];
    const SiteStep step = first.effect.step;
    std::size_t end = i;
    while (end < changes.size() && changes[end].at == first.at &&
           changes[end].effect.step == step && changes[end].effect.site == first.effect.site)
      ++end;
    const auto count = static_cast<std::int64_t>(end - i);
    std::int64_t& here = there[first.effect.site];
    if (step == SiteStep::kOut || step == SiteStep::kOver) here += count;
    if (step == SiteStep::kBack || step == SiteStep::kIn) here -= count;
    table.add({{time_text(first.at)},
               {std::string(to_string(step))},
               {run.sites->sites[first.effect.site].name},
               {std::to_string(count)},
               {std::to_string(here)}});
    i = end;
  }
  out.line("");
  table.print(out, headers);
}

// '#' is ready, '+' starts, '!' is needed and not there.
char letter_of(const Bucket& bucket, std::int64_t level) {
  if (bucket.ready >= level) return '#';
  if (bucket.needed >= level) return '!';
  return bucket.replicas >= level ? '+' : ' ';
}

// Beside the numbers of the rows.
std::size_t drawn_columns(const Stream& out, std::size_t numbers) {
  if (!out.is_terminal() || out.width() == 0) return kColumns;
  const std::size_t margin = numbers + 2;
  return std::clamp(out.width() - std::min(out.width(), margin), kLeastColumns, kColumns);
}

void print_drawing(Stream& out, const LoadRun& run) {
  const auto rows = static_cast<std::int64_t>(kRows);
  const std::size_t width = std::to_string(highest(buckets_of(run, 1))).size();
  const std::vector<Bucket> buckets = buckets_of(run, drawn_columns(out, width));
  const std::int64_t most = highest(buckets);
  out.line("");
  out.line(out.style().paint(Ink::kStrong, run.name));
  std::int64_t above = 0;
  for (std::int64_t row = rows; row > 0; --row) {
    const std::int64_t level = std::max<std::int64_t>((most * row + rows - 1) / rows, 1);
    if (level == above) continue;  // few replicas need few rows
    above = level;
    std::string line = std::to_string(level);
    line.insert(0, width - std::min(width, line.size()), ' ');
    line += " |";
    for (const Bucket& bucket : buckets) line += letter_of(bucket, level);
    out.line(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  out.line(std::string(width, ' ') + " +" + std::string(buckets.size(), '-'));
}

constexpr std::size_t kMargin = 10, kAxis = 40, kPanel = 120, kWidth = 720, kLine = 16;
constexpr std::size_t kReady = kFirstShade + 2, kShort = kFirstShade + 7;

void draw_panel(Canvas& canvas, const LoadRun& run, std::size_t top) {
  const std::vector<Bucket> buckets = buckets_of(run, kWidth);
  const auto most = static_cast<std::size_t>(highest(buckets));
  const std::size_t floor = top + kLine + kPanel, left = kMargin + kAxis;
  const auto height = [&](std::int32_t count) {
    return static_cast<std::size_t>(std::max(count, 0)) * kPanel / most;
  };
  canvas.words(left, top + kLine - 4, TextRun::kFrom, escape_controls(run.name));
  canvas.words(left - 4, top + kLine + 9, TextRun::kUpTo, std::to_string(most));
  canvas.words(left - 4, floor, TextRun::kUpTo, "0");
  for (std::size_t x = 0; x < buckets.size(); ++x) {
    const Bucket& bucket = buckets[x];
    const std::size_t ready = height(bucket.ready);
    const auto bar = [&](std::int32_t count, std::size_t colour) {
      if (height(count) <= ready) return;
      canvas.block(left + x, floor - height(count), 1, height(count) - ready, colour, "");
    };
    bar(bucket.replicas, kGrey);
    bar(bucket.needed, kShort);
    if (ready > 0) canvas.block(left + x, floor - ready, 1, ready, kReady, "");
  }
  canvas.block(left, floor, kWidth, 1, kLetters, "");
  canvas.words(left, floor + kLine - 3, TextRun::kFrom, codec::format_timestamp(run.begin));
  canvas.words(left + kWidth, floor + kLine - 3, TextRun::kUpTo, codec::format_timestamp(run.end));
}

void draw_legend(Canvas& canvas, std::size_t top) {
  constexpr std::size_t kStep = 140, kSquare = 14;
  constexpr std::array<std::pair<std::size_t, std::string_view>, 3> kEntries{
      {{kReady, "ready"}, {kGrey, "starts"}, {kShort, "needed, not ready"}}};
  std::size_t x = kMargin + kAxis;
  for (const auto& [colour, text] : kEntries) {
    canvas.block(x, top, kSquare, kSquare, colour, "");
    canvas.words(x + kSquare + 4, top + kSquare - 3, TextRun::kFrom, text);
    x += kStep;
  }
}

void draw_runs(Canvas& canvas, const LoadRuns& runs) {
  constexpr std::size_t kStep = kLine + kPanel + 2 * kLine;
  canvas.sheet(2 * kMargin + kAxis + kWidth, 3 * kMargin + kLine + runs.size() * kStep,
               "Replicas over time");
  for (std::size_t i = 0; i < runs.size(); ++i) draw_panel(canvas, runs[i], kMargin + i * kStep);
  draw_legend(canvas, kMargin + runs.size() * kStep);
}

}  // namespace

Status print_load(Stream& out, const LoadRuns& runs, const TableOptions& options) {
  table_of(runs).print(out, options.headers);
  for (const LoadRun& run : runs) {
    print_drawing(out, run);
    if (run.sites) print_sites(out, run, options.headers);
    if (run.sites && options.wide) print_changes(out, run, options.headers);
  }
  return {};
}

std::string load_svg(const LoadRuns& runs) {
  return draw_svg([&](Canvas& canvas) { draw_runs(canvas, runs); });
}

Result<std::string> load_png(const LoadRuns& runs) {
  return draw_png([&](Canvas& canvas) { draw_runs(canvas, runs); });
}

}  // namespace gedge::cli
