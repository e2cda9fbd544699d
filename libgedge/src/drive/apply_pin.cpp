#include "gedge/drive/apply_pin.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "drive/coming_cpus.hpp"
#include "drive/isolate.hpp"
#include "drive/pinning_threads.hpp"
#include "gedge/codec/pin_record.hpp"
#include "gedge/drive/others.hpp"

namespace gedge {
namespace {

bool is_gone(const Error& error) { return error.code == Errc::kNotFound; }

std::string name_of(const PinTarget& target) {
  if (const auto* const pid = std::get_if<int>(&target)) return "process " + std::to_string(*pid);
  return "control group " + std::get<std::string>(target);
}

std::string flag_of(const PinTarget& target) {
  if (const auto* const pid = std::get_if<int>(&target)) return "--pid " + std::to_string(*pid);
  return "--cgroup " + std::get<std::string>(target);
}

Error ended(const PinTarget& target) {
  return {Errc::kNotFound, name_of(target) + " has ended", {}, {}};
}

Result<PinHolder> identify(const PinPorts& ports, const PinTarget& target) {
  if (const auto* const pid = std::get_if<int>(&target)) {
    auto process = ports.threads.identify(*pid);
    if (!process) return std::move(process).error();
    const auto whole = ports.threads.process_of(*pid);
    if (!whole) return whole.error();
    if (*whole != *pid)
      return invalid_input(std::to_string(*pid) + " is a thread of process " +
                               std::to_string(*whole) + ", and no process",
                           {}, "give `--pid " + std::to_string(*whole) + '`');
    return PinHolder(*process);
  }
  auto group = ports.groups.identify(std::get<std::string>(target));
  if (!group) return std::move(group).error();
  return PinHolder(*std::move(group));
}

// What nobody is to be pinned by mistake: the process that begins all others, and the kernel.
Result<PinHolder> identify_to_pin(const PinPorts& ports, const PinTarget& target) {
  const auto* const pid = std::get_if<int>(&target);
  if (pid != nullptr && *pid == 1)
    return invalid_input("process 1 begins all others, and what it begins would run there too", {},
                         "pin one that it has begun, or a control group with `--cgroup`");
  auto holder = identify(ports, target);
  if (!holder || pid == nullptr) return holder;
  const auto facts = ports.threads.about(*pid);
  if (!facts) return facts.error();
  if (!facts->is_kernel) return holder;
  return invalid_input("process " + std::to_string(*pid) + " (" + facts->name +
                           ") is a thread of the kernel, which runs where the kernel needs it",
                       {}, "pin the process of a program: `pgrep -a NAME` finds it");
}

// What the target's control group leaves it. A process is pinned without one too.
Result<CpuSet> allowed_to(const PinPorts& ports, const PinGround& ground, const PinTarget& target) {
  if (const auto* const path = std::get_if<std::string>(&target)) {
    auto usable = ports.groups.read(*path, CpusetField::kUsableCpus);
    if (!usable) return std::move(usable).error();
    return ground.allowed & *usable;
  }
  const auto group = ports.groups.of_process(std::get<int>(target));
  if (!group) return ground.allowed;
  const auto usable = ports.groups.read(*group, CpusetField::kUsableCpus);
  return usable ? ground.allowed & *usable : ground.allowed;
}

// Where the threads of a process may run now.
Result<ProcessBefore> look_at(const Threads& threads, const ProcessId& process, Sight& sight) {
  sight.births = threads.births();
  auto listed = threads.of_process(process.pid);
  if (!listed) return std::move(listed).error();
  sight.listed = *std::move(listed);
  sight.masks.clear();
  sight.masks.reserve(sight.listed.size());
  const auto usual = threads.mask(process.pid);
  if (!usual) return usual.error();
  ProcessBefore before{process, {}, *usual, {}};
  for (const int thread : sight.listed) {
    auto mask = threads.mask(thread);
    if (!mask && !is_gone(mask.error())) return std::move(mask).error();
    sight.masks.push_back(mask ? *std::move(mask) : CpuSet{});
    const CpuSet& its = sight.masks.back();
    if (its.empty() || its == before.usual) continue;
    if (const auto known = threads.identify(thread)) before.others.push_back({*known, its});
  }
  return before;
}

// The innermost of those that `path` lies in; null where it lies in none.
const GroupBefore* outer_of(const std::vector<GroupBefore>& all, const std::string& path) {
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const GroupBefore& each) {
    return is_group_within(path, each.group.path);
  });
  return found != all.rend() ? &*found : nullptr;
}

