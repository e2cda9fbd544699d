#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "gedge/codec/profile.hpp"
#include "support/paths.hpp"

namespace gedge {
namespace {

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

ProfileReading read(const std::string& text, const ProfileOptions& options = {}) {
  return read_profiles({"p.yaml", text}, options);
}

const Profile& only(const ProfileReading& reading) {
  REQUIRE_MESSAGE(reading.errors.empty(), reading.errors[0].what);
  REQUIRE(reading.profiles.size() == 1);
  return reading.profiles[0];
}

std::string error(const ProfileReading& reading) {
  REQUIRE(reading.errors.size() == 1);
  CHECK(reading.profiles.empty());
  const Error& e = reading.errors[0];
  return std::to_string(e.where.line) + ":" + std::to_string(e.where.column) + " " + e.what +
         (e.hint.empty() ? "" : " (" + e.hint + ")");
}

std::vector<std::string> names(const std::vector<ProfileEntry>& entries) {
  std::vector<std::string> all;
  all.reserve(entries.size());
  for (const ProfileEntry& entry : entries) all.push_back(entry.policy);
  return all;
}

std::int64_t weight(const Profile& profile, const std::string& name) {
  for (const ProfileEntry& entry : profile.scores)
    if (entry.policy == name) return entry.weight;
  return -1;
}

const PolicyArgs& score_args(const Profile& profile, const std::string& name) {
  const auto at = std::find_if(profile.scores.begin(), profile.scores.end(),
                               [&](const ProfileEntry& entry) { return entry.policy == name; });
  REQUIRE(at != profile.scores.end());
  return at->args;
}

TEST_CASE("profile: a configuration without profiles is the default one of its version") {
  for (const Compat compat : {Compat::k1_20, Compat::k1_36}) {
    ProfileOptions options;
    options.compat = compat;
    const ProfileReading reading = read(kHead, options);
    const Profile& profile = only(reading);
    const auto kube = builtin_profile("kube", compat);
    CHECK(profile.scheduler_name == "default-scheduler");
    CHECK(names(profile.filters) == names(kube->filters));
    CHECK(names(profile.scores) == names(kube->scores));
    CHECK(profile.unchecked == kube->unchecked);
    for (const ProfileEntry& entry : kube->scores)
      CHECK(weight(profile, entry.policy) == entry.weight);
  }
}

TEST_CASE("profile: enabled and disabled change single extension points") {
  const ProfileReading reading = read(kHead + R"(profiles:
- schedulerName: mine
  tieBreak: spread
  overcommit: evict
  disruptionBudgets: keep
  plugins:
    filter:
      enabled:
      - name: DelayBudget
      disabled:
      - name: NodePorts
      - name: VolumeRestrictions
    score:
      disabled:
      - name: "*"
      enabled:
      - name: LatencySlack
        weight: 7
      - name: ImageLocality
)");
  const Profile& profile = only(reading);
  CHECK(profile.scheduler_name == "mine");
  CHECK(profile.name == "mine");
  CHECK(profile.spread_ties);
  CHECK(profile.evicts_overcommit);
  CHECK(only(read(write_profiles({profile}))).evicts_overcommit);
  CHECK(profile.keeps_budgets);
  CHECK(only(read(write_profiles({profile}))).keeps_budgets);
  const auto filters = names(profile.filters);
  CHECK(filters.back() == "DelayBudget");
  CHECK(std::count(filters.begin(), filters.end(), "NodePorts") == 0);
  CHECK(filters.size() == 10);
  CHECK(names(profile.scores) == std::vector<std::string>{"LatencySlack", "ImageLocality"});
  CHECK(weight(profile, "LatencySlack") == 7);
  CHECK(weight(profile, "ImageLocality") == 1);
  CHECK(profile.unchecked == std::vector<std::string>{"NodeVolumeLimits", "DynamicResources"});
}

TEST_CASE("profile: multiPoint reaches every extension point a plugin has") {
  const ProfileReading reading = read(kHead + R"(profiles:
- plugins:
    multiPoint:
      enabled:
      - {name: TaintToleration, weight: 9}
      - {name: DelayBudget}
      disabled:
      - {name: NodeResourcesFit}
    filter:
      disabled:
      - {name: TaintToleration}
)");
  const Profile& profile = only(reading);
  const auto filters = names(profile.filters);
  CHECK(weight(profile, "TaintToleration") == 9);
  CHECK(weight(profile, "NodeResourcesFit") == -1);
  CHECK(std::count(filters.begin(), filters.end(), "TaintToleration") == 0);
  CHECK(std::count(filters.begin(), filters.end(), "NodeResourcesFit") == 0);
  CHECK(filters.back() == "DelayBudget");
  const auto all_off = read(kHead +
                            "profiles:\n- plugins:\n    multiPoint:\n      disabled: [{name: "
                            "'*'}]\n      enabled: [{name: NodeResourcesFit, weight: 2}]\n");
  CHECK(names(only(all_off).filters) == std::vector<std::string>{"NodeResourcesFit"});
  CHECK(weight(only(all_off), "NodeResourcesFit") == 2);
  CHECK(only(all_off).unchecked.empty());
}

TEST_CASE(
    "profile: an enabled default plugin comes first, but keeps its place in the first two "
    "versions") {
  const std::string body =
      "kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    score:\n      enabled:\n      "
      "- {name: ImageLocality, weight: 4}\n";
  const auto v1 = read("apiVersion: kubescheduler.config.k8s.io/v1\n" + body);
  CHECK(names(only(v1).scores).front() == "ImageLocality");
  CHECK(weight(only(v1), "ImageLocality") == 4);
  for (const char* version : {"v1beta1", "v1beta2"}) {
    const auto old =
        read(std::string("apiVersion: kubescheduler.config.k8s.io/") + version + "\n" + body);
    CHECK(names(only(old).scores) == names(builtin_profile("kube", Compat::k1_36)->scores));
    CHECK(weight(only(old), "ImageLocality") == 4);
  }
  CHECK(read("apiVersion: kubescheduler.config.k8s.io/v1beta3\n" + body).errors.empty());
}

const std::string kAllArgs = kHead + R"(profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResources: [example.com/a]
      ignoredResourceGroups: [example.org]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 3}, {name: memory}]
        requestedToCapacityRatio:
          shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
  - name: NodeResourcesBalancedAllocation
    args:
      resources: [{name: cpu, weight: 1}]
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 20, ignorePreferredTermsOfExistingPods: true}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: a, operator: In, values: [x]}]
        preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 5
          preference: {matchExpressions: [{key: b, operator: Exists}]}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
  - name: VolumeBinding
    args: {bindTimeoutSeconds: 60}
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100}
)";

