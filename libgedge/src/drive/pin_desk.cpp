#include "gedge/drive/pin_desk.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/codec/pin_record.hpp"

namespace gedge {
namespace {

// Nobody but the user can say what should stand there.
Error broken(Errors errors, const std::string& hint) {
  Error error = errors.empty() ? invalid_input("it cannot be read") : std::move(errors.front());
  error.hint = hint;
  return error;
}

std::string away(const std::string& name) { return "`mv " + name + ' ' + name + ".broken`"; }

}  // namespace

Result<CpuAssignments> read_ledger(PinStore& store, const Processes& processes) {
  const auto bytes = store.read(PinFile::kLedger);
  if (!bytes) return bytes.error();
  CpuAssignments ledger;
  if (bytes->empty()) return ledger;
  const std::string name = store.name(PinFile::kLedger);
  auto reading = read_cpu_manager_state({name, *bytes});
  if (!reading.state)
    return broken(std::move(reading.errors),
                  "mend it, or once nothing is pinned by gedge put it away: " + away(name));
  ledger = std::move(reading.state->cpus);
  reclaim(ledger, [&](const PinHolder& holder) { return processes.lives(holder); });
  return ledger;
}

Result<PinBooks> read_books(PinStore& store, const Processes& processes) {
  auto ledger = read_ledger(store, processes);
  if (!ledger) return std::move(ledger).error();
  PinBooks books{*std::move(ledger), {}, {}, {}};
  const auto bytes = store.read(PinFile::kRecord);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return books;
  const std::string name = store.name(PinFile::kRecord);
  auto reading = read_pin_records({name, *bytes});
  if (!reading.records)
    return broken(std::move(reading.errors),
                  "mend it; or put it away, and back by hand whom it names: " + away(name));
  books.records = *std::move(reading.records);
  books.aside = std::move(reading.aside);
  books.niced = std::move(reading.niced);
  for (const PinRecord& record : books.records)
    if (!books.ledger.pods.contains(record.holder) && !record.groups.empty())
      books.gone[record.holder] = record.groups.front().group.path;
  std::erase_if(books.records, [&](const PinRecord& record) {
    if (record.shared.empty()) return !books.ledger.pods.contains(record.holder);
    const auto holder = holder_of(record);
    return !holder || !processes.lives(*holder);
  });
  return books;
}

Status write_record(PinStore& store, const PinBooks& books) {
  return store.replace(PinFile::kRecord,
                       write_pin_records(books.records, books.aside, books.niced));
}

Status enter_books(PinStore& store, const PinBooks& books) {
  GEDGE_TRY(write_record(store, books));
  return write_ledger(store, books.ledger);
}

Status leave_books(PinStore& store, const PinBooks& books) {
  GEDGE_TRY(write_ledger(store, books.ledger));
  return write_record(store, books);
}

std::set<std::string> dead_holders(const PinBooks& books) {
  std::set<std::string> dead;
  for (const auto& [holder, cpus] : books.aside.isolated)
    if (!books.ledger.pods.contains(holder)) dead.insert(holder);
  for (const auto& [holder, level] : books.niced.levels)
    if (!books.ledger.pods.contains(holder)) dead.insert(holder);
  return dead;
}

const PinRecord* record_of(const PinBooks& books, const PinHolder& holder) {
  const std::string name = holder_name(holder);
  const auto found = std::find_if(books.records.begin(), books.records.end(),
                                  [&](const PinRecord& record) { return record.holder == name; });
  return found != books.records.end() ? &*found : nullptr;
}

}  // namespace gedge
