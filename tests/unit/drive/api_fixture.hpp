// An ApiCluster beside a server that says what a test wants.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/api_cluster.hpp"
#include "gedge/sim/scripted_api.hpp"

namespace gedge::api_test {

struct FixedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'000'000; }
};

/// Writes down what it is told.
struct Notes final : ClusterListener {
  std::vector<std::string> lines;
  void put(Facts objects) override {
    for (const Node& node : objects.nodes) lines.push_back("node " + node.name);
    for (const Pod& pod : objects.pods)
      lines.push_back("pod " + pod.name + " on '" + pod.bound_node.str() + "'");
    for (const SpreadOwner& owner : objects.spread_owners)
      lines.push_back(owner.kind + " " + owner.name);
    for (const Namespace& space : objects.namespaces) {
      std::string line = "namespace " + space.name;
      for (const auto& [key, value] : space.labels) line += " " + key + "=" + value;
      lines.push_back(line);
    }
  }
  void remove(FactKind, std::string_view space, std::string_view name,
              std::string_view uid) override {
    lines.push_back("gone " + std::string(space) + "/" + std::string(name) + " " +
                    std::string(uid));
  }
  void keep_only(FactKind kind, std::vector<PodName> names) override {
    if (kind != FactKind::kPod && kind != FactKind::kNode) return;
    std::string line = "only";
    for (const PodName& name : names) line += " " + name.name;
    lines.push_back(line);
  }
  void answer(std::uint64_t ticket, BindAnswer answer) override {
    lines.push_back("bind " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(answer)));
  }
  void answer(std::uint64_t ticket, const PodReading& reading) override {
    lines.push_back("read " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(reading.kind)) + " " + reading.uid.str() + " " +
                    reading.node.str() + (reading.is_finished ? " finished" : ""));
  }
  void answer(std::uint64_t ticket, EvictAnswer answer) override {
    lines.push_back("evict " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(answer)));
  }
  void answer(std::uint64_t ticket, ClaimAnswer answer) override {
    lines.push_back("claim " + std::to_string(ticket) + ": " +
                    std::to_string(static_cast<int>(answer)));
  }
  void rest(Nanos how_long) override {
    lines.push_back("rest " + std::to_string(how_long.count() / 1'000'000) + " ms");
  }
  void failed(const Error& error) override { lines.push_back("failed: " + error.what); }
  std::vector<std::string> take() { return std::exchange(lines, {}); }
};

inline std::string pod(const std::string& name, const std::string& node = "",
                       const std::string& cpu = "1") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"shop","uid":"u-)" + name + R"("},"spec":{"nodeName":")" + node +
         R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]}})";
}

inline std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

inline std::string list(const std::string& kind, const std::string& items,
                        const std::string& next = "") {
  return R"({"kind":")" + kind +
         R"(","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":")" + next +
         R"("},"items":[)" + items + "]}";
}

using Lines = std::vector<std::string>;

struct Fixture {
  ScriptedApi api;
  FixedClock clock;
  Notes notes;
  ApiCluster cluster;

  explicit Fixture(ApiClusterOptions options) : cluster(api, clock, clock, std::move(options)) {}

  Fixture() : Fixture(ApiClusterOptions{}) {}

  void turn() { REQUIRE(cluster.wait(Nanos{0}, notes)); }
  /// Sends what waited for more of its kind.
  void gather() {
    clock.time += Micros{25'000};
    turn();
  }
  /// Everything is listed, and empty but for these.
  void sync(const std::string& nodes, const std::string& pods) {
    turn();
    for (const auto& [ticket, request] : std::map(api.asked)) {
      const bool is_nodes = request.target.starts_with("/api/v1/nodes?");
      const bool is_pods = request.target.starts_with("/api/v1/pods?");
      api.say(ticket, 200,
              is_nodes  ? list("NodeList", nodes)
              : is_pods ? list("PodList", pods)
                        : list("List", ""));
    }
    turn();
    turn();
    REQUIRE(cluster.is_synced());
    notes.take();
  }
};

}  // namespace gedge::api_test
