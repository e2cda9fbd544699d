// drive/shifting.hpp - gives threads of others something else for a while, other CPUs or a higher
// nice value: what each of them had is written down first, and who still has what he was given is
// known later.
//
// What is given is a Kind, with these members; `now` and `before` are CPUs or nice values:
//   Before                       how it is written down of a process
//   kWithNice                    nice values have to be looked at
//   kSameFirst                   who has just what another thread had, had that himself
//   written(), since()           what is written down, and since when
//   holders()                    whose CPUs it is about
//   value(thread)                what it has now
//   is_made_of(now, before)      may one who had `before` have been given `now`?
//   pinned(process)              what a pin has given it, null where none has: that stays
//   concerns(process, thread)    has it to be given something, unless it is a holder's?
//   is_fixed(process, thread)    has the kernel made it for just these CPUs?
//   goal(before, thread)         what it is given
//   back(before, thread)         what it has when those who leave have left
//   wish(to, before, process)    what the kernel is asked for then, of which it may give a part
//   is_at(now, goal)
//   put(thread, value)
//   denied(process, error)
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "drive/sighting.hpp"
#include "gedge/drive/apply_pin.hpp"
#include "gedge/drive/pin_desk.hpp"

namespace gedge {

/// Looks until `act`, which says whether it has done anything, has done nothing for two looks in a
/// row, or for one where nothing began meanwhile. False where it still does after many.
template <typename Act>
Result<bool> until_settled(const Threads& threads, bool with_nice, Act&& act) {
  constexpr int kPasses = 64;
  bool settled = false;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto sight = Sighting::take(threads, with_nice);
    if (!sight) return sight.error();
    const Result<bool> acted = act(*sight);
    if (!acted) return acted.error();
    if (!*acted && (settled || !sight->is_over(threads))) return true;
    settled = !*acted;
  }
  return false;
}

/// What threads had, out of what was written down.
template <typename Kind>
class Origins {
 public:
  using Before = typename Kind::Before;
  using Value = decltype(Before::usual);

  Origins(const Threads& threads, const Kind& kind) : threads_(threads), kind_(kind) { learn(); }

  /// More was written down since.
  void learn() {
    for (; learnt_ < kind_.written().size(); ++learnt_)
      by_pid_[kind_.written()[learnt_].process.pid] = learnt_;
  }
  /// Some of it was struck out.
  void learn_again() {
    by_pid_.clear();
    learnt_ = 0;
    learn();
  }

  /// Null where nothing is written down of it.
  const Before* find(const ProcessId& process) const {
    const auto found = by_pid_.find(process.pid);
    if (found == by_pid_.end()) return nullptr;
    const Before& before = kind_.written()[found->second];
    return before.process == process ? &before : nullptr;
  }

  /// Of a thread that does not have what it was given: what it has. What is pinned has what the pin
  /// says. What nobody has written down has what it was begun with; where that has ended, its
  /// parent does not say so, and whatever fits counts.
  Value of(const Sighting& sight, const Seen& process, const SeenThread& thread) const {
    const Value& now = kind_.value(thread);
    if (const Value* const its = pinned(process, now)) return *its;
    if (const Before* const known = find(process.facts.process)) return of_known(*known, thread);
    if (process.facts.process.started < kind_.since()) return now;
    std::set<int> passed;
    for (const Seen* at = &process; at != nullptr; at = sight.find(at->facts.parent)) {
      if (!passed.insert(at->facts.process.pid).second) break;
      if (const Value* const its = pinned(*at, now)) return *its;
      const Before* const known = find(at->facts.process);
      if (known != nullptr)
        if (const Value* const before = among(now, *known)) return *before;
      if (known != nullptr) break;
      if (at->facts.process.started < kind_.since() || kind_.holders().include(*at)) return now;
    }
    for (const Before& known : kind_.written())
      if (const Value* const before = among(now, known)) return *before;
    return now;
  }

 private:
  bool fits(const Value& now, const Value& before) const {
    return now == before || kind_.is_made_of(now, before);
  }

  // Null where it has something else than its pin says.
  const Value* pinned(const Seen& process, const Value& now) const {
    const Value* const its = kind_.pinned(process.facts.process);
    return its != nullptr && fits(now, *its) ? its : nullptr;
  }