TEST_CASE("profile: arguments of every plugin that takes any") {
  const ProfileReading reading = read(kAllArgs);
  const Profile& profile = only(reading);
  const PolicyArgs& fit = score_args(profile, "NodeResourcesFit");
  CHECK(fit.strategy == "RequestedToCapacityRatio");
  REQUIRE(fit.resources.size() == 2);
  CHECK(fit.resources[0].weight == 3);
  CHECK(fit.resources[1].weight == 1);
  CHECK(fit.shape == std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {100, 10}});
  CHECK(fit.ignored_resources == std::vector<std::string>{"example.com/a"});
  CHECK(fit.ignored_resource_groups == std::vector<std::string>{"example.org"});
  CHECK(score_args(profile, "NodeResourcesBalancedAllocation").resources.size() == 1);
  CHECK(score_args(profile, "InterPodAffinity").hard_pod_affinity_weight == 20);
  CHECK(score_args(profile, "InterPodAffinity").ignore_preferred_terms_of_existing_pods);
  CHECK(score_args(profile, "NodeAffinity").added_required_terms.size() == 1);
  CHECK(score_args(profile, "NodeAffinity").added_preferred_terms[0].weight == 5);
  CHECK(score_args(profile, "PodTopologySpread").list_defaulting);
  CHECK(score_args(profile, "PodTopologySpread").default_spread[0].max_skew == 2);
  const auto filter =
      std::find_if(profile.filters.begin(), profile.filters.end(),
                   [](const ProfileEntry& e) { return e.policy == "NodeResourcesFit"; });
  CHECK(filter->args.ignored_resources.size() == 1);
}

TEST_CASE("profile: arguments are written and read back") {
  const ProfileReading reading = read(kAllArgs);
  const Profile& profile = only(reading);
  const std::string text = write_profiles(reading.profiles);
  const ProfileReading again = read(text);
  CHECK(write_profiles({only(again)}) == text);
  CHECK(score_args(only(again), "NodeResourcesFit").shape ==
        score_args(profile, "NodeResourcesFit").shape);
  CHECK(score_args(only(again), "NodeAffinity").added_required_terms ==
        score_args(profile, "NodeAffinity").added_required_terms);
  CHECK(score_args(only(again), "PodTopologySpread").default_spread ==
        score_args(profile, "PodTopologySpread").default_spread);
}

