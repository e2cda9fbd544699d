// The fields of a Scenario: everything known, anything else a mistake.
#include "gedge/codec/scenario.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/fields.hpp"
#include "codec/profile_fields.hpp"
#include "gedge/base/duration.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/plan/edit.hpp"

namespace gedge {
namespace codec {
namespace {

using Kind = ScenarioEvent::Kind;

constexpr std::int64_t kMostMicros = 366LL * 24 * 3'600 * 1'000'000;  // a year
constexpr std::int64_t kMostReplicas = 100'000;

constexpr std::array<std::pair<std::string_view, Kind>, 7> kKinds{{{"add", Kind::kAdd},
                                                                   {"remove", Kind::kRemove},
                                                                   {"scale", Kind::kScale},
                                                                   {"edit", Kind::kEdit},
                                                                   {"fail", Kind::kFail},
                                                                   {"recover", Kind::kRecover},
                                                                   {"finish", Kind::kFinish}}};

// As everywhere, and minutes and hours.
std::optional<std::int64_t> parse_span(std::string_view text) {
  if (text == "0") return 0;
  if (const auto micros = parse_duration(text, Rounding::kUp)) return micros;
  for (const auto& [unit, seconds] : {std::pair{'m', 60}, std::pair{'h', 3'600}}) {
    if (text.empty() || text.back() != unit) continue;
    const auto count =
        parse_micros(text.substr(0, text.size() - 1), TimeUnit::kSecond, Rounding::kUp);
    if (count && *count <= kMostMicros) return *count * seconds;
  }
  return std::nullopt;
}

void read_span(Cursor value, Nanos& out) {
  const auto text = value.text_or_number();
  if (!text) return;
  const auto micros = parse_span(*text);
  if (micros && *micros <= kMostMicros)
    out = Micros(*micros);
  else
    value.fail(quote(*text) + " is no time", "write for example `500ms`, `90s`, `10m` or `24h`");
}

// "2.5%", in parts of a million.
void read_share(Cursor value, std::uint32_t& out) {
  const auto text = value.text_or_number();
  if (!text || text->empty()) return;
  constexpr std::int64_t kPerPercent = 10'000, kMillion = 1'000'000;
  const std::string_view number = std::string_view(*text).substr(0, text->size() - 1);
  const auto percent =
      text->ends_with('%') ? parse_micros(number, TimeUnit::kSecond, Rounding::kUp) : std::nullopt;
  if (percent && *percent <= 100 * kMillion)
    out = static_cast<std::uint32_t>(*percent / (kMillion / kPerPercent));
  else
    value.fail(quote(*text) + " is no share", "write for example `5%` or `0.1%`");
}

// One text, or a list of them.
void read_some(Cursor value, std::vector<std::string>& out) {
  const auto add = [&](Cursor item) {
    std::string text;
    read_text(item, text);
    if (!text.empty()) out.push_back(std::move(text));
  };
  if (value.is_list())
    value.items(add);
  else
    add(value);
}

class ScenarioReader {
 public:
  void read(Cursor root) {
    const auto kind = root.is_map() ? root.find("kind") : std::nullopt;
    if (!kind || kind->raw_text() != "Scenario")
      return (kind ? *kind : root).fail("no Scenario", "begin it with `kind: Scenario`");
    const auto version = root.find("apiVersion");
    if (!version || version->raw_text() != kApiVersion)
      return (version ? *version : root)
          .fail("no Scenario of " + std::string(kApiVersion),
                "write `apiVersion: " + std::string(kApiVersion) + "`");
    strict_fields(root,
                  {"apiVersion", "kind", "metadata", "cluster", "rtt", "manifests", "seed",
                   "duration", "timing", "faults", "events"},
                  [&](std::string_view key, Cursor value) { read_field(key, value); });
    if (scenario_.cluster.empty() && scenario_.manifests.empty())
      root.fail("a scenario without nodes",
                "name a cluster: `cluster: synthetic:nodes=6` or a file beside the scenario");
    check_times();
    std::stable_sort(scenario_.events.begin(), scenario_.events.end(),
                     [](const ScenarioEvent& a, const ScenarioEvent& b) { return a.at < b.at; });
  }
  Scenario take() { return std::move(scenario_); }

 private:
  void read_field(std::string_view key, Cursor value) {
    if (key == "cluster") read_some(value, scenario_.cluster);
    if (key == "rtt") read_some(value, scenario_.rtt);
    if (key == "manifests") read_some(value, scenario_.manifests);
    if (key == "duration") read_span(value, scenario_.duration);
    if (key == "timing") read_timing(value);
    if (key == "faults") read_faults(value);
    if (key == "seed")
      if (const auto seed = value.integer(0)) scenario_.seed = static_cast<std::uint64_t>(*seed);
    if (key == "events") value.items([&](Cursor event) { read_event(event); });
  }

  void read_timing(Cursor map) {
    ScenarioTiming& timing = scenario_.timing;
    const std::array<std::pair<std::string_view, Nanos*>, 6> spans{
        {{"nodeGrace", &timing.node_grace},
         {"evictAfter", &timing.evict_after},
         {"podStart", &timing.start_after},
         {"podStop", &timing.stop_after},
         {"answer", &timing.answer_after},
         {"watch", &timing.watch_after}}};
    strict_fields(map, {"nodeGrace", "evictAfter", "podStart", "podStop", "answer", "watch"},
                  [&](std::string_view key, Cursor value) {
                    for (const auto& [name, span] : spans)
                      if (name == key) read_span(value, *span);
                  });
  }

  void read_faults(Cursor map) {
    ScenarioFaults& faults = scenario_.faults;
    const std::array<std::pair<std::string_view, std::uint32_t*>, 7> shares{
        {{"lostBinds", &faults.lost_binds},
         {"lostAnswers", &faults.lost_answers},
         {"refusedBinds", &faults.refused_binds},
         {"lostReads", &faults.lost_reads},
         {"watchRepeats", &faults.watch_repeats},
         {"watchBreaks", &faults.watch_breaks},
         {"restarts", &faults.restarts}}};
    const std::array<std::pair<std::string_view, Nanos*>, 5> spans{
        {{"slowAnswers", &faults.slow_answers},
         {"lateWatch", &faults.late_watch},
         {"watchOutage", &faults.watch_outage},
         {"timeout", &faults.timeout},
         {"churn", &faults.churn}}};
    std::vector<std::string> known;
    for (const auto& [name, share] : shares) known.emplace_back(name);
    for (const auto& [name, span] : spans) known.emplace_back(name);
    strict_fields(map, known, [&](std::string_view key, Cursor value) {
      for (const auto& [name, share] : shares)
        if (name == key) read_share(value, *share);
      for (const auto& [name, span] : spans)
        if (name == key) read_span(value, *span);
    });
  }

  void read_event(Cursor map) {
    std::vector<std::string> known{"at", "replicas"};
    for (const auto& [name, kind] : kKinds) known.emplace_back(name);
    ScenarioEvent event;
    event.where = map.where();
    std::vector<std::string> subjects;
    std::optional<Cursor> what, replicas;
    const std::size_t said = map.diagnostics().error_count();
    strict_fields(map, known, [&](std::string_view key, Cursor value) {
      if (key == "at") return read_span(value, event.at);
      if (key == "replicas") return static_cast<void>(replicas = value);
      if (what) return value.key().value_or(value).fail("a second thing in one event");
      what = value;
      for (const auto& [name, kind] : kKinds)
        if (name == key) event.kind = kind;
      read_some(value, subjects);
    });
    if (!what || subjects.empty()) {
      if (map.diagnostics().error_count() > said) return;  // of what was meant
      return map.fail("an event in which nothing happens",
                      "write one of add, remove, scale, edit, fail, recover and finish");
    }
    if (!map.find("at")) map.fail("an event without a time", "write for example `at: 90s`");
    read_replicas(map, replicas, event);
    event.where = what->where();
    for (std::string& subject : subjects) {
      event.subject = std::move(subject);
      check_edit(event, *what);
      scenario_.events.push_back(event);
    }
  }

  void read_replicas(Cursor map, std::optional<Cursor> replicas, ScenarioEvent& event) {
    if (replicas && event.kind != Kind::kScale)
      replicas->key().value_or(*replicas).fail("'replicas' without 'scale'");
    if (event.kind != Kind::kScale) return;
    if (!replicas) return map.fail("'scale' without 'replicas'", "write for example `replicas: 3`");
    event.replicas = replicas->integer(0, kMostReplicas).value_or(0);
  }

  void check_edit(const ScenarioEvent& event, Cursor what) {
    if (event.kind != Kind::kEdit) return;
    const auto edit = parse_edit(event.subject);
    if (!edit) return what.fail(quote(event.subject) + ": " + edit.error().what, edit.error().hint);
    if (edit->kind == Edit::Kind::kAddFile)
      what.fail("a file is added by an event of its own", "write `add: FILE`");
  }

  void check_times() {
    for (const ScenarioEvent& event : scenario_.events)
      if (event.at > scenario_.duration) late_.push_back(event.where);
  }

 public:
  /// Where events stand that come after the end.
  std::vector<SourceSpan> late_;

 private:
  Scenario scenario_;
};

}  // namespace
}  // namespace codec

ScenarioReading read_scenario(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  ScenarioReading reading;
  codec::ScenarioReader reader;
  if (const auto document = codec::Document::parse(source, diagnostics)) {
    reader.read(document->root());
    for (const SourceSpan& where : reader.late_)
      diagnostics.add(
          invalid_input("an event after the end", where, "lengthen `duration`, or take it out"));
  }
  if (diagnostics.ok()) reading.scenario = reader.take();
  reading.errors = diagnostics.take_errors();
  return reading;
}

}  // namespace gedge
