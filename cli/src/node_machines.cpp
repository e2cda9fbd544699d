#include "node_machines.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/codec/kubelet_configuration.hpp"
#include "gedge/codec/memory_manager_state.hpp"
#include "gedge/io/machine_facts.hpp"

namespace gedge::cli {
namespace {

constexpr std::string_view kXml = ".xml", kSynthetic = ".synthetic", kConfig = ".kubelet.yaml",
                           kState = ".state", kMemoryState = ".memory-state",
                           kForAll = "kubelet.yaml";

// What lies in the directory: files, and directories with recorded trees.
struct Listing {
  std::string directory;
  std::set<std::string> files, directories;

  std::string path_of(const std::string& name) const { return directory + '/' + name; }
};

Result<Listing> list(const std::string& directory, FileStore& files) {
  const auto paths = files.list(directory, true);
  if (!paths) return paths.error();
  Listing listing{directory, {}, {}};
  for (const std::string& path : *paths) {
    std::string name = path.substr(std::min(directory.size(), path.size()));
    name.erase(0, name.find_first_not_of('/'));
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos)
      listing.files.insert(name);
    else
      listing.directories.insert(name.substr(0, slash));
  }
  return listing;
}

class MachineReader {
 public:
  MachineReader(const Listing& listing, Compat compat, InputReader& reader, FileStore& files)
      : listing_(listing), compat_(compat), reader_(reader), files_(files) {}

  void add(const std::string& node, const std::string& source, NodeMachines& machines) {
    const auto machine = read_machine(source, files_);
    if (!machine) return fail(machine.error());
    const auto rules = rules_of(node);
    if (!rules) return;
    auto kubelet = Kubelet::create(*machine, *rules);
    if (!kubelet) return fail(about(node, kubelet.error()));
    if (!restore(node, *kubelet)) return;
    machines.add(node, *std::move(kubelet));
  }

  /// One line of hwloc's description.
  std::optional<std::string> synthetic(const std::string& name) {
    const std::string* const bytes = bytes_of(listing_.path_of(name));
    if (bytes == nullptr) return std::nullopt;
    return "synthetic:" + bytes->substr(0, bytes->find_last_not_of(" \t\r\n") + 1);
  }

  Errors take_errors() { return std::move(errors_); }

 private:
  void fail(Error error) { errors_.push_back(std::move(error)); }

  static Error about(const std::string& node, Error error) {
    error.what = "node " + node + ": " + error.what;
    return error;
  }

  const std::string* bytes_of(const std::string& path) {
    const std::string* const bytes = reader_.bytes_of(path);
    if (bytes == nullptr)
      for (Error& error : reader_.take_errors()) fail(std::move(error));
    return bytes;
  }

  std::optional<KubeletRules> rules_of(const std::string& node) {
    std::string name = node + std::string(kConfig);
    if (!listing_.files.contains(name)) name = kForAll;
    if (!listing_.files.contains(name)) {
      KubeletRules rules;
      rules.form = compat_ == Compat::k1_20 ? KubeletForm::k1_20 : KubeletForm::kToday;
      rules.is_static = true;
      rules.reservation = {1, CpuSet{0}};
      return rules;
    }
    const std::string path = listing_.path_of(name);
    const std::string* const bytes = bytes_of(path);
    if (bytes == nullptr) return std::nullopt;
    auto reading = read_kubelet_configuration({path, *bytes}, compat_);
    for (Error& error : reading.errors) fail(std::move(error));
    return std::move(reading.rules);
  }

  bool restore(const std::string& node, Kubelet& kubelet) {
    const bool holds_cpus = kubelet.rules().is_static;
    const bool holds_memory = kubelet.rules().memory.is_static;
    return (!holds_cpus || go_on_from(node, kState, "static", read_cpu_manager_state,
                                      [&](CpuManagerState& state) {
                                        return kubelet.restore(std::move(state.cpus));
                                      })) &&
           (!holds_memory || go_on_from(node, kMemoryState, "Static", read_memory_manager_state,
                                        [&](const MemoryManagerState& state) {
                                          return kubelet.restore(state.memory);
                                        }));
  }

