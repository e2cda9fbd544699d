#include "gedge/codec/edge_scheduler.hpp"

#include <cstring>
#include <set>

#include "codec/cursor.hpp"
#include "codec/fields.hpp"

namespace gedge {
namespace {

using codec::Cursor;

constexpr std::string_view kMemoryKey = "allocatable_memory";
constexpr std::int64_t kPlentyOfCpu = 1'000'000'000;  // a million cores
constexpr std::int64_t kPlentyOfPods = 1'000'000;

void read_node(Cursor object, std::vector<Node>& nodes, std::set<std::string>& names) {
  const std::size_t errors_before = object.diagnostics().error_count();
  Node node;
  bool cloud = false;
  std::optional<std::int64_t> memory;
  object.fields([&](std::string_view key, Cursor value) {
    if (key == "name") codec::read_text(value, node.name);
    if (key == kMemoryKey) memory = codec::read_quantity(value, false);
    if (key == "cloud") codec::read_bool(value, cloud);
  });
  if (!object.is_map() || object.diagnostics().error_count() > errors_before) return;
  if (!codec::is_dns_subdomain(node.name)) {
    object.fail("a node needs a name of lower case letters, digits, '-' and '.'");
    return;
  }
  if (!memory) {
    object.fail("node " + codec::quote(node.name) + " has no allocatable_memory",
                "write for example \"16Gi\"");
    return;
  }
  if (!names.insert(node.name).second) {
    object.fail("node " + codec::quote(node.name) + " is declared twice");
    return;
  }
  node.labels.set("kubernetes.io/hostname", node.name);
  if (cloud) {
    node.labels.set("kubernetes.io/role", "cloud");
    node.labels.set("gedge.io/tier", "cloud");
  }
  node.allocatable.set(kMemory, *memory);
  node.allocatable.set(kCpu, kPlentyOfCpu);
  node.allocatable.set(kPods, kPlentyOfPods);
  node.addresses = {node.name};
  node.place = object.place();
  nodes.push_back(std::move(node));
}

}  // namespace

bool is_edge_scheduler_nodes(std::string_view bytes) {
  const codec::Source source("", bytes);
  codec::Diagnostics quiet;
  if (!source.is_json()) return false;
  // Most files are long and do not have it; memmem() is several times faster here than find().
  const void* const first =
      ::memmem(bytes.data(), bytes.size(), kMemoryKey.data(), kMemoryKey.size());
  if (first == nullptr) return false;
  const auto document = codec::Document::parse(source, quiet);
  if (!document)
    return bytes.substr(0, static_cast<std::size_t>(static_cast<const char*>(first) - bytes.data()))
               .find("\"kind\"") == std::string_view::npos;
  bool found = false;
  const Cursor root = document->root();
  if (root.is_map()) found = root.find(kMemoryKey).has_value();
  if (root.is_list())
    root.items([&](Cursor item) { found = found || (item.is_map() && item.find(kMemoryKey)); });
  return found;
}

EdgeSchedulerNodes read_edge_scheduler_nodes(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes);
  EdgeSchedulerNodes result;
  std::set<std::string> names;
  if (const auto document = codec::Document::parse(source, diagnostics)) {
    const Cursor root = document->root();
    if (root.is_list())
      root.items([&](Cursor item) { read_node(item, result.nodes, names); });
    else
      read_node(root, result.nodes, names);
    if (diagnostics.ok() && result.nodes.empty()) root.fail("no nodes");
  }
  result.errors = diagnostics.take_errors();
  if (!result.errors.empty()) result.nodes.clear();
  return result;
}

}  // namespace gedge