TEST_CASE("profile: 1.20 has resource scores of their own") {
  ProfileOptions options;
  options.compat = Compat::k1_20;
  const ProfileReading reading = read(R"(apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    score:
      disabled: [{name: NodeResourcesLeastAllocated}]
      enabled:
      - {name: NodeResourcesMostAllocated, weight: 2}
      - {name: RequestedToCapacityRatio}
      - {name: SelectorSpread}
  pluginConfig:
  - name: RequestedToCapacityRatio
    args: {shape: [{utilization: 0, score: 10}], resources: [{name: cpu, weight: 1}]}
)",
                                      options);
  CHECK(weight(only(reading), "NodeResourcesMostAllocated") == 2);
  CHECK(weight(only(reading), "NodeResourcesLeastAllocated") == -1);
  CHECK(score_args(only(reading), "RequestedToCapacityRatio").shape.size() == 1);
  CHECK(error(read(kHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: "
                           "NodeResourcesMostAllocated\n")) ==
        "7:15 'NodeResourcesMostAllocated' is no score of this Kubernetes version (`--compat 1.20` "
        "has it)");
}

TEST_CASE("profile: every profile gedge knows by name is written and read back") {
  for (const Compat compat : {Compat::k1_20, Compat::k1_36})
    for (const std::string_view name : builtin_profile_names()) {
      CAPTURE(name);
      Profile profile = *builtin_profile(name, compat);
      profile.spread_ties = true;
      ProfileOptions options;
      options.compat = compat;
      const ProfileReading reading = read(write_profiles({profile}), options);
      const Profile& back = only(reading);
      CHECK(back.scheduler_name == profile.scheduler_name);
      CHECK(names(back.filters) == names(profile.filters));
      CHECK(names(back.scores) == names(profile.scores));
      for (const ProfileEntry& entry : profile.scores)
        CHECK(weight(back, entry.policy) == entry.weight);
      CHECK(back.unchecked == profile.unchecked);
      CHECK(back.spread_ties);
    }
}

TEST_CASE("profile: several profiles, documents, JSON, and a ConfigMap") {
  const auto two = read(kHead + "profiles:\n- schedulerName: a\n- schedulerName: b\n---\n" + kHead +
                        "profiles: [{schedulerName: c}]\n");
  REQUIRE(two.errors.empty());
  REQUIRE(two.profiles.size() == 3);
  CHECK(two.profiles[2].scheduler_name == "c");
  CHECK(error(read(kHead + "profiles:\n- schedulerName: a\n- schedulerName: a\n")) ==
        "5:3 two profiles for schedulerName 'a'");
  const auto json = read(R"({"apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration", "profiles": [{"schedulerName": "j"}]})");
  CHECK(only(json).scheduler_name == "j");
  const auto map = read(
      "apiVersion: v1\nkind: ConfigMap\ndata:\n  config.yaml: |\n    apiVersion: "
      "kubescheduler.config.k8s.io/v1\n    kind: KubeSchedulerConfiguration\n    profiles: "
      "[{schedulerName: m}]\n");
  CHECK(only(map).scheduler_name == "m");
  CHECK(error(read("kind: ConfigMap\ndata: {}\n")) ==
        "1:1 a ConfigMap without a KubeSchedulerConfiguration");
  CHECK(error(read("")).find("KubeSchedulerConfiguration") != std::string::npos);
}

TEST_CASE("profile: modules bring names of their own") {
  const std::string text =
      kHead +
      "profiles:\n- plugins:\n    multiPoint:\n      enabled: [{name: IdleFirst, weight: 3}]\n  "
      "pluginConfig:\n  - {name: IdleFirst, args: {anything: 1}}\n";
  ProfileOptions options;
  options.module_scores = {"IdleFirst"};
  const auto reading = read(text, options);
  CHECK(weight(only(reading), "IdleFirst") == 3);
  CHECK(names(only(reading).filters).back() != "IdleFirst");
  CHECK(read(text).errors.size() == 2);
  options.module_filters = {"IdleFirst"};
  CHECK(names(only(read(text, options)).filters).back() == "IdleFirst");
}

TEST_CASE("profile: in-tree plugins that gedge lacks are accepted and listed") {
  const auto reading = read(kHead + R"(profiles:
- plugins:
    queueSort: {enabled: [{name: PrioritySort}]}
    postFilter: {enabled: [{name: DefaultPreemption}]}
    filter: {enabled: [{name: NodeLabel}, {name: EBSLimits}]}
)");
  CHECK(only(reading).unchecked == std::vector<std::string>{"VolumeRestrictions",
                                                            "NodeVolumeLimits", "DynamicResources",
                                                            "NodeLabel", "EBSLimits"});
}

