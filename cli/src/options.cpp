#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "gedge/base/duration.hpp"
#include "gedge/base/quantity.hpp"
#include "gedge/codec/timestamp.hpp"
#include "rules.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::int64_t kMostMicros = 3'600'000'000;  // an hour

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

template <typename T>
std::vector<std::string> words_of(const Choices<T>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  return words;
}

// The words are checked before a Take is called, so one of them matches.
template <typename T, typename Target>
FlagSet::Take choice_into(Choices<T> choices, Target& target) {
  return [choices = std::move(choices), &target](const std::string& text) {
    for (const auto& [word, value] : choices)
      if (word == text) target = value;
    return Status{};
  };
}

Error wrong(std::string_view text, std::string_view flag, std::string hint) {
  return invalid_input("unknown value '" + std::string(text) + "' for --" + std::string(flag), {},
                       std::move(hint));
}

FlagSet::Take size_into(std::uint64_t& target) {
  return [&target](const std::string& text) -> Status {
    const auto bytes = parse_units(text);
    if (!bytes || *bytes <= 0) return wrong(text, "max-input", "write for example `512Mi`");
    target = static_cast<std::uint64_t>(*bytes);
    return {};
  };
}

// Seconds and less as everywhere; minutes and hours, because ages and periods are longer than RTTs.
std::optional<std::int64_t> parse_span(std::string_view text, Rounding rounding) {
  if (const auto micros = parse_duration(text, rounding)) return micros;
  for (const auto& [unit, seconds] : {std::pair{'m', 60}, std::pair{'h', 3600}}) {
    if (text.empty() || text.back() != unit) continue;
    const auto count = parse_micros(text.substr(0, text.size() - 1), TimeUnit::kSecond, rounding);
    if (count && *count <= std::numeric_limits<std::int64_t>::max() / seconds)
      return *count * seconds;
  }
  return std::nullopt;
}

FlagSet::Take age_into(std::optional<Micros>& target) {
  return [&target](const std::string& text) -> Status {
    const auto micros = parse_span(text, Rounding::kDown);
    if (!micros) return wrong(text, "max-age", "write for example `30s`, `10m` or `24h`");
    target = Micros(*micros);
    return {};
  };
}

FlagSet::Take time_into(std::optional<UnixSeconds>& target) {
  return [&target](const std::string& text) -> Status {
    const auto seconds = codec::parse_timestamp(text);
    if (!seconds) return wrong(text, "now", "write for example `2026-11-21T09:30:00Z`");
    target = *seconds;
    return {};
  };
}

}  // namespace

Status check_ages(const InputOptions& options) {
  if (!options.max_age || options.now) return {};
  return invalid_input("flag '--max-age' needs '--now'", {},
                       "say when it is: `--now 2026-11-21T09:30:00Z`, or now: "
                       "`--now $(date -u +%FT%TZ)`");
}

FlagSet::Take duration_into(Micros& target, std::string flag) {
  return [&target, flag = std::move(flag)](const std::string& text) -> Status {
    const auto micros = parse_duration(text, Rounding::kDown);
    if (!micros) return wrong(text, flag, "write for example `1ms` or `250us`");
    target = Micros(*micros);
    return {};
  };
}

FlagSet::Take span_into(Nanos& target, bool may_be_zero) {
  return [&target, may_be_zero](const std::string& text) -> Status {
    const auto micros =
        text == "0" ? std::optional<std::int64_t>(0) : parse_span(text, Rounding::kUp);
    const std::string quoted = "'" + text + "'";
    if (!micros)
      return invalid_input(quoted + " is no time", {}, "write for example `20ms`, `1s` or `5m`");
    if (*micros == 0 && !may_be_zero)
      return invalid_input(quoted + " is too short", {}, "it must be more than 0");
    if (*micros > kMostMicros)
      return invalid_input(quoted + " is too long", {}, "an hour is the most");
    target = Micros{*micros};
    return {};
  };
}

