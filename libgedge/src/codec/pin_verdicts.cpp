// {"verdicts": [{"command": ["encode", "a"], "cpus": 2, "verdict": "harms"}]}
// A command that is no UTF-8 stands as "commandBytes": its words in hexadecimal digits.
#include "gedge/codec/pin_verdicts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
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

std::string in_digits(const std::string& word) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

void read_bytes(Cursor list, std::vector<std::string>& out) {
  std::vector<std::string> words;
  codec::read_texts(list, words);
  for (const std::string& digits : words) {
    std::string word;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
      unsigned byte = 0;
      std::from_chars(digits.data() + at, digits.data() + at + 2, byte, 16);
      word += static_cast<char>(byte);
    }
    if (in_digits(word) != digits) list.fail(codec::quote(digits) + " are no bytes");
    out.push_back(std::move(word));
  }
}

Json command_json(const std::vector<std::string>& command) {
  if (std::all_of(command.begin(), command.end(), codec::is_utf8)) return {{"command", command}};
  Json words = Json::array();
  for (const std::string& word : command) words.push_back(in_digits(word));
  return {{"commandBytes", std::move(words)}};
}

PinVerdict read_one(Cursor value) {
  PinVerdict verdict;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "command") codec::read_texts(field, verdict.command);
    if (key == "commandBytes") read_bytes(field, verdict.command);
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
  for (const PinVerdict& verdict : verdicts) {
    Json json = command_json(verdict.command);
    json["cpus"] = verdict.cpus;
    json["verdict"] = word_of(verdict.verdict);
    list.push_back(std::move(json));
  }
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
