#include "drive/workload_lists.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/scale_loop.hpp"
#include "scale_server.hpp"

namespace gedge {
namespace {

constexpr Nanos kMinute{60'000'000'000};
const std::string kList = "/apis/apps/v1/namespaces/shop/deployments?limit=24";

std::string name_of(int number) { return "web-" + std::to_string(number); }

std::string workload(const std::string& name, const std::string& more = {}) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(-uid","resourceVersion":"9"},"spec":{"replicas":1,"selector":{"matchLabels":{"app":")" +
         name + R"("}},"template":{}},"status":{"replicas":1})" + more + "}";
}

std::vector<ScaleRead> reads(int count, const std::string& kind = "Deployment") {
  std::vector<ScaleRead> made;
  for (int i = 0; i < count; ++i)
    made.push_back({static_cast<std::uint64_t>(i + 1), "shop", {"apps/v1", kind, name_of(i)}});
  return made;
}

ApiAnswer listed(const std::vector<std::string>& items, unsigned status = 200) {
  ApiAnswer answer;
  answer.status = status;
  answer.body = R"({"kind":"DeploymentList","apiVersion":"apps/v1","items":[)";
  for (const std::string& item : items) answer.body += (&item == &items.front() ? "" : ",") + item;
  answer.body += "]}";
  return answer;
}

std::vector<std::string> workloads(int count, const std::string& more = {}) {
  std::vector<std::string> made;
  for (int i = 0; i < count; ++i) made.push_back(workload(name_of(i), more));
  return made;
}

TEST_CASE("workload lists: eight of a kind in a namespace, and none of them whole") {
  WorkloadLists lists;
  std::vector<ScaleRead> few = reads(7), many = reads(8), others = reads(9, "Gadget");
  CHECK(lists.take(few, Nanos{0}).empty());
  CHECK(few.size() == 7);
  CHECK(lists.take(others, Nanos{0}).empty());
  CHECK(others.size() == 9);
  many.push_back({99, "shop", {"apps/v1", "Deployment", "grows"}, true});
  many.push_back({98, "bank", {"apps/v1", "Deployment", "web"}});
  const auto taken = lists.take(many, Nanos{0});
  REQUIRE(taken.size() == 1);
  CHECK(taken.front().size() == 8);
  REQUIRE(many.size() == 2);
  CHECK(many[0].ticket + many[1].ticket == 99 + 98);
}

TEST_CASE("workload lists: what a list does not say is read alone") {
  WorkloadLists lists;
  std::vector<ScaleRead> asked = reads(10);
  std::vector<std::string> items = workloads(9);
  items[3] = R"({"metadata":{"name":"web-3","namespace":"shop"},"spec":{},"status":{}})";
  const auto readings = lists.answer(listed(items), asked, Nanos{0});
  CHECK(readings.size() == 8);
  for (const auto& [ticket, reading] : readings) {
    CHECK(reading.kind == ScaleReading::Kind::kFound);
    CHECK(reading.scale.name == name_of(static_cast<int>(ticket) - 1));
  }
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].target.name == "web-3");  // without a version nothing can be written
  CHECK(asked[1].target.name == "web-9");
  asked = reads(10);
  CHECK(lists.take(asked, Nanos{0}).size() == 1);
}

TEST_CASE("workload lists: kinds and namespaces are lists of their own, alone for themselves") {
  WorkloadLists lists;
  const auto mixed = [] {
    std::vector<ScaleRead> all = reads(8), sets = reads(8, "StatefulSet"), bank = reads(8);
    for (ScaleRead& one : bank) one.namespace_name = "bank";
    all.insert(all.end(), sets.begin(), sets.end());
    all.insert(all.end(), bank.begin(), bank.end());
    return all;
  };
  std::vector<ScaleRead> asked = mixed();
  const auto taken = lists.take(asked, Nanos{0});
  REQUIRE(taken.size() == 3);
  for (const std::vector<ScaleRead>& list : taken) {
    CHECK(list.size() == 8);
    for (const ScaleRead& read : list) {
      CHECK(read.namespace_name == list.front().namespace_name);
      CHECK(read.target.kind == list.front().target.kind);
    }
    CHECK(WorkloadLists::request(list)->target.ends_with("s?limit=16"));
  }
  std::vector<ScaleRead> refused = reads(8, "StatefulSet");
  CHECK(lists.answer(listed({}, 403), refused, Nanos{0}).empty());
  asked = mixed();
  CHECK(lists.take(asked, Nanos{0}).size() == 2);
  REQUIRE(asked.size() == 8);
  CHECK(asked.front().target.kind == "StatefulSet");
}

