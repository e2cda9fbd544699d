// Lines of a watch and lists around objects: no bytes may crash the reader, with or without room
// behind them it says the same, and what it points at lies within the line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gedge/codec/load.hpp"
#include "gedge/codec/watch.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kPadding = 64;
  const std::string bytes(reinterpret_cast<const char*>(data), size),
      padded = bytes + bytes + std::string(kPadding, '{');
  const std::string_view tight = bytes, roomy = std::string_view(padded).substr(0, size);
  gedge::WatchReader reader;
  const auto line = reader.read(tight), same = reader.read(roomy, padded.size() - size);
  require(static_cast<bool>(line) == static_cast<bool>(same));
  if (line) {
    require(is_within(line->object, tight) && is_within(same->object, roomy));
    require(line->object == same->object && line->name == same->name && line->uid == same->uid);
    require(line->version == same->version && line->type == same->type);
    gedge::FactsLoader loader;
    loader.add_cluster({"fuzz", line->object});
    static_cast<void>(loader.finish());
  }
  const auto list = reader.read_list(tight), again = reader.read_list(roomy, padded.size() - size);
  require(static_cast<bool>(list) == static_cast<bool>(again));
  if (list) require(list->version == again->version && list->next == again->next);
  return 0;
}
