// gedge/codec/profile.hpp - KubeSchedulerConfiguration (v1beta1 to v1), YAML or JSON, to profiles
// and back.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/units.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {

struct ProfileOptions {
  Compat compat = Compat::k1_36;  ///< whose default plugins a profile changes
  std::vector<std::string> module_filters, module_scores;  ///< policies of loaded modules
};

struct ProfileReading {
  std::vector<Profile> profiles;  ///< in the order of the file; empty if there are errors
  std::vector<Warning> warnings;  ///< ExtenderIgnored
  Errors errors;
};

/// Reads every profile of a configuration, of several documents, or of a ConfigMap that carries
/// one. A profile starts from kube-scheduler's default plugins of `compat`; enabled, disabled, "*",
/// multiPoint and weights change them as kube-scheduler does. gedge's policies are enabled like
/// plugins; gedge adds the fields `tieBreak: lowest|spread`, `overcommit: report|evict`
/// and `disruptionBudgets: prefer|keep`.
///
/// Plugins of kube-scheduler that gedge lacks go to Profile::unchecked. Unknown fields, plugins
/// that no version of kube-scheduler, no policy of gedge and no module bears, and impossible
/// arguments are errors with line and column, and the nearest known word. Extenders are not called:
/// a warning.
ProfileReading read_profiles(const InputFile& file, const ProfileOptions& options);

/// A KubeSchedulerConfiguration that read_profiles reads back to the same profiles: every
/// plugin named, no reliance on defaults.
std::string write_profiles(const std::vector<Profile>& profiles,
                           TextFormat format = TextFormat::kYaml);

}  // namespace gedge
