#include "gedge/model/image_pool.hpp"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace gedge;

TEST_CASE("node image: equal ones are equal, shared or not") {
  const NodeImage a({"web:1", "web@sha256:11"}, 40), same({"web:1", "web@sha256:11"}, 40);
  CHECK(sizeof(NodeImage) == sizeof(void*));
  CHECK(a == same);
  CHECK(a.hash() == same.hash());
  CHECK_FALSE(a == NodeImage({"web:1", "web@sha256:11"}, 41));
  CHECK_FALSE(a == NodeImage({"web@sha256:11", "web:1"}, 40));
  CHECK_FALSE(a == NodeImage());
  CHECK(NodeImage() == NodeImage());
  CHECK(NodeImage().names().empty());
  CHECK(NodeImage().size_bytes() == 0);
}

TEST_CASE("image pool: what nodes report is kept once, whoever says it first") {
  ImagePool pool;
  const std::array<std::string_view, 2> names{"web:1", "web@sha256:11"};
  const NodeImage read = pool.of(names, 40);
  CHECK(read.names() == std::vector<std::string>{"web:1", "web@sha256:11"});
  std::vector<NodeImage> images{NodeImage({"web:1", "web@sha256:11"}, 40),
                                NodeImage({"web:1", "web@sha256:11"}, 50)};
  pool.share(images);
  CHECK(&images[0].names() == &read.names());
  CHECK(&pool.of(names, 40).names() == &read.names());
  CHECK(&pool.of(names, 50).names() == &images[1].names());
  CHECK(images[1].size_bytes() == 50);
  CHECK(pool.size() == 2);
}

TEST_CASE("image pool: what no node reports any more goes") {
  ImagePool pool;
  const NodeImage kept = pool.of({}, -1);
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<NodeImage> images{NodeImage({"web:" + std::to_string(i)}, i)};
    pool.share(images);
    most = std::max(most, pool.size());
  }
  CHECK(most <= 2'048);
  CHECK(&pool.of({}, -1).names() == &kept.names());
}
