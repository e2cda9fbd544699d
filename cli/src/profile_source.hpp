// profile_source.hpp - the profiles of --profile, read again while a daemon runs.
#pragma once

#include <optional>
#include <string>

#include "gedge/base/nanos.hpp"
#include "gedge/codec/profile.hpp"
#include "io.hpp"
#include "options.hpp"
#include "rules.hpp"

namespace gedge::cli {

/// How often, while nobody asks.
inline constexpr Nanos kProfilesLookedAt{5'000'000'000};

class ProfileSource {
 public:
  /// All of them outlive it. `rules`: with the modules that profiles may name.
  ProfileSource(Io& io, const InputOptions& input, const RuleOptions& options, const Rules& rules);

  /// What is in the file now; empty where it is what was found the last time, and nobody `asked`.
  std::optional<ProfileReading> read(bool asked);
  const std::string& name() const { return options_.profile; }
  /// Whether there is a file that may change.
  bool may_change() const;

 private:
  Io& io_;
  const InputOptions& input_;
  const RuleOptions& options_;
  const Rules& rules_;
  std::string seen_;  // the bytes, or what was wrong
};

}  // namespace gedge::cli
