#include "profile_source.hpp"

#include <utility>

namespace gedge::cli {

ProfileSource::ProfileSource(Io& io, const InputOptions& input, const RuleOptions& options,
                             const Rules& rules)
    : io_(io), input_(input), options_(options), rules_(rules) {}

bool ProfileSource::may_change() const {
  return names_file(options_.profile) && options_.profile != "-";
}

std::optional<ProfileReading> ProfileSource::read(bool asked) {
  if (!asked && !may_change()) return std::nullopt;
  ProgressLine progress(io_.err, true, io_.clock);
  InputReader reader(io_, input_, options_.compat(), progress);
  ProfileReading reading;
  if (names_file(options_.profile)) {
    const std::string* const bytes = reader.bytes_of(options_.profile);
    if (bytes == nullptr) reading.errors = reader.take_errors();
    std::string found = bytes != nullptr ? *bytes : "\n" + reading.errors.front().what;
    const bool is_same = std::exchange(seen_, found) == found;
    if (is_same && !asked) return std::nullopt;
    if (!reading.errors.empty()) return reading;
  }
  Rules rules;
  rules.modules = rules_.modules;
  reading.errors = load_profiles(options_, reader, rules);
  reading.profiles = std::move(rules.profiles);
  reading.warnings = std::move(rules.warnings);
  return reading;
}

}  // namespace gedge::cli
