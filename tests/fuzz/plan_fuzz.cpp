// Plans and node files that come back from disk: no input may crash their readers, and a plan is
// written as it was read.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/edge_scheduler.hpp"
#include "gedge/codec/write.hpp"

namespace {

using namespace gedge;

void require(bool fact) {
  if (!fact) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const PlanReading reading = read_plan({"fuzz.json", text});
  require(reading.plan.has_value() == reading.errors.empty());
  if (reading.plan) {
    const std::string json = write(*reading.plan, TextFormat::kJson);
    for (const TextFormat format : {TextFormat::kJson, TextFormat::kYaml}) {
      const PlanReading again = read_plan({"again", write(*reading.plan, format)});
      require(again.plan && write(*again.plan, TextFormat::kJson) == json);
    }
  }
  if (is_edge_scheduler_nodes(text)) {
    const EdgeSchedulerNodes nodes = read_edge_scheduler_nodes({"nodes.json", text});
    require(nodes.errors.empty() != nodes.nodes.empty());
  }
  return 0;
}