TEST_CASE("profile: without DefaultPreemption nobody goes for others") {
  const auto preempts = [](const std::string& plugins) {
    const Profile profile = only(read(kHead + "profiles:\n- plugins:\n" + plugins));
    CHECK(only(read(write_profiles({profile}))).preempts == profile.preempts);
    return profile.preempts;
  };
  CHECK(only(read(kHead)).preempts);
  CHECK(preempts("    postFilter: {enabled: [{name: DefaultPreemption}]}\n"));
  CHECK(preempts("    filter: {disabled: [{name: '*'}]}\n"));
  CHECK_FALSE(preempts("    postFilter: {disabled: [{name: DefaultPreemption}]}\n"));
  CHECK_FALSE(preempts("    postFilter: {disabled: [{name: '*'}]}\n"));
  CHECK_FALSE(preempts("    multiPoint: {disabled: [{name: '*'}]}\n"));
  CHECK(preempts(
      "    multiPoint: {disabled: [{name: '*'}], enabled: [{name: DefaultPreemption}]}\n"));
  CHECK_FALSE(preempts(
      "    multiPoint: {enabled: [{name: DefaultPreemption}]}\n    postFilter: {disabled: [{name: "
      "DefaultPreemption}]}\n"));
  CHECK(preempts(
      "    postFilter: {disabled: [{name: '*'}], enabled: [{name: DefaultPreemption}]}\n"));
}

TEST_CASE("profile: extenders are not called, and that is said") {
  const auto reading =
      read(kHead +
           "extenders:\n- urlPrefix: https://tas\n  filterVerb: f\n  weight: 1\n  enableHTTPS: "
           "true\n  managedResources: [{name: x/y, ignoredByScheduler: true}]\n  tlsConfig: "
           "{insecure: false, certFile: a}\n");
  CHECK(only(reading).scheduler_name == "default-scheduler");
  REQUIRE(reading.warnings.size() == 1);
  CHECK(reading.warnings[0].code == "ExtenderIgnored");
  CHECK(reading.warnings[0].where.line == 4);
  CHECK(error(read(kHead + "extenders:\n- urlPrefx: x\n")) ==
        "4:3 unknown field 'urlPrefx' (did you mean urlPrefix?)");
}

TEST_CASE("profile: mistakes are shown with the nearest word") {
  CHECK(error(read("apiVersion: v1\nkind: Pod\n")) == "2:7 no KubeSchedulerConfiguration");
  CHECK(
      error(read("apiVersion: kubescheduler.config.k8s.io/v2\nkind: KubeSchedulerConfiguration\n"))
          .find("1:13 unknown version") == 0);
  CHECK(error(read("kind: KubeSchedulerConfiguration\n")).find("1:1 no apiVersion") == 0);
  CHECK(error(read("kind: Policy\napiVersion: v1\n")).find("1:7 a scheduler Policy") == 0);
  CHECK(error(read(kHead + "profles: []\n")) ==
        "3:1 unknown field 'profles' (did you mean profiles?)");
  CHECK(error(read(kHead + "profiles:\n- scheduler: x\n")).find("4:3 unknown field 'scheduler'") ==
        0);
  CHECK(error(read(kHead + "profiles:\n- plugins:\n    filtre: {}\n")) ==
        "5:5 unknown field 'filtre' (did you mean filter?)");
  CHECK(error(read(
            kHead +
            "profiles:\n- plugins:\n    filter:\n      enabled:\n      - name: DelayBuget\n")) ==
        "7:15 unknown plugin 'DelayBuget' (did you mean DelayBudget?)");
  CHECK(error(read(
            kHead +
            "profiles:\n- plugins:\n    filter:\n      disabled:\n      - name: NodePort\n")) ==
        "7:15 unknown plugin 'NodePort' (did you mean NodePorts?)");
  for (const std::string foreign : {"NodeResourcesAllocatable", "Coscheduling"})
    CHECK(error(read(kHead + "profiles:\n- plugins:\n    filter:\n      enabled:\n      - name: " +
                     foreign + "\n")) ==
          "7:15 unknown plugin '" + foreign +
              "' (load the module that has it with `--plugin FILE`)");
  CHECK(error(read(
            kHead +
            "profiles:\n- plugins:\n    filter:\n      enabled:\n      - name: ImageLocality\n")) ==
        "7:15 'ImageLocality' is no filter");
  CHECK(
      error(read(kHead +
                 "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeName\n")) ==
      "7:15 'NodeName' is no score");
}

