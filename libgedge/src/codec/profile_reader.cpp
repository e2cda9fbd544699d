// KubeSchedulerConfiguration, field by field. Source: k8s.io/kube-scheduler/config/v1beta1 to v1,
// types.go.
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "codec/fields.hpp"
#include "codec/profile_args.hpp"
#include "codec/profile_fields.hpp"
#include "codec/profile_plugins.hpp"
#include "codec/stream.hpp"
#include "gedge/codec/profile.hpp"

namespace gedge {
namespace codec {
namespace {

constexpr std::string_view kGroup = "kubescheduler.config.k8s.io/";
constexpr std::array<std::string_view, 4> kVersions{"v1beta1", "v1beta2", "v1beta3", "v1"};
const std::vector<std::string> kPoints{
    "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore",  "score",
    "reserve",    "permit",    "preBind",   "bind",   "postBind",   "multiPoint"};

class ConfigReader final : public StreamHandler {
 public:
  ConfigReader(const ProfileOptions& options, ProfileReading& reading)
      : options_(options), known_(options), reading_(reading) {}

  bool wants_elements(Cursor) override { return false; }
  void element(Cursor element, StreamContext&) override { document(element, false); }

  void document(Cursor root, bool) override {
    seen_ = true;
    const auto kind = root.is_map() ? root.find("kind") : std::nullopt;
    const std::string_view word = kind ? kind->raw_text() : std::string_view{};
    if (word == "KubeSchedulerConfiguration")
      read_configuration(root);
    else if (word == "ConfigMap")
      read_config_map(root);
    else if (word == "Policy")
      kind->fail("a scheduler Policy, which Kubernetes 1.23 removed",
                 "write a KubeSchedulerConfiguration");
    else
      kind.value_or(root).fail("no KubeSchedulerConfiguration");
  }

  bool seen() const { return seen_; }

 private:
  void read_config_map(Cursor root) {
    const auto data = root.find("data");
    bool found = false;
    if (data)
      data->fields([&](std::string_view key, Cursor value) {
        const auto text = value.text();
        if (!text || text->find("kind") == std::string_view::npos) return;
        found = true;
        const Source inner(root.source().name() + " (" + std::string(key) + ")", *text);
        StreamOptions stream;
        stream.list_key = {};
        read_stream(inner, root.diagnostics(), stream, *this);
      });
    if (!found) root.fail("a ConfigMap without a KubeSchedulerConfiguration");
  }

  /// True for v1beta1 and v1beta2, where an enabled default plugin keeps its place. Reports an
  /// unknown version.
  bool keeps_places(Cursor root) {
    const auto version = root.find("apiVersion");
    const std::string_view text = version ? version->raw_text() : std::string_view{};
    const bool group = text.starts_with(kGroup);
    const auto at =
        std::find(kVersions.begin(), kVersions.end(), group ? text.substr(kGroup.size()) : text);
    if (!group || at == kVersions.end())
      version.value_or(root).fail(
          version ? "unknown version " + quote(text) : "no apiVersion",
          "write kubescheduler.config.k8s.io/v1 (v1beta1 to v1beta3 are read too)");
    return at == kVersions.begin() || at == kVersions.begin() + 1;
  }

  void read_configuration(Cursor root) {
    const bool in_place = keeps_places(root);
    bool has_profiles = false;
    strict_fields(
        root,
        {"apiVersion", "kind", "parallelism", "leaderElection", "clientConnection",
         "healthzBindAddress", "metricsBindAddress", "enableProfiling", "enableContentionProfiling",
         "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds", "profiles",
         "extenders", "delayCacheUntilActive"},
        [&](std::string_view key, Cursor value) {
          if (key == "leaderElection")
            check_fields(value, {"leaderElect", "leaseDuration", "renewDeadline", "retryPeriod",
                                 "resourceLock", "resourceName", "resourceNamespace"});
          if (key == "clientConnection")
            check_fields(value,
                         {"kubeconfig", "acceptContentTypes", "contentType", "qps", "burst"});
          if (key == "extenders") value.items([&](Cursor extender) { read_extender(extender); });
          if (key != "profiles") return;
          value.items([&](Cursor profile) {
            has_profiles = true;
            read_profile(profile, in_place);
          });
        });
    if (!has_profiles) add_profile(Profile{}, {}, {}, in_place, root);
  }

  void read_extender(Cursor extender) {
    std::string url;
    strict_fields(
        extender,
        {"urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "weight", "bindVerb",
         "enableHTTPS", "tlsConfig", "httpTimeout", "nodeCacheCapable", "managedResources",
         "ignorable"},
        [&](std::string_view key, Cursor value) {
          if (key == "urlPrefix") read_text(value, url);
          if (key == "tlsConfig")
            check_fields(value, {"insecure", "serverName", "certFile", "keyFile", "caFile",
                                 "certData", "keyData", "caData"});
          if (key == "managedResources")
            value.items([&](Cursor item) { check_fields(item, {"name", "ignoredByScheduler"}); });
        });
    extender.warn("ExtenderIgnored", "the extender " + quote(url) + " is not called");
  }

  void read_profile(Cursor map, bool in_place) {
    Profile profile;
    PluginSets sets;
    Args args;
    strict_fields(
        map,
        {"schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig", "tieBreak",
         "overcommit", "disruptionBudgets"},
        [&](std::string_view key, Cursor value) {
          if (key == "schedulerName") read_text(value, profile.scheduler_name);
          if (key == "tieBreak")
            profile.spread_ties = read_choice(value, "tieBreak", "lowest", "spread");
          if (key == "overcommit")
            profile.evicts_overcommit = read_choice(value, "overcommit", "report", "evict");
          if (key == "disruptionBudgets")
            profile.keeps_budgets = read_choice(value, "disruptionBudgets", "prefer", "keep");
          if (key == "plugins")
            strict_fields(value, kPoints, [&](std::string_view point, Cursor set) {
              read_set(set, sets[std::string(point)]);
            });
          if (key == "pluginConfig") value.items([&](Cursor item) { read_args(item, args); });
        });
    add_profile(std::move(profile), sets, args, in_place, map);
  }

