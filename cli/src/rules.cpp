#include "rules.hpp"

#include <algorithm>

#include "gedge/codec/profile.hpp"
#include "node_machines.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

const ProfileEntry* entry_of(const std::vector<ProfileEntry>& entries, std::string_view policy) {
  for (const ProfileEntry& entry : entries)
    if (entry.policy == policy) return &entry;
  return nullptr;
}

bool uses(const Profile& profile, std::string_view policy) {
  return entry_of(profile.filters, policy) != nullptr ||
         entry_of(profile.scores, policy) != nullptr;
}

// What kube-scheduler would look at and gedge does not.
void warn_of_unchecked(Rules& rules) {
  for (const Profile& profile : rules.profiles) {
    if (profile.unchecked.empty()) continue;
    rules.warnings.push_back(
        {"NotChecked",
         "profile '" + profile.name +
             "' names plugins that gedge does not check: " + join_words(profile.unchecked),
         {}});
  }
}

void warn_of_unused_modules(Rules& rules) {
  if (rules.modules == nullptr) return;
  for (const ModulePolicy& policy : rules.modules->policies()) {
    const bool used =
        std::any_of(rules.profiles.begin(), rules.profiles.end(),
                    [&](const Profile& profile) { return uses(profile, policy.info.name); });
    if (used) continue;
    rules.warnings.push_back({"PolicyNotUsed",
                              "policy '" + std::string(policy.info.name) + "' of " +
                                  std::string(policy.module) + " is in no profile",
                              {}});
  }
}

Status load_modules(const RuleOptions& options, Rules& rules) {
  if (options.plugins.empty()) return {};
  auto modules = Modules::load(options.plugins);
  if (!modules) return std::move(modules).error();
  rules.modules = std::make_shared<const Modules>(*std::move(modules));
  return {};
}

Errors load_file(const RuleOptions& options, InputReader& reader, Rules& rules) {
  const std::string* bytes = reader.bytes_of(options.profile);
  if (bytes == nullptr) return reader.take_errors();
  ProfileOptions profile_options{options.compat(), {}, {}};
  if (rules.modules != nullptr) {
    profile_options.module_filters = rules.modules->filter_names();
    profile_options.module_scores = rules.modules->score_names();
  }
  ProfileReading reading = read_profiles({options.profile, *bytes}, profile_options);
  rules.profiles = std::move(reading.profiles);
  rules.warnings = std::move(reading.warnings);
  return std::move(reading.errors);
}

}  // namespace

bool names_file(std::string_view profile) {
  return profile == "-" || profile.find_first_of("./") != std::string_view::npos;
}

Errors load_rules(const RuleOptions& options, InputReader& reader, Rules& rules) {
  if (Status loaded = load_modules(options, rules); !loaded) return {std::move(loaded).error()};
  return load_profiles(options, reader, rules);
}

Errors load_profiles(const RuleOptions& options, InputReader& reader, Rules& rules) {
  if (names_file(options.profile)) {
    Errors errors = load_file(options, reader, rules);
    if (!errors.empty()) return errors;
  } else {
    auto profile = builtin_profile(options.profile, options.compat());
    if (!profile) return {std::move(profile).error()};
    rules.profiles.push_back(rules.modules != nullptr
                                 ? with_modules(*std::move(profile), *rules.modules)
                                 : *std::move(profile));
  }
  warn_of_unchecked(rules);
  warn_of_unused_modules(rules);
  return {};
}

PolicyList list_policies(const Rules& rules, Compat compat) {
  const Profile& profile = rules.profiles.front();
  PolicyList list = policy_list(profile);
  std::erase_if(list.policies, [compat](const PolicyRow& row) {
    return compat == Compat::k1_20 ? !row.info.in_1_20 : !row.info.in_1_36;
  });
  list.policies.push_back({machine_fit_info(), {}, false, {}});
  static const std::vector<ModulePolicy> kNone;
  for (const ModulePolicy& policy : rules.modules != nullptr ? rules.modules->policies() : kNone) {
    const ProfileEntry* score = entry_of(profile.scores, policy.info.name);
    PolicyRow row{policy.info,
                  std::string(policy.module),
                  entry_of(profile.filters, policy.info.name) != nullptr,
                  {}};
    if (score != nullptr) row.weight = score->weight;
    list.policies.push_back(std::move(row));
  }
  std::sort(list.policies.begin(), list.policies.end(),
            [](const PolicyRow& a, const PolicyRow& b) { return a.info.name < b.info.name; });
  return list;
}

}  // namespace gedge::cli
