#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "gedge/codec/api_requests.hpp"

namespace gedge::codec {
namespace {

TEST_CASE("refusal: what a server was asked with is not told, whoever repeats it") {
  for (const auto& [body, told] :
       {std::pair<const char*, const char*>{
            "GET / HTTP/1.1\nAuthorization: Bearer s3cret-of-16-chr\nA: b",
            "GET / HTTP/1.1\nAuthorization: Bearer [redacted]\n"
            "A: b"},
        {R"({"message":"no 'Bearer s3cret-of-16-chr', nor \"Basic s3cret-of-16-chr\""})",
         R"(no 'Bearer [redacted]', nor "Basic [redacted]")"},
        {"Bearer s3cret-of-16-chr", "Bearer [redacted]"},
        {"authorization: bearer s3cret-of-16-chr", "authorization: bearer [redacted]"},
        {"Basic authentication is off", "Basic authentication is off"},
        {"Bearer ", "Bearer "},
        {R"({"message":"not you"})", "not you"},
        {"<html>", "<html>"}}) {
    ApiAnswer answer;
    answer.status = 403;
    answer.body = body;
    const Error error = refusal(answer, "no lists");
    CHECK(error.what == std::string("no lists: the server says 403: ") + told);
    CHECK(error.code == Errc::kDenied);
  }
}

}  // namespace
}  // namespace gedge::codec