  // What a manager of this policy has written down, where it has.
  template <typename Read, typename Restore>
  bool go_on_from(const std::string& node, std::string_view suffix, const std::string& policy,
                  Read read, Restore restore) {
    const std::string name = node + std::string(suffix);
    if (!listing_.files.contains(name)) return true;
    const std::string path = listing_.path_of(name);
    const std::string* const bytes = bytes_of(path);
    if (bytes == nullptr) return false;
    auto reading = read({path, *bytes});
    for (Error& error : reading.errors) fail(std::move(error));
    if (!reading.state) return false;
    if (reading.state->policy != policy) return fail_policy(path, reading.state->policy, policy);
    return is_restored(node, path, restore(*reading.state));
  }

  bool fail_policy(const std::string& path, const std::string& its, const std::string& wanted) {
    fail(invalid_input("it is the state of policy '" + its + "', not of " + wanted,
                       {path, 0, 0, {}, 1}, "drain the node, then remove the state file"));
    return false;
  }

  bool is_restored(const std::string& node, const std::string& path, const Status& restored) {
    if (restored) return true;
    Error error = about(node, restored.error());
    error.code = Errc::kInvalidInput;
    error.where = {path, 0, 0, {}, 1};
    fail(std::move(error));
    return false;
  }

  const Listing& listing_;
  Compat compat_;
  InputReader& reader_;
  FileStore& files_;
  Errors errors_;
};

// "edge-1" of "edge-1.xml"; empty where the name does not end so.
std::string stem(const std::string& name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : std::string();
}

}  // namespace

void add_machines_flag(FlagSet& flags, std::string& directory) {
  flags.add({.name = "machines",
             .value = "DIR",
             .help = "Ask the kubelets of these machines too",
             .live = Live::kFiles,
             .shapes_answer = true},
            directory);
}

PolicyInfo machine_fit_info() {
  return {kMachineFit,
          true,
          true,
          "the kubelet of the node, with its machine, configuration and state, admits the pod; "
          "100 / NUMA nodes under its exclusive CPUs",
          "0..100",
          "pkg/kubelet/cm of Kubernetes; added by --machines"};
}

Errors MachinePolicies::read(const std::string& directory, Compat compat, InputReader& reader,
                             Io& io) {
  const auto listing = list(directory, io.files);
  if (!listing) return {listing.error()};
  MachineReader machines(*listing, compat, reader, io.files);
  for (const std::string& name : listing->files) {
    if (const std::string node = stem(name, kXml); !node.empty())
      machines.add(node, listing->path_of(name), machines_);
    if (const std::string node = stem(name, kSynthetic); !node.empty())
      if (const auto source = machines.synthetic(name)) machines.add(node, *source, machines_);
  }
  for (const std::string& name : listing->directories)
    machines.add(name, listing->path_of(name), machines_);
  Errors errors = machines.take_errors();
  if (errors.empty() && machines_.size() == 0)
    errors.push_back(invalid_input("there is no machine in " + directory, {},
                                   "put NODE.xml there: `lstopo --of xml NODE.xml`"));
  return errors;
}

Profile MachinePolicies::with(Profile profile) const {
  profile.filters.push_back({std::string(kMachineFit), 1, {}});
  profile.scores.push_back({std::string(kMachineFit), 1, {}});
  return profile;
}

std::unique_ptr<FilterPolicy> MachinePolicies::filter(std::string_view name) const {
  if (name == kMachineFit) return make_machine_filter(machines_);
  return modules_ != nullptr ? modules_->filter(name) : nullptr;
}

std::unique_ptr<ScorePolicy> MachinePolicies::score(std::string_view name) const {
  if (name == kMachineFit) return make_machine_score(machines_);
  return modules_ != nullptr ? modules_->score(name) : nullptr;
}

std::optional<Error> MachinePolicies::failure() const {
  return modules_ != nullptr ? modules_->failure() : std::nullopt;
}

}  // namespace gedge::cli
