#include "gedge/io/machine_facts.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "io/hwloc_machine.hpp"
#include "io/machine_xml.hpp"
#include "io/trial.hpp"

namespace gedge {
namespace {

constexpr std::string_view kLive = "live", kSynthetic = "synthetic:";
constexpr const char* kRoot = "HWLOC_FSROOT";
constexpr std::uint64_t kMostBytes = 16 << 20;  // the XML of 4,096 CPUs takes 4 MiB
// As many as Linux is ever built for. libhwloc keeps several sets of all CPUs with every part.
constexpr long long kMostCpus = 8'192;
const std::string kTooMany = "more than " + std::to_string(kMostCpus) + " CPUs are described";

Error no_machine(const std::string& source, std::string why, std::string hint) {
  return invalid_input(std::move(why), {source, 0, 0, {}, 1}, std::move(hint));
}

class Topology {
 public:
  explicit Topology(const HwlocLibrary& hwloc) : hwloc_(hwloc) {
    if (hwloc_.init(&topology_) != 0) topology_ = nullptr;
    if (topology_ == nullptr) return;
    hwloc_.set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_.set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  }
  ~Topology() {
    if (topology_ != nullptr) hwloc_.destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  hwloc_topology_t get() const { return topology_; }
  std::optional<Result<Machine>> load() {
    if (hwloc_.load(topology_) != 0) return std::nullopt;
    return machine_of(hwloc_, topology_);
  }

 private:
  const HwlocLibrary& hwloc_;
  hwloc_topology_t topology_ = nullptr;
};

// Sets a variable of the environment, and puts it back.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// Why hwloc is not asked for a description: it would make any number of CPUs, and compares each
// part with all those beside it. Goes by the numbers that begin a level or follow a colon, outside
// parentheses. Empty: it is asked.
std::string too_much(std::string_view description) {
  constexpr long long kMostSideBySide = 2'048;
  long long product = 1, widest = 1;
  int depth = 0;
  bool begins = true;
  for (std::size_t i = 0; i < description.size(); ++i) {
    const char c = description[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && begins && c >= '0' && c <= '9') {
      long long number = 0;
      const char* const end = description.data() + description.size();
      const auto read = std::from_chars(description.data() + i, end, number);
      if (read.ec != std::errc{} || number > kMostCpus) return kTooMany;
      product *= std::max(number, 1LL);
      if (product > kMostCpus) return kTooMany;
      widest = std::max(widest, number);
      i = static_cast<std::size_t>(read.ptr - description.data()) - 1;
    }
    begins = c == ' ' || c == ':';
  }
  if (widest <= kMostSideBySide) return {};
  return "more than " + std::to_string(kMostSideBySide) + " parts are described side by side";
}

std::string too_much_xml(std::string_view xml) {
  // A number beyond all CPUs would make hwloc allocate for all those below.
  constexpr std::string_view kIndex = "os_index=\"", kCpu = "type=\"PU\"";
  for (std::size_t at = xml.find(kIndex); at != std::string_view::npos;
       at = xml.find(kIndex, at + 1)) {
    const char* const begin = xml.data() + at + kIndex.size();
    long long number = 0;
    const auto read = std::from_chars(begin, xml.data() + xml.size(), number);
    if (read.ec == std::errc::result_out_of_range || number > CpuSet::kLast)
      return "it names a CPU beyond " + std::to_string(CpuSet::kLast);
  }
  long long cpus = 0;
  for (std::size_t at = xml.find(kCpu); at != std::string_view::npos; at = xml.find(kCpu, at + 1))
    if (++cpus > kMostCpus) return kTooMany;
  return {};
}

using Made = std::optional<Result<Machine>>;

// What is said where there is no machine: that nothing describes one, or what libhwloc does when it
// is asked; and how to do better.
struct NoMachine {
  std::string source, why, hint;
  std::string slow_hint = hint;  // where libhwloc takes too long
};

Result<Machine> made_or(Made made, const NoMachine& otherwise) {
  if (!made) return no_machine(otherwise.source, otherwise.why, otherwise.hint);
  return *std::move(made);
}

// libhwloc 2.9 dereferences null pointers where XML lacks what it expects, so whatever is not this
// machine is read by a process of its own first.
template <typename Make>
Result<Machine> make_safely(Make make, const NoMachine& otherwise) {
  switch (try_apart([&] { static_cast<void>(make()); })) {
    case TrialEnd::kDone:
      break;
    case TrialEnd::kSlow:
      return no_machine(
          otherwise.source,
          "libhwloc takes longer than " + std::to_string(kTrialSeconds) + " s to read it",
          otherwise.slow_hint);
    case TrialEnd::kDied:
      return no_machine(otherwise.source, "libhwloc crashes when it reads it", otherwise.hint);
  }
  return made_or(make(), otherwise);
}

Result<Machine> from_synthetic(const HwlocLibrary& hwloc, const std::string& source) {
  const std::string description = source.substr(kSynthetic.size());
  const std::string hint = "describe it as hwloc does: `synthetic:pack:2 core:4 pu:2`";
  const std::string fewer = "describe fewer parts, in levels: `synthetic:pack:16 core:64 pu:2`";
  if (std::string why = too_much(description); !why.empty())
    return no_machine(source, std::move(why), fewer);
  const auto make = [&]() -> Made {
    Topology topology(hwloc);
    if (topology.get() == nullptr || hwloc.set_synthetic(topology.get(), description.c_str()) != 0)
      return std::nullopt;
    return topology.load();
  };
  return make_safely(make, {source, "'" + description + "' describes no machine", hint, fewer});
}

Result<Machine> from_xml(const HwlocLibrary& hwloc, const std::string& source, FileStore& files) {
  const std::string hint = "write one with `lstopo --of xml FILE.xml`";
  auto text = files.read(source, kMostBytes);
  if (!text) {
    Error error = std::move(text).error();
    const bool is_no_file = error.code == Errc::kInvalidInput;  // too large, or no file at all
    if (error.hint.empty() || is_no_file)
      error.hint = "give live, FILE.xml, synthetic:TEXT or a directory";
    return error;
  }
  const std::string name = source == "-" ? std::string(kStdinName) : source;
  GEDGE_TRY(check_machine_xml(name, *text));
  if (std::string why = too_much_xml(*text); !why.empty())
    return no_machine(name, std::move(why), hint);
  const auto make = [&]() -> Made {
    Topology topology(hwloc);
    // It wants the closing zero counted.
    if (topology.get() == nullptr || text->empty() ||
        hwloc.set_xmlbuffer(topology.get(), text->c_str(), static_cast<int>(text->size() + 1)) != 0)
      return std::nullopt;
    return topology.load();
  };
  return make_safely(make, {name, "it is no machine in hwloc's XML", hint});
}

// What the kernel keeps for itself; nothing where the file is not there.
CpuSet list_in(FileStore& files, const std::string& path) {
  constexpr std::uint64_t kMostList = 1 << 20;
  const auto text = files.read(path, kMostList);
  if (!text) return {};
  auto set = parse_cpu_set(*text);  // "(null)" where the kernel has no nohz_full
  return set ? *std::move(set) : CpuSet{};
}

Result<Machine> from_system(const HwlocLibrary& hwloc, const std::string& root, FileStore& files) {
  std::optional<Variable> elsewhere;
  const std::string cpus = root + "/sys/devices/system/cpu";
  if (!root.empty()) {
    if (!files.is_directory(cpus))
      return no_machine(root, "it holds no sys/devices/system/cpu",
                        "record the trees /sys/devices/system and /proc/cpuinfo of a machine");
    elsewhere.emplace(kRoot, root);
  }
  const auto make = [&]() -> Made {
    Topology topology(hwloc);
    if (topology.get() == nullptr) return std::nullopt;
    // This one asks the processor that gedge runs on.
    if (!root.empty())
      hwloc.set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    return topology.load();
  };
  const NoMachine otherwise{root.empty() ? "live" : root, "no machine can be read there",
                            root.empty()
                                ? "mount /sys: `mount -t sysfs sysfs /sys`"
                                : "record the trees /sys/devices/system and /proc/cpuinfo anew"};
  Result<Machine> machine =
      root.empty() ? made_or(make(), otherwise) : make_safely(make, otherwise);
  if (machine) {
    machine->isolated = list_in(files, cpus + "/isolated");
    machine->nohz_full = list_in(files, cpus + "/nohz_full");
  }
  return machine;
}

}  // namespace

Result<Machine> read_machine(const std::string& source, FileStore& files) {
  const auto hwloc = HwlocLibrary::get();
  if (!hwloc) return hwloc.error();
  if (source == kLive) return from_system(**hwloc, "", files);
  if (source.starts_with(kSynthetic)) return from_synthetic(**hwloc, source);
  if (files.is_directory(source)) {
    std::string root = source;
    while (root.size() > 1 && root.back() == '/') root.pop_back();
    return from_system(**hwloc, root == "/" ? "" : root, files);
  }
  return from_xml(**hwloc, source, files);
}

}  // namespace gedge
