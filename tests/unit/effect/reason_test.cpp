#include "gedge/effect/reason.hpp"

#include <doctest/doctest.h>

using namespace gedge;

namespace {

using Texts = std::vector<std::string>;

Texts old_texts(Reason reason, std::string subject = {}) {
  return reason_texts({.reason = reason, .subject = std::move(subject)}, Compat::k1_20);
}

Texts new_texts(Reason reason, std::string subject = {}) {
  return reason_texts({.reason = reason, .subject = std::move(subject)}, Compat::k1_36);
}

}  // namespace

TEST_CASE("reasons are worded as the version words them") {
  CHECK(old_texts(Reason::kUntoleratedTaint, "dedicated: ml") ==
        Texts{"node(s) had taint {dedicated: ml}, that the pod didn't tolerate"});
  CHECK(new_texts(Reason::kUntoleratedTaint, "dedicated: ml") ==
        Texts{"node(s) had untolerated taint(s)"});
  CHECK(old_texts(Reason::kNodeName) == Texts{"node(s) didn't match the requested hostname"});
  CHECK(new_texts(Reason::kNodeName) == Texts{"node(s) didn't match the requested node name"});
  CHECK(old_texts(Reason::kNodeAffinity) == Texts{"node(s) didn't match Pod's node affinity"});
  CHECK(new_texts(Reason::kNodeAffinity) ==
        Texts{"node(s) didn't match Pod's node affinity/selector"});
  CHECK(new_texts(Reason::kNodeAffinity, std::string(kAddedAffinity)) ==
        Texts{"node(s) didn't match scheduler-enforced node affinity"});
}

TEST_CASE("inter-pod affinity counts twice under 1.20") {
  CHECK(old_texts(Reason::kPodAntiAffinity) ==
        Texts{"node(s) didn't match pod affinity/anti-affinity",
              "node(s) didn't match pod anti-affinity rules"});
  CHECK(new_texts(Reason::kPodAntiAffinity) ==
        Texts{"node(s) didn't match pod anti-affinity rules"});
  CHECK(new_texts(Reason::kExistingAntiAffinity) ==
        Texts{"node(s) didn't satisfy existing pods anti-affinity rules"});
}

TEST_CASE("reasons name their subject where upstream does") {
  CHECK(new_texts(Reason::kInsufficient, "nvidia.com/gpu") == Texts{"Insufficient nvidia.com/gpu"});
  CHECK(new_texts(Reason::kTooManyPods, "pods") == Texts{"Too many pods"});
  CHECK(new_texts(Reason::kClaimMissing, "data") ==
        Texts{"persistentvolumeclaim \"data\" not found"});
  CHECK(old_texts(Reason::kClaimTerminating, "data") ==
        Texts{"persistentvolumeclaim \"data\" is being deleted"});
  CHECK(old_texts(Reason::kClaimNotOwned, "data") ==
        Texts{"persistentvolumeclaim \"data\" was not created for the pod"});
  CHECK(new_texts(Reason::kOverBudget, "edge-1") ==
        Texts{"node(s) were over the delay budget from edge-1"});
  CHECK(new_texts(Reason::kUnmeasuredRtt, "edge-1") ==
        Texts{"node(s) had no measured RTT from edge-1"});
  CHECK(new_texts(Reason::kModule, "too hot") == Texts{"too hot"});
}

TEST_CASE("units have the names of the JSON surface") {
  CHECK(to_string(Unit::kNone).empty());
  CHECK(to_string(Unit::kMilliCpu) == "milliCpu");
  CHECK(to_string(Unit::kBytes) == "bytes");
  CHECK(to_string(Unit::kCount) == "count");
  CHECK(to_string(Unit::kMicros) == "us");
  CHECK(to_string(Unit::kThousandths) == "thousandths");
}
