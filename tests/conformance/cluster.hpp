// The Kubernetes objects of a vector through the readers that a user's files go through.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "gedge/codec/load.hpp"

namespace gedge::test {

/// `list`: of kind List, as `kubectl get -o json` prints it from a server 1.20.
inline Facts read_cluster(const nlohmann::json& list) {
  const std::string bytes = list.dump();
  FactsLoader loader({.compat = Compat::k1_20});
  loader.add_cluster({"cluster.json", bytes});
  LoadResult result = loader.finish();
  for (const Error& error : result.errors) MESSAGE(error.what);
  REQUIRE(result.loaded);
  return std::move(result.loaded->facts);
}

}  // namespace gedge::test
