#include "measure_targets.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/targets.hpp"
#include "input.hpp"
#include "parse_address.hpp"

namespace gedge::cli {
namespace {

using HostOf = std::map<std::string, std::string, std::less<>>;

void append(Errors& to, Errors&& more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// False for a name, and for an address of the other family.
bool is_address(const std::string& text, IpFamily family) {
  const auto address = parse_address(text);
  return address && family != (address->is_v6 ? IpFamily::kV4 : IpFamily::kV6);
}

// A node lists its InternalIPs and its Hostname in any order; the name may be known nowhere else.
const std::string& host_of_node(const Node& node, IpFamily family) {
  if (node.addresses.empty()) return node.name;
  const auto found =
      std::find_if(node.addresses.begin(), node.addresses.end(),
                   [family](const std::string& text) { return is_address(text, family); });
  return found == node.addresses.end() ? node.addresses.front() : *found;
}

// By node; a node that says no address is looked up by its name.
HostOf hosts_of_nodes(Io& io, const TargetOptions& options, IpFamily family, ProgressLine& progress,
                      Errors& errors) {
  HostOf host_of;
  if (options.input.cluster.empty()) return host_of;
  InputReader reader(io, options.input, Compat::k1_36, progress);
  const auto input = reader.read();
  if (!input) {
    append(errors, reader.take_errors());
    return host_of;
  }
  for (const Node& node : input->facts.nodes)
    host_of.emplace(node.name, host_of_node(node, family));
  return host_of;
}

std::vector<NamedTarget> named_targets(Io& io, const TargetOptions& options, const HostOf& host_of,
                                       Errors& errors) {
  std::vector<NamedTarget> named;
  for (const std::string& text : options.nodes) {
    auto target = parse_target(text);
    if (target)
      named.push_back(*std::move(target));
    else
      errors.push_back(std::move(target).error());
  }
  if (!options.file.empty()) {
    const auto bytes = io.files.read(options.file, options.input.max_input);
    if (!bytes) {
      errors.push_back(bytes.error());
      return named;
    }
    const std::string name(options.file == "-" ? kStdinName : std::string_view(options.file));
    TargetsReading reading = read_targets({name, *bytes});
    append(errors, std::move(reading.errors));
    named.insert(named.end(), reading.targets.begin(), reading.targets.end());
  }
  if (options.nodes.empty() && options.file.empty())
    for (const auto& [name, host] : host_of) named.push_back({name, host});
  return named;
}

}  // namespace

MeasureTargets read_measure_targets(Io& io, const TargetOptions& options, const std::string& from,
                                    IpFamily family, ProgressLine& progress) {
  MeasureTargets read;
  const HostOf host_of = hosts_of_nodes(io, options, family, progress, read.errors);
  std::set<std::string> seen;
  for (NamedTarget& target : named_targets(io, options, host_of, read.errors)) {
    if (target.name == from) continue;
    if (!seen.insert(target.name).second) {
      read.errors.push_back(invalid_input("'" + target.name + "' is to be measured twice", {},
                                          "give each place a name of its own: NAME=ADDRESS"));
      continue;
    }
    const auto host = host_of.find(target.name);
    if (target.address.empty()) target.address = host == host_of.end() ? target.name : host->second;
    read.targets.push_back({std::move(target.name), std::move(target.address)});
  }
  if (read.targets.size() >= kMaxRttNames)
    read.errors.push_back(
        invalid_input(std::to_string(read.targets.size()) + " targets are more than the " +
                          std::to_string(kMaxRttNames - 1) + " that a matrix has room for",
                      {}, "measure them in parts"));
  if (!read.errors.empty()) read.targets.clear();
  return read;
}

}  // namespace gedge::cli