  /// True: it says the second word.
  static bool read_choice(Cursor value, const char* field, std::string_view no,
                          std::string_view yes) {
    const auto text = value.text();
    if (text && *text != no && *text != yes)
      fail_unknown(value, field, *text, {std::string(no), std::string(yes)});
    return text && *text == yes;
  }

  void read_set(Cursor map, PluginSet& set) {
    strict_fields(map, {"enabled", "disabled"}, [&](std::string_view key, Cursor list) {
      const bool enabled = key == "enabled";
      list.items(
          [&](Cursor item) { read_plugin(item, enabled, enabled ? set.enabled : set.disabled); });
    });
  }

  void read_plugin(Cursor item, bool enabled, std::vector<NamedPlugin>& list) {
    NamedPlugin plugin{"", 0, item};
    strict_fields(item, {"name", "weight"}, [&](std::string_view key, Cursor value) {
      if (key == "name") {
        read_text(value, plugin.name);
        plugin.at = value;
      }
      if (key == "weight")
        plugin.weight = value.integer(0, std::numeric_limits<std::int32_t>::max()).value_or(0);
    });
    if (!item.is_map()) return;
    const bool all = plugin.name == "*" && !enabled;
    if (plugin.name.empty()) return item.fail("a plugin needs a name");
    if (!all && !check_name(plugin.name, plugin.at)) return;
    const bool twice = std::any_of(list.begin(), list.end(),
                                   [&](const NamedPlugin& p) { return p.name == plugin.name; });
    if (twice && enabled) return plugin.at.fail(quote(plugin.name) + " is enabled twice");
    list.push_back(std::move(plugin));
  }

  bool check_name(const std::string& name, Cursor at) {
    if (known_.knows(name)) return true;
    const auto meant = nearest(name, known_.names());
    at.fail("unknown plugin " + quote(name),
            meant ? "did you mean " + *meant + "?"
                  : "load the module that has it with `--plugin FILE`");
    return false;
  }

  using Args = std::map<std::string, PolicyArgs>;

  void read_args(Cursor item, Args& all) {
    std::string name;
    std::optional<Cursor> at, args;
    strict_fields(item, {"name", "args"}, [&](std::string_view key, Cursor value) {
      if (key == "name") {
        read_text(value, name);
        at = value;
      }
      if (key == "args") args = value;
    });
    if (name.empty() || !check_name(name, at.value_or(item))) {
      if (name.empty() && item.is_map()) item.fail("arguments need the name of a plugin");
      return;
    }
    const auto [place, fresh] = all.try_emplace(name);
    if (!fresh) return at->fail("arguments of " + quote(name) + " are given twice");
    if (!args || args->is_null()) return;
    const std::size_t errors_before = item.diagnostics().error_count();
    read_policy_args(name, *args, place->second);
    if (item.diagnostics().error_count() == errors_before) check_args(name, *args, place->second);
  }

  /// Lets the policy itself judge its arguments.
  void check_args(const std::string& name, Cursor at, const PolicyArgs& args) const {
    Status judged;
    if (auto score = make_score(name, args, options_.compat); !score)
      judged = std::move(score).error();
    if (auto filter = make_filter(name, args, options_.compat); !filter && !is_invalid(judged))
      judged = std::move(filter).error();
    if (is_invalid(judged)) at.fail(judged.error().what, judged.error().hint);
  }

  /// Not: there is no such filter or score.
  static bool is_invalid(const Status& status) {
    return !status && status.error().code == Errc::kInvalidInput;
  }

  void add_profile(Profile profile, const PluginSets& sets, const Args& args, bool in_place,
                   Cursor at) {
    if (profile.scheduler_name.empty()) profile.scheduler_name = "default-scheduler";
    profile.name = profile.scheduler_name;
    profile.compat = options_.compat;
    merge_plugins(sets, known_, in_place, profile);
    for (auto* entries : {&profile.filters, &profile.scores})
      for (ProfileEntry& entry : *entries)
        if (const auto given = args.find(entry.policy); given != args.end())
          entry.args = given->second;
    for (const Profile& other : reading_.profiles)
      if (other.scheduler_name == profile.scheduler_name)
        return at.fail("two profiles for schedulerName " + quote(profile.scheduler_name));
    reading_.profiles.push_back(std::move(profile));
  }

  const ProfileOptions& options_;
  KnownPlugins known_;
  ProfileReading& reading_;
  bool seen_ = false;
};

}  // namespace
}  // namespace codec

ProfileReading read_profiles(const InputFile& file, const ProfileOptions& options) {
  ProfileReading reading;
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes);
  codec::ConfigReader reader(options, reading);
  codec::StreamOptions stream;
  stream.list_key = {};
  codec::read_stream(source, diagnostics, stream, reader);
  if (diagnostics.ok() && !reader.seen())
    diagnostics.add(invalid_input("no KubeSchedulerConfiguration", source.span({1, 1})));
  reading.warnings = diagnostics.take_warnings();
  reading.errors = diagnostics.take_errors();
  if (!reading.errors.empty()) reading.profiles.clear();
  return reading;
}

}  // namespace gedge