// What the groups have now, and are to have: at most `cpus`, and `mems` where memory is bound. An
// inner one has no more than what the outer one is to have.
Result<std::vector<GroupBefore>> look_at(const ControlGroups& groups, const std::string& path,
                                         const CpuSet& cpus, const CpuSet* mems) {
  const auto confine = [](const CpuSet& now, const CpuSet& to) {
    return now.meets(to) ? now & to : to;
  };
  auto paths = groups.with_inner(path);
  if (!paths) return std::move(paths).error();
  // Version 2 keeps inner ones within outer ones by itself.
  if (groups.mount().version == CgroupVersion::kV2) paths->resize(1);
  std::vector<GroupBefore> all;
  for (const std::string& each : *paths) {
    auto group = groups.identify(each);
    auto now = groups.read(each, CpusetField::kCpus);
    if (!group || !now) return !group ? group.error() : now.error();
    if (now->empty() && each != path) continue;  // nothing is in it, and nothing can be
    const GroupBefore* const outer = outer_of(all, each);
    const CpuSet pinned = confine(*now, outer != nullptr ? outer->pinned : cpus);
    GroupBefore before{*std::move(group), pinned, *now, {}, {}};
    if (mems != nullptr) {
      auto memory = groups.read(each, CpusetField::kMems);
      if (!memory) return std::move(memory).error();
      before.pinned_mems = confine(*memory, outer != nullptr ? *outer->pinned_mems : *mems);
      before.mems = *std::move(memory);
    }
    all.push_back(std::move(before));
  }
  return all;
}

Status write_steps(ControlGroups& groups, CpusetField field,
                   const std::vector<CpusetChange>& changes) {
  if (groups.mount().version == CgroupVersion::kV2) {
    for (const CpusetChange& change : changes)
      if (change.from != change.to) GEDGE_TRY(groups.write(change.path, field, change.to));
    return {};
  }
  for (const CpusetStep& step : cpuset_steps(changes))
    GEDGE_TRY(groups.write(step.path, field, step.value));
  return {};
}

Status pin_groups(ControlGroups& groups, const std::vector<GroupBefore>& all, const CpuSet& cpus) {
  std::vector<CpusetChange> of_cpus, of_mems;
  for (const GroupBefore& each : all) {
    of_cpus.push_back({each.group.path, each.cpus, each.pinned});
    if (each.mems) of_mems.push_back({each.group.path, *each.mems, *each.pinned_mems});
  }
  GEDGE_TRY(write_steps(groups, CpusetField::kCpus, of_cpus));
  GEDGE_TRY(write_steps(groups, CpusetField::kMems, of_mems));
  const std::string& path = all.front().group.path;
  const auto usable = groups.read(path, CpusetField::kUsableCpus);
  if (!usable) return usable.error();
  if (*usable == cpus) return {};
  return Error{Errc::kDenied,
               "the kernel gives control group " + path + " CPUs " + to_string(*usable) + ", not " +
                   to_string(cpus),
               {},
               "look at cpuset.cpus of the groups above it"};
}

Status put_threads_back(Threads& threads, const CpuSet& online, const ProcessBefore& before,
                        const Aside& aside) {
  const auto known = threads.identify(before.process.pid);
  if (!known || *known != before.process) return {};
  const auto listed = threads.of_process(before.process.pid);
  if (!listed) return is_gone(listed.error()) ? Status() : Status(listed.error());
  const CpuSet now = before.pinned & online;
  const CpuSet isolated = aside.cpus(), all = aside.all & online;
  Status first;
  for (const int number : *listed) {
    const auto mask = threads.mask(number);
    if (!mask || (*mask != now && !is_aside(*mask, now, isolated, all))) continue;
    ProcessId thread{number, 0};
    if (!before.others.empty())
      if (const auto is = threads.identify(number)) thread = *is;
    const Status done = threads.pin(number, value_before(before, thread));
    if (!done && !is_gone(done.error()) && first) first = refused(done.error());
  }
  return first;
}

// As it was pinned, or on the way there or back.
bool is_ours(const CpuSet& now, const CpuSet& pinned, const CpuSet& before) {
  return now == pinned || now == (pinned | before);
}

