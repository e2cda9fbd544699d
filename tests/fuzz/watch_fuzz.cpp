// Lines of a watch and lists around objects: no bytes may crash the reader, with or without room
// behind them it says the same, and what it points at lies within the line. A line that is known by
// another one is what reading it says.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gedge/codec/known_lines.hpp"
#include "gedge/codec/watch.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

// Of two lines in a text the second, once the first was learned.
void know(std::string_view text) {
  const std::size_t cut = text.find('\n');
  if (cut == std::string_view::npos) return;
  const std::string first(text.substr(0, cut)), second(text.substr(cut + 1));
  gedge::WatchReader reader;
  gedge::KnownLines lines;
  if (const auto read = reader.read(first)) lines.learn(first, *read);
  const std::string roomy = second + std::string(gedge::KnownLines::kPadding, '"');
  const auto known = lines.find(std::string_view(roomy).substr(0, second.size()));
  if (!known) return;
  lines.add();
  const gedge::Facts facts = lines.take();
  const auto read = reader.read(second);
  require(static_cast<bool>(read) && read->name == known->name && read->uid == known->uid);
  require(read->version == known->version && read->type == known->type);
  gedge::FactsLoader loader;
  loader.add_cluster({"fuzz", read->object});
  const gedge::LoadResult result = loader.finish();
  require(result.loaded && result.loaded->facts.pods.size() == 1);
  const gedge::Pod &pod = facts.pods.front(), &alone = result.loaded->facts.pods.front();
  require(pod.name == alone.name && pod.bound_node == alone.bound_node && pod.uid == alone.uid);
  require(pod.created == alone.created && pod.phase == alone.phase);
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
  know(tight);
  const auto list = reader.read_list(tight), again = reader.read_list(roomy, padded.size() - size);
  require(static_cast<bool>(list) == static_cast<bool>(again));
  if (list) require(list->version == again->version && list->next == again->next);
  return 0;
}
