#include "pin_ask.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"
#include "render/numbers.hpp"

namespace gedge::cli {
namespace {

struct NamedOption {
  std::string_view name;
  bool StaticOptions::*option;
};
constexpr NamedOption kStaticOptions[] = {
    {"full-pcpus-only", &StaticOptions::full_pcpus_only},
    {"distribute-cpus-across-numa", &StaticOptions::distribute_cpus_across_numa},
    {"align-by-socket", &StaticOptions::align_by_socket},
    {"distribute-cpus-across-cores", &StaticOptions::distribute_cpus_across_cores},
    {"prefer-align-cpus-by-uncorecache", &StaticOptions::prefer_align_cpus_by_uncorecache},
};
struct NamedPolicy {
  std::string_view name;
  TopologyPolicy policy;
};
constexpr NamedPolicy kTopologyPolicies[] = {
    {"best-effort", TopologyPolicy::kBestEffort},
    {"restricted", TopologyPolicy::kRestricted},
    {"single-numa-node", TopologyPolicy::kSingleNumaNode},
};

std::vector<std::string> policy_words() {
  std::vector<std::string> words;
  for (const NamedOption& named : kStaticOptions) words.emplace_back(named.name);
  for (const NamedPolicy& named : kTopologyPolicies) words.emplace_back(named.name);
  return words;
}

Status take_policy(CpuAsk& ask, const std::string& word) {
  for (const NamedOption& named : kStaticOptions)
    if (named.name == word) ask.options.*named.option = true;
  for (const NamedPolicy& named : kTopologyPolicies) {
    if (named.name != word) continue;
    if (ask.topology != TopologyPolicy::kNone && ask.topology != named.policy)
      return invalid_input("two policies of the topology manager are given", {},
                           "give one of best-effort, restricted and single-numa-node");
    ask.topology = named.policy;
  }
  return {};
}

Status take_near(CpuAsk& ask, const std::string& word) {
  if (word.empty()) return invalid_input("no device is named", {}, "`gedge pin show` lists them");
  for (DeviceWish& wish : ask.near)
    if (text_of(wish) == word) return ++wish.count, Status();
  ask.near.push_back(device_wish(word));
  return {};
}

Status take_mode(CpuAsk& ask, const std::string& text) {
  constexpr std::string_view kShared = "shared:";
  if (text == "exclusive" || text == "preferred") {
    ask.mode = text == "exclusive" ? PinMode::kExclusive : PinMode::kPreferred;
    return {};
  }
  if (!text.starts_with(kShared))
    return invalid_input("unknown mode '" + text + '\'', {},
                         "give exclusive, preferred, or CPUs to share: `shared:0-3,8`");
  auto cpus = parse_cpu_set(std::string_view(text).substr(kShared.size()));
  if (!cpus) return std::move(cpus).error();
  if (cpus->empty())
    return invalid_input("no CPU is named", {}, "write CPUs as the kernel does: `shared:0-3,8`");
  ask.mode = PinMode::kShared;
  ask.shared = *std::move(cpus);
  return {};
}

Status take_memory(MemoryMode& memory, const std::string& word) {
  memory = word == "bind"        ? MemoryMode::kBind
           : word == "preferred" ? MemoryMode::kPreferred
                                 : MemoryMode::kInterleave;
  return {};
}

Result<PinGround> ground_with(CpuFacts facts) {
  auto machine = read_cpus("", facts);
  if (!machine) return std::move(machine).error();
  auto usable = usable_cpus();
  if (!usable) return std::move(usable).error();
  return PinGround{*std::move(machine), *std::move(usable)};
}

}  // namespace

void add_ask_flags(FlagSet& flags, CpuAsk& ask) {
  flags.heading("Which CPUs");
  flags.add({.name = "cpus", .value = "N", .help = "How many CPUs", .fallback = "1"},
            [&ask](const std::string& text) -> Status {
              std::uint64_t cpus = 0;
              GEDGE_TRY(number_into(cpus, CpuSet::kLast + 1)(text));
              if (cpus == 0)
                return invalid_input("'0' is no number of CPUs", {}, "ask for 1 at least");
              ask.cpus = static_cast<int>(cpus);
              return {};
            });
  flags.add({.name = "policy",
             .value = "POLICY",
             .help = "Choose and refuse as with this kubelet's option",
             .words = policy_words(),
             .repeats = true},
            [&ask](const std::string& word) { return take_policy(ask, word); });
  flags.add({.name = "near",
             .value = "DEVICE",
             .help = "CPUs near to gpu, network, storage or a device",
             .repeats = true},
            [&ask](const std::string& word) { return take_near(ask, word); });
}

void add_mode_flag(FlagSet& flags, CpuAsk& ask) {
  flags.add({.name = "mode",
             .value = "MODE",
             .help = "exclusive, preferred or shared:CPUS",
             .fallback = "exclusive"},
            [&ask](const std::string& text) { return take_mode(ask, text); });
}

Status check_mode(const CpuAsk& ask, const ForOthers& others) {
  if (ask.mode != PinMode::kExclusive && others.anything())
    return invalid_input("`--isolate` and `--nice-others` are for CPUs that nobody shares", {},
                         "leave out `--mode`");
  if (ask.mode != PinMode::kShared) return {};
  if (ask.cpus == 1 && ask.options == StaticOptions{} && ask.topology == TopologyPolicy::kNone &&
      ask.near.empty())
    return {};
  return invalid_input("`--mode shared` says itself which CPUs", {},
                       "leave out `--cpus`, `--policy` and `--near`");
}

std::string shares_text(const CpuAsk& ask, const CpuGrant& granted) {
  if (ask.mode != PinMode::kPreferred || granted.exclusive) return {};
  return "no CPUs of its own can be had: it runs beside others on CPUs " + to_string(granted.cpus);
}

void add_memory_flag(FlagSet& flags, MemoryMode& memory) {
  flags.add({.name = "memory",
             .value = "MODE",
             .help = "Take memory from the NUMA nodes of the CPUs",
             .words = {"bind", "preferred", "interleave"}},
            [&memory](const std::string& word) { return take_memory(memory, word); });
}

void add_others_flags(FlagSet& flags, ForOthers& others) {
  flags.add({.name = "isolate", .help = "Move everything else off these CPUs"}, others.isolate);
  flags.add(
      {.name = "nice-others", .value = "N", .help = "Raise everything else there to nice value N"},
      [&others](const std::string& text) -> Status {
        std::uint64_t nice = 0;
        if (!number_into(nice, kMostNice)(text) || nice == 0)
          return invalid_input(
              "'" + text + "' is not a whole number from 1 to " + std::to_string(kMostNice), {},
              "the higher it is, the less they get: `--nice-others 10`");
        others.nice = static_cast<int>(nice);
        return {};
      });
}

namespace {

// Who does not change, and `why`.
std::string those_who_stay(const ShiftedThreads& shifted, const std::string& why, bool all) {
  constexpr std::size_t kFirst = 4;
  const auto& stay = shifted.stay;
  if (stay.empty()) return {};
  const bool kernel_alone = std::all_of(
      stay.begin(), stay.end(), [](const StayingThread& thread) { return thread.is_kernel; });
  std::string text = "; " + counted(stay.size(), "thread") +
                     (kernel_alone ? " of the kernel" : "") + ' ' + why + ": ";
  const std::size_t shown = all ? stay.size() : std::min(kFirst, stay.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : ", ") + stay[i].name + " (" + std::to_string(stay[i].thread) + ')';
  if (shown < stay.size()) text += " and " + std::to_string(stay.size() - shown) + " more";
  return text;
}

}  // namespace

std::vector<std::string> sentences(const OthersNow& now, const ForOthers& wish, bool all) {
  std::vector<std::string> lines;
  if (now.moved)
    lines.push_back("moved " + counted(now.moved->threads, "thread") + " aside" +
                    those_who_stay(*now.moved, "cannot move", all));
  if (now.raised)
    lines.push_back("raised " + counted(now.raised->threads, "thread") + " to nice value " +
                    std::to_string(wish.nice) +
                    those_who_stay(*now.raised, "will not stay there", all));
  return lines;
}

void add_state_flag(FlagSet& flags, std::string& directory) {
  flags.add({.name = "state-dir",
             .value = "DIR",
             .help = "Where it stands who holds which CPUs",
             .live = Live::kFiles},
            [&directory](const std::string& text) -> Status {
              if (text.empty()) return invalid_input("no directory is named", {}, "name one");
              directory = text;
              return {};
            });
}

DiskPinStore open_store(const std::string& asked, Io& io, bool quiet) {
  std::string directory = asked.empty() ? default_pin_directory(io.runtime_directory) : asked;
  if (quiet) return DiskPinStore(std::move(directory));
  return DiskPinStore(std::move(directory), [&io](const std::string& what) {
    io.err.line(what);
    io.err.flush();
  });
}

Status check_directory(const std::string& asked, const Io& io) {
  if (asked.empty() || io.files.is_directory(asked)) return {};
  return Error{Errc::kNotFound,
               "there is no directory " + asked,
               {},
               "name the `--state-dir` of `gedge pin run` or `gedge pin apply`"};
}

Result<PinGround> read_ground() { return ground_with(CpuFacts::kAll); }

Result<PinGround> read_ground_for(const CpuAsk& ask) {
  return ground_with(ask.options.prefer_align_cpus_by_uncorecache ? CpuFacts::kAll
                                                                  : CpuFacts::kPlaces);
}

}  // namespace gedge::cli