TEST_CASE("profile: what a plugin list or a plugin's arguments cannot mean is refused") {
  CHECK(error(read(kHead + "profiles:\n- plugins:\n    score:\n      enabled: [{name: "
                           "ImageLocality}, {name: ImageLocality}]\n"))
            .find("'ImageLocality' is enabled twice") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- plugins:\n    score:\n      enabled: [{name: "
                           "ImageLocality, weight: -1}]\n"))
            .find("weight") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- plugins:\n    score:\n      enabled: [{name: '*'}]\n"))
            .find("unknown plugin '*'") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- plugins:\n    score:\n      enabled: [{weight: 1}]\n"))
            .find("needs a name") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- tieBreak: random\n")).find("unknown tieBreak 'random'") !=
        std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- overcommit: repair\n"))
            .find("unknown overcommit 'repair'") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- disruptionBudgets: keeps\n"))
            .find("unknown disruptionBudgets 'keeps' (did you mean keep?)") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: "
                           "{scoringStrategy: {type: Leest}}\n"))
            .find("6:11 unknown scoring strategy 'Leest'") == 0);
  CHECK(error(read(kHead + "profiles:\n- pluginConfig:\n  - name: InterPodAffinity\n    args: "
                           "{hardPodAffinityWeight: 101}\n"))
            .find("hardPodAffinityWeight is 101") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- pluginConfig:\n  - name: InterPodAffinity\n    args: "
                           "{hardPodAffinityWeigth: 1}\n"))
            .find("did you mean hardPodAffinityWeight?") != std::string::npos);
  CHECK(error(read(kHead + "profiles:\n- pluginConfig:\n  - name: DelayBudget\n    args: {x: 1}\n"))
            .find("unknown field 'x'") != std::string::npos);
  CHECK(error(read(kHead +
                   "profiles:\n- pluginConfig:\n  - name: DelayBudget\n  - name: DelayBudget\n"))
            .find("given twice") != std::string::npos);
  CHECK(error(read(kHead + "profiles: 3\n")).find("'profiles' must be a list") !=
        std::string::npos);
}

TEST_CASE("profile data: published configurations are read, and foreign plugins are named") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  namespace fs = std::filesystem;
  ProfileOptions foreign;
  foreign.module_filters = {"NetworkOverhead", "TopologicalSort",           "CapacityScheduling",
                            "Coscheduling",    "NodeResourceTopologyMatch", "Open-Gpu-Share"};
  foreign.module_scores = {"NetworkOverhead",
                           "NodeResourcesAllocatable",
                           "NodeMetadata",
                           "NodeResourceTopologyMatch",
                           "PodState",
                           "QOSSort",
                           "SySched",
                           "TargetLoadPacking",
                           "RandomScore",
                           "DotProductScore",
                           "GpuClusteringScore",
                           "GpuPackingScore",
                           "BestFitScore",
                           "FGDScore",
                           "Simon"};
  int valid = 0, extenders = 0, refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*data / "scheduler-config")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    std::ifstream in(entry.path());
    std::ostringstream bytes;
    bytes << in.rdbuf();
    std::string text = bytes.str();
    const bool is_template = text.find("XVERSIONX") != std::string::npos;
    if (is_template) {
      CHECK(read(text).errors.size() == 1);
      CHECK(read(text).errors[0].where.line == 1);
      text.replace(text.find("XVERSIONX"), 9, "v1beta2");
    }
    const ProfileReading reading = read(text, foreign);
    if (text.find("KubeSchedulerConfiguration") ==
        std::string::npos) {  // an old Policy, a ClusterRole
      CHECK(reading.errors.size() == 1);
      ++refused;
      continue;
    }
    REQUIRE_MESSAGE(reading.errors.empty(), reading.errors[0].what);
    ++valid;
    extenders += reading.warnings.empty() ? 0 : 1;
    CHECK(reading.profiles.size() == (name == "nodemetadata__scheduler-config.yaml" ? 4 : 1));
    if (is_template) continue;
    const ProfileReading alone = read(text);
    REQUIRE_FALSE(alone.errors.empty());
    CHECK(alone.errors[0].what.find("unknown plugin") == 0);
    CHECK(alone.errors[0].where.line > 1);
  }
  CHECK(valid == 20);
  CHECK(extenders == 3);
  CHECK(refused == 5);
}

}  // namespace
}  // namespace gedge
