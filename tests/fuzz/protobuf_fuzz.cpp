// What an API server says in protobuf: no bytes may crash the reader, and what it makes of them is
// JSON, unless a text of theirs is not UTF-8.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "gedge/codec/load.hpp"
#include "gedge/codec/protobuf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const auto json = gedge::codec::json_of_protobuf(body);
  if (!json) return 0;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(body.begin(), body.end(), is_ascii) && !nlohmann::json::accept(*json))
    std::abort();
  gedge::FactsLoader loader;
  loader.add_cluster({"fuzz", *json});
  static_cast<void>(loader.finish());
  return 0;
}
