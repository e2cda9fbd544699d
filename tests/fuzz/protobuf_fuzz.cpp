// What an API server says in protobuf: no bytes may crash the reader, and what it makes of them is
// JSON in UTF-8.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "gedge/codec/load.hpp"
#include "gedge/codec/protobuf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const char* list : {"NodeList", "PodList"}) {
    const auto json = gedge::codec::json_of_protobuf(body, list);
    if (!json) continue;
    if (!nlohmann::json::accept(*json)) std::abort();
    gedge::FactsLoader loader;
    loader.add_cluster({"fuzz", *json});
    static_cast<void>(loader.finish());
  }
  return 0;
}
