// support/watched_pods.hpp - lines of a watch as a server writes them, of random pods of few
// templates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/codec/fingerprint.hpp"
#include "gedge/model/facts.hpp"
#include "support/dice.hpp"

namespace gedge::test {

/// Pods of eight templates that come, are bound, start and run; some are odd.
class WatchedPods {
 public:
  explicit WatchedPods(std::uint64_t seed) : dice_(seed) {}

  /// Of a pod whose name one of the last may have had.
  std::string line() {
    const std::size_t number = dice_.chance(80) ? next_++ : dice_.below(next_ + 1);
    const std::size_t stage = dice_.below(3);
    const bool is_new = (stage == 0) != dice_.chance(5);
    return R"({"type":")" + std::string(is_new ? "ADDED" : "MODIFIED") + R"(","object":)" +
           object(number, dice_.below(8), stage) + "}";
  }
  std::string gone(std::size_t number) {
    return R"({"type":"DELETED","object":)" + object(number, number % 8, 2) + "}";
  }
  std::string object(std::size_t number, std::size_t kind, std::size_t stage) {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":)" + metadata(number, kind) +
           R"(,"spec":)" + spec(kind, stage) + R"(,"status":)" + status(number, stage) + "}";
  }

 private:
  std::string time() {
    return "\"2026-05-0" + std::to_string(dice_.between(1, 9)) + "T12:0" +
           std::to_string(dice_.below(10)) + (dice_.chance(98) ? ":00Z\"" : ":0\"");
  }
  std::string metadata(std::size_t number, std::size_t kind) {
    const std::string odd = dice_.chance(2) ? "_" : "";
    std::string text = R"({"name":"pod-)" + std::to_string(number) + odd;
    if (kind == 1) text += R"(","generateName":"pod-)";
    text += R"(","namespace":"n)" + std::to_string(kind % 3) + R"(","uid":"u-)" +
            std::to_string(dice_.below(1000)) + R"(","resourceVersion":")" +
            std::to_string(++version_) + R"(","creationTimestamp":)" + time();
    if (dice_.chance(5)) text += R"(,"deletionTimestamp":)" + time();
    if (kind != 0) text += R"(,"labels":{"app":"a)" + std::to_string(kind) + "\"";
    if (kind == 2) text += R"(,"apps.kubernetes.io/pod-index":")" + std::to_string(number) + "\"";
    if (kind != 0) text += "}";
    if (kind == 3) text += R"(,"annotations":{"note":"é \"quoted\""})";
    if (kind == 4 || kind == 5)
      text += R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":")" +
              std::string(kind == 4 ? "ReplicaSet" : "StatefulSet") +
              R"(","name":"owner","uid":"o","controller":true}])";
    if (dice_.chance(70))
      text += R"(,"managedFields":[{"manager":"kubelet","time":)" + time() + "}]";
    return text + "}";
  }
  std::string spec(std::size_t kind, std::size_t stage) {
    std::string text = R"({"containers":[{"name":"c","image":"i)" + std::to_string(kind) +
                       R"(","resources":{"requests":{"cpu":")" + std::to_string(kind + 1) +
                       R"(00m"}},"terminationMessagePath":"/dev/log"}])";
    if (kind == 6) text += R"(,"volumes":[{"name":"v","ephemeral":{}}])";
    if (kind == 7) text += R"(,"priority":)" + std::to_string(dice_.below(2));
    if (stage > 0) text += R"(,"nodeName":"edge-)" + std::to_string(dice_.below(20)) + "\"";
    return text + R"(,"schedulerName":"gedge"})";
  }
  std::string status(std::size_t number, std::size_t stage) {
    if (stage == 0) return R"({"phase":"Pending","qosClass":"Burstable"})";
    std::string text = R"({"phase":")" + std::string(stage == 1 ? "Pending" : "Running") +
                       R"(","conditions":[{"type":"PodScheduled","lastTransitionTime":)" + time() +
                       "}]";
    if (stage == 2)
      text += R"(,"podIP":"10.0.0.)" + std::to_string(number) + R"(","startTime":)" + time();
    return text + "}";
  }

  Dice dice_;
  std::size_t next_ = 0, version_ = 0;
};

/// With a few bytes that are lost, doubled or others.
inline std::string damaged(std::string line, Dice& dice) {
  const std::vector<char> bytes = {'"', '\\', '{', '}', ',', ':', '0', 'a', '\n', '\xff', ' '};
  for (std::size_t times = 1 + dice.below(2); times > 0 && !line.empty(); --times) {
    const std::size_t at = dice.below(line.size());
    switch (dice.below(4)) {
      case 0:
        line.erase(at, 1 + dice.below(3));
        break;
      case 1:
        line.insert(at, 1, dice.pick(bytes));
        break;
      case 2:
        line[at] = dice.pick(bytes);
        break;
      default:
        line.resize(dice.chance(20) ? at : line.size());
        break;
    }
  }
  return line;
}

/// All that facts say of their pods, a line for each.
inline std::string describe_pods(const Facts& facts) {
  std::string out;
  for (const Pod& pod : facts.pods) {
    Facts one;
    one.pods = {pod};
    one.pods.front().spec = SpecIndex{0};
    one.specs = {facts.spec_of(pod)};
    out += pod.namespace_name + "/" + pod.name + " " + pod.uid + " " + pod.bound_node + " " +
           pod.workload_kind + "/" + pod.workload_name + " " + pod.controller.uid + " " +
           std::to_string(pod.ordinal) + " " + std::to_string(pod.created) + " " +
           std::to_string(pod.started) + " " + std::to_string(static_cast<int>(pod.phase)) +
           std::to_string(static_cast<int>(pod.terminating)) + " " + fingerprint(one, {}) + "\n";
  }
  return out;
}

}  // namespace gedge::test
