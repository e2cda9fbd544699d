#include "gedge/drive/isolate.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "drive/sighting.hpp"

namespace gedge {
namespace {

constexpr int kPasses = 64;

bool is_gone(const Error& error) { return error.code == Errc::kNotFound; }

// Looks until `act`, which says whether it has done anything, has done nothing for two looks in a
// row, or for one where nothing began meanwhile. False where it still does after kPasses.
template <typename Act>
Result<bool> until_settled(const Threads& threads, Act&& act) {
  bool settled = false;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto sight = Sighting::take(threads);
    if (!sight) return sight.error();
    const Result<bool> acted = act(*sight);
    if (!acted) return acted.error();
    if (!*acted && (settled || threads.births() == sight->births())) return true;
    settled = !*acted;
  }
  return false;
}

class Moving {
 public:
  Moving(const PinPorts& ports, PinBooks& books, const CpuSet& online)
      : ports_(ports),
        books_(books),
        aside_(books.aside),
        online_(online),
        isolated_(aside_.cpus()),
        origins_(ports.threads, aside_, online) {
    for (const auto& [name, cpus] : aside_.isolated)
      if (const auto entry = books.ledger.pods.find(name); entry != books.ledger.pods.end())
        if (auto holder = holder_of(name, entry->second)) holders_.push_back(*std::move(holder));
  }

  Result<MovedAside> run() {
    const auto settled =
        until_settled(ports_.threads, [&](const Sighting& sight) { return move_all(sight); });
    if (!settled) return settled.error();
    if (!*settled) name_the_restless();
    std::sort(done_.stay.begin(), done_.stay.end(),
              [](const StayingThread& a, const StayingThread& b) { return a.thread < b.thread; });
    return std::move(done_);
  }

 private:
  struct Move {
    ProcessFacts process;
    int thread = 0;
    CpuSet to;
  };

  // Nobody who is isolated is moved, nor what he has begun.
  bool is_isolated(const Sighting& sight, const Seen& process) const {
    return std::any_of(holders_.begin(), holders_.end(), [&](const PinHolder& holder) {
      if (const auto* const own = std::get_if<ProcessId>(&holder))
        return sight.descends(process, own->pid);
      const std::string& outer = std::get<GroupId>(holder).path;
      const auto group = ports_.groups.of_process(process.facts.process.pid);
      return group && (*group == outer || group->starts_with(outer + '/'));
    });
  }

  void let_stay(const ProcessFacts& process, int thread) {
    if (stuck_.insert(thread).second)
      done_.stay.push_back({thread, process.name, process.is_kernel});
  }

  Result<bool> move_all(const Sighting& sight) {
    last_ = moves_in(sight);
    if (last_.empty()) return false;
    if (needs_writing_) GEDGE_TRY(write_record(ports_.store, books_));
    needs_writing_ = false;
    for (const Move& move : last_) GEDGE_TRY(carry_out(move));
    return true;
  }

  // Those who have to go; where they may run before is in the books then.
  std::vector<Move> moves_in(const Sighting& sight) {
    std::vector<Move> moves;
    for (const Seen& process : sight.all()) {
      std::vector<const SeenThread*> here;
      for (const SeenThread& thread : process.threads)
        if (thread.mask.meets(isolated_) && !stuck_.contains(thread.number))
          here.push_back(&thread);
      if (here.empty() || is_isolated(sight, process)) continue;
      for (const SeenThread* const thread : here) {
        if (process.facts.is_kernel && thread->mask.is_subset_of(isolated_)) {
          let_stay(process.facts, thread->number);  // it serves just these CPUs
          continue;
        }
        const CpuSet before = note(sight, process, *thread);
        moves.push_back(
            {process.facts, thread->number, aside_of(before & online_, isolated_, online_)});
      }
    }
    return moves;
  }

  CpuSet note(const Sighting& sight, const Seen& process, const SeenThread& thread) {
    CpuSet before = origins_.of(sight, process, thread);
    const ProcessBefore* const known = origins_.find(process.facts.process);
    if (known == nullptr)
      note_process(sight, process);
    else if (before == thread.mask)
      note_thread(*known, thread, before);
    return before;
  }

  // All its threads, so that none of them is taken for another.
  void note_process(const Sighting& sight, const Seen& process) {
    ProcessBefore made{process.facts.process, {}, {}, {}};
    made.usual = origins_.of(sight, process, process.threads.front());
    for (const SeenThread& each : process.threads) {
      CpuSet before = origins_.of(sight, process, each);
      if (before == made.usual) continue;
      if (const auto is = ports_.threads.identify(each.number))
        made.others.push_back({*is, std::move(before)});
    }
    aside_.moved.push_back(std::move(made));
    origins_.learn();
    needs_writing_ = true;
  }

  // A thread of a process that is known has come to a mask of its own since.
  void note_thread(const ProcessBefore& known, const SeenThread& thread, const CpuSet& before) {
    const auto is = ports_.threads.identify(thread.number);
    if (!is || mask_before(known, *is) == before) return;
    auto& others = aside_.moved[static_cast<std::size_t>(&known - aside_.moved.data())].others;
    std::erase_if(others, [&](const ThreadBefore& other) { return other.thread == *is; });
    others.push_back({*is, before});
    needs_writing_ = true;
  }

  Status carry_out(const Move& move) {
    const Status moved = ports_.threads.pin(move.thread, move.to);
    if (moved) moved_.insert(move.thread);
    done_.threads = moved_.size();
    if (moved || is_gone(moved.error())) return {};
    if (moved.error().code == Errc::kConflict || move.process.is_kernel) {
      let_stay(move.process, move.thread);
      return {};
    }
    return Error{Errc::kDenied,
                 "no right to move process " + std::to_string(move.process.process.pid) + " (" +
                     move.process.name + ") aside: " + moved.error().what,
                 {},
                 "run gedge as root, or without `--isolate`"};
  }

