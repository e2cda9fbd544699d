// Workloads of one mould are copies of the first with names of their own, and so are bare pods of
// YAML: facts, places, warnings and errors must be those of reading each.
#include "codec/known_workloads.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/codec/fingerprint.hpp"
#include "support/dice.hpp"
#include "support/objects.hpp"

namespace gedge {
namespace {

using test::Dice;
using test::Objects;

std::string describe(const Facts& facts) {
  std::string out = fingerprint(facts, {}) + "\n";
  const auto at = [](Place place) {
    return " " + std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  for (const Pod& pod : facts.pods) {
    const PodSpec& spec = facts.spec_of(pod);
    out += pod.namespace_name + "/" + pod.name + " " + pod.workload_kind + "/" + pod.workload_name +
           " " + pod.controller.name + at(pod.place) + at(spec.place);
    for (const DelayBudget& budget : spec.budgets) out += " " + budget.from + at(budget.place);
    for (const auto& [key, value] : pod_labels(pod, spec)) out += " " + key + "=" + value;
    out += "\n";
  }
  for (const SpreadOwner& owner : facts.spread_owners) out += owner.kind + "/" + owner.name + "\n";
  for (const Warning& warning : facts.warnings)
    out += warning.code + " " + warning.message +
           at({0, static_cast<std::uint32_t>(warning.where.line), 0}) + "\n";
  return out;
}

// An anchor has the text read as a whole; a document without content is no object.
std::string read(const std::string& documents, bool as_whole, bool as_manifests) {
  const std::string text = (as_whole ? "--- &a ~\n" : "---    ~\n") + documents;
  Objects objects;
  if (as_manifests)
    objects.manifests(text, "in");
  else
    objects.cluster(text, "in");
  const LoadResult result = objects.finish();
  if (result.loaded) return describe(result.loaded->facts);
  std::string out;
  for (const Error& error : result.errors)
    out += std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + " " +
           error.what + "\n";
  return out;
}

bool agrees(const std::vector<std::string>& documents) {
  std::string text;
  for (const std::string& document : documents) text += document;
  for (const bool as_manifests : {true, false}) {
    const std::string known = read(text, false, as_manifests);
    const std::string whole = read(text, true, as_manifests);
    if (known == whole) continue;
    CAPTURE(text);
    CHECK(known == whole);
    return false;
  }
  return true;
}

/// Workloads of few shapes and different names, and pods.
class Manifests {
 public:
  explicit Manifests(std::uint64_t seed) : dice_(seed) {}

  std::vector<std::string> documents(std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(document(i, plain(i)));
    return all;
  }
  // One word of it is out of the ordinary.
  std::string odd_document(std::size_t i) {
    const std::vector<std::string> odd = {"Upper",  "a..b",  "name-1",    "name-2", "no-",
                                          "true",   "12",    "app",       "-a",     "a b",
                                          "delay_", "a/b/c", "delay_a-b", "1.5"};
    Words words = plain(i);
    const std::vector<std::string*> all = {&words.name,  &words.app,   &words.selected, &words.key,
                                           &words.limit, &words.image, &words.replicas};
    *all[dice_.below(all.size())] = dice_.pick(odd);
    return document(i, words);
  }

 private:
  struct Words {
    std::string name, app, selected, key, limit, image, replicas;
  };
  Words plain(std::size_t i) {
    const std::string number = std::to_string(i);
    Words words{"name-" + number,
                "app-" + number,
                "app-" + number,
                "delay_node-" + std::to_string(dice_.below(9)),
                "10",
                "image",
                "2"};
    if (dice_.chance(5)) words.image = "other";
    if (dice_.chance(5)) words.replicas = std::to_string(dice_.below(3));
    return words;
  }

  std::string document(std::size_t i, const Words& words) {
    const std::vector<std::string> kinds = {
        "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController", "Pod"};
    const std::string& kind = kinds[i / 3 % kinds.size()];
    std::string text = "---\nkind: " + kind + "\nmetadata:\n  name: " + words.name + "\n";
    if (i % 4 == 1) text += "  namespace: " + words.image + "\n";
    if (kind == "Pod") return text + labels(words, "  ") + "spec:\n" + containers(words, "  ");
    std::string indent = "  ";
    text += "spec:\n";
    if (kind == "CronJob") {
      text += "  jobTemplate:\n    spec:\n";
      indent = "      ";
    }
    if (kind == "Deployment" || kind == "StatefulSet")
      text += indent + "replicas: " + words.replicas + "\n";
    if (kind == "Deployment" && i % 5 != 0)
      text += indent + "selector:\n" + indent + "  matchLabels:\n" + indent +
              "    app: " + words.selected + "\n";
    return text + indent + "template:\n" + indent + "  metadata:\n" + indent +
           "    name: " + words.name + "\n" + labels(words, indent + "    ") + indent +
           "  spec:\n" + containers(words, indent + "    ");
  }
  static std::string labels(const Words& words, const std::string& indent) {
    return indent + "labels:\n" + indent + "  app: " + words.app + "\n" + indent + "  " +
           words.key + ": \"" + words.limit + "\"\n";
  }
  static std::string containers(const Words& words, const std::string& indent) {
    return indent + "containers:\n" + indent + "- name: main\n" + indent +
           "  image: " + words.image + "\n" + indent + "  resources:\n" + indent +
           "    requests:\n" + indent + "      cpu: 100m\n";
  }
  Dice dice_;
};

TEST_CASE("known workloads: 60 texts give the facts that reading each workload gives") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    REQUIRE(agrees(Manifests(seed).documents(120)));
  }
}

TEST_CASE("known workloads: what is wrong, or comes twice, is told with its place") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Manifests manifests(seed);
    std::vector<std::string> documents = manifests.documents(100);
    const std::size_t at = 60 + dice.below(40);
    documents[at] = manifests.odd_document(at);
    if (dice.chance(30)) documents[60 + dice.below(40)] = documents[dice.below(60)];
    REQUIRE(agrees(documents));
  }
}

