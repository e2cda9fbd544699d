#include "codec/profile_plugins.hpp"

#include <algorithm>
#include <array>

namespace gedge::codec {
namespace {

// Plugins of kube-scheduler 1.19 to 1.36 besides those that gedge has policies for.
constexpr std::array<std::string_view, 19> kInTree{
    "AzureDiskLimits",    "CinderLimits",         "DefaultBinder",   "DefaultPodTopologySpread",
    "DefaultPreemption",  "DynamicResources",     "EBSLimits",       "GCEPDLimits",
    "GangScheduling",     "NodeDeclaredFeatures", "NodeLabel",       "NodeResourceLimits",
    "NodeVolumeLimits",   "PrioritySort",         "SchedulingGates", "ServiceAffinity",
    "VolumeRestrictions", "NodePreferAvoidPods",  "SelectorSpread"};

constexpr std::string_view kPreemption = "DefaultPreemption";

// What gedge does without a policy of that name: queue order, binding, who goes for others, and
// gated pods, which a cluster has waiting and manifests are planned without.
constexpr std::array<std::string_view, 4> kImplied{"DefaultBinder", kPreemption, "PrioritySort",
                                                   "SchedulingGates"};

template <typename List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const PolicyInfo* find_policy(std::string_view name) {
  static const std::vector<PolicyInfo> catalogue = policy_catalogue();
  const auto at = std::find_if(catalogue.begin(), catalogue.end(),
                               [&](const PolicyInfo& info) { return info.name == name; });
  return at == catalogue.end() ? nullptr : &*at;
}

struct Item {
  std::string name;
  std::int64_t weight = 1;
  std::optional<Cursor> at;  // where the configuration names it
};

Item item_of(const NamedPlugin& plugin) {
  return {plugin.name, plugin.weight == 0 ? 1 : plugin.weight, plugin.at};
}

std::vector<Item>::iterator find_item(std::vector<Item>& items, std::string_view name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const Item& item) { return item.name == name; });
}

void remove_disabled(const PluginSet& set, std::vector<Item>& items) {
  items.erase(std::remove_if(
                  items.begin(), items.end(),
                  [&](const Item& item) { return set.disables_all() || set.disables(item.name); }),
              items.end());
}

void add_in_place(const std::vector<NamedPlugin>& enabled, std::vector<Item>& items) {
  for (const NamedPlugin& plugin : enabled) {
    const auto at = find_item(items, plugin.name);
    if (at == items.end())
      items.push_back(item_of(plugin));
    else
      *at = item_of(plugin);
  }
}

/// Overridden plugins first, then the rest of the defaults, then what is new.
void add_overrides_first(const std::vector<NamedPlugin>& enabled, std::vector<Item>& items) {
  std::vector<Item> first, last;
  for (const NamedPlugin& plugin : enabled) {
    const auto at = find_item(items, plugin.name);
    if (at == items.end()) {
      last.push_back(item_of(plugin));
    } else {
      first.push_back(item_of(plugin));
      items.erase(at);
    }
  }
  items.insert(items.begin(), first.begin(), first.end());
  items.insert(items.end(), last.begin(), last.end());
}

const PluginSet& set_at(const PluginSets& sets, std::string_view point) {
  static const PluginSet kEmpty{};
  const auto at = sets.find(point);
  return at == sets.end() ? kEmpty : at->second;
}

bool score_exists(std::string_view name, Compat compat) {
  const auto made = make_score(name, {}, compat);
  return made || made.error().code != Errc::kNotFound;
}

class Merger {
 public:
  Merger(const PluginSets& sets, const KnownPlugins& known, bool in_place, Profile& profile)
      : multi_(set_at(sets, "multiPoint")),
        sets_(sets),
        known_(known),
        in_place_(in_place),
        profile_(profile) {}

  void run(const Profile& defaults) {
    profile_.filters = entries(defaults.filters, "filter", false);
    profile_.scores = entries(defaults.scores, "score", true);
    merge_unchecked(defaults.unchecked);
    for (const PluginSet* set : {&multi_, &set_at(sets_, "postFilter")}) {
      if (set->disables_all() || set->disables(kPreemption)) profile_.preempts = false;
      if (set->enables(kPreemption) != nullptr) profile_.preempts = true;
    }
  }

 private:
  bool offers(const std::string& name, bool score) const {
    if (!score) return known_.is_filter(name);
    return known_.is_score(name) &&
           (find_policy(name) == nullptr || score_exists(name, profile_.compat));
  }

