#include "gedge/verify/clusters.hpp"

#include <doctest/doctest.h>

namespace gedge {
namespace {

NameIndex at(std::uint32_t i) { return NameIndex{i}; }

RttMatrix path_of_three() {
  RttMatrix matrix({"a", "b", "c"});
  matrix.set(at(0), at(1), Rtt{4});
  matrix.set(at(1), at(0), Rtt{5});
  matrix.set(at(2), at(1), Rtt{5});
  return matrix;
}

TEST_CASE("verify clusters: cliques of all names hold, at the limit too") {
  CHECK(verify_clusters(path_of_three(), Rtt{5}, clusters_of({0, 0, 1}, 2)).empty());
  CHECK(verify_clusters(path_of_three(), Rtt{5}, clusters_of({0, 1, 1}, 2)).empty());
  CHECK(verify_clusters(RttMatrix(), Rtt{5}, {}).empty());
}

TEST_CASE(
    "verify clusters: pairs over the limit, in any direction, and unmeasured ones are named") {
  using Texts = std::vector<std::string>;
  CHECK(verify_clusters(path_of_three(), Rtt{4}, clusters_of({0, 0, 1}, 2)) ==
        Texts{"'a' and 'b' of one cluster are not within the limit"});
  CHECK(verify_clusters(path_of_three(), kMaxRtt, clusters_of({0, 1, 0}, 2)) ==
        Texts{"'a' and 'c' of one cluster are not within the limit"});
}

TEST_CASE("verify clusters: every name is in one cluster, and knows which") {
  Clusters clusters = clusters_of({0, 0, 1}, 2);
  clusters.cluster_of[1] = 1;
  CHECK(verify_clusters(path_of_three(), Rtt{5}, clusters).size() == 1);
  clusters = clusters_of({0, 0, 1}, 2);
  clusters.members[1] = {at(2), at(1)};
  CHECK(verify_clusters(path_of_three(), Rtt{5}, clusters).size() == 2);
  clusters.members[1].clear();
  CHECK(verify_clusters(path_of_three(), Rtt{5}, clusters).size() == 2);
  clusters = {};
  CHECK(verify_clusters(path_of_three(), Rtt{5}, clusters).size() == 4);
}

}  // namespace
}  // namespace gedge
