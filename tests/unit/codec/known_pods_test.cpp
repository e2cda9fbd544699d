// Pods of one mould are copies of the first with texts of their own: facts, places, warnings and
// errors must be those of reading each.
#include "codec/known_pods.hpp"

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

// An item that is null is ignored, but the list is then read as a whole.
std::string list_of(const std::vector<std::string>& items, bool as_whole) {
  std::string text = R"({"kind": "PodList", "items": [)";
  text += as_whole ? "null," : "     ";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ",\n" : "\n") + items[i];
  return text + "\n]}";
}

std::string describe(const Facts& facts) {
  std::string out = fingerprint(facts, {}) + "\n";
  for (const Pod& pod : facts.pods) {
    out += pod.namespace_name + "/" + pod.name + " " + pod.uid + " " + pod.bound_node + " " +
           pod.nominated_node + " " + pod.workload_kind + "/" + pod.workload_name + " " +
           pod.controller.uid + " " + std::to_string(pod.created) + " " +
           std::to_string(pod.started) + " " + std::to_string(static_cast<int>(pod.phase)) +
           std::to_string(pod.terminating) + " " + std::to_string(pod.place.line) + ":" +
           std::to_string(pod.place.column) + " " + std::to_string(pod.place.file);
    for (const auto& [key, value] : pod_labels(pod, facts.spec_of(pod)))
      out += " " + key + "=" + value;
    out += " " + facts.spec_of(pod).node_name + "\n";
  }
  for (const Warning& warning : facts.warnings)
    out += warning.code + " " + warning.message + " " + std::to_string(warning.where.line) + "\n";
  return out;
}

std::string read(const std::string& text, bool as_manifests) {
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

bool agrees(const std::vector<std::string>& items) {
  for (const bool as_manifests : {false, true}) {
    const std::string known = read(list_of(items, false), as_manifests);
    const std::string whole = read(list_of(items, true), as_manifests);
    if (known == whole) continue;
    CHECK(known == whole);
    return false;
  }
  return true;
}

/// Pods of few templates, nearly all of them different in what pods have for themselves.
class Pods {
 public:
  explicit Pods(std::uint64_t seed) : dice_(seed) {}

  std::vector<std::string> items(std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(pod(i, shape_of(dice_.below(6))));
    return all;
  }
  std::string odd_pod(std::size_t i) {
    Shape shape = shape_of(dice_.below(6));
    const std::vector<std::string> names = {"Upper", "",      "a b",    "a..b",
                                            "pod-1", "pod-2", "\\u0061"};
    const std::vector<std::string> times = {"", "yesterday", "2024-02-31T00:00:00Z", "0"};
    switch (dice_.below(5)) {
      case 0:
        shape.has_name = true;
        shape.name = dice_.pick(names);
        break;
      case 1:
        shape.created = dice_.pick(times);
        break;
      case 2:
        shape.started = dice_.pick(times);
        break;
      case 3:
        shape.space = dice_.pick(names);
        break;
      default:
        shape.phase = dice_.pick(std::vector<std::string>{"", "Nothing", "Failed", "Unknown"});
        break;
    }
    return pod(i, shape);
  }

 private:
  struct Shape {
    std::size_t kind = 0;
    bool has_name = false;
    std::string name, space = "default", created, started, phase = "Running";
  };
  Shape shape_of(std::size_t kind) {
    Shape shape;
    shape.kind = kind;
    shape.created = shape.started = "2024-05-0" + std::to_string(1 + dice_.below(9)) + "T12:00:0" +
                                    std::to_string(dice_.below(10)) + "Z";
    if (kind == 3) shape.space = "n" + std::to_string(dice_.below(3));
    if (kind == 4) shape.phase = dice_.chance(50) ? "Pending" : "Running";
    return shape;
  }

  std::string pod(std::size_t i, const Shape& shape) {
    const std::string kind = std::to_string(shape.kind), number = std::to_string(i);
    const std::string name = shape.has_name ? shape.name : "pod-" + number;
    std::string text = R"({"metadata": {"name": ")" + name + R"(", "namespace": ")" + shape.space;
    if (shape.kind == 1) text += R"(", "generateName": "pod-)";
    text += R"(", "uid": "uid-)" + number + R"(", "creationTimestamp": ")" + shape.created + "\"";
    if (shape.kind < 5) text += R"(, "labels": {"app": "a)" + kind + "\"" + own_label(i, shape);
    if (shape.kind < 5) text += "}";
    if (shape.kind == 2)
      text += R"(, "ownerReferences": [{"kind": "ReplicaSet", "name": "r)" + std::to_string(i % 3) +
              R"(", "uid": "u)" + std::to_string(i % 3) + R"(", "controller": true}])";
    text += R"(}, "spec": {"containers": [{"name": "c", "image": "i)" + kind +
            R"(", "resources": {"requests": {"cpu": ")" + std::to_string(shape.kind + 1) +
            R"(00m"}}}])";
    if (shape.kind != 0) text += R"(, "nodeName": "e)" + std::to_string(dice_.below(40)) + "\"";
    if (shape.kind == 4) text += R"(, "priorityClassName": "p)" + std::to_string(i % 2) + "\"";
    return text + R"(}, "status": {"phase": ")" + shape.phase + R"(", "startTime": ")" +
           shape.started + R"(", "podIP": "10.0.0.)" + std::to_string(i % 250) + "\"}}";
  }
  std::string own_label(std::size_t i, const Shape& shape) {
    if (shape.kind != 1) return "";
    return R"(, "apps.kubernetes.io/pod-index": ")" + std::to_string(i) + "\"";
  }
  Dice dice_;
};

