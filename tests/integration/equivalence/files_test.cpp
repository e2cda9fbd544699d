// The real command on files: same input, same bytes out, whatever the order of files, documents,
// items and columns and whatever the number of threads; and the plan is the one that the reference
// makes of the same facts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "integration/equivalence/cases.hpp"
#include "support/command.hpp"
#include "support/dump_site.hpp"
#include "support/folder.hpp"
#include "support/paths.hpp"

namespace {

using namespace gedge;
using nlohmann::json;
using test::Dice;

constexpr std::uint64_t kFirstSeed = 2'000'000;
constexpr int kInputs = 200, kArrangements = 3;

using Objects = std::vector<json>;

std::string yaml_documents(const Objects& objects) {
  std::string out;
  for (const json& object : objects) out += "---\n" + test::to_yaml(object);
  return out;
}

std::string json_list(const Objects& objects) {
  return json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}.dump(2) + "\n";
}

using Files = std::vector<std::pair<std::string, std::string>>;  // name and bytes

/// Spreads the objects over a few files in random order, some YAML, some JSON.
Files arrange(Dice& dice, Objects objects) {
  dice.shuffle(objects);
  std::vector<Objects> parts(1 + dice.below(5));
  for (json& object : objects) parts[dice.below(parts.size())].push_back(std::move(object));
  Files out;
  for (const Objects& part : parts) {
    if (part.empty()) continue;
    const std::string name = "site/" + std::to_string(dice.next());
    if (dice.chance(50))
      out.emplace_back(name + ".yaml", yaml_documents(part));
    else
      out.emplace_back(name + ".json", json_list(part));
  }
  return out;
}

void write_files(Dice& dice, const test::Folder& folder, Files files) {
  std::filesystem::create_directory(folder.path() / "site");
  dice.shuffle(files);  // folders list their files as they please
  for (const auto& [name, bytes] : files) folder.put(name, bytes);
}

void write_rtt(Dice& dice, const test::Folder& folder, const RttMatrix& rtt) {
  std::vector<NameIndex> order;
  for (std::uint32_t i = 0; i < rtt.size(); ++i) order.push_back(NameIndex{i});
  dice.shuffle(order);
  folder.put("rtt.csv", test::to_csv(rtt, order));
}

std::vector<std::string> common_args(const test::Case& from, int threads) {
  std::vector<std::string> out{"--cluster",  "site",  "--rtt", "rtt.csv",
                               "--rtt-zero", "value", "-o",    "json"};
  out.insert(out.end(),
             {"--profile", from.profiles.front().name, "--threads", std::to_string(threads)});
  out.insert(out.end(), {"--compat", from.compat() == Compat::k1_20 ? "1.20" : "1.36"});
  if (!from.site.rtt_by.empty()) out.insert(out.end(), {"--rtt-by", from.site.rtt_by});
  return out;
}

test::Ran run(const test::Folder& folder, std::vector<std::string> words,
              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return test::run_program(test::programs_dir() / "gedge", words, {.folder = folder.path()});
}

/// The first pod that the plan had to decide about.
std::vector<std::string> explain_words(const test::Case& from) {
  for (const Pod& pod : from.site.facts.pods)
    if (pod.bound_node.empty()) return {"explain", pod.name, "-n", pod.namespace_name};
  return {"explain", from.site.facts.pods.front().name, "-n",
          from.site.facts.pods.front().namespace_name};
}

/// Everything the command says about one arrangement of the same input.
std::string answers(const test::Case& from, const Files& files, Dice& dice, int threads) {
  const test::Folder folder;
  write_files(dice, folder, files);
  write_rtt(dice, folder, from.site.rtt);
  const auto args = common_args(from, threads);
  const test::Ran plan = run(folder, {"plan"}, args);
  REQUIRE_MESSAGE(plan.exit <= 1, "seed " << from.seed << ": " << plan.err);
  const test::Ran why = run(folder, explain_words(from), args);
  REQUIRE_MESSAGE(why.exit <= 1, "seed " << from.seed << ": " << why.err);
  return "[" + plan.out + ",\n" + std::to_string(plan.exit) + ",\n" + why.out + ",\n" +
         std::to_string(why.exit) + "]";
}

/// Warnings say where their cause is written, and are ordered by that; the rest knows nothing of
/// places.
std::string without_places(const std::string& text) {
  json all = json::parse(text);
  for (json& part : all) {
    if (!part.is_object() || !part.contains("warnings")) continue;
    std::vector<std::string> warnings;
    for (const json& warning : part["warnings"])
      warnings.push_back(warning.at("code").get<std::string>() + " " +
                         warning.at("message").get<std::string>());
    std::sort(warnings.begin(), warnings.end());
    part["warnings"] = warnings;
  }
  return all.dump(1);
}

/// The first lines that differ; empty where the texts agree.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream one(a), two(b);
  std::string left, right;
  for (int line = 1; one || two; ++line) {
    if (!std::getline(one, left)) left = "(end)";
    if (!std::getline(two, right)) right = "(end)";
    if (left != right) return "line " + std::to_string(line) + ":\n  " + left + "\n  " + right;
  }
  return "";
}

