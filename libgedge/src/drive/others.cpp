#include "gedge/drive/others.hpp"

#include <algorithm>
#include <utility>

#include "drive/isolate.hpp"
#include "drive/nice_others.hpp"

namespace gedge {
namespace {

Status let_back_for_the_dead(const PinPorts& ports, PinBooks& books, const CpuSet& online) {
  const std::set<std::string> dead = dead_holders(books);
  if (dead.empty()) return {};
  GEDGE_TRY(let_back(ports, books, online, dead));
  return leave_books(ports.store, books);
}

template <typename Entries>
bool has_any(const Entries& entries, const std::set<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return entries.contains(name); });
}

Result<CpuGrant> hold_before_others(const PinPorts& ports, const PinGround& ground,
                                    const CpuAsk& ask, const ForOthers& wish,
                                    const ProcessId& process, OthersNow& others) {
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  const CpuSet online = ground.machine.cpu_set();
  auto books = open_books(ports, online);
  if (!books) return std::move(books).error();
  auto granted = grant(books->ledger, ground.machine, ground.allowed, ask, process);
  if (!granted) return granted;
  GEDGE_TRY(write_ledger(ports.store, books->ledger));
  auto now = set_back(ports, *books, online, process, granted->cpus, wish);
  if (now) {
    others = *std::move(now);
    return granted;
  }
  give_back(books->ledger, process);
  settle_shared(books->ledger, online);
  static_cast<void>(let_back(ports, *books, online, {holder_name(process)}));
  static_cast<void>(leave_books(ports.store, *books));
  return now.error();
}

Status release_before_others(const PinPorts& ports, const CpuSet& online,
                             const ProcessId& process) {
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  auto books = read_books(ports.store, ports.processes);
  if (!books) return std::move(books).error();
  give_back(books->ledger, process);
  settle_shared(books->ledger, online);
  Status back = let_back(ports, *books, online, dead_holders(*books));
  Status left = leave_books(ports.store, *books);
  return back ? left : back;
}

}  // namespace

Result<OthersNow> set_back(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                           const PinHolder& holder, const CpuSet& cpus, const ForOthers& wish) {
  OthersNow now;
  if (wish.isolate) {
    auto moved = move_aside(ports, books, online, holder, cpus);
    if (!moved) return std::move(moved).error();
    now.moved = *std::move(moved);
  }
  if (wish.nice > 0) {
    auto raised = raise_others(ports, books, holder, {cpus, wish.nice});
    if (!raised) return std::move(raised).error();
    now.raised = *std::move(raised);
  }
  return now;
}

Status keep_back(const PinPorts& ports, PinBooks& books, const CpuSet& online) {
  GEDGE_TRY(keep_aside(ports, books, online));
  return keep_raised(ports, books);
}

Status let_back(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                const std::set<std::string>& leaving) {
  Status moved, lowered;
  if (has_any(books.aside.isolated, leaving)) moved = move_back(ports, books, online, leaving);
  if (has_any(books.niced.levels, leaving)) lowered = lower_again(ports, books, leaving);
  return moved ? lowered : moved;
}

bool has_set_back(const PinBooks& books, const std::string& holder) {
  return books.aside.isolated.contains(holder) || books.niced.levels.contains(holder);
}

Result<PinBooks> open_books(const PinPorts& ports, const CpuSet& online) {
  auto books = read_books(ports.store, ports.processes);
  if (books) static_cast<void>(let_back_for_the_dead(ports, *books, online));
  return books;
}

Status clean_up(const PinPorts& ports, const CpuSet& online) {
  const auto seen = read_books(ports.store, ports.processes);
  if (!seen) return seen.error();
  if (dead_holders(*seen).empty()) return {};
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  auto books = read_books(ports.store, ports.processes);
  if (!books) return std::move(books).error();
  return let_back_for_the_dead(ports, *books, online);
}

CpuKeeper keep_before_others(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                             const ForOthers& wish, std::function<void(const OthersNow&)> told) {
  return {[&ports, &ground, &ask, wish, told = std::move(told)](const ProcessId& process) {
            OthersNow others;
            auto granted = hold_before_others(ports, ground, ask, wish, process, others);
            if (granted) told(others);  // without the lock: whoever reads it may be slow
            return granted;
          },
          [&ports, &ground](const ProcessId& process) {
            return release_before_others(ports, ground.machine.cpu_set(), process);
          }};
}

}  // namespace gedge
