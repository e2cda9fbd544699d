#include "gedge/base/secret.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <new>
#include <ostream>
#include <string>
#include <utility>

namespace gedge {

template <typename T>
concept Printed = requires(std::ostream& out, const T& value) {
  out << value;
};

TEST_CASE("secret: what it holds is told to who asks, and to no stream") {
  static_assert(!Printed<Secret> && !std::convertible_to<Secret, std::string>);
  Secret secret(std::string(100, 's'));
  const Secret copy = secret;
  CHECK(copy.reveal() == std::string(100, 's'));
  CHECK((copy == secret));
  const Secret moved = std::move(secret);
  CHECK(moved.reveal().size() == 100);
  CHECK(Secret().empty());
}

TEST_CASE("secret: a small one leaves nothing where it was") {
  alignas(Secret) unsigned char room[sizeof(Secret)] = {};
  auto* const secret = new (room) Secret(std::string(8, 's'));
  secret->~Secret();
  const std::string left(reinterpret_cast<const char*>(room), sizeof room);
  CHECK(left.find("ss") == std::string::npos);
}

}  // namespace gedge