TEST_CASE("workload lists: a server that had no answer is asked for a list again in a minute") {
  for (const unsigned status : {0U, 429U, 500U, 503U}) {
    CAPTURE(status);
    WorkloadLists lists;
    std::vector<ScaleRead> asked = reads(9);
    CHECK(lists.answer(listed(workloads(9), status), asked, Nanos{0}).empty());
    CHECK(asked.size() == 9);
    CHECK(lists.take(asked, kMinute - Nanos{1}).empty());
    CHECK(lists.take(asked, kMinute).size() == 1);
  }
}

TEST_CASE("workload lists: where one is refused, too large or lacks most, none for ten minutes") {
  const std::string heavy = R"(,"note":")" + std::string(20'000, 'x') + R"(")";
  std::vector<std::string> foreign = workloads(9);
  for (std::string& one : foreign) one.replace(one.find("shop"), 4, "bank");
  const std::vector<std::pair<ApiAnswer, std::size_t>> cases{
      {listed({}, 403), 0},

      {listed({"<html>"}), 0}, {listed(workloads(4)), 4},       {listed({}), 0},
      {listed(foreign), 0},    {listed(workloads(9, heavy)), 9}};
  for (const auto& [answer, found] : cases) {
    CAPTURE(answer.body.substr(0, 200));
    WorkloadLists lists;
    std::vector<ScaleRead> asked = reads(9);
    CHECK(lists.answer(answer, asked, kMinute).size() == found);
    CHECK(asked.size() == 9 - found);
    asked = reads(9);
    CHECK(lists.take(asked, 10 * kMinute).empty());
    CHECK(asked.size() == 9);
    CHECK(lists.take(asked, 11 * kMinute).size() == 1);
    CHECK(asked.empty());
  }
}

// What is written, and how often each path was asked for.
std::pair<std::vector<std::string>, std::map<std::string, int>> one_pass(unsigned listing) {
  ScaleServer server;
  fill(server);
  const std::string hpa = std::exchange(server.hpa, ""), pod = std::exchange(server.pods, ""),
                    usage = std::exchange(server.usage, "");
  const auto add = [](std::string& list, std::string item, const std::string& from,
                      const std::string& to) {
    for (std::size_t at = 0; (at = item.find(from, at)) != std::string::npos; at += to.size())
      item.replace(at, from.size(), to);
    list += (list.empty() ? "" : ",") + item;
  };
  for (int i = 0; i < 12; ++i) {
    add(server.hpa, hpa, R"("web")", '"' + name_of(i) + '"');
    std::string own = pod;
    own.replace(own.find(R"("a")"), 3, R"("pod-)" + std::to_string(i) + '"');
    add(server.pods, own, R"("web")", '"' + name_of(i) + '"');
    add(server.usage, usage, R"("a")", R"("pod-)" + std::to_string(i) + '"');
    server.workloads[name_of(i)] = workload(name_of(i));
  }
  server.listing = listing;
  FixedClock clock;
  ScaleLoopOptions options;
  options.is_one_pass = true;
  options.autoscaling = "autoscaling/v2beta2";
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, ScaleEvents());
  REQUIRE(loop.run());
  std::map<std::string, int> asked;
  for (const std::string& path : server.asked) ++asked[path];
  std::vector<std::string> written;
  for (const std::string& body : server.bodies)
    if (body.find(R"("kind":"Scale")") != std::string::npos) written.push_back(body);
  return {written, asked};
}

TEST_CASE("scale loop: twelve workloads are one list, and are scaled as if each were read alone") {
  const auto [by_list, asked_list] = one_pass(200);
  const auto [alone, asked_alone] = one_pass(403);
  REQUIRE(by_list.size() == 12);
  CHECK(by_list == alone);
  CHECK(asked_list.at(kList) == 1);
  CHECK(asked_alone.at(kList) == 1);
  for (int i = 0; i < 12; ++i) {
    const std::string scale = "/apis/apps/v1/namespaces/shop/deployments/" + name_of(i) + "/scale";
    CHECK(asked_list.at(scale) == 1);   // written
    CHECK(asked_alone.at(scale) == 2);  // read and written
  }
}

}  // namespace
}  // namespace gedge
