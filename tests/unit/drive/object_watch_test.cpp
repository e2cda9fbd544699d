#include "drive/object_watch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gedge/sim/scripted_api.hpp"

namespace gedge {
namespace {

constexpr Nanos kSecond{1'000'000'000};
constexpr const char* kPath = "/apis/autoscaling/v2/horizontalpodautoscalers";

std::string autoscaler(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","resourceVersion":"6"},)" +
         R"("spec":{"maxReplicas":5,"scaleTargetRef":{"kind":"Deployment","name":")" + name +
         R"("}}})";
}

/// A watch of autoscalers, and what it has told.
struct Site {
  ScriptedApi api;
  std::vector<std::string> known, failures;
  ObjectWatch watch;
  std::uint64_t last_ticket = 0;
  Nanos now = kSecond;

  Site()
      : watch({kPath, "autoscaling/v2", "HorizontalPodAutoscalerList", true}, listener(), 1, {}) {
    list(autoscaler("web"));
    advance(Nanos{0});
    watch.opened(now);
    REQUIRE(known == std::vector<std::string>{"web"});
    REQUIRE(watch.is_synced());
  }
  ObjectWatch::Listener listener() {
    ObjectWatch::Listener to;
    to.put = [this](ScaleFacts&& facts) {
      for (const Autoscaler& one : facts.autoscalers) known.push_back(one.name);
    };
    to.remove = [this](const std::string&, const std::string& name) { std::erase(known, name); };
    to.keep_only = [this](const std::vector<PodName>& names) {
      std::erase_if(known, [&names](const std::string& name) {
        return std::find(names.begin(), names.end(), PodName{"shop", name}) == names.end();
      });
    };
    to.failed = [this](const Error& error) { failures.push_back(error.what); };
    return to;
  }
  void advance(Nanos later) {
    now += later;
    watch.advance(api, last_ticket, now);
  }
  void answer(unsigned status, const std::string& body) {
    REQUIRE(watch.ticket() != 0);
    ApiAnswer answer;
    answer.status = status;
    answer.body = body;
    watch.take(answer, now);
  }
  void list(const std::string& items) {
    advance(Nanos{0});
    answer(200, R"({"kind":"HorizontalPodAutoscalerList","apiVersion":"autoscaling/v2",)"
                R"("metadata":{"resourceVersion":"5"},"items":[)" +
                    items + "]}");
  }
};

TEST_CASE("object watch: what a server lacks for less than a minute is kept, and gone after it") {
  for (const int seconds : {30, 61}) {
    CAPTURE(seconds);
    Site at;
    at.answer(404, "{}");  // the watch
    at.advance(5 * kSecond);
    at.answer(404, "{}");
    CHECK(at.known == std::vector<std::string>{"web"});
    CHECK(at.failures.size() == 1);
    at.advance(seconds * kSecond);
    at.answer(404, "{}");
    CHECK(at.known.empty() == (seconds > 60));
    CHECK(at.watch.is_synced());
    at.advance(90 * kSecond);
    at.list(autoscaler("api"));
    CHECK(at.known == std::vector<std::string>{"api"});
  }
}

TEST_CASE("object watch: a change of a type that is not known is told once, and changes nothing") {
  Site at;
  for (int i = 0; i < 2; ++i)
    at.watch.take_line(at.api, R"({"type":"RENAMED","object":)" + autoscaler("other") + "}",
                       at.now);
  REQUIRE(at.failures.size() == 1);
  CHECK(at.failures[0] == std::string("the watch of ") + kPath +
                              " tells a change of type 'RENAMED', which is left alone, as those "
                              "that follow");
  CHECK(at.known == std::vector<std::string>{"web"});
  CHECK(at.watch.ticket() != 0);
}

}  // namespace
}  // namespace gedge
