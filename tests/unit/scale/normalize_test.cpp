// Windows and policies of 1.36: what 1.20 answers is in tests/conformance/hpa_test.cpp.
#include "gedge/scale/normalize.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using namespace gedge;

constexpr UnixSeconds kNow = 1'000'000;

struct Case {
  ScaleHistory history;
  ScaleSettings settings;
  NormalizedScale ask(std::int32_t current, std::int32_t desired, std::int32_t max,
                      const ScalingBehavior* behavior, UnixSeconds now = kNow) {
    return normalize({current, desired, 1, max}, behavior, history, now, settings);
  }
};

TEST_CASE("V24: from 3, 20 are asked for: 6 without behavior, 7 with the default one") {
  const ScalingBehavior defaults;
  Case without, with;
  CHECK(without.ask(3, 20, 50, nullptr).replicas == 6);
  const NormalizedScale scale = with.ask(3, 20, 50, &defaults);
  CHECK(scale.replicas == 7);
  CHECK(scale.limited.is_true);
  CHECK(scale.limited.reason == ScaleReason::kScaleUpLimit);
}

TEST_CASE("the highest recommendation of five minutes holds a scale-down back") {
  Case test;
  test.history.recommendations = {{8, kNow - 299}};
  const NormalizedScale held = test.ask(8, 2, 50, nullptr);
  CHECK(held.replicas == 8);
  CHECK(held.able.reason == ScaleReason::kScaleDownStabilized);
  CHECK(test.ask(8, 2, 50, nullptr, kNow + 10).replicas == 2);
}

TEST_CASE("windows hold in both directions at once since 1.36") {
  ScalingBehavior behavior;
  behavior.up.window_s = 120;
  Case test;
  test.history.recommendations = {{4, kNow - 100}, {9, kNow - 200}};
  CHECK_MESSAGE(test.ask(6, 10, 50, &behavior).replicas == 6, "4 is too few, 10 not long enough");
  Case old;
  old.settings.compat = Compat::k1_20;
  old.history.recommendations = {{4, kNow - 100}, {9, kNow - 200}};
  CHECK_MESSAGE(old.ask(6, 10, 50, &behavior).replicas == 4, "1.20 goes to the other side");
}

TEST_CASE("policies count the changes of both directions since 1.36") {
  ScalingBehavior behavior;
  behavior.up.policies = {{PolicyUnit::kPodCount, 3, 60}};
  Case test;
  test.history.downs = {{2, kNow - 30, false}};
  CHECK(test.ask(5, 20, 50, &behavior).replicas == 10);
  Case old;
  old.settings.compat = Compat::k1_20;
  old.history.downs = {{2, kNow - 30, false}};
  CHECK(old.ask(5, 20, 50, &behavior).replicas == 8);
}

TEST_CASE("Min takes the smaller change, Disabled none") {
  ScalingBehavior behavior;
  behavior.up.select = SelectPolicy::kMin;
  behavior.down.select = SelectPolicy::kDisabled;
  behavior.down.window_s = 0;
  Case test;
  CHECK(test.ask(10, 40, 50, &behavior).replicas == 14);
  const NormalizedScale kept = test.ask(10, 2, 50, &behavior);
  CHECK(kept.replicas == 10);
  CHECK(kept.limited.reason == ScaleReason::kScaleDownLimit);
}

TEST_CASE("a percentage is rounded up on the way up and down on the way down") {
  ScalingBehavior behavior;
  behavior.up.policies = {{PolicyUnit::kPercent, 10, 60}};
  behavior.down.policies = {{PolicyUnit::kPercent, 10, 60}};
  behavior.down.window_s = 0;
  Case up, down;
  CHECK(up.ask(3, 20, 50, &behavior).replicas == 4);
  CHECK(down.ask(9, 1, 50, &behavior).replicas == 8);
}

TEST_CASE("bounds come last, whatever was recommended") {
  Case test;
  CHECK(normalize({3, 0, 2, 9}, nullptr, test.history, kNow, test.settings).replicas == 2);
  test.history = {};
  const NormalizedScale most = normalize({6, 12, 2, 9}, nullptr, test.history, kNow, test.settings);
  CHECK(most.replicas == 9);
  CHECK(most.limited.reason == ScaleReason::kTooManyReplicas);
}

TEST_CASE("the memory stays as long as a window has evaluations") {
  const ScalingBehavior behavior;
  Case test;
  for (int i = 0; i < 1'000; ++i) test.ask(5, 5 + i % 3, 50, &behavior, kNow + 15 * i);
  CHECK(test.history.recommendations.size() <= 300 / 15 + 2);
  for (int i = 0; i < 1'000; ++i)
    record_change(5, i % 2 == 0 ? 6 : 4, &behavior, test.history, kNow + 15 * i);
  CHECK(test.history.ups.size() <= 3);
  CHECK(test.history.downs.size() <= 3);
}

TEST_CASE("what was not done after all is taken from what was remembered then, and no more") {
  const ScalingBehavior behavior;
  ScaleHistory history;
  record_change(1, 3, &behavior, history, kNow);
  record_change(3, 6, &behavior, history, kNow);
  record_change(6, 7, &behavior, history, kNow + 15);
  record_change(7, 5, &behavior, history, kNow + 15);
  forget_change(4, history, kNow);
  CHECK(history.ups == std::vector<ScaleChange>{{1, kNow, false}, {1, kNow + 15, false}});
  forget_change(-5, history, kNow + 15);
  CHECK(history.downs.empty());
  CHECK(history.ups.size() == 2);
}

}  // namespace
