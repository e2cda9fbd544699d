#include "drive/nice_others.hpp"

#include <algorithm>
#include <utility>

#include "drive/shifting.hpp"

namespace gedge {
namespace {

// Nice values on CPUs of holders: see Shifting.
class Nices {
 public:
  using Before = NiceBefore;
  static constexpr bool kWithNice = true;
  static constexpr bool kSameFirst = true;  // nobody is to have a lower one than he had

  Nices(const PinPorts& ports, const PinBooks& books, const std::set<std::string>& leaving = {})
      : threads_(ports.threads), niced_(books.niced), left_(niced_.levels), holders_(ports.groups) {
    if (const auto self = ports.threads.self()) self_ = self->pid;
    for (const auto& [name, level] : niced_.levels) holders_.add(name, books.ledger);
    for (const std::string& name : leaving) left_.erase(name);
  }

  const std::vector<Before>& written() const { return niced_.raised; }
  std::uint64_t since() const { return niced_.since; }
  const Holders& holders() const { return holders_; }
  const int& value(const SeenThread& thread) const { return thread.nice; }
  const int* pinned(const ProcessId&) const { return nullptr; }

  bool is_made_of(int now, int before) const { return is_raised(now, before, niced_.levels); }

  // This process only waits, and then lowers the others again.
  bool concerns(const Seen& process, const SeenThread& thread) const {
    return !process.facts.is_kernel && process.facts.process.pid != self_ &&
           nice_beside(thread.nice, thread.mask, niced_.levels) != thread.nice;
  }
  bool is_fixed(const Seen&, const SeenThread&) const { return false; }
  int goal(int before, const SeenThread& thread) const {
    return nice_beside(before, thread.mask, niced_.levels);
  }
  int back(int before, const SeenThread& thread) const {
    return nice_beside(before, thread.mask, left_);
  }
  int wish(int to, int, const Seen&) const { return to; }
  bool is_at(int now, int goal) const { return now == goal; }

  // Numbers of threads are given again, and others set nice values too: not to one who has another
  // by now.
  Status put(const SeenThread& thread, int nice) const {
    const auto now = threads_.nice(thread.number);
    if (!now) return now.error();
    if (*now != thread.nice) return Error{Errc::kNotFound, "it has another nice value", {}, {}};
    return threads_.set_nice(thread.number, nice);
  }
  Error denied(const ProcessFacts& process, const Error& why) const {
    return {Errc::kDenied,
            "no right to raise the nice value of process " + std::to_string(process.process.pid) +
                " (" + process.name + "): " + why.what,
            {},
            "run gedge as root, or without `--nice-others`"};
  }

 private:
  Threads& threads_;
  const Niced& niced_;
  std::map<std::string, NiceLevel> left_;  // of those who stay
  Holders holders_;
  int self_ = 0;
};

Result<ShiftedThreads> raise_all(const PinPorts& ports, PinBooks& books) {
  const Nices nices(ports, books);
  return Shifting<Nices>(ports, books, books.niced.raised, nices).run();
}

// Whoever has just this value already is not to be taken for one who was given it.
Status note_those_at(const PinPorts& ports, PinBooks& books, int nice) {
  const auto& levels = books.niced.levels;
  if (std::any_of(levels.begin(), levels.end(),
                  [nice](const auto& entry) { return entry.second.nice == nice; }))
    return {};
  const auto sight = Sighting::take(ports.threads, true);
  if (!sight) return sight.error();
  const Nices nices(ports, books);
  Shifting<Nices> shifting(ports, books, books.niced.raised, nices);
  for (const Seen& process : sight->all())
    for (const SeenThread& thread : process.threads)
      if (thread.nice == nice) static_cast<void>(shifting.note(*sight, process, thread));
  return {};
}

// The holder, and what it has begun, may have been raised for another one, or have inherited that.
// Nobody would lower them as long as this one stays, as nobody gives anything to a holder.
Status lower_own(const PinPorts& ports, const PinBooks& books, const std::string& holder) {
  const Nices nices(ports, books);
  const Origins<Nices> origins(ports.threads, nices);
  Holders its(ports.groups);
  its.add(holder, books.ledger);
  const auto settled = until_settled(ports.threads, true, [&](const Sighting& sight) {
    bool acted = false;
    for (const Seen& process : sight.all()) {
      if (!its.own(sight, process) || nices.holders().own(sight, process)) continue;
      for (const SeenThread& thread : process.threads) {
        const int before = origins.of(sight, process, thread);
        if (before != thread.nice) acted = nices.put(thread, before) || acted;
      }
    }
    return Result<bool>(acted);
  });
  return settled ? Status() : Status(settled.error());
}

}  // namespace

Result<ShiftedThreads> raise_others(const PinPorts& ports, PinBooks& books, const PinHolder& holder,
                                    const NiceLevel& level) {
  Niced& niced = books.niced;
  GEDGE_TRY(ports.threads.may_lower_nice());
  if (niced.levels.empty()) {
    const auto self = ports.threads.self();
    if (!self) return self.error();
    niced.since = self->started;
  } else {
    GEDGE_TRY(lower_own(ports, books, holder_name(holder)));
  }
  GEDGE_TRY(note_those_at(ports, books, level.nice));
  niced.levels[holder_name(holder)] = level;
  GEDGE_TRY(write_record(ports.store, books));
  return raise_all(ports, books);
}

Status keep_raised(const PinPorts& ports, PinBooks& books) {
  if (books.niced.levels.empty()) return {};
  const auto raised = raise_all(ports, books);
  return raised ? Status() : Status(raised.error());
}

Status lower_again(const PinPorts& ports, PinBooks& books, const std::set<std::string>& leaving) {
  Niced& niced = books.niced;
  GEDGE_TRY(shift_back(ports.threads, Nices(ports, books, leaving)));
  for (const std::string& holder : leaving) niced.levels.erase(holder);
  if (niced.levels.empty()) niced = {};
  return {};
}

}  // namespace gedge
