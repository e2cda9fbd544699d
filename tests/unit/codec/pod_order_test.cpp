#include "codec/pod_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "codec/flat_index.hpp"
#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

auto key(const Pod& pod) {
  return std::tie(pod.namespace_name, pod.workload_name, pod.workload_kind, pod.ordinal, pod.name);
}

std::vector<Pod> random_pods(Dice& dice, std::size_t count) {
  const std::vector<std::string> spaces = {"a", "default", "prod"};
  const std::vector<std::string> kinds = {"Deployment", "Pod", "Job"};
  const std::vector<std::string> starts = {"", "web-of-many-servers-", "caf\xC3\xA9",
                                           std::string(260, 'w')};
  const std::string start = dice.pick(starts);
  std::vector<Pod> pods(count);
  for (std::size_t i = 0; i < count; ++i) {
    pods[i].namespace_name = dice.pick(spaces);
    pods[i].workload_kind = dice.pick(kinds);
    std::string name = start + std::to_string(dice.below(40));
    if (dice.chance(30)) name += "-0123456789-" + std::to_string(dice.below(3));
    pods[i].workload_name = name;
    pods[i].ordinal = dice.between(-1, 3);
    pods[i].name = "p" + std::to_string(i);
  }
  return pods;
}

TEST_CASE("pod order: by namespace, workload, ordinal and name, whatever the names begin with") {
  Dice dice(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<Pod> pods = random_pods(dice, dice.below(300));
    std::vector<Pod> expected = pods;
    std::sort(expected.begin(), expected.end(),
              [](const Pod& a, const Pod& b) { return key(a) < key(b); });
    codec::sort_pods(pods);
    REQUIRE(pods.size() == expected.size());
    for (std::size_t i = 0; i < pods.size(); ++i) REQUIRE(key(pods[i]) == key(expected[i]));
  }
}

TEST_CASE("flat index: values of equal hashes are told apart, also while it grows") {
  const std::uint64_t hashes[] = {0, 1, std::uint64_t{5} << 32, ~std::uint64_t{0}};
  codec::FlatIndex index;
  std::vector<std::uint32_t> values;
  const auto hash_of = [&](std::uint32_t value) { return hashes[value % 4]; };
  for (std::uint32_t value = 0; value < 500; ++value) {
    const auto same = [&](std::uint32_t at) { return values[at] == value; };
    CHECK(index.find(hash_of(value), 9999, same) == 9999);
    CHECK(index.find_or_add(hash_of(value), value, same) == value);
    values.push_back(value);
  }
  for (std::uint32_t value = 0; value < 500; ++value) {
    const auto same = [&](std::uint32_t at) { return values[at] == value; };
    CHECK(index.find(hash_of(value), 9999, same) == value);
    CHECK(index.find_or_add(hash_of(value), 9999, same) == value);
  }
}

}  // namespace
}  // namespace gedge
