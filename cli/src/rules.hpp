// rules.hpp - from --profile and --plugin to profiles and loaded modules.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gedge/codec/write.hpp"
#include "gedge/host/modules.hpp"
#include "gedge/policy/profile.hpp"
#include "input.hpp"
#include "options.hpp"

namespace gedge::cli {

struct Rules {
  std::shared_ptr<const Modules> modules;  ///< null without --plugin
  std::vector<Profile> profiles;
  std::vector<Warning> warnings;
};

/// True for what --profile takes for a file: anything with a dot or a slash, and "-".
bool names_file(std::string_view profile);

/// A profile of gedge's own uses every policy of the modules; one from a file uses those that it
/// names. Errors: as the readers of profiles and modules; of files that cannot be opened.
Errors load_rules(const RuleOptions& options, InputReader& reader, Rules& rules);
/// The profiles alone, which may name policies of the modules of `rules`.
Errors load_profiles(const RuleOptions& options, InputReader& reader, Rules& rules);

/// Every policy that there is under `compat`, those of modules too, and what the first profile does
/// with it; by name.
PolicyList list_policies(const Rules& rules, Compat compat);

}  // namespace gedge::cli