  // What this one may have been made of.
  const Value* among(const Value& now, const Before& before) const {
    if (Kind::kSameFirst)
      for (const auto& other : before.others)
        if (now == other.value) return &other.value;
    if (fits(now, before.usual)) return &before.usual;
    for (const auto& other : before.others)
      if (fits(now, other.value)) return &other.value;
    return nullptr;
  }

  // Of a process that was written down: a thread that was there has its own value or the usual one;
  // one that has begun since that of any other.
  Value of_known(const Before& known, const SeenThread& thread) const {
    const Value& now = kind_.value(thread);
    const auto made_of = [&](const Value& before) { return fits(now, before) ? before : now; };
    if (known.others.empty()) return made_of(known.usual);
    const auto is = threads_.identify(thread.number);
    if (!is) return now;
    for (const auto& other : known.others)
      if (*is == other.thread) return made_of(other.value);
    if (is->started < kind_.since()) return made_of(known.usual);
    const Value* const before = among(now, known);
    return before != nullptr ? *before : now;
  }

  const Threads& threads_;
  const Kind& kind_;
  std::size_t learnt_ = 0;
  std::map<int, std::size_t> by_pid_;  // in Kind::written
};

/// Gives it to whoever it concerns.
template <typename Kind>
class Shifting {
 public:
  using Before = typename Kind::Before;
  using Value = decltype(Before::usual);

  /// `written` is that of the kind, in the books.
  Shifting(const PinPorts& ports, PinBooks& books, std::vector<Before>& written, const Kind& kind)
      : ports_(ports),
        books_(books),
        written_(written),
        kind_(kind),
        origins_(ports.threads, kind) {}

  /// What this thread had is written down with the next one that is given something.
  Value note(const Sighting& sight, const Seen& process, const SeenThread& thread) {
    Value before = origins_.of(sight, process, thread);
    const Before* const known = origins_.find(process.facts.process);
    if (known == nullptr)
      note_process(sight, process);
    else if (before == kind_.value(thread))
      note_thread(*known, thread, before);
    return before;
  }

  Result<ShiftedThreads> run() {
    const auto settled = until_settled(ports_.threads, Kind::kWithNice,
                                       [&](const Sighting& sight) { return shift_all(sight); });
    if (!settled) return settled.error();
    if (!*settled) name_the_restless();
    std::sort(done_.stay.begin(), done_.stay.end(),
              [](const StayingThread& a, const StayingThread& b) { return a.thread < b.thread; });
    return std::move(done_);
  }

 private:
  struct Shift {
    ProcessFacts process;
    SeenThread thread;
    Value to{};
  };

  void let_stay(const ProcessFacts& process, int thread) {
    if (stuck_.insert(thread).second)
      done_.stay.push_back({thread, process.name, process.is_kernel});
  }

  Result<bool> shift_all(const Sighting& sight) {
    last_ = shifts_in(sight);
    if (last_.empty()) return false;
    if (needs_writing_) strike_out_the_dead(sight);
    if (needs_writing_) GEDGE_TRY(write_record(ports_.store, books_));
    needs_writing_ = false;
    for (const Shift& shift : last_) GEDGE_TRY(carry_out(shift));
    return true;
  }

  // Those whom it concerns; what they have is in the books then. Nothing is given to a holder, nor
  // to what he has begun.
  std::vector<Shift> shifts_in(const Sighting& sight) {
    std::vector<Shift> shifts;
    for (const Seen& process : sight.all()) {
      std::vector<const SeenThread*> here;
      for (const SeenThread& thread : process.threads)
        if (kind_.concerns(process, thread) && !stuck_.contains(thread.number))
          here.push_back(&thread);
      if (here.empty() || kind_.holders().own(sight, process)) continue;
      for (const SeenThread* const thread : here) {
        if (kind_.is_fixed(process, *thread)) {
          let_stay(process.facts, thread->number);
          continue;
        }
        const Value before = note(sight, process, *thread);
        shifts.push_back({process.facts, *thread, kind_.goal(before, *thread)});
      }
    }
    return shifts;
  }

