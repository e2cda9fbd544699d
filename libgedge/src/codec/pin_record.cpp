// {"pins": [{"holder": "4711-99", "processes": [...], "groups": [...]}],
//  "aside": {"all": "0-7", "since": 99, "isolated": {"4711-99": "2"}, "moved": [...]},
//  "niced": {"since": 99, "levels": {"4711-99": {"cpus": "2", "nice": 10}}, "raised": [...]}}
#include "gedge/codec/pin_record.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "codec/cursor.hpp"
#include "codec/fields.hpp"

namespace gedge {
namespace {

using codec::Cursor;
using Json = nlohmann::ordered_json;

void read_set(Cursor value, CpuSet& out) {
  const auto text = value.text();
  if (!text) return;
  auto set = parse_cpu_set(*text);
  if (set)
    out = *std::move(set);
  else
    value.fail(set.error().what, set.error().hint);
}

void read_process(Cursor value, ProcessId& out) {
  out.pid = -1;  // it is said, whatever comes of it
  const auto text = value.text();
  if (!text) return;
  if (const auto process = holder_process(*text))
    out = *process;
  else
    value.fail(codec::quote(*text) + " is no process");
}

void need_process(Cursor value, const ProcessId& read) {
  if (read.pid == 0) value.fail("it does not say of which process");
}

void read_nice(Cursor value, int& out) {
  out = static_cast<int>(value.integer(kLeastNice, kMostNice).value_or(0));
}

ThreadBefore<CpuSet> read_thread(Cursor value) {
  ThreadBefore<CpuSet> before;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "thread") read_process(field, before.thread);
    if (key == "cpus") read_set(field, before.value);
  });
  need_process(value, before.thread);
  return before;
}

ProcessBefore read_process_before(Cursor value) {
  ProcessBefore before;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "process") read_process(field, before.process);
    if (key == "pinned") read_set(field, before.pinned);
    if (key == "usual") read_set(field, before.usual);
    if (key == "others")
      field.items([&](Cursor item) { before.others.push_back(read_thread(item)); });
  });
  need_process(value, before.process);
  return before;
}

GroupBefore read_group_before(Cursor value) {
  GroupBefore before;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "path") codec::read_text(field, before.group.path);
    if (key == "number")
      before.group.number = static_cast<std::uint64_t>(field.integer(0).value_or(0));
    if (key == "space")
      before.group.space = static_cast<std::uint64_t>(field.integer(0).value_or(0));
    if (key == "pinned") read_set(field, before.pinned);
    if (key == "cpus") read_set(field, before.cpus);
    if (key == "pinnedMems") read_set(field, before.pinned_mems.emplace());
    if (key == "mems") read_set(field, before.mems.emplace());
  });
  const auto path = group_path(before.group.path, {});
  if (!path || *path != before.group.path)
    value.fail(codec::quote(before.group.path) + " is no path of a control group");
  if (before.mems.has_value() != before.pinned_mems.has_value())
    value.fail("'mems' and 'pinnedMems' come together");
  return before;
}

PinRecord read_record(Cursor value) {
  PinRecord record;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "holder") codec::read_text(field, record.holder);
    if (key == "shared") read_set(field, record.shared);
    if (key == "processes")
      field.items([&](Cursor item) { record.processes.push_back(read_process_before(item)); });
    if (key == "groups")
      field.items([&](Cursor item) { record.groups.push_back(read_group_before(item)); });
  });
  return record;
}

void read_isolated(Cursor value, Aside& out) {
  value.fields([&](std::string_view holder, Cursor field) {
    read_set(field, out.isolated[std::string(holder)]);
  });
}

Aside read_aside(Cursor value) {
  Aside aside;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "all") read_set(field, aside.all);
    if (key == "since") aside.since = static_cast<std::uint64_t>(field.integer(0).value_or(0));
    if (key == "isolated") read_isolated(field, aside);
    if (key == "moved")
      field.items([&](Cursor item) { aside.moved.push_back(read_process_before(item)); });
  });
  if (!aside.cpus().is_subset_of(aside.all)) value.fail("'isolated' has CPUs that 'all' has not");
  return aside;
}

ThreadBefore<int> read_nice_thread(Cursor value) {
  ThreadBefore<int> before;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "thread") read_process(field, before.thread);
    if (key == "nice") read_nice(field, before.value);
  });
  need_process(value, before.thread);
  return before;
}

NiceBefore read_nice_before(Cursor value) {
  NiceBefore before;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "process") read_process(field, before.process);
    if (key == "usual") read_nice(field, before.usual);
    if (key == "others")
      field.items([&](Cursor item) { before.others.push_back(read_nice_thread(item)); });
  });
  need_process(value, before.process);
  return before;
}

