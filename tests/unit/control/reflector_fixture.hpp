// A Reflector that is told what a test wants.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gedge/control/reflector.hpp"

namespace gedge::reflector_test {

inline constexpr Nanos kSecond{1'000'000'000};

inline WatchLine line(WatchType type, const std::string& version, int code = 0) {
  WatchLine made;
  made.type = type;
  made.version = version;
  made.code = code;
  return made;
}

/// A reflector that has listed at version 7 and watches from there, since second 10.
inline Reflector watching(std::uint64_t seed = 1) {
  Reflector reflector(seed);
  REQUIRE(reflector.advance(10 * kSecond)->is_list);
  REQUIRE(reflector.take_page({"7", ""}, 10 * kSecond));
  REQUIRE_FALSE(reflector.advance(10 * kSecond)->is_list);
  return reflector;
}

/// Watching, and refused until it waits for longer than half a minute, at second 100.
inline Reflector away(std::optional<Nanos> retry_after = std::nullopt, unsigned status = 503) {
  Reflector reflector = watching();
  Nanos now = 10 * kSecond;
  for (int i = 0; i < 8; ++i) {
    if (i > 0) now = *reflector.next();
    if (i > 0) REQUIRE(reflector.advance(now));
    reflector.failed(status, retry_after, now);
  }
  CHECK(*reflector.next() - now >= 30 * kSecond);
  return reflector;
}

}  // namespace gedge::reflector_test
