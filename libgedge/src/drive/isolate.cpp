#include "drive/isolate.hpp"

#include <map>
#include <utility>
#include <variant>

#include "drive/coming_cpus.hpp"
#include "drive/shifting.hpp"

namespace gedge {
namespace {

// CPUs that are not those of holders: see Shifting.
class Masks {
 public:
  using Before = ProcessBefore;
  static constexpr bool kWithNice = false;
  static constexpr bool kSameFirst = false;  // nobody is to lose CPUs

  Masks(const PinPorts& ports, const PinBooks& books, const CpuSet& online,
        const std::set<std::string>& leaving = {})
      : threads_(ports.threads),
        aside_(books.aside),
        online_(online),
        all_(aside_.all & online),
        isolated_(aside_.cpus()),
        coming_(ports.groups, books.aside, online),
        holders_(ports.groups) {
    for (const auto& [name, cpus] : aside_.isolated) {
      holders_.add(name, books.ledger);
      if (!leaving.contains(name)) left_ |= cpus;
    }
    for (const auto& [name, parts] : books.ledger.pods)
      if (const auto holder = holder_of(name, parts); holder && !leaving.contains(name))
        for (const auto& [part, cpus] : parts) know_pin(*holder, cpus);
    for (const PinRecord& record : books.records)
      if (const auto holder = holder_of(record); holder && !leaving.contains(record.holder))
        know_pin(*holder, record.shared);
  }

  const std::vector<Before>& written() const { return aside_.moved; }
  std::uint64_t since() const { return aside_.since; }
  const Holders& holders() const { return holders_; }
  const CpuSet& value(const SeenThread& thread) const { return thread.mask; }
  const CpuSet* pinned(const ProcessId& process) const {
    const auto found = pins_.find(process.pid);
    if (found == pins_.end() || found->second.process != process) return nullptr;
    return &found->second.cpus;
  }

  bool is_made_of(const CpuSet& now, const CpuSet& before) const {
    const auto is_of = [&](const CpuSet& usable) {
      return now == usable || is_aside(now, usable, isolated_, all_);
    };
    // It may have been moved before the last CPUs came.
    return is_of(before & online_) || (lower_cpus().is_subset_of(before) && is_of(before & all_));
  }
  bool concerns(const Seen&, const SeenThread& thread) const {
    return thread.mask.meets(isolated_);
  }
  bool is_fixed(const Seen& process, const SeenThread& thread) const {
    return process.facts.is_kernel && thread.mask.is_subset_of(isolated_);
  }
  CpuSet goal(const CpuSet& before, const SeenThread&) const {
    return aside_of(before & online_, isolated_, online_);
  }
  CpuSet back(const CpuSet& before, const SeenThread&) const {
    return aside_of(before, left_, aside_.all);
  }
  // Whoever is pinned has no more than that.
  CpuSet wish(const CpuSet& to, const CpuSet& before, const Seen& process) const {
    const ProcessId& is = process.facts.process;
    return pinned(is) == nullptr && coming_.are_of(before, is) ? (to | lower_cpus()) - left_ : to;
  }
  bool is_at(const CpuSet& now, const CpuSet& goal) const { return (goal & online_) == now; }

  Status put(const SeenThread& thread, const CpuSet& cpus) const {
    return threads_.pin(thread.number, cpus);
  }
  Error denied(const ProcessFacts& process, const Error& why) const {
    return {Errc::kDenied,
            "no right to move process " + std::to_string(process.process.pid) + " (" +
                process.name + ") aside: " + why.what,
            {},
            "run gedge as root, or without `--isolate`"};
  }

 private:
  struct Pin {
    ProcessId process;
    CpuSet cpus;
  };

  // Of a control group the kernel keeps the processes where it is pinned.
  void know_pin(const PinHolder& holder, const CpuSet& cpus) {
    const auto* const process = std::get_if<ProcessId>(&holder);
    if (process != nullptr && cpus.meets(online_)) pins_[process->pid] = {*process, cpus};
  }

  Threads& threads_;
  const Aside& aside_;
  const CpuSet& online_;
  CpuSet all_, isolated_;
  CpuSet left_;  // of those who stay
  ComingCpus coming_;
  Holders holders_;
  std::map<int, Pin> pins_;  // of those who are not leaving
};

Result<ShiftedThreads> move_all(const PinPorts& ports, PinBooks& books, const CpuSet& online) {
  const Masks masks(ports, books, online);
  return Shifting<Masks>(ports, books, books.aside.moved, masks).run();
}

}  // namespace

Result<ShiftedThreads> move_aside(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                                  const PinHolder& holder, const CpuSet& cpus) {
  Aside& aside = books.aside;
  if ((online - aside.cpus() - cpus).empty())
    return Error{Errc::kDenied,
                 "no CPU would be left for others: " + to_string(online) + " are online",
                 {},
                 "ask for fewer with `--cpus`, or leave `--isolate` out"};
  if (aside.isolated.empty()) {
    const auto self = ports.threads.self();
    if (!self) return self.error();
    aside.since = self->started;
    aside.all = online;
  }
  aside.all |= online;
  aside.isolated[holder_name(holder)] = cpus;
  GEDGE_TRY(write_record(ports.store, books));
  return move_all(ports, books, online);
}

Status keep_aside(const PinPorts& ports, PinBooks& books, const CpuSet& online) {
  if (books.aside.isolated.empty()) return {};
  const auto moved = move_all(ports, books, online);
  return moved ? Status() : Status(moved.error());
}

Status trace_back(const PinPorts& ports, const PinBooks& books, const CpuSet& online,
                  ProcessBefore& before) {
  if (books.aside.isolated.empty()) return {};
  const auto sight = Sighting::take(ports.threads);
  if (!sight) return sight.error();
  const Seen* const seen = sight->find(before.process.pid);
  if (seen == nullptr) return {};
  // It stands in the ledger already, with CPUs that it has not got yet.
  const Masks masks(ports, books, online, {holder_name(before.process)});
  const Origins<Masks> origins(ports.threads, masks);
  before.others.clear();
  for (const SeenThread& thread : seen->threads) {
    CpuSet mask = origins.of(*sight, *seen, thread);
    if (&thread == &seen->threads.front()) before.usual = mask;
    if (mask == before.usual) continue;
    if (const auto is = ports.threads.identify(thread.number))
      before.others.push_back({*is, std::move(mask)});
  }
  return {};
}

Status move_back(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                 const std::set<std::string>& leaving) {
  Aside& aside = books.aside;
  GEDGE_TRY(shift_back(ports.threads, Masks(ports, books, online, leaving)));
  for (const std::string& holder : leaving) aside.isolated.erase(holder);
  if (aside.isolated.empty()) aside = {};
  return {};
}

}  // namespace gedge
