// Reading the conformance vectors: one JSON object a line.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/paths.hpp"

namespace gedge::test {

/// Calls `check(vector)` for each line of `file`; a file without vectors is a failure.
template <typename Check>
void for_each_vector(const std::string& file, Check check) {
  const std::filesystem::path path = conformance_dir() / file;
  std::ifstream in(path);
  REQUIRE_MESSAGE(in.good(), "cannot read " << path.string());
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const auto vector = nlohmann::json::parse(line);
    INFO("id: " << vector.at("id").get<std::string>());
    check(vector);
    ++count;
  }
  CHECK_MESSAGE(count > 0, "no vectors in " << path.string());
}

/// Fails with the vector's id (from the scope above), the field, expected and got.
template <typename T>
void expect_equal(const std::string& field, const T& expected, const T& got) {
  CHECK_MESSAGE(expected == got, field << ": expected " << expected << ", got " << got);
}

}  // namespace gedge::test
