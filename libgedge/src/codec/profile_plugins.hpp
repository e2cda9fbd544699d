// codec/profile_plugins.hpp - which plugins a profile ends up with.
//
// Source: kube-scheduler pkg/scheduler/apis/config/v1/default_plugins.go (mergePluginSet) and
// pkg/scheduler/framework/runtime/framework.go (expandMultiPointPlugins).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/cursor.hpp"
#include "gedge/codec/profile.hpp"

namespace gedge::codec {

/// One entry of `enabled` or `disabled`.
struct NamedPlugin {
  std::string name;
  std::int64_t weight = 0;  // 0: not given
  Cursor at;
};

struct PluginSet {
  std::vector<NamedPlugin> enabled, disabled;
  bool disables(std::string_view name) const;
  bool disables_all() const { return disables("*"); }
  const NamedPlugin* enables(std::string_view name) const;
};

using PluginSets = std::map<std::string, PluginSet, std::less<>>;  // by extension point

/// The words that a configuration may use as plugin names.
class KnownPlugins {
 public:
  explicit KnownPlugins(const ProfileOptions& options);
  bool knows(std::string_view name) const;
  /// A plugin of some kube-scheduler that gedge has no policy for.
  bool lacks(std::string_view name) const;
  bool is_filter(std::string_view name) const;
  bool is_score(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  const ProfileOptions& options_;
  std::vector<std::string> names_;
};

/// Fills filters, scores and unchecked of `profile`: the default plugins as `sets` change them.
/// `in_place`: an enabled default plugin keeps its place in the order (v1beta1, v1beta2); else it
/// comes first. Errors are reported at the plugin: a filter that is none, a score that does not
/// exist under this compat.
void merge_plugins(const PluginSets& sets, const KnownPlugins& known, bool in_place,
                   Profile& profile);

}  // namespace gedge::codec
