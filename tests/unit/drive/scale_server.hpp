// scale_server.hpp - an API server with an autoscaler, its workload and its metrics, for tests of
// the loop that scales.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scaler.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/wall_clock.hpp"
#include "gedge/sim/scripted_api.hpp"

namespace gedge {

struct FixedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'341'600; }
};

/// Answers by itself, from what it is told to have, all but watches and what is about a lease.
struct ScaleServer final : ApiTransport {
  ScriptedApi api;
  std::vector<std::string> asked;  // of that
  std::vector<std::string> bodies;
  unsigned lists = 200, metrics = 200, writes = 200;
  std::string hpa, pods, usage;
  std::map<std::string, std::int32_t> replicas;  // of workloads; of others: 1
  std::map<std::string, std::string> workloads;  // by name, whole
  unsigned listing = 200;                        // what a list of them is answered
  std::function<void()> on_wait = [] {};
  std::string withheld;           // writes there are not answered
  std::uint64_t unsaid = 0;       // the last of them
  std::vector<Nanos> write_ends;  // by when each has to be over

  void send(std::uint64_t ticket, ApiRequest request) override {
    const std::string target = request.target;
    const bool is_left = request.is_stream || request.lane == ApiLane::kLease;
    const ApiVerb verb = request.verb;
    const std::string body = request.body;
    if (!is_left && verb != ApiVerb::kGet)
      write_ends.push_back(request.ends_by_then ? request.send_by : Nanos::max());
    api.send(ticket, std::move(request));
    if (is_left) return;
    asked.push_back(target);
    if (!body.empty()) bodies.push_back(body);
    if (verb != ApiVerb::kGet && target == withheld)
      unsaid = ticket;
    else
      answer(ticket, verb, target);
  }
  void answer(std::uint64_t ticket, ApiVerb verb, const std::string& target) {
    const auto list = [](const std::string& kind, const std::string& items) {
      return R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{"resourceVersion":"5"},)" +
             R"("items":[)" + items + "]}";
    };
    if (target.find("/metrics.k8s.io/") != std::string::npos)
      api.say(ticket, metrics, list("PodMetricsList", usage));
    else if (target.ends_with("/scale") && verb == ApiVerb::kGet)
      api.say(ticket, 200, scale_of(target));
    else if (target.find("/deployments?limit=") != std::string::npos)
      api.say(ticket, listing, list("DeploymentList", all_workloads()));
    else if (verb == ApiVerb::kGet && target.find("/deployments/") != std::string::npos)
      api.say(ticket, 200, workloads[target.substr(target.rfind('/') + 1)]);
    else if (verb != ApiVerb::kGet)
      api.say(ticket, target.ends_with("/scale") ? writes : 200, "{}");
    else if (target.find("pods") != std::string::npos)
      api.say(ticket, lists, list("PodList", pods));
    else
      api.say(ticket, lists, list("HorizontalPodAutoscalerList", hpa));
  }
  /// ".../namespaces/SPACE/deployments/NAME/scale".
  std::string scale_of(const std::string& target) const {
    std::vector<std::string> parts;
    std::istringstream text(target);
    for (std::string part; std::getline(text, part, '/');) parts.push_back(std::move(part));
    const std::string &space = *(parts.end() - 4), &name = *(parts.end() - 2);
    const auto known = replicas.find(name);
    const std::string count = std::to_string(known == replicas.end() ? 1 : known->second);
    return R"({"metadata":{"name":")" + name + R"(","namespace":")" + space + R"(","uid":")" +
           name + R"(-uid","resourceVersion":"9"},"spec":{"replicas":)" + count +
           R"(},"status":{"replicas":)" + count + R"(,"selector":"app=)" + name + R"("}})";
  }
  std::string all_workloads() const {
    std::string items;
    for (const auto& [name, whole] : workloads) items += (items.empty() ? "" : ",") + whole;
    return items;
  }
  void cancel(std::uint64_t ticket) override { api.cancel(ticket); }
  Status wait(Nanos most, const ApiListener& listener) override {
    on_wait();
    return api.wait(most, listener);
  }
  void wake() override { api.wake(); }
};

inline void fill(ScaleServer& server) {
  server.hpa =
      R"({"metadata":{"name":"web","namespace":"shop","uid":"h","generation":1},"spec":{)"
      R"("minReplicas":1,"maxReplicas":5,"scaleTargetRef":{"apiVersion":"apps/v1",)"
      R"("kind":"Deployment","name":"web"},"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
      R"("target":{"type":"Utilization","averageUtilization":50}}}]}})";
  server.pods =
      R"({"metadata":{"name":"a","namespace":"shop","labels":{"app":"web"}},"spec":{)"
      R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{)"
      R"("phase":"Running","startTime":"2026-11-22T08:00:00Z","conditions":[{"type":"Ready",)"
      R"("status":"True","lastTransitionTime":"2026-11-22T08:00:00Z"}]}})";
  server.usage =
      R"({"metadata":{"name":"a","namespace":"shop"},"timestamp":"2026-11-22T09:59:50Z",)"
      R"("window":"15s","containers":[{"name":"c","usage":{"cpu":"1"}}]})";
}

inline ScalerOptions own() {
  ScalerOptions options;
  options.owns_objects = true;
  return options;
}

}  // namespace gedge