bool waits_for_pod(const Facts& facts, const PersistentVolumeClaim& claim) {
  return std::any_of(facts.storage_classes.begin(), facts.storage_classes.end(),
                     [&](const StorageClass& storage) {
                       return claim.storage_class == storage.name &&
                              storage.binding == VolumeBinding::kWaitForFirstConsumer;
                     });
}

// Readers bind claims that wait for no pod, as the volume controller does: here there is nothing
// left to bind.
void settle_claims(Facts& facts) {
  for (PersistentVolumeClaim& claim : facts.claims) {
    const bool is_bound = !claim.volume_name.empty();
    if (!is_bound && waits_for_pod(facts, claim)) continue;
    for (PersistentVolume& volume : facts.volumes) {
      const bool is_its =
          volume.claim_name == claim.name && volume.claim_namespace == claim.namespace_name;
      if (!is_bound && is_its) volume.claim_name = volume.claim_namespace = "";
      if (!is_bound || volume.name != claim.volume_name || !volume.claim_name.empty()) continue;
      volume.claim_name = claim.name;
      volume.claim_namespace = claim.namespace_name;
    }
    if (!is_bound) claim.access_modes = {"ReadWriteOncePod"};  // which no volume has
  }
}

test::Case builtin_case(std::uint64_t seed) {
  Dice dice(seed);
  const auto names = builtin_profile_names();
  test::Case out;
  out.seed = seed;
  const Compat compat = dice.chance(50) ? Compat::k1_20 : Compat::k1_36;
  out.profiles = {*builtin_profile(names[dice.below(names.size())], compat)};
  do out.site = test::make_random_site(dice);
  while (out.site.facts.pods.empty());
  // An object with spec.nodeName is bound; a pod that may only go there cannot be written down.
  for (PodSpec& spec : out.site.facts.specs) spec.node_name = {};
  // Only pods of a StatefulSet tell their ordinal by their name.
  for (Pod& pod : out.site.facts.pods)
    if (pod.workload_kind != "StatefulSet") pod.ordinal = 0;
  settle_claims(out.site.facts);
  test::sort_pods(out.site.facts);
  return out;
}

/// Where the plans differ; empty where they agree.
std::string difference(const test::Case& from, const std::string& plan_text) {
  auto world =
      reference::make_world(from.site.facts, from.site.rtt, from.site.rtt_by, from.compat());
  const auto expected = reference::make_reference_plan(world, from.profiles);
  if (expected.cyclic) return {};
  const json plan = json::parse(plan_text);
  std::string want, got;
  for (const reference::Answer& answer : expected.answers)
    want += answer.decision.pod + "=" +
            (answer.decision.chosen ? answer.decision.chosen->node : "-") + " " +
            answer.decision.message + "\n";
  for (const json& d : plan.at("decisions"))
    got += d.at("pod").get<std::string>() + "=" +
           (d.at("node").is_null() ? "-" : d.at("node").get<std::string>()) + " " +
           d.at("message").get<std::string>() + "\n";
  return want == got ? "" : "expected:\n" + want + "got:\n" + got;
}

}  // namespace

TEST_CASE("shuffled files and one, two or eight threads give the same bytes") {
  for (int i = 0; i < kInputs; ++i) {
    const test::Case from = builtin_case(kFirstSeed + static_cast<std::uint64_t>(i));
    const Objects objects = test::objects_of(from.site.facts);
    Dice dice(from.seed);
    std::optional<std::string> first;
    for (int k = 0; k < kArrangements; ++k) {
      const Files files = arrange(dice, objects);
      const std::string one = answers(from, files, dice, 1);
      for (const int threads : {2, 8}) {
        const std::string differs = first_difference(one, answers(from, files, dice, threads));
        CHECK_MESSAGE(differs.empty(),
                      "seed " << from.seed << ", one thread and " << threads << ", " << differs);
      }
      const std::string order =
          first_difference(first.value_or(without_places(one)), without_places(one));
      CHECK_MESSAGE(order.empty(), "seed " << from.seed << ", other order, " << order);
      first = without_places(one);
    }
  }
}

TEST_CASE("the plan of written files is the plan of the facts") {
  int pods = 0;
  for (int i = 0; i < kInputs; ++i) {
    const test::Case from = builtin_case(kFirstSeed + static_cast<std::uint64_t>(i));
    const test::Folder folder;
    Dice dice(from.seed);
    write_files(dice, folder, arrange(dice, test::objects_of(from.site.facts)));
    write_rtt(dice, folder, from.site.rtt);
    const test::Ran plan = run(folder, {"plan"}, common_args(from, 1));
    REQUIRE_MESSAGE(plan.exit <= 1, "seed " << from.seed << ": " << plan.err);
    const std::string differs = difference(from, plan.out);
    CHECK_MESSAGE(differs.empty(), "seed " << from.seed << " profile " << from.profiles.front().name
                                           << "\n"
                                           << differs);
    pods += static_cast<int>(json::parse(plan.out).at("decisions").size());
  }
  std::printf("%d decisions read back from files\n", pods);
  CHECK(pods > kInputs);
}