  // All its threads, so that none of them is taken for another.
  void note_process(const Sighting& sight, const Seen& process) {
    Before made{};
    made.process = process.facts.process;
    made.usual = origins_.of(sight, process, process.threads.front());
    for (const SeenThread& each : process.threads) {
      Value before = origins_.of(sight, process, each);
      if (before == made.usual) continue;
      if (const auto is = ports_.threads.identify(each.number))
        made.others.push_back({*is, std::move(before)});
    }
    written_.push_back(std::move(made));
    origins_.learn();
    needs_writing_ = true;
  }

  // A thread of a process that is known has come to a value of its own since.
  void note_thread(const Before& known, const SeenThread& thread, const Value& before) {
    const auto is = ports_.threads.identify(thread.number);
    if (!is || value_before(known, *is) == before) return;
    auto& others = written_[static_cast<std::size_t>(&known - written_.data())].others;
    std::erase_if(others, [&](const auto& other) { return other.thread == *is; });
    others.push_back({*is, before});
    needs_writing_ = true;
  }

  // Of those who have ended, a value is needed only where nobody before them has it: what they have
  // begun, and nobody else has, finds it there. So the list is as long as the machine is busy, and
  // not as long as somebody has been a holder.
  void strike_out_the_dead(const Sighting& sight) {
    std::vector<Value> kept;
    std::vector<Before> stay;
    const auto keep = [](std::vector<Value>& values, const Value& value) {
      const bool is_new = std::find(values.begin(), values.end(), value) == values.end();
      if (is_new) values.push_back(value);
      return is_new;
    };
    for (Before& before : written_) {
      std::vector<Value> its{before.usual};
      std::erase_if(before.others, [&](const auto& other) {
        return !keep(its, other.value) && has_ended(other.thread, nullptr);
      });
      bool adds = false;
      for (const Value& value : its) adds = keep(kept, value) || adds;
      if (adds || !has_ended(before.process, sight.find(before.process.pid)))
        stay.push_back(std::move(before));
    }
    written_ = std::move(stay);
    origins_.learn_again();
  }

  // `seen` is what has its number, where that is known.
  bool has_ended(const ProcessId& process, const Seen* seen) const {
    if (seen != nullptr && seen->facts.process == process) return false;
    const auto is = ports_.threads.identify(process.pid);
    return is ? *is != process : is.error().code == Errc::kNotFound;
  }

  Status carry_out(const Shift& shift) {
    const Status put = kind_.put(shift.thread, shift.to);
    if (put) shifted_.insert(shift.thread.number);
    done_.threads = shifted_.size();
    if (put || put.error().code == Errc::kNotFound) return {};
    if (put.error().code == Errc::kConflict || shift.process.is_kernel) {
      let_stay(shift.process, shift.thread.number);
      return {};
    }
    return kind_.denied(shift.process, put.error());
  }

  // Somebody gives them what they had again and again.
  void name_the_restless() {
    for (const Shift& shift : last_) let_stay(shift.process, shift.thread.number);
  }

  const PinPorts& ports_;
  PinBooks& books_;
  std::vector<Before>& written_;
  const Kind& kind_;
  Origins<Kind> origins_;
  bool needs_writing_ = false;
  std::set<int> stuck_, shifted_;
  std::vector<Shift> last_;
  ShiftedThreads done_;
};

/// Whoever still has what he was given has again what he had, as far as those who stay let him.
/// Errors: the first one.
template <typename Kind>
Status shift_back(Threads& threads, const Kind& kind) {
  const Origins<Kind> origins(threads, kind);
  Status first;
  std::set<int> stuck;
  const auto settled = until_settled(threads, Kind::kWithNice, [&](const Sighting& sight) {
    bool acted = false;
    for (const Seen& process : sight.all())
      for (const SeenThread& thread : process.threads) {
        if (stuck.contains(thread.number)) continue;
        const auto before = origins.of(sight, process, thread);
        if (before == kind.value(thread)) continue;
        const auto to = kind.back(before, thread);
        if (kind.is_at(kind.value(thread), to)) continue;
        Status done = kind.put(thread, kind.wish(to, before, process));
        acted = acted || static_cast<bool>(done);
        if (done) continue;
        stuck.insert(thread.number);
        // In another cpuset since: it stays where that has put it.
        if (done.error().code == Errc::kDenied && first) first = std::move(done);
      }
    return Result<bool>(acted);
  });
  return settled ? first : Status(settled.error());
}

}  // namespace gedge
