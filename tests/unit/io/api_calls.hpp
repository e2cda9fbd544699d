// api_calls.hpp - an API client, and what it was told.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/io/api_client.hpp"

namespace gedge::test {

inline constexpr Nanos kPatience{60'000'000'000};  // far beyond what loopback takes

struct Calls {
  explicit Calls(const std::string& server, ApiLimits limits = {})
      : Calls(
            [&] {
              ApiEndpoint endpoint;
              endpoint.server = server;
              return endpoint;
            }(),
            limits) {}
  explicit Calls(ApiEndpoint endpoint, ApiLimits limits = {}) {
    auto opened = ApiClient::open(std::move(endpoint), limits);
    REQUIRE(opened);
    client = *std::move(opened);
    listen();
  }
  explicit Calls(std::unique_ptr<ApiClient> opened) : client(std::move(opened)) { listen(); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void listen() {
    listener.line = [this](std::uint64_t ticket, std::string_view line) {
      // 64 bytes behind it may be read.
      volatile char last = line.data()[line.size() + 63];
      static_cast<void>(last);
      lines[ticket].emplace_back(line);
    };
    listener.answer = [this](std::uint64_t ticket, ApiAnswer answer) {
      if (answer.status != 0) CHECK(answer.body.capacity() >= answer.body.size() + 64);
      REQUIRE(answers.emplace(ticket, std::move(answer)).second);
    };
  }

  void wait_for(std::size_t count) {
    while (answers.size() < count) REQUIRE(client->wait(kPatience, listener));
  }
  ApiAnswer ask(ApiRequest request) {
    const std::uint64_t ticket = next++;
    client->send(ticket, std::move(request));
    while (answers.count(ticket) == 0) REQUIRE(client->wait(kPatience, listener));
    return answers.at(ticket);
  }
  ApiAnswer get(const std::string& target = "/api") {
    return ask({ApiVerb::kGet, ApiLane::kRead, target, {}, {}});
  }

  std::unique_ptr<ApiClient> client;
  ApiListener listener;
  std::map<std::uint64_t, ApiAnswer> answers;
  std::map<std::uint64_t, std::vector<std::string>> lines;
  std::uint64_t next = 1;
};

inline ApiRequest request(ApiLane lane, std::string target = "/api") {
  ApiRequest request;
  request.lane = lane;
  request.target = std::move(target);
  return request;
}

inline ApiRequest bind_request() {
  ApiRequest post = request(ApiLane::kWrite, "/api/v1/namespaces/default/pods/p/binding");
  post.verb = ApiVerb::kPost;
  post.body = "{\"kind\": \"Binding\"}";
  post.content_type = "application/json";
  return post;
}

inline ApiRequest watch() {
  ApiRequest watch = request(ApiLane::kWatch, "/api/v1/pods?watch=true");
  watch.is_stream = true;
  return watch;
}

}  // namespace gedge::test
