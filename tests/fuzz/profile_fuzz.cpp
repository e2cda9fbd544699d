// KubeSchedulerConfiguration: no input may crash the reader, and what it accepts is written and
// read back alike.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/profile.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const gedge::Compat compat : {gedge::Compat::k1_20, gedge::Compat::k1_36}) {
    gedge::ProfileOptions options;
    options.compat = compat;
    options.module_scores = {"IdleFirst"};
    const gedge::ProfileReading reading = gedge::read_profiles({"fuzz.yaml", text}, options);
    for (const gedge::Error& error : reading.errors)
      require(!error.what.empty() && error.where.line >= 0);
    require(reading.errors.empty() != reading.profiles.empty());
    if (!reading.errors.empty()) continue;
    const std::string written = gedge::write_profiles(reading.profiles);
    const gedge::ProfileReading again = gedge::read_profiles({"again.yaml", written}, options);
    require(again.errors.empty());
    require(gedge::write_profiles(again.profiles) == written);
  }
  return 0;
}
