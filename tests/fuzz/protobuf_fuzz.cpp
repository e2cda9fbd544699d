// What an API server says in protobuf: no bytes may crash the reader, what it makes of them is JSON
// in UTF-8, and what a list says of itself is the same where it is read alone.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "gedge/codec/load.hpp"
#include "gedge/codec/protobuf.hpp"

namespace {

// Nothing is left out, and what is no UTF-8 is mended.
bool is_said(const nlohmann::json& metadata, const char* name, const std::string& alone) {
  const std::string said = metadata.value(name, "");
  return said == alone || said.find("\xEF\xBF\xBD") != std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const char* list : {"NodeList", "PodList"}) {
    const auto meta = gedge::codec::meta_of_protobuf(body, list);
    const auto json = gedge::codec::json_of_protobuf(body, list);
    if (!json) continue;
    const auto read = nlohmann::json::parse(*json, nullptr, false);
    if (read.is_discarded()) std::abort();
    if (static_cast<bool>(meta) != (read["kind"] == list && read.contains("metadata")))
      std::abort();
    if (meta && !is_said(read["metadata"], "resourceVersion", meta->version)) std::abort();
    if (meta && !is_said(read["metadata"], "continue", meta->next)) std::abort();
    gedge::FactsLoader loader;
    loader.add_cluster({"fuzz", *json});
    static_cast<void>(loader.finish());
  }
  return 0;
}
