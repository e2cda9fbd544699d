#include "gedge/io/api_client.hpp"

#include <doctest/doctest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api_calls.hpp"
#include "talking_server.hpp"

namespace gedge {
namespace {

using test::After;
using test::bind_request;
using test::Calls;
using test::chunk;
using test::Heard;
using test::kChunked;
using test::kLastChunk;
using test::kPatience;
using test::request;
using test::Said;
using test::TalkingServer;
using test::watch;
using test::whole;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Said ok(const Heard&) { return {{whole("ok")}}; }

// The socket of our side that is connected to this port.
int socket_to(std::uint16_t port) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename().string());
    SocketAddress address{};
    socklen_t length = sizeof address;
    if (::getpeername(descriptor, &address.any, &length) != 0) continue;
    if (address.any.sa_family == AF_INET && from_socket_address(address).port == port)
      return descriptor;
  }
  return -1;
}

}  // namespace

TEST_CASE("api client: many requests, one connection, whatever they ask") {
  TalkingServer server(ok);
  Calls calls(server.url() + "/");
  for (int i = 0; i < 50; ++i) {
    const ApiAnswer answer = calls.get("/api/v1/pods?limit=1");
    CHECK(answer.status == 200);
    CHECK(answer.body == "ok");
  }
  CHECK(server.connections() == 1);
  const auto heard = server.heard();
  REQUIRE(heard.size() == 50);
  CHECK(heard[0].has("GET /api/v1/pods?limit=1 HTTP/1.1\r\n"));
  CHECK(heard[0].has("\r\nUser-Agent: gedge\r\n"));
  CHECK(heard[0].has("\r\nAccept: application/json\r\n"));
  CHECK_FALSE(heard[0].has("Accept-Encoding"));
}

TEST_CASE("api client: protobuf is asked for where it is read, or nothing is") {
  TalkingServer server(ok);
  Calls calls(server.url());
  for (const bool is_unread : {false, true, false})
    for (const bool may_be : {false, true}) {
      ApiRequest asked;
      asked.target = "/api/v1/pods";
      asked.is_answer_unread = is_unread;
      asked.takes_protobuf = may_be;
      REQUIRE(calls.ask(asked).status == 200);
      CHECK(server.heard().back().has(
          is_unread || may_be
              ? "\r\nAccept: application/vnd.kubernetes.protobuf, application/json\r\n"
              : "\r\nAccept: application/json\r\n"));
    }
}

TEST_CASE("api client: every verb with its body, on one handle after the other") {
  TalkingServer server([](const Heard& heard) {
    return Said{{whole(heard.head.substr(0, heard.head.find(' ')) + ' ' + heard.body)}};
  });
  Calls calls(server.url());
  const std::string large(3 << 20, 'x');
  const std::vector<std::pair<ApiVerb, std::string>> verbs{
      {ApiVerb::kPost, "POST "}, {ApiVerb::kGet, "GET "},     {ApiVerb::kPut, "PUT "},
      {ApiVerb::kGet, "GET "},   {ApiVerb::kPatch, "PATCH "}, {ApiVerb::kDelete, "DELETE "},
      {ApiVerb::kPost, "POST "}};
  for (const auto& [verb, name] : verbs)
    for (const std::string& body : {std::string("{}"), std::string(), large}) {
      if (verb == ApiVerb::kGet && !body.empty()) continue;
      ApiRequest asked = request(ApiLane::kWrite);
      asked.verb = verb;
      asked.body = body;
      if (!body.empty()) asked.content_type = "application/merge-patch+json";
      CHECK(calls.ask(asked).body == name + body);
      const Heard heard = server.heard().back();
      CHECK(heard.has("Content-Type: application/merge-patch+json\r\n") == !body.empty());
      CHECK_FALSE(heard.has("Expect"));
    }
  CHECK(server.connections() == 1);
}