// Twelve times the same with a number of its own in place of each `%`.
std::vector<std::string> numbered(const std::string& pattern) {
  std::vector<std::string> documents;
  for (int i = 0; i < 12; ++i) {
    std::string& document = documents.emplace_back("---\n" + pattern);
    for (std::size_t at = document.find('%'); at != std::string::npos; at = document.find('%'))
      document.replace(at, 1, std::to_string(i));
  }
  return documents;
}

TEST_CASE("known workloads: words that differ elsewhere than in names are read") {
  const std::string container = "containers: [{name: c, image: a%, resources: {limits: {r%: 1}}}]";
  CHECK(agrees(numbered("kind: Deployment\nmetadata: {name: n%}\nspec:\n  template: {spec: {" +
                        container + "}}\n")));
  CHECK(
      agrees(numbered("kind: Deployment\nmetadata: {name: n%}\nspec:\n  template:\n    spec:\n"
                      "      schedulerName: s%\n      nodeSelector: {k%: v}\n")));
  CHECK(
      agrees(numbered("kind: CronJob\nmetadata: {name: n%}\nspec:\n  template: {metadata: "
                      "{labels: {a: b%}}}\n  jobTemplate: {spec: {template: {spec: {}}}}\n")));
  CHECK(
      agrees(numbered("kind: Deployment\nmetadata: {name: n%}\nspec:\n  selector: ~\n"
                      "  template: {metadata: {labels: {a: b%, delay_a: \"%\"}}}\n")));
}

TEST_CASE("known pods: what a pod has for itself stands where its own keys say") {
  std::vector<std::string> documents;
  for (int i = 0; i < 24; ++i) {
    const std::string number = std::to_string(i), second = std::to_string(10 + i);
    const std::string key = i % 3 == 2 ? "deletion" : "creation";
    documents.push_back("---\nkind: Pod\nmetadata:\n  name: n" + number + "\n  " + key +
                        "Timestamp: \"1970-01-01T00:00:" + second + "Z\"\nspec:\n  nodeName: e1\n");
  }
  CHECK(agrees(documents));
}

TEST_CASE("known pods: one of YAML that has another label is another one") {
  const std::string spec = "spec: {nodeName: e1}\n";
  CHECK(agrees(numbered("kind: Pod\nmetadata: {name: n%, labels: {delay_a%: \"1\"}}\n" + spec)));
  CHECK(agrees(numbered("kind: Pod\nmetadata: {name: n%, labels: {a: b%}}\n" + spec)));
  CHECK(agrees(numbered("kind: Pod\nmetadata: {name: n%, uid: u%}\n" + spec)));
}

}  // namespace
}  // namespace gedge