  std::vector<ProfileEntry> entries(const std::vector<ProfileEntry>& defaults,
                                    std::string_view point, bool score) {
    std::vector<Item> items;
    items.reserve(defaults.size());
    for (const ProfileEntry& entry : defaults)
      items.push_back({entry.policy, entry.weight, std::nullopt});
    remove_disabled(multi_, items);
    std::vector<NamedPlugin> from_multi, enabled;
    for (const NamedPlugin& plugin : multi_.enabled)
      if (offers(plugin.name, score)) from_multi.push_back(plugin);
    add_in_place(from_multi, items);
    const PluginSet& set = set_at(sets_, point);
    remove_disabled(set, items);
    for (const NamedPlugin& plugin : set.enabled)
      if (check_enabled(plugin, score)) enabled.push_back(plugin);
    if (in_place_)
      add_in_place(enabled, items);
    else
      add_overrides_first(enabled, items);
    std::vector<ProfileEntry> merged;
    merged.reserve(items.size());
    for (Item& item : items) merged.push_back({std::move(item.name), item.weight, {}});
    return merged;
  }

  bool check_enabled(const NamedPlugin& plugin, bool score) {
    if (known_.lacks(plugin.name)) return false;
    if (offers(plugin.name, score)) return true;
    const bool other_version = score && known_.is_score(plugin.name);
    const std::string hint = !other_version                     ? ""
                             : profile_.compat == Compat::k1_20 ? "`--compat 1.36` has it"
                                                                : "`--compat 1.20` has it";
    plugin.at.fail(quote(plugin.name) + (score ? " is no score" : " is no filter") +
                       (other_version ? " of this Kubernetes version" : ""),
                   hint);
    return false;
  }

  void merge_unchecked(const std::vector<std::string>& defaults) {
    const PluginSet& filter = set_at(sets_, "filter");
    std::vector<std::string>& all = profile_.unchecked;
    for (const std::string& name : defaults) {
      const bool dropped = multi_.disables_all() || multi_.disables(name) ||
                           filter.disables_all() || filter.disables(name);
      if (!dropped) all.push_back(name);
    }
    for (const auto& [point, set] : sets_)
      for (const NamedPlugin& plugin : set.enabled)
        if (known_.lacks(plugin.name) && !contains(kImplied, plugin.name) &&
            !contains(all, plugin.name))
          all.push_back(plugin.name);
  }

  const PluginSet& multi_;
  const PluginSets& sets_;
  const KnownPlugins& known_;
  bool in_place_;
  Profile& profile_;
};

}  // namespace

bool PluginSet::disables(std::string_view name) const {
  return std::any_of(disabled.begin(), disabled.end(),
                     [&](const NamedPlugin& p) { return p.name == name; });
}

const NamedPlugin* PluginSet::enables(std::string_view name) const {
  const auto at = std::find_if(enabled.begin(), enabled.end(),
                               [&](const NamedPlugin& p) { return p.name == name; });
  return at == enabled.end() ? nullptr : &*at;
}

KnownPlugins::KnownPlugins(const ProfileOptions& options) : options_(options) {
  for (const PolicyInfo& info : policy_catalogue()) names_.emplace_back(info.name);
  for (const auto* list : {&options.module_filters, &options.module_scores})
    names_.insert(names_.end(), list->begin(), list->end());
  names_.insert(names_.end(), kInTree.begin(), kInTree.end());
}

bool KnownPlugins::knows(std::string_view name) const { return contains(names_, name); }

bool KnownPlugins::lacks(std::string_view name) const {
  return contains(kInTree, name) && !is_filter(name) && !is_score(name);
}

bool KnownPlugins::is_filter(std::string_view name) const {
  const PolicyInfo* policy = find_policy(name);
  return policy != nullptr ? policy->filter : contains(options_.module_filters, name);
}

bool KnownPlugins::is_score(std::string_view name) const {
  const PolicyInfo* policy = find_policy(name);
  return policy != nullptr ? policy->score : contains(options_.module_scores, name);
}

void merge_plugins(const PluginSets& sets, const KnownPlugins& known, bool in_place,
                   Profile& profile) {
  const auto defaults = builtin_profile("kube", profile.compat);
  if (defaults) Merger(sets, known, in_place, profile).run(*defaults);
}

}  // namespace gedge::codec