NiceLevel read_level(Cursor value) {
  NiceLevel level;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "cpus") read_set(field, level.cpus);
    if (key == "nice") read_nice(field, level.nice);
  });
  return level;
}

Niced read_niced(Cursor value) {
  Niced niced;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "since") niced.since = static_cast<std::uint64_t>(field.integer(0).value_or(0));
    if (key == "levels")
      field.fields([&](std::string_view holder, Cursor level) {
        niced.levels[std::string(holder)] = read_level(level);
      });
    if (key == "raised")
      field.items([&](Cursor item) { niced.raised.push_back(read_nice_before(item)); });
  });
  return niced;
}

Json json_of(const ProcessBefore& before) {
  Json others = Json::array();
  for (const auto& other : before.others)
    others.push_back(Json{{"thread", holder_name(other.thread)}, {"cpus", to_string(other.value)}});
  return {{"process", holder_name(before.process)},
          {"pinned", to_string(before.pinned)},
          {"usual", to_string(before.usual)},
          {"others", std::move(others)}};
}

Json json_of(const GroupBefore& before) {
  Json json{{"path", before.group.path},
            {"number", before.group.number},
            {"pinned", to_string(before.pinned)},
            {"cpus", to_string(before.cpus)}};
  if (before.group.space != 0) json["space"] = before.group.space;
  if (before.mems) json["mems"] = to_string(*before.mems);
  if (before.pinned_mems) json["pinnedMems"] = to_string(*before.pinned_mems);
  return json;
}

Json json_of(const Aside& aside) {
  Json isolated = Json::object(), moved = Json::array();
  for (const auto& [holder, cpus] : aside.isolated) isolated[holder] = to_string(cpus);
  for (const ProcessBefore& before : aside.moved) moved.push_back(json_of(before));
  return {{"all", to_string(aside.all)},
          {"since", aside.since},
          {"isolated", std::move(isolated)},
          {"moved", std::move(moved)}};
}

Json json_of(const NiceBefore& before) {
  Json others = Json::array();
  for (const auto& other : before.others)
    others.push_back(Json{{"thread", holder_name(other.thread)}, {"nice", other.value}});
  return {{"process", holder_name(before.process)},
          {"usual", before.usual},
          {"others", std::move(others)}};
}

Json json_of(const Niced& niced) {
  Json levels = Json::object(), raised = Json::array();
  for (const auto& [holder, level] : niced.levels)
    levels[holder] = Json{{"cpus", to_string(level.cpus)}, {"nice", level.nice}};
  for (const NiceBefore& before : niced.raised) raised.push_back(json_of(before));
  return {{"since", niced.since}, {"levels", std::move(levels)}, {"raised", std::move(raised)}};
}

}  // namespace

PinRecordsReading read_pin_records(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  PinRecordsReading reading;
  std::vector<PinRecord> records;
  if (const auto document = codec::Document::parse(source, diagnostics, kMostPinBytes))
    document->root().fields([&](std::string_view key, Cursor value) {
      if (key == "pins") value.items([&](Cursor item) { records.push_back(read_record(item)); });
      if (key == "aside") reading.aside = read_aside(value);
      if (key == "niced") reading.niced = read_niced(value);
    });
  if (diagnostics.ok()) reading.records = std::move(records);
  reading.errors = diagnostics.take_errors();
  return reading;
}

Status check_written(const PinRecord& record) {
  for (const GroupBefore& before : record.groups)
    if (!codec::is_utf8(before.group.path))
      return Error{Errc::kDenied,
                   "the name of control group " + codec::quote(before.group.path) +
                       " is no UTF-8, so it cannot be written down what it had",
                   {},
                   "give it another name, or pin its processes with `--pid`"};
  return {};
}

std::string write_pin_records(std::span<const PinRecord> records, const Aside& aside,
                              const Niced& niced) {
  Json pins = Json::array();
  for (const PinRecord& record : records) {
    Json json{{"holder", record.holder}, {"processes", Json::array()}, {"groups", Json::array()}};
    for (const ProcessBefore& before : record.processes)
      json["processes"].push_back(json_of(before));
    for (const GroupBefore& before : record.groups) json["groups"].push_back(json_of(before));
    if (!record.shared.empty()) json["shared"] = to_string(record.shared);
    pins.push_back(std::move(json));
  }
  Json json{{"pins", std::move(pins)}};
  if (!aside.isolated.empty()) json["aside"] = json_of(aside);
  if (!niced.levels.empty()) json["niced"] = json_of(niced);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gedge