void add_file_flags(FlagSet& flags, InputOptions& options) {
  flags.heading("What to place");
  flags.add({.name = "filename",
             .letter = 'f',
             .value = "FILE|DIR|-",
             .help = "Read objects; '-' is standard input",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.files);
  flags.add({.name = "recursive",
             .letter = 'R',
             .help = "Read the directories below too",
             .shapes_answer = true},
            options.recursive);
}

void add_namespace_flag(FlagSet& flags, InputOptions& options) {
  flags.add({.name = "namespace",
             .letter = 'n',
             .value = "NAME",
             .help = "Namespace of what names none",
             .fallback = "default",
             .shapes_answer = true},
            options.namespace_name);
}

void add_cluster_flags(FlagSet& flags, InputOptions& options) {
  flags.heading("Where to place it");
  flags.add({.name = "cluster",
             .value = "SOURCE",
             .help = "live, a file, a directory or synthetic:...",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.cluster);
}

void add_live_flags(FlagSet& flags, InputOptions& options) {
  add_server_flags(flags, options.server);
  flags.add({.name = "request-timeout",
             .value = "DURATION",
             .help = "Longest wait for one answer",
             .fallback = "60s"},
            span_into(options.server.request_timeout, false));
}

void add_age_flags(FlagSet& flags, InputOptions& options, std::string help) {
  flags.add(
      {.name = "max-age", .value = "DURATION", .help = std::move(help), .shapes_answer = true},
      age_into(options.max_age));
  flags.add({.name = "now",
             .value = "TIME",
             .help = "The moment that ages are counted to",
             .shapes_answer = true},
            time_into(options.now));
}

void add_zero_flag(FlagSet& flags, InputOptions& options) {
  const Choices<bool> zeros{{"missing", false}, {"value", true}};
  flags.add({.name = "rtt-zero",
             .value = "MEANING",
             .help = "Zeros between nodes: missing or value",
             .fallback = "missing",
             .words = words_of(zeros),
             .shapes_answer = true},
            choice_into(zeros, options.rtt_zero_is_value));
}

void add_rtt_meaning_flags(FlagSet& flags, InputOptions& options) {
  const Choices<TimeUnit> units{
      {"us", TimeUnit::kMicro}, {"ms", TimeUnit::kMilli}, {"s", TimeUnit::kSecond}};
  const Choices<RttStat> stats{{"p50", RttStat::kP50},
                               {"p95", RttStat::kP95},
                               {"p99", RttStat::kP99},
                               {"max", RttStat::kMax}};
  flags.add({.name = "rtt-names",
             .value = "FILE",
             .help = "Names for the rows of a matrix without any",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.rtt_names);
  flags.add({.name = "rtt-unit",
             .value = "UNIT",
             .help = "Unit of bare numbers: us, ms or s",
             .fallback = "ms",
             .words = words_of(units),
             .shapes_answer = true},
            choice_into(units, options.rtt_unit));
  flags.add({.name = "cost-unit",
             .value = "UNIT",
             .help = "Unit of a NetworkTopology's costs: us, ms or s",
             .words = words_of(units),
             .shapes_answer = true},
            choice_into(units, options.cost_unit));
  add_zero_flag(flags, options);
  flags.add({.name = "rtt-by",
             .value = "LABEL",
             .help = "Names in the matrix are values of this node label",
             .shapes_answer = true},
            options.rtt_by);
  flags.add({.name = "rtt-stat",
             .value = "STAT",
             .help = "Compare budgets with p50, p95, p99 or max",
             .fallback = "p95",
             .words = words_of(stats),
             .shapes_answer = true},
            choice_into(stats, options.rtt_stat));
  add_age_flags(flags, options, "Leave out older samples, if dated; needs --now");
}

void add_rtt_flags(FlagSet& flags, InputOptions& options) {
  flags.add({.name = "rtt",
             .value = "FILE|DIR",
             .help = "Read round-trip times; a later one wins",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.rtt);
  add_rtt_meaning_flags(flags, options);
}

void add_compat_flag(FlagSet& flags, RuleOptions& options) {
  const Choices<Compat> versions{{"1.20", Compat::k1_20}, {"1.36", Compat::k1_36}};
  flags.add({.name = "compat",
             .value = "VERSION",
             .help = "Kubernetes formulas: 1.20 or 1.36",
             .fallback = "1.36",
             .words = words_of(versions),
             .shapes_answer = true},
            choice_into(versions, options.asked_compat));
}

void add_profile_flags(FlagSet& flags, RuleOptions& options) {
  flags.heading("How to decide");
  flags.add({.name = "profile",
             .value = "NAME|FILE",
             .help = "Policies and weights",
             .fallback = "edge",
             .live = Live::kProfiles,
             .shapes_answer = true},
            [&options](const std::string& text) -> Status {
              const auto known = builtin_profile(text, Compat::k1_36);
              if (!known && !names_file(text)) return known.error();
              options.profile = text;
              return {};
            });
  add_compat_flag(flags, options);
  flags.add({.name = "plugin",
             .value = "FILE",
             .help = "Load a policy module",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.plugins);
}

void add_rule_flags(FlagSet& flags, RuleOptions& options) {
  add_profile_flags(flags, options);
  flags.add({.name = "seed",
             .value = "N",
             .help = "For profiles that spread ties",
             .fallback = "0",
             .shapes_answer = true},
            number_into(options.seed, std::numeric_limits<std::uint64_t>::max()));
}

void add_document_flag(FlagSet& flags, OutputOptions& options, const std::string& text) {
  Choices<Format> formats{{"json", Format::kJson}, {"yaml", Format::kYaml}};
  if (!text.empty()) formats.insert(formats.begin(), {text, Format::kTable});
  const std::vector<std::string> words = words_of(formats);
  flags.heading("How to show it");
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = "Print as " + join_words(words, ", ", " or "),
             .fallback = text.empty() ? "yaml" : text,
             .words = words},
            choice_into(formats, options.format));
}

void add_output_flags(FlagSet& flags, OutputOptions& options, std::vector<std::string> formats,
                      bool sorts) {
  const Choices<Format> all{{"table", Format::kTable},
                            {"wide", Format::kWide},
                            {"json", Format::kJson},
                            {"yaml", Format::kYaml},
                            {"name", Format::kName}};
  const bool has_table = formats.front() == "table";
  flags.heading("How to show it");
  std::string help = "Print as " + join_words(formats, ", ", " or ");
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = std::move(help),
             .fallback = formats.front(),
             .words = formats},
            choice_into(all, options.format));
  if (!has_table) return;
  flags.add({.name = "no-headers", .help = "Leave out the header line"}, options.no_headers);
  if (!sorts) return;
  flags.add({.name = "sort-by", .value = "COLUMN", .help = "Sort rows by a column"},
            options.sort_by);
}

void add_show_flags(FlagSet& flags, ShowOptions& options) {
  flags.add({.name = "all-namespaces",
             .letter = 'A',
             .help = "Show pods of all namespaces, even with -n"},
            options.all_namespaces);
  flags.add({.name = "selector",
             .letter = 'l',
             .value = "SELECTOR",
             .help = "Show only pods with these labels"},
            options.selector);
}

void add_limit_flags(FlagSet& flags, InputOptions& options) {
  flags.heading("Everywhere");
  flags.add({.name = "threads",
             .value = "N",
             .help = "Threads; the answer is the same; 0: one a core",
             .fallback = "0"},
            number_into(options.threads, kMaxThreads));
  flags.add({.name = "max-input",
             .value = "SIZE",
             .help = "Largest file that is read",
             .fallback = "1Gi",
             .shapes_answer = true},
            size_into(options.max_input));
}

}  // namespace gedge::cli