Status put_groups_back(ControlGroups& groups, const std::vector<GroupBefore>& all) {
  std::vector<CpusetChange> of_cpus, of_mems;
  for (const GroupBefore& each : all) {
    const std::string& path = each.group.path;
    const auto known = groups.identify(path);
    if (!known || *known != each.group) continue;
    const auto cpus = groups.read(path, CpusetField::kCpus);
    if (cpus && is_ours(*cpus, each.pinned, each.cpus)) of_cpus.push_back({path, *cpus, each.cpus});
    if (!each.mems) continue;
    const auto mems = groups.read(path, CpusetField::kMems);
    if (mems && is_ours(*mems, *each.pinned_mems, *each.mems))
      of_mems.push_back({path, *mems, *each.mems});
  }
  Status cpus = write_steps(groups, CpusetField::kCpus, of_cpus);
  Status mems = write_steps(groups, CpusetField::kMems, of_mems);
  return cpus ? mems : cpus;
}

// Linux before 6.2 gives whatever is in a control group all its CPUs when these are written.
// Whoever is pinned in there by himself, and is found so, is pinned anew.
Status pin_members_again(const PinPorts& ports, const CpuSet& online, const PinRecord& record,
                         const PinBooks& books) {
  if (record.groups.empty()) return {};
  Status first;
  const auto pin_again = [&](const PinHolder& holder, const CpuSet& cpus) {
    const auto* const process = std::get_if<ProcessId>(&holder);
    if (process == nullptr) return;
    const auto known = ports.threads.identify(process->pid);
    const auto group = ports.groups.of_process(process->pid);
    if (!known || *known != *process || !group ||
        !is_group_within(*group, record.groups.front().group.path))
      return;
    const auto usable = ports.groups.read(*group, CpusetField::kUsableCpus);
    const auto listed = ports.threads.of_process(process->pid);
    if (!usable || !listed) return;
    for (const int thread : *listed) {
      const auto mask = ports.threads.mask(thread);
      if (!mask || *mask != (*usable & online) || mask->is_subset_of(cpus)) continue;
      Status done = ports.threads.pin(thread, cpus);
      if (!done && done.error().code == Errc::kDenied && first) first = std::move(done);
    }
  };
  for (const auto& [name, parts] : books.ledger.pods)
    if (const auto holder = holder_of(name, parts))
      for (const auto& [part, cpus] : parts) pin_again(*holder, cpus);
  for (const PinRecord& each : books.records)
    if (const auto holder = holder_of(each); holder && !each.shared.empty())
      pin_again(*holder, each.shared);
  return first;
}

Status check_memory(const PinTarget& target, MemoryMode memory) {
  const bool is_process = std::holds_alternative<int>(target);
  const MemoryMode can = is_process ? MemoryMode::kPreferred : MemoryMode::kBind;
  if (memory == MemoryMode::kDefault || memory == can) return {};
  if (is_process)
    return invalid_input("of a process that runs, memory can only be preferred", {},
                         "give `--memory preferred`, or bind its control group");
  return invalid_input("of a control group, memory can only be bound", {}, "give `--memory bind`");
}

Result<PinRecord> record_for(const PinPorts& ports, const PinHolder& holder,
                             const CpuGrant& granted, MemoryMode memory, Sight& sight) {
  PinRecord record{holder_name(holder), {}, {}};
  if (const auto* const process = std::get_if<ProcessId>(&holder)) {
    auto before = look_at(ports.threads, *process, sight);
    if (!before) return std::move(before).error();
    record.processes.push_back(*std::move(before));
    record.processes.back().pinned = granted.cpus;
    return record;
  }
  CpuSet nodes;
  for (const int node : granted.nodes) nodes.add(node);
  auto groups = look_at(ports.groups, std::get<GroupId>(holder).path, granted.cpus,
                        memory == MemoryMode::kBind ? &nodes : nullptr);
  if (!groups) return std::move(groups).error();
  record.groups = *std::move(groups);
  return record;
}

Result<AppliedPin> carry_out(const PinPorts& ports, const PinRecord& record,
                             const CpuGrant& granted, MemoryMode memory, Sight sight) {
  AppliedPin done{granted, 0, record.groups.size(), {}};
  if (!record.processes.empty()) {
    const ProcessBefore& each = record.processes.front();
    const auto threads = pin_threads(ports.threads, each.process, std::move(sight), granted.cpus);
    if (!threads) return threads.error();
    done.threads = *threads;
    if (memory == MemoryMode::kPreferred)
      GEDGE_TRY(ports.threads.move_memory(each.process.pid, granted.nodes));
  }
  if (!record.groups.empty()) GEDGE_TRY(pin_groups(ports.groups, record.groups, granted.cpus));
  return done;
}

