// {"verdicts": [{"command": ["encode", "a"], "cpus": 2, "verdict": "harms"}]}
#include "gedge/codec/pin_verdicts.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "codec/cursor.hpp"
#include "codec/document_sink.hpp"
#include "codec/fields.hpp"
#include "gedge/pin/pin_ledger.hpp"

namespace gedge {
namespace {

using codec::Cursor;
using codec::Json;

void read_verdict(Cursor value, TrialVerdict& out) {
  constexpr std::array kVerdicts{TrialVerdict::kHelps, TrialVerdict::kHarms,
                                 TrialVerdict::kNoDifference};
  const auto text = value.text();
  if (!text) return;
  for (const TrialVerdict verdict : kVerdicts)
    if (word_of(verdict) == *text) {
      out = verdict;
      return;
    }
  value.fail(codec::quote(*text) + " is no verdict");
}

PinVerdict read_one(Cursor value) {
  PinVerdict verdict;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "command") codec::read_texts(field, verdict.command);
    if (key == "cpus")
      verdict.cpus = static_cast<int>(field.integer(1, CpuSet::kLast + 1).value_or(1));
    if (key == "verdict") read_verdict(field, verdict.verdict);
  });
  return verdict;
}

Json json_of(const MedianTime& time) {
  return {{"medianUs", time.median.count()},
          {"lowUs", time.low.count()},
          {"highUs", time.high.count()}};
}

}  // namespace

PinVerdictsReading read_pin_verdicts(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  PinVerdictsReading reading;
  std::vector<PinVerdict> verdicts;
  if (const auto document = codec::Document::parse(source, diagnostics, kMostPinBytes))
    document->root().fields([&](std::string_view key, Cursor value) {
      if (key == "verdicts") value.items([&](Cursor item) { verdicts.push_back(read_one(item)); });
    });
  if (diagnostics.ok()) reading.verdicts = std::move(verdicts);
  reading.errors = diagnostics.take_errors();
  return reading;
}

std::string write_pin_verdicts(std::span<const PinVerdict> verdicts) {
  Json list = Json::array();
  for (const PinVerdict& verdict : verdicts)
    list.push_back(Json{{"command", verdict.command},
                        {"cpus", verdict.cpus},
                        {"verdict", word_of(verdict.verdict)}});
  return Json{{"verdicts", std::move(list)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string write(const TrialOutcome& outcome, std::span<const TrialPair> pairs, const CpuSet& cpus,
                  TextFormat format) {
  return codec::write_document(format, [&](codec::DocumentSink& sink) {
    put_head(sink, "PinComparison");
    sink.field("cpus", to_string(cpus));
    sink.list("pairs", pairs.size(), [&](std::size_t i) {
      return Json{{"plainUs", pairs[i].plain.count()}, {"pinnedUs", pairs[i].pinned.count()}};
    });
    sink.field("plain", json_of(outcome.plain));
    sink.field("pinned", json_of(outcome.pinned));
    sink.field("ratio", Json{{"estimate", outcome.ratio},
                             {"low", outcome.ratio_low},
                             {"high", outcome.ratio_high}});
    sink.field("verdict", word_of(outcome.verdict));
  });
}

}  // namespace gedge
