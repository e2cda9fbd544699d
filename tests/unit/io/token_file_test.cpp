#include "gedge/io/token_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/folder.hpp"
#include "unit/io/certificates.hpp"

namespace gedge {
namespace {

const std::string kOld = "0123456789abcdef", kNew = "fedcba9876543210-and-more";

std::string problem(const test::Folder& folder, const std::string& text) {
  const auto tokens = TokenFile::open(folder.put("tokens", text));
  REQUIRE_FALSE(tokens);
  CHECK(tokens.error().code == Errc::kInvalidInput);
  CHECK(tokens.error().what.find(text) == std::string::npos);
  return std::to_string(tokens.error().where.line) + ' ' + tokens.error().what;
}

}  // namespace

TEST_CASE("token file: each of its tokens is accepted, and nothing that is nearly one") {
  const test::Folder folder;
  const auto tokens = TokenFile::open(folder.put("tokens", "\n  " + kOld + " \r\n\n" + kNew));
  REQUIRE(tokens);
  CHECK(tokens->accepts(kOld));
  CHECK(tokens->accepts(kNew));
  for (const std::string& wrong :
       {std::string(), kOld + "0", kOld.substr(1), " " + kOld, kOld + "\n" + kNew,
        std::string("0123456789ABCDEF"), std::string(1'000'000, 'x')})
    CHECK_FALSE(tokens->accepts(wrong));
}

TEST_CASE("token file: what changes is read again, what is wrong then changes nothing") {
  const test::Folder folder;
  auto tokens = TokenFile::open(folder.put("tokens", kOld + "\n"));
  REQUIRE(tokens);
  CHECK(tokens->refresh());
  folder.put("tokens", kOld + "\n" + kNew + "\n");
  CHECK_FALSE(tokens->accepts(kNew));
  CHECK(tokens->refresh());
  CHECK(tokens->accepts(kOld));
  CHECK(tokens->accepts(kNew));
  folder.put("tokens", kNew + "\n");
  CHECK(tokens->refresh());
  CHECK_FALSE(tokens->accepts(kOld));
  CHECK(tokens->accepts(kNew));

  folder.put("tokens", "short\n");
  CHECK_FALSE(tokens->refresh());
  CHECK(tokens->refresh());  // said once
  CHECK(tokens->accepts(kNew));
  folder.remove("tokens");
  CHECK_FALSE(tokens->refresh());
  CHECK(tokens->refresh());
  CHECK(tokens->accepts(kNew));
  folder.put("tokens", kOld + "\n");
  CHECK(tokens->refresh());
  CHECK(tokens->accepts(kOld));
  CHECK_FALSE(tokens->accepts(kNew));
}

TEST_CASE("token file: what is wrong, without the token itself") {
  const test::Folder folder;
  CHECK(problem(folder, " \n\t\r\n") == "0 there is no token in the file");
  CHECK(problem(folder, "\n0123456789abcde") ==
        "2 a token of fewer than 16 characters can be guessed");
  CHECK(problem(folder, std::string(4'097, 'x')) == "1 a token has more than 4096 characters");
  CHECK(problem(folder, "0123456789 abcdef") == "1 a token has characters that no header carries");
  CHECK(problem(folder, "0123456789abcdef\xff") ==
        "1 a token has characters that no header carries");
  const auto missing = TokenFile::open(folder / "nowhere");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Errc::kNotFound);
}

}  // namespace gedge