// The kernel moves what is in a control group with its cpuset. Of processes in one that is pinned
// it leaves nothing to pin them to.
bool lie_in_one_another(const ControlGroups& groups, const PinHolder& wanted,
                        const PinHolder& other) {
  if (wanted == other) return true;
  const auto* const group = std::get_if<GroupId>(&wanted);
  if (group == nullptr) return false;
  if (const auto* const pinned = std::get_if<GroupId>(&other))
    return group->space == pinned->space && (is_group_within(group->path, pinned->path) ||
                                             is_group_within(pinned->path, group->path));
  const auto its = groups.of_process(std::get<ProcessId>(other).pid);
  return its && is_group_within(*its, group->path);
}

// Nobody is pinned twice, and no control group with something in it that is, or within one.
Status check_free(const ControlGroups& groups, const PinBooks& books, const PinHolder& holder) {
  const auto* const wanted = std::get_if<GroupId>(&holder);
  const auto pinned = [wanted](const PinHolder& other, const char* how, const CpuSet& cpus) {
    const auto* const group = std::get_if<GroupId>(&other);
    const PinTarget target =
        group != nullptr ? PinTarget(group->path) : PinTarget(std::get<ProcessId>(other).pid);
    const bool is_in_it = wanted != nullptr && group == nullptr;
    return Error{Errc::kConflict,
                 name_of(target) + (is_in_it ? " in control group " + wanted->path : "") + how +
                     to_string(cpus) + " already",
                 {},
                 "give them back first with `gedge pin apply --undo " + flag_of(target) + '`'};
  };
  for (const auto& [name, parts] : books.ledger.pods) {
    const auto other = holder_of(name, parts);
    if (other && lie_in_one_another(groups, holder, *other))
      return pinned(*other, " holds CPUs ", parts.begin()->second);
  }
  for (const PinRecord& record : books.records) {
    const auto other = holder_of(record);
    if (!record.shared.empty() && other && lie_in_one_another(groups, holder, *other))
      return pinned(*other, " shares CPUs ", record.shared);
  }
  return {};
}

// Whoever was moved aside as he was pinned is to have what he had before. That is written down
// before anything is put back: nothing else says it once he has been moved aside anew.
Status know_before(PinStore& store, PinBooks& books, const PinRecord& record) {
  bool is_new = false;
  for (const ProcessBefore& before : record.processes)
    for (ProcessBefore& moved : books.aside.moved) {
      if (moved.process != before.process) continue;
      is_new = is_new || moved.usual != before.usual || moved.others != before.others;
      moved.usual = before.usual;
      moved.others = before.others;
    }
  return is_new ? write_record(store, books) : Status();
}

void forget(PinBooks& books, const PinHolder& holder, const CpuSet& all) {
  const std::string name = holder_name(holder);
  std::erase_if(books.records, [&](const PinRecord& record) { return record.holder == name; });
  give_back(books.ledger, holder);
  settle_shared(books.ledger, all);
}

// `failed` is what went wrong; the caller hears of it, and of what could not be undone.
Error take_back(const PinPorts& ports, const PinGround& ground, PinBooks& books,
                const PinHolder& holder, const PinTarget& target, Error failed) {
  const CpuSet all = ground.machine.cpu_set();
  const PinRecord& record = *record_of(books, holder);
  Status undone = know_before(ports.store, books, record);
  if (undone) undone = put_back(ports, all, record, books.aside);
  if (undone) undone = pin_members_again(ports, all, record, books);
  if (undone) undone = let_back(ports, books, all, {holder_name(holder)});
  if (undone) undone = keep_back(ports, books, all);
  if (undone) {
    forget(books, holder, all);
    undone = leave_books(ports.store, books);
  }
  if (undone) return failed;
  failed.what += "; and it cannot be undone: " + undone.error().what;
  failed.hint = "try again with `gedge pin apply --undo " + flag_of(target) + '`';
  return failed;
}

// Who is to be pinned, and among which CPUs.
struct Wanted {
  PinHolder holder;
  CpuSet allowed;
};

Result<Wanted> check_ask(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                         const PinTarget& target, MemoryMode memory, const ForOthers& others) {
  GEDGE_TRY(check_memory(target, memory));
  if (ask.mode != PinMode::kExclusive && others.anything())
    return invalid_input("others leave only CPUs that nobody shares");
  auto holder = identify_to_pin(ports, target);
  if (!holder) return std::move(holder).error();
  auto allowed = allowed_to(ports, ground, target);
  if (!allowed) return std::move(allowed).error();
  return Wanted{*std::move(holder), *std::move(allowed)};
}

// What is given, and what is to be written down before it is taken.
struct Drawn {
  CpuGrant granted;
  PinRecord record;
  Sight sight;
};

