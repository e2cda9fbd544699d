#include "gedge/drive/look_at_pins.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/pin_desk.hpp"

namespace gedge {
namespace {

std::optional<SeenProcess> see(const PinPorts& ports, int pid, bool with_group) {
  auto facts = ports.threads.about(pid);
  if (!facts) return std::nullopt;
  SeenProcess seen{facts->process, facts->parent, facts->is_kernel, std::move(facts->name), {}, {}};
  if (with_group)
    if (auto group = ports.groups.of_process(pid)) seen.group = *std::move(group);
  const auto threads = ports.threads.of_process(pid);
  if (!threads) return std::nullopt;
  for (const int thread : *threads)
    if (auto mask = ports.threads.mask(thread)) seen.masks.push_back(*std::move(mask));
  return seen;
}

// Of control groups that hold CPUs, what they leave theirs.
void see_groups(const PinPorts& ports, const CpuAssignments& ledger, SeenMachine& seen) {
  for (const auto& [entry, parts] : ledger.pods) {
    const auto holder = holder_of(entry, parts);
    if (!holder || !std::holds_alternative<GroupId>(*holder)) continue;
    const auto& group = std::get<GroupId>(*holder);
    const std::string& path = group.path;
    const auto known = ports.groups.identify(path);
    if (!known || *known != group) {
      if (ports.processes.lives(*holder)) seen.unseen.insert(entry);
      continue;
    }
    if (auto usable = ports.groups.read(path, CpusetField::kUsableCpus))
      seen.groups[path] = *std::move(usable);
  }
}

SeenMachine made_of(const PinBooks& books, const CpuSet& online) {
  SeenMachine seen{online, {}, {}, {}};
  for (const auto& [holder, cpus] : books.aside.isolated) seen.isolated.insert(holder);
  return seen;
}

// Who lives no more, by his name in the ledger.
std::string name_of_dead(const std::string& name, const PinBooks& books) {
  if (const auto process = holder_process(name)) return "process " + std::to_string(process->pid);
  if (const auto path = books.gone.find(name); path != books.gone.end())
    return "control group " + path->second;
  const auto group = holder_of(name, {{"/", {}}});
  if (!group) return name;
  return "control group with inode " + std::to_string(std::get<GroupId>(*group).number);
}

std::vector<LeftBehind> left_behind(const PinBooks& books) {
  std::vector<LeftBehind> left;
  for (const std::string& name : dead_holders(books)) {
    LeftBehind entry{name_of_dead(name, books), {}, false, 0};
    if (const auto found = books.aside.isolated.find(name); found != books.aside.isolated.end()) {
      entry.is_moved = true;
      entry.cpus |= found->second;
    }
    if (const auto found = books.niced.levels.find(name); found != books.niced.levels.end()) {
      entry.nice = found->second.nice;
      entry.cpus |= found->second.cpus;
    }
    left.push_back(std::move(entry));
  }
  return left;
}

// What looks left behind may be somebody's who puts it back just now: that is over once he has left
// the desk. Who has no right to lock it has to believe the first look.
Result<PinBooks> settled_books(const PinPorts& ports) {
  auto books = read_books(ports.store, ports.processes);
  if (!books || dead_holders(*books).empty()) return books;
  const auto lock = ports.store.lock();
  if (lock) return read_books(ports.store, ports.processes);
  if (lock.error().code == Errc::kDenied) return books;
  return lock.error();
}

}  // namespace

Result<PinCheck> look_at_pins(const PinPorts& ports, const CpuSet& online) {
  const auto books = settled_books(ports);
  if (!books) return books.error();
  std::vector<LeftBehind> left = left_behind(*books);
  if (books->ledger.pods.empty()) return PinCheck{{}, std::move(left)};
  SeenMachine seen = made_of(*books, online);
  see_groups(ports, books->ledger, seen);
  const auto all = ports.threads.processes();
  if (!all) return all.error();
  for (const int pid : *all)
    if (auto process = see(ports, pid, !seen.groups.empty()))
      seen.processes.push_back(*std::move(process));
  PinCheck check = check_pins(books->ledger, seen);
  check.left = std::move(left);
  return check;
}

Result<PinCheck> list_pins(const PinPorts& ports, const CpuSet& online) {
  const auto books = read_books(ports.store, ports.processes);
  if (!books) return books.error();
  SeenMachine seen = made_of(*books, online);
  for (const auto& [entry, parts] : books->ledger.pods)
    if (const auto process = holder_process(entry))
      if (auto found = see(ports, process->pid, false)) seen.processes.push_back(*std::move(found));
  return check_pins(books->ledger, seen);
}

}  // namespace gedge