TEST_CASE("known pods: 60 lists give the facts that reading each pod gives") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    REQUIRE(agrees(Pods(seed).items(400)));
  }
}

TEST_CASE("known pods: pods that are wrong, or come twice, are told with their places") {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Pods pods(seed);
    std::vector<std::string> items = pods.items(300);
    for (std::size_t odd = 0; odd < 2; ++odd)
      items[150 + dice.below(150)] = pods.odd_pod(dice.below(1000));
    if (dice.chance(50)) items[150 + dice.below(150)] = items[dice.below(150)];
    REQUIRE(agrees(items));
  }
}

TEST_CASE("known pods: one without a name among pods that have generateName too") {
  std::vector<std::string> items;
  for (int i = 0; i < 50; ++i)
    items.push_back(R"({"metadata": {"name": ")" + (i % 20 == 19 ? "" : "a" + std::to_string(i)) +
                    R"(", "generateName": "web-"}, "spec": {"containers": [{"name": "c"}]}})");
  REQUIRE(agrees(items));
}

// Both lists are read by moulds, or both as wholes.
std::string read_both(const std::vector<std::string>& first, const std::vector<std::string>& second,
                      bool as_whole, bool as_manifests) {
  Objects objects;
  objects.cluster(list_of(first, as_whole), "first");
  if (as_manifests)
    objects.manifests(list_of(second, as_whole), "second");
  else
    objects.cluster(list_of(second, as_whole), "second");
  const LoadResult result = objects.finish();
  std::string out = result.loaded ? describe(result.loaded->facts) : "";
  for (const Error& error : result.errors)
    out += error.where.origin + ":" + std::to_string(error.where.line) + ":" +
           std::to_string(error.where.column) + " " + error.what + "\n";
  return out;
}

TEST_CASE("known pods: what comes again in another list, equal, in another order or different") {
  std::size_t clashes = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    Pods pods(seed);
    const std::vector<std::string> first = pods.items(300);
    std::vector<std::string> second = first;
    if (dice.chance(50)) dice.shuffle(second);
    if (dice.chance(50)) second.resize(1 + dice.below(second.size()));
    if (dice.chance(50)) {
      std::string& one = second[dice.below(second.size())];
      const std::size_t at = one.rfind("10.0.0.");
      one.replace(at, 7, dice.chance(50) ? "10.0.1." : "8.8.8.");
    }
    for (const bool as_manifests : {false, true}) {
      const std::string known = read_both(first, second, false, as_manifests);
      CAPTURE(seed);
      REQUIRE(known == read_both(first, second, true, as_manifests));
      clashes += known.find("declared twice and differently") != std::string::npos ? 1 : 0;
    }
  }
  CHECK(clashes > 10);
  CHECK(clashes < 70);
}

TEST_CASE("known pods: one mould for two templates is two pods") {
  // Nothing here comes again but texts, so the mould has a hole for each of them.
  std::vector<std::string> items;
  for (int i = 0; i < 600; ++i) {
    const std::string number = std::to_string(i);
    items.push_back(R"({"metadata": {"name": "p)" + number + R"(", "labels": {"app": "a)" +
                    std::to_string(i % 2) + R"(", "n": "x)" + number +
                    R"("}}, "spec": {"nodeSelector": {"zone": "z)" + std::to_string(i % 3) +
                    R"(", "unique": "u)" + std::to_string(i / 7) + R"("}}})");
  }
  CHECK(agrees(items));
}

}  // namespace
}  // namespace gedge