// Nothing is changed but the books in memory.
Result<Drawn> draw_up(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                      const Wanted& wanted, MemoryMode memory, PinBooks& books) {
  GEDGE_TRY(check_free(ports.groups, books, wanted.holder));
  auto granted = grant(books.ledger, ground.machine, wanted.allowed, ask, wanted.holder);
  if (!granted) return std::move(granted).error();
  Drawn drawn{*std::move(granted), {}, {}};
  auto record = record_for(ports, wanted.holder, drawn.granted, memory, drawn.sight);
  if (!record) return std::move(record).error();
  drawn.record = *std::move(record);
  GEDGE_TRY(check_written(drawn.record));
  return drawn;
}

}  // namespace

Result<CpuGrant> foresee_pin(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                             const PinTarget& target, MemoryMode memory, const ForOthers& others) {
  const auto wanted = check_ask(ports, ground, ask, target, memory, others);
  if (!wanted) return wanted.error();
  if (others.nice > 0) GEDGE_TRY(ports.threads.may_lower_nice());
  auto books = read_books(ports.store, ports.processes);
  if (!books) return std::move(books).error();
  auto drawn = draw_up(ports, ground, ask, *wanted, memory, *books);
  if (!drawn) return std::move(drawn).error();
  return std::move(drawn->granted);
}

Result<AppliedPin> apply_pin(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                             const PinTarget& target, MemoryMode memory, const ForOthers& others) {
  const auto wanted = check_ask(ports, ground, ask, target, memory, others);
  if (!wanted) return wanted.error();
  const PinHolder& holder = wanted->holder;
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  const CpuSet online = ground.machine.cpu_set();
  auto books = open_books(ports, online);
  if (!books) return std::move(books).error();
  auto drawn = draw_up(ports, ground, ask, *wanted, memory, *books);
  if (!drawn) return std::move(drawn).error();
  auto& [granted, record, sight] = *drawn;
  const ComingCpus coming(ports.groups, books->aside, online);
  for (ProcessBefore& before : record.processes) {
    GEDGE_TRY(trace_back(ports, *books, online, before));
    coming.add_to(before);
  }
  // The lock may have been waited for: its number may be another's by now, and so what was seen.
  const auto still = identify(ports, target);
  if (!still || *still != holder) return ended(target);
  if (!granted.exclusive) record.shared = granted.cpus;
  books->records.push_back(record);
  // Of one who shares the record alone counts, so it is the last thing that is written.
  GEDGE_TRY(granted.exclusive ? enter_books(ports.store, *books)
                              : leave_books(ports.store, *books));
  auto done = carry_out(ports, record, granted, memory, std::move(sight));
  if (done) {
    auto now = set_back(ports, *books, online, holder, granted.cpus, others);
    if (now)
      done->others = *std::move(now);
    else
      done = std::move(now).error();
  }
  if (done) return done;
  return take_back(ports, ground, *books, holder, target, std::move(done).error());
}

Status undo_pin(const PinPorts& ports, const CpuSet& online, const PinTarget& target) {
  const auto holder = identify(ports, target);
  if (!holder) return holder.error();
  const auto lock = ports.store.lock();
  if (!lock) return lock.error();
  auto books = open_books(ports, online);
  if (!books) return std::move(books).error();
  const PinRecord* const record = record_of(*books, *holder);
  const std::string name = holder_name(*holder);
  if (record == nullptr && has_set_back(*books, name)) {
    GEDGE_TRY(let_back(ports, *books, online, {name}));
    return write_record(ports.store, *books);
  }
  if (record == nullptr) {
    const bool runs = books->ledger.pods.contains(name);
    return Error{Errc::kNotFound,
                 name_of(target) + (runs ? " was started by `gedge pin run`"
                                         : " is not pinned by `gedge pin apply`"),
                 {},
                 runs ? "its CPUs are given back when it ends"
                      : "was it pinned with another `--state-dir`?"};
  }
  GEDGE_TRY(know_before(ports.store, *books, *record));
  GEDGE_TRY(put_back(ports, online, *record, books->aside));
  GEDGE_TRY(pin_members_again(ports, online, *record, *books));
  GEDGE_TRY(let_back(ports, *books, online, {name}));
  GEDGE_TRY(keep_back(ports, *books, online));
  forget(*books, *holder, online);
  return leave_books(ports.store, *books);
}

Status put_back(const PinPorts& ports, const CpuSet& online, const PinRecord& record,
                const Aside& aside) {
  Status first;
  for (const ProcessBefore& each : record.processes) {
    Status done = put_threads_back(ports.threads, online, each, aside);
    if (first) first = std::move(done);
  }
  Status groups = put_groups_back(ports.groups, record.groups);
  return first ? groups : first;
}

}  // namespace gedge
