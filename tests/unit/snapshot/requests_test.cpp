#include "snapshot/requests.hpp"

#include <doctest/doctest.h>

using namespace gedge;

namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;

Container container(Resources requests, bool restartable = false) {
  return {"c", "image", std::move(requests), {}, restartable};
}

}  // namespace

TEST_CASE(
    "requests: the larger of the app containers and each init container counts, per resource") {
  PodSpec spec;
  spec.containers = {container({{"cpu", 100}, {"memory", 10}}),
                     container({{"cpu", 200}, {"memory", 10}})};
  spec.init_containers = {container({{"cpu", 250}, {"memory", 50}}), container({{"cpu", 400}})};
  const RequestTotals totals = total_requests(spec, Compat::k1_36);
  CHECK(totals.requests().amount("cpu") == 400);
  CHECK(totals.requests().amount("memory") == 50);
}

TEST_CASE("requests: a sidecar runs beside the app and beside the init containers after it") {
  PodSpec spec;
  spec.containers = {container({{"cpu", 100}})};
  spec.init_containers = {container({{"cpu", 300}}), container({{"cpu", 50}}, true),
                          container({{"cpu", 280}})};
  CHECK(total_requests(spec, Compat::k1_36).requests().amount("cpu") == 330);
  CHECK(total_requests(spec, Compat::k1_20).requests().amount("cpu") == 300);
}

TEST_CASE("requests: overhead is added once, and as whole cores to the incoming pod under 1.20") {
  PodSpec spec;
  spec.containers = {container({{"cpu", 100}})};
  spec.overhead = {{"cpu", 250}, {"memory", 5}};
  const RequestTotals now = total_requests(spec, Compat::k1_36);
  CHECK(now.requests().amount("cpu") == 350);
  CHECK(now.incoming_cpu_m == 350);
  const RequestTotals then = total_requests(spec, Compat::k1_20);
  CHECK(then.requests().amount("cpu") == 350);
  CHECK(then.score_cpu_m == 350);
  CHECK(then.incoming_cpu_m == 101);
}

TEST_CASE("requests: stand-ins replace missing requests only, not an explicit zero") {
  PodSpec spec;
  spec.containers = {container({}), container({{"cpu", 0}, {"memory", 0}})};
  const RequestTotals totals = total_requests(spec, Compat::k1_36);
  CHECK(totals.score_cpu_m == 100);
  CHECK(totals.score_memory == 200 * kMi);
  CHECK(totals.requests().amount("cpu") == 0);
}

TEST_CASE("requests: pod-level requests replace the containers' sum since 1.36") {
  PodSpec spec;
  spec.containers = {container({{"cpu", 100}, {"memory", 10}})};
  spec.pod_requests = Resources{{"cpu", 700}};
  CHECK(total_requests(spec, Compat::k1_36).requests().amount("cpu") == 700);
  CHECK(total_requests(spec, Compat::k1_36).requests().amount("memory") == 10);
  CHECK(total_requests(spec, Compat::k1_20).requests().amount("cpu") == 100);
}

TEST_CASE("requests: sums saturate") {
  CHECK(add_saturated(INT64_MAX, 1) == INT64_MAX);
  CHECK(add_saturated(INT64_MIN, -1) == INT64_MIN);
  CHECK(add_saturated(INT64_MAX - 1, 1) == INT64_MAX);
}