TEST_CASE("api client: lanes have connections of their own, and a stuck one holds up no other") {
  TalkingServer server([](const Heard& heard) {
    return heard.has("stuck") ? Said{{}, After::kHang} : Said{{whole("ok")}};
  });
  Calls calls(server.url());
  constexpr std::array kLanes{ApiLane::kRead, ApiLane::kWrite, ApiLane::kLease, ApiLane::kEvent,
                              ApiLane::kWatch};
  calls.client->send(1'000, request(ApiLane::kWatch, "/stuck"));
  for (int round = 0; round < 3; ++round)
    for (const ApiLane lane : kLanes) CHECK(calls.ask(request(lane)).status == 200);
  // One each, and the one that is stuck.
  CHECK(server.connections() == kLanes.size() + 1);
  CHECK(calls.answers.count(1'000) == 0);
}

TEST_CASE("api client: many at once share no connection, more than allowed queue up") {
  TalkingServer server(ok);
  ApiLimits limits;
  limits.most_writes = 7;
  Calls calls(server.url(), limits);
  for (int round = 0; round < 5; ++round) {
    for (std::uint64_t i = 0; i < 100; ++i) calls.client->send(calls.next++, bind_request());
    calls.wait_for(static_cast<std::size_t>(round + 1) * 100);
  }
  for (const auto& [ticket, answer] : calls.answers) CHECK(answer.status == 200);
  CHECK(server.connections() <= 7);
  CHECK(server.heard().size() == 500);
}

TEST_CASE("api client: what waited until it was too late is not sent, also after a sleep") {
  struct Sleeper final : Clock {
    std::atomic<std::int64_t> slept{0};
    Micros now() const override { return steady_clock().now() + Micros(slept.load()); }
  } clock;
  TalkingServer server([&](const Heard&) {
    clock.slept = 3'600'000'000;  // timeouts do not count that
    return Said{{whole("ok")}};
  });
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  ApiLimits limits;
  limits.most_writes = 1;
  auto opened = ApiClient::open(endpoint, limits, {}, {}, clock);
  REQUIRE(opened);
  Calls calls(*std::move(opened));
  ApiRequest bind = bind_request();
  bind.send_by = Nanos(clock.now()) + Nanos{30'000'000'000};
  calls.client->send(1, bind);
  calls.client->send(2, bind);
  calls.client->send(3, bind_request());
  calls.wait_for(3);
  CHECK(calls.answers[1].status == 200);
  CHECK(calls.answers[2].status == 0);
  CHECK(calls.answers[2].was_not_sent);
  CHECK(has(calls.answers[2].error.what, "too late"));
  CHECK(calls.answers[3].status == 200);
  CHECK(server.heard().size() == 2);
}

TEST_CASE("api client: that a stream begins is said before its first line, and once") {
  TalkingServer server([](const Heard& heard) {
    if (heard.has("refused")) return Said{{"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"}};
    return Said{{kChunked, chunk("one\ntwo\n"), kLastChunk}};
  });
  Calls calls(server.url());
  std::string said;
  calls.listener.opened = [&](std::uint64_t ticket) { said += std::to_string(ticket) + '!'; };
  calls.listener.line = [&](std::uint64_t, std::string_view line) { said += line; };
  CHECK(calls.ask(watch()).status == 200);
  ApiRequest refused = watch();
  refused.target = "/refused";
  CHECK(calls.ask(refused).status == 410);
  CHECK(calls.get().status == 200);
  CHECK(said == "1!onetwo");
}

TEST_CASE("api client: a stream that has no line yet has begun all the same") {
  TalkingServer server([](const Heard&) { return Said{{kChunked}, After::kHang}; });
  Calls calls(server.url());
  bool is_open = false;
  calls.listener.opened = [&](std::uint64_t) { is_open = true; };
  calls.client->send(1, watch());
  while (!is_open) REQUIRE(calls.client->wait(kPatience, calls.listener));
  CHECK(calls.answers.empty());
}

TEST_CASE("api client: whatever the status, the body is handed over, and no redirect is followed") {
  for (const std::string status :
       {"401 Unauthorized", "404 Not Found", "409 Conflict", "500 Oops", "307 Elsewhere"}) {
    TalkingServer elsewhere(ok);
    TalkingServer server([&](const Heard&) {
      return Said{
          {whole("{\"kind\": \"Status\"}", status, "Location: " + elsewhere.url() + "\r\n")}};
    });
    Calls calls(server.url());
    for (const ApiRequest& asked : {bind_request(), watch()}) {
      const ApiAnswer answer = calls.ask(asked);
      CHECK(answer.status == static_cast<unsigned>(std::stoi(status)));
      CHECK(answer.body == "{\"kind\": \"Status\"}");
      CHECK_FALSE(answer.retry_after);
    }
    CHECK(elsewhere.connections() == 0);
    CHECK(calls.lines.empty());
  }
}

TEST_CASE("api client: a server may say when to come again, however it words it") {
  struct Row {
    const char* field;
    std::int64_t least, most;  // seconds
  };
  for (const Row& row : {Row{"Retry-After: 7\r\n", 7, 7}, Row{"retry-after:60\r\n", 60, 60},
                         Row{"Retry-After: -5\r\n", 0, 0}, Row{"Retry-After: soon\r\n", 0, 0},
                         Row{"Retry-After: 0\r\n", 0, 0}, Row{"Retry-After: \r\n", 0, 0},
                         Row{"Retry-After: Thu, 01 Jan 1970 00:00:10 GMT\r\n", 0, 0},
                         Row{"Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n", 1, 1'000'000'000},
                         Row{"Retry-After: 99999999999999999999999\r\n", 0, 1'000'000'000}}) {
    CAPTURE(row.field);
    TalkingServer server(
        [&](const Heard&) { return Said{{whole("{}", "429 Too Many Requests", row.field)}}; });
    Calls calls(server.url());
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 429);
    REQUIRE(answer.retry_after);
    CHECK(*answer.retry_after >= std::chrono::seconds(row.least));
    CHECK(*answer.retry_after <= std::chrono::seconds(row.most));
  }
}

TEST_CASE("api client: a stream comes line by line, however it is cut") {
  const std::string text = "{\"a\": 1}\n\n{\"b\": \"\xc3\xa4\xe2\x82\xac\"}\r\nlast\nhalf a li";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    TalkingServer server([&](const Heard&) {
      std::vector<std::string> pieces{kChunked};
      for (const auto& part : {text.substr(0, cut), text.substr(cut)})
        if (!part.empty()) pieces.push_back(chunk(part));
      pieces.push_back(kLastChunk);
      return Said{pieces};
    });
    Calls calls(server.url());
    const ApiAnswer answer = calls.ask(watch());
    CHECK(answer.status == 200);
    CHECK(answer.body.empty());
    CHECK(calls.lines[1] ==
          std::vector<std::string>{"{\"a\": 1}", "{\"b\": \"\xc3\xa4\xe2\x82\xac\"}", "last"});
  }
}

TEST_CASE("api client: a stream of single bytes, and one of many lines in a piece") {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 20'000; ++i) {
    expected.push_back("{\"event\": " + std::to_string(i) + '}');
    text += expected.back() + '\n';
  }
  for (const bool bytewise : {false, true}) {
    TalkingServer server([&](const Heard&) {
      std::string chunks;
      const std::size_t step = bytewise ? 1 : text.size();
      for (std::size_t at = 0; at < text.size(); at += step) chunks += chunk(text.substr(at, step));
      return Said{{kChunked, chunks, kLastChunk}};
    });
    Calls calls(server.url());
    CHECK(calls.ask(watch()).status == 200);
    CHECK(calls.lines[1] == expected);
  }
}

TEST_CASE(
    "api client: a stream ends well when its connection ends, with the lines that were whole") {
  for (const After after : {After::kClose, After::kReset}) {
    TalkingServer server([&](const Heard&) {
      return Said{{kChunked, chunk("one\ntwo\nthr")}, after};
    });
    Calls calls(server.url());
    const ApiAnswer answer = calls.ask(watch());
    if (after == After::kClose) {
      CHECK(answer.status == 200);
      CHECK(calls.lines[1] == std::vector<std::string>{"one", "two"});
    } else if (answer.status == 0) {  // the reset came before the head was read
      CHECK(answer.error.code == Errc::kUnreachable);
      CHECK(calls.lines.empty());
    }
  }
}

TEST_CASE("api client: lines come before the stream is over, and may cancel it") {
  TalkingServer server([](const Heard& heard) {
    if (!heard.has("watch")) return Said{{whole("ok")}};
    return Said{{kChunked, chunk("one\ntwo\nthree\n")}, After::kHang};
  });
  Calls calls(server.url());
  std::vector<std::string> seen;
  calls.listener.line = [&](std::uint64_t ticket, std::string_view line) {
    seen.emplace_back(line);
    if (line != "two") return;
    calls.client->cancel(ticket);
    calls.client->send(99, request(ApiLane::kRead));
  };
  calls.client->send(1, watch());
  calls.wait_for(1);
  CHECK(calls.answers.count(99) == 1);
  CHECK(seen == std::vector<std::string>{"one", "two"});
  // The ticket is free again, and the watch that follows has another connection.
  seen.clear();
  calls.listener.line = [&](std::uint64_t, std::string_view line) { seen.emplace_back(line); };
  calls.client->send(1, watch());
  while (seen.size() < 3) REQUIRE(calls.client->wait(kPatience, calls.listener));
  CHECK(seen == std::vector<std::string>{"one", "two", "three"});
  calls.client->cancel(1);
  calls.client->cancel(1);
  CHECK(calls.answers.size() == 1);
}

TEST_CASE("api client: a cancelled request says nothing, also when it was refused") {
  TalkingServer server([](const Heard&) { return Said{{}, After::kHang}; });
  Calls calls(server.url());
  calls.client->send(1, request(ApiLane::kRead));
  calls.client->send(2, request(ApiLane::kRead, "no slash"));
  REQUIRE(calls.client->wait(Nanos{0}, calls.listener));
  CHECK(calls.answers.size() == 1);
  CHECK(calls.answers.at(2).was_not_sent);
  CHECK(calls.answers.at(2).error.code == Errc::kInvalidInput);
  calls.client->send(3, request(ApiLane::kRead, "/a b"));
  calls.client->cancel(3);
  calls.client->cancel(1);
  calls.client->cancel(77);
  REQUIRE(calls.client->wait(Nanos{1'000'000}, calls.listener));
  CHECK(calls.answers.size() == 1);
}

TEST_CASE("api client: no target smuggles a header or leaves the server") {
  TalkingServer server(ok);
  Calls calls(server.url());
  for (const std::string target :
       {"", "api", "http://elsewhere/", "/a\r\nX: y", "/a b", "/a\n", "/#x"}) {
    CAPTURE(target);
    const ApiAnswer answer = calls.get(target);
    CHECK(answer.status == 0);
    CHECK(answer.was_not_sent);
  }
  CHECK(calls.get("/api/../x%2Fy/./z").status == 200);
  REQUIRE(server.heard().size() == 1);
  CHECK(server.heard()[0].has("GET /api/../x%2Fy/./z HTTP/1.1\r\n"));
}

TEST_CASE("api client: what is too much ends at its bound") {
  ApiLimits limits;
  limits.most_body_bytes = 1'000;
  limits.most_line_bytes = 500;
  limits.most_header_bytes = 2'000;
  TalkingServer server([](const Heard& heard) {
    if (heard.has("announced")) return Said{{whole(std::string(1'001, 'x'))}};
    if (heard.has("chunks"))
      return Said{
          {kChunked, chunk(std::string(600, 'x')), chunk(std::string(600, 'x')), kLastChunk}};
    if (heard.has("headers"))
      return Said{{"HTTP/1.1 200 OK\r\n", "X: " + std::string(2'000, 'x') + "\r\n\r\n"}};
    if (heard.has("fits")) return Said{{whole(std::string(1'000, 'x'))}};
    const std::string line = std::string(heard.has("short") ? 500 : 501, 'x');
    return Said{{kChunked, chunk("first\n" + line), chunk("\n"), kLastChunk}};
  });
  Calls calls(server.url(), limits);
  const auto refused = [&](const ApiAnswer& answer, std::string_view words) {
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kInvalidInput);
    CHECK_FALSE(answer.was_not_sent);
    CHECK(has(answer.error.what, words));
  };
  refused(calls.get("/announced"), "the answer has more than 1000 bytes");
  refused(calls.get("/chunks"), "the answer has more than 1000 bytes");
  refused(calls.get("/headers"), "the headers of the answer have more than 2000 bytes");
  CHECK(calls.get("/fits").body.size() == 1'000);
  ApiRequest line = watch();
  line.target = "/line";
  calls.lines.clear();
  refused(calls.ask(line), "a line of the answer has more than 500 bytes");
  line.target = "/short";
  CHECK(calls.ask(line).status == 200);
}

TEST_CASE("api client: an answer that never comes or never ends is an error of its time") {
  TalkingServer server([](const Heard& heard) {
    if (heard.has("half"))
      return Said{{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"}, After::kHang};
    return Said{{}, After::kHang};
  });
  Calls calls(server.url());
  for (const std::string target : {"/silent", "/half"}) {
    ApiRequest hasty = request(ApiLane::kRead, target);
    hasty.timeout = Nanos{300'000'000};
    const ApiAnswer answer = calls.ask(hasty);
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kTimeout);
    CHECK(has(answer.error.what, " within 300ms"));
  }
}

TEST_CASE("api client: nobody there, or nobody who speaks HTTP") {
  std::string url;
  {
    TalkingServer gone(ok);
    url = gone.url();
  }
  Calls nobody(url);
  const ApiAnswer refused = nobody.ask(bind_request());
  CHECK(refused.status == 0);
  CHECK(refused.was_not_sent);
  CHECK(refused.error.code == Errc::kUnreachable);
  CHECK(has(refused.error.what, "connection refused"));
  TalkingServer other([](const Heard&) { return Said{{"220 mail.example\r\n"}, After::kClose}; });
  Calls calls(other.url());
  const ApiAnswer strange = calls.ask(bind_request());
  CHECK(strange.error.code == Errc::kInvalidInput);
  CHECK_FALSE(strange.was_not_sent);
}

TEST_CASE("api client: what the server may have read is not sent again, but for reads") {
  // It closes each connection upon its second request, without an answer.
  TalkingServer server([](const Heard& heard) {
    return heard.nth == 1 ? Said{{}, After::kClose} : Said{{whole("ok")}};
  });
  Calls calls(server.url());
  CHECK(calls.ask(bind_request()).status == 200);
  const ApiAnswer unclear = calls.ask(bind_request());
  CHECK(unclear.status == 0);
  CHECK(unclear.error.code == Errc::kUnreachable);
  CHECK_FALSE(unclear.was_not_sent);
  CHECK(server.heard().size() == 2);
  CHECK(calls.ask(bind_request()).status == 200);
  // A read is repeated on a new connection.
  CHECK(calls.get().status == 200);
  CHECK(calls.get().status == 200);
  const auto heard = server.heard();
  CHECK(heard.size() == 6);
  CHECK(heard[5].connection != heard[4].connection);
}

TEST_CASE("api client: wake ends a wait, from any thread") {
  TalkingServer server(ok);
  Calls calls(server.url());
  calls.client->wake();
  REQUIRE(calls.client->wait(kPatience, calls.listener));
  std::thread other([&] { calls.client->wake(); });
  REQUIRE(calls.client->wait(kPatience, calls.listener));
  other.join();
  REQUIRE(calls.client->wait(Nanos{0}, calls.listener));
  CHECK(calls.answers.empty());
}

TEST_CASE("api client: a stream that is cut at any byte ends, with whole lines or with an error") {
  const std::vector<std::string> lines{"{\"a\": 12345}", "\xc3\xa4\xe2\x82\xac", "third"};
  const std::string text =
      kChunked + chunk("{\"a\": 12345}\n\xc3\xa4\xe2") + chunk("\x82\xac\r\nthird\n") + kLastChunk;
  const std::size_t head = std::string_view(kChunked).size();
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    TalkingServer server([&](const Heard&) { return Said{{text.substr(0, cut)}, After::kClose}; });
    Calls calls(server.url());
    const ApiAnswer answer = calls.ask(watch());
    const auto& seen = calls.lines[1];
    REQUIRE(seen.size() <= lines.size());
    CHECK(std::equal(seen.begin(), seen.end(), lines.begin()));
    CHECK((answer.status == 200) == (cut >= head));
    if (cut == text.size()) CHECK(seen == lines);
    if (answer.status == 0) CHECK(answer.error.code == Errc::kUnreachable);
  }
}

TEST_CASE("api client: an answer that is cut at any byte is never taken for a whole one") {
  const std::string text = whole("{\"kind\": \"PodList\"}");
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    CAPTURE(cut);
    TalkingServer server([&](const Heard&) { return Said{{text.substr(0, cut)}, After::kClose}; });
    Calls calls(server.url());
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 0);
    CHECK_FALSE(answer.was_not_sent);
    CHECK(answer.error.code == Errc::kUnreachable);
  }
}

TEST_CASE("api client: what comes byte by byte is the same") {
  const std::string text = kChunked + chunk("one\ntw") + chunk("o\n") + kLastChunk;
  TalkingServer server([&](const Heard&) {
    std::vector<std::string> pieces;
    for (const char c : text) pieces.emplace_back(1, c);
    return Said{pieces};
  });
  Calls calls(server.url());
  CHECK(calls.ask(watch()).status == 200);
  CHECK(calls.lines[1] == std::vector<std::string>{"one", "two"});
}

TEST_CASE("api client: headers without end, without a length, and content that nobody asked for") {
  TalkingServer server([](const Heard& heard) {
    if (heard.has("line"))
      return Said{{"HTTP/1.1 200 OK\r\nX: " + std::string(10 << 20, 'x') + "\r\n\r\n"}};
    if (heard.has("cookies")) {
      std::string head = "HTTP/1.1 200 OK\r\n";
      for (int i = 0; i < 1'000; ++i)
        head += "Set-Cookie: c" + std::to_string(i) + "=" + std::string(100, 'x') + "\r\n";
      return Said{{head + "\r\n"}};
    }
    if (heard.has("trailer"))
      return Said{{"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", kChunked, chunk("ok"),
                   "0\r\nX-Checksum: 1\r\n\r\n"}};
    if (heard.has("zipped"))
      return Said{{whole("\x1f\x8b no gzip", "200 OK", "Content-Encoding: gzip\r\n")}};
    return Said{{"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"}, After::kClose};
  });
  Calls calls(server.url());
  for (const char* target : {"/line", "/cookies"}) {
    const ApiAnswer answer = calls.get(target);
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kInvalidInput);
    CHECK(has(answer.error.what, "header"));
  }
  CHECK(calls.get("/zipped").body == "\x1f\x8b no gzip");
  CHECK(calls.get("/page").body == "<html>");
  CHECK(calls.get("/trailer").body == "ok");
}

TEST_CASE("api client: the system is told to look after every connection") {
  TalkingServer server(ok);
  Calls calls(server.url());
  CHECK(calls.get().status == 200);
  const int socket = socket_to(server.port());
  REQUIRE(socket >= 0);
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    REQUIRE(::getsockopt(socket, level, name, &value, &length) == 0);
    return value;
  };
  CHECK(option(SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option(IPPROTO_TCP, TCP_USER_TIMEOUT) == 12'000);
  CHECK(option(IPPROTO_TCP, TCP_KEEPIDLE) + option(IPPROTO_TCP, TCP_USER_TIMEOUT) / 1'000 < 30);
  CHECK(option(IPPROTO_TCP, TCP_NODELAY) == 1);
}

}  // namespace gedge
