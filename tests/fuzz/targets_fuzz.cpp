// Lists of places to probe: no input may crash the reader, and what it accepts is clean.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "gedge/codec/targets.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

bool is_clean(const std::string& word) {
  for (const char c : word)
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '#') return false;
  return word.size() <= 253;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const gedge::TargetsReading reading = gedge::read_targets({"fuzz", text});
  require(reading.errors.empty() != reading.targets.empty());
  for (const gedge::Error& error : reading.errors)
    require(!error.what.empty() && error.where.line >= 0);
  std::set<std::string> names;
  for (const gedge::NamedTarget& target : reading.targets) {
    require(!target.name.empty() && is_clean(target.name) && is_clean(target.address));
    require(names.insert(target.name).second);
    const std::string word = target.name + (target.address.empty() ? "" : "=" + target.address);
    const auto again = gedge::parse_target(word);
    require(again && again->name == target.name && again->address == target.address);
  }
  return 0;
}
