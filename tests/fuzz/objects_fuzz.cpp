// Kubernetes objects as YAML and JSON, as manifests and as cluster: no crash, no hang, and errors
// or facts, never both.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/load.hpp"

namespace {

// Where facts disagree with themselves the fuzzer has found something.
void require(bool holds) {
  if (!holds) std::abort();
}

void check(const gedge::LoadResult& result, std::size_t size) {
  require(result.loaded.has_value() == result.errors.empty());
  for (const gedge::Error& error : result.errors) {
    require(!error.what.empty());
    require(error.where.column >= 0 && static_cast<std::size_t>(error.where.column) <= size + 1);
  }
  if (!result.loaded) return;
  const gedge::Facts& facts = result.loaded->facts;
  for (std::size_t i = 0; i < facts.pods.size(); ++i) {
    const gedge::Pod& pod = facts.pods[i];
    require(raw(pod.spec) < facts.specs.size());
    require(!pod.name.empty() && !pod.namespace_name.empty());
    require(i == 0 || facts.pods[i - 1].namespace_name <= pod.namespace_name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  gedge::LoadOptions options;
  options.max_pods = 1000;
  gedge::FactsLoader loader(options);
  loader.add_manifests({"in", text, 0});
  check(loader.finish(), size);
  loader.add_cluster({"in", text, 0});
  check(loader.finish(), size);
  return 0;
}