  // Somebody gives them their CPUs again and again.
  void name_the_restless() {
    for (const Move& move : last_) let_stay(move.process, move.thread);
  }

  const PinPorts& ports_;
  PinBooks& books_;
  Aside& aside_;
  const CpuSet& online_;
  std::vector<PinHolder> holders_;
  CpuSet isolated_;
  Origins origins_;
  bool needs_writing_ = false;
  std::set<int> stuck_, moved_;
  std::vector<Move> last_;
  MovedAside done_;
};

std::set<std::string> dead_in(const PinBooks& books) {
  std::set<std::string> dead;
  for (const auto& [holder, cpus] : books.aside.isolated)
    if (!books.ledger.pods.contains(holder)) dead.insert(holder);
  return dead;
}

Status put_dead_back(const PinPorts& ports, PinBooks& books, const CpuSet& online) {
  const std::set<std::string> dead = dead_in(books);
  if (dead.empty()) return {};
  GEDGE_TRY(move_back(ports, books, online, dead));
  return leave_books(ports.store, books);
}

}  // namespace

Result<MovedAside> move_aside(const PinPorts& ports, PinBooks& books, const CpuSet& online,
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
  return Moving(ports, books, online).run();
}

Status keep_aside(const PinPorts& ports, PinBooks& books, const CpuSet& online) {
  if (books.aside.isolated.empty()) return {};
  const auto moved = Moving(ports, books, online).run();
  return moved ? Status() : Status(moved.error());
}

Status trace_back(const PinPorts& ports, const PinBooks& books, const CpuSet& online,
                  ProcessBefore& before) {
  if (books.aside.isolated.empty()) return {};
  const auto sight = Sighting::take(ports.threads);
  if (!sight) return sight.error();
  const Seen* const seen = sight->find(before.process.pid);
  if (seen == nullptr) return {};
  const Origins origins(ports.threads, books.aside, online);
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
  CpuSet isolated;
  for (const auto& [holder, cpus] : aside.isolated)
    if (!leaving.contains(holder)) isolated |= cpus;
  const Origins origins(ports.threads, aside, online);
  Status first;
  std::set<int> stuck;
  const auto settled = until_settled(ports.threads, [&](const Sighting& sight) -> Result<bool> {
    bool acted = false;
    for (const Seen& process : sight.all())
      for (const SeenThread& thread : process.threads) {
        if (stuck.contains(thread.number)) continue;
        const CpuSet before = origins.of(sight, process, thread);
        if (before == thread.mask) continue;
        const CpuSet to = aside_of(before, isolated, aside.all);
        if ((to & online) == thread.mask) continue;
        Status done = ports.threads.pin(thread.number, to);
        acted = acted || static_cast<bool>(done);
        if (done) continue;
        stuck.insert(thread.number);
        // In another cpuset since: it stays where that has put it.
        if (done.error().code == Errc::kDenied && first) first = std::move(done);
      }
    return acted;
  });
  if (!settled) return settled.error();
  if (!first) return first;
  for (const std::string& holder : leaving) aside.isolated.erase(holder);
  if (aside.isolated.empty()) aside = {};
  return {};
}

Result<PinBooks> open_books(const PinPorts& ports, const CpuSet& online) {
  auto books = read_books(ports.store, ports.processes);
  if (books) static_cast<void>(put_dead_back(ports, *books, online));
  return books;
}

Status clean_up(const PinPorts& ports, const CpuSet& online) {
  const auto aside = is_anybody_aside(ports.store);
  if (!aside) return aside.error();
  if (!*aside) return {};
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  auto books = read_books(ports.store, ports.processes);
  if (!books) return std::move(books).error();
  return put_dead_back(ports, *books, online);
}

namespace {

Result<CpuGrant> hold_isolated(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                               const ProcessId& process,
                               const std::function<void(const MovedAside&)>& told) {
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  const CpuSet online = ground.machine.cpu_set();
  auto books = open_books(ports, online);
  if (!books) return std::move(books).error();
  auto granted = grant(books->ledger, ground.machine, ground.allowed, ask, process);
  if (!granted) return granted;
  GEDGE_TRY(write_ledger(ports.store, books->ledger));
  const auto moved = move_aside(ports, *books, online, process, granted->cpus);
  if (moved) {
    told(*moved);
    return granted;
  }
  give_back(books->ledger, process);
  settle_shared(books->ledger, online);
  static_cast<void>(move_back(ports, *books, online, {holder_name(process)}));
  static_cast<void>(leave_books(ports.store, *books));
  return moved.error();
}

Status release_isolated(const PinPorts& ports, const CpuSet& online, const ProcessId& process) {
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  auto books = read_books(ports.store, ports.processes);
  if (!books) return std::move(books).error();
  give_back(books->ledger, process);
  settle_shared(books->ledger, online);
  Status moved = move_back(ports, *books, online, dead_in(*books));
  Status left = leave_books(ports.store, *books);
  return moved ? left : moved;
}

}  // namespace

CpuKeeper keep_isolated(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                        std::function<void(const MovedAside&)> told) {
  return {[&ports, &ground, &ask, told = std::move(told)](const ProcessId& process) {
            return hold_isolated(ports, ground, ask, process, told);
          },
          [&ports, &ground](const ProcessId& process) {
            return release_isolated(ports, ground.machine.cpu_set(), process);
          }};
}

}  // namespace gedge
