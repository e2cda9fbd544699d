#include "gedge/io/http_server.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "io/descriptor.hpp"
#include "io/socket_address.hpp"

namespace gedge {
namespace {

constexpr int kPatience = 600'000;  // milliseconds; a machine may be busy, nobody waits so long

IpAddress loopback(std::uint16_t port = 0) {
  IpAddress address;
  address.bytes = {127, 0, 0, 1};
  address.port = port;
  return address;
}

std::string_view name_of(HttpFault fault) {
  switch (fault) {
    case HttpFault::kMalformed:
      return "malformed";
    case HttpFault::kHeaderTooLarge:
      return "header";
    case HttpFault::kBodyTooLarge:
      return "body";
    case HttpFault::kIncomplete:
      return "incomplete";
    case HttpFault::kNoTls:
      return "no TLS";
    case HttpFault::kInternal:
      break;
  }
  return "internal";
}

HttpService echo() {
  return {[](const HttpRequest& request) {
            if (request.target == "/throw") throw std::runtime_error("a secret");
            return HttpReply{200,
                             "text/plain",
                             request.method + ' ' + request.target + ' ' + request.host + ' ' +
                                 std::to_string(request.body.size()),
                             {}};
          },
          [](HttpFault fault) {
            return HttpReply{400, "text/plain", std::string(name_of(fault)), {}};
          }};
}

HttpServerOptions small() {
  HttpServerOptions options;
  options.listen = loopback();
  options.most_header_bytes = 1'024;
  options.most_body_bytes = 2'048;
  // Who is busy is not slow, unless a test is about that.
  options.read_timeout = options.idle_timeout = options.write_timeout = options.most_lifetime =
      std::chrono::hours(1);
  return options;
}

struct Served {
  explicit Served(HttpServerOptions options, HttpService service = echo()) {
    auto opened = open_http_server(std::move(options), std::move(service));
    REQUIRE(opened);
    server = *std::move(opened);
    thread = std::thread([this] { signal = server->run(); });
  }
  ~Served() {
    server->stop();
    thread.join();
  }
  std::unique_ptr<HttpServer> server;
  int signal = -1;
  std::thread thread;
};

struct Client {
  explicit Client(const HttpServer& server)
      : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress to = to_socket_address(server.address());
    REQUIRE(::connect(socket.get(), &to.any, length_of(to)) == 0);
  }
  Client& send(std::string_view bytes) {
    static_cast<void>(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
    return *this;
  }
  Client& end() {
    ::shutdown(socket.get(), SHUT_WR);
    return *this;
  }
  // Up to `text`, or to the end if it never comes.
  std::string read_until(std::string_view text) {
    std::string all;
    char buffer[4'096];
    while (all.find(text) == std::string::npos) {
      pollfd readable{socket.get(), POLLIN, 0};
      if (::poll(&readable, 1, kPatience) <= 0) return all + "<nothing more came>";
      const ssize_t count = ::recv(socket.get(), buffer, sizeof buffer, 0);
      if (count <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }
  std::string read_all() { return read_until("<never sent>"); }
  Descriptor socket;
};

std::string get(const std::string& path, const std::string& more = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("http server: a request is answered, the next one on the same connection too") {
  Served served(small());
  Client client(*served.server);
  const std::string first = client.send(get("/x?y=1")).read_until("GET /x?y=1 a 0");
  CHECK(first.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(has(first, "Content-Type: text/plain\r\n"));
  CHECK(has(first, "Cache-Control: no-store\r\n"));
  const std::string second =
      client.send("POST /p HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\nabc")
          .read_until("POST /p b 3");
  CHECK(has(second, "POST /p b 3"));
  const std::string last = client.send(get("/z", "Connection: close\r\n")).read_all();
  CHECK(has(last, "Connection: close\r\n"));
  CHECK(last.ends_with("GET /z a 0"));
  CHECK(served.server->counts().requests == 3);
  CHECK(served.server->counts().connections == 1);
}

TEST_CASE("http server: requests that come together are answered in their order") {
  Served served(small());
  Client client(*served.server);
  const std::string all =
      client.send(get("/1") + get("/2") + get("/3", "Connection: close\r\n")).read_all();
  CHECK(all.find("GET /1 a") < all.find("GET /2 a"));
  CHECK(all.find("GET /2 a") < all.find("GET /3 a"));
  CHECK(all.ends_with("GET /3 a 0"));
}

TEST_CASE("http server: a HEAD request has the length of the body, and no body") {
  Served served(small());
  Client client(*served.server);
  const std::string all =
      client.send("HEAD /h HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").read_all();
  CHECK(has(all, "Content-Length: 11\r\n"));
  CHECK(all.ends_with("\r\n\r\n"));
}

TEST_CASE("http server: what two parsers could read differently is refused, and the line closed") {
  Served served(small());
  const std::string rest = get("/smuggled");
  const std::vector<std::string> wrong{
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 28),
      "\x16\x03\x01\x02 a TLS hello\r\n\r\n",
  };
  for (const std::string& bytes : wrong) {
    CAPTURE(bytes);
    Client client(*served.server);
    const std::string all = client.send(bytes + rest).read_all();
    CHECK(all.starts_with("HTTP/1.1 400"));
    CHECK(all.ends_with("malformed"));
    CHECK(has(all, "Connection: close\r\n"));
  }
  CHECK(served.server->counts().faults == wrong.size());
  CHECK(served.server->counts().requests == 0);
}

TEST_CASE("http server: the largest header and body pass, one byte more does not") {
  Served served(small());
  const std::string line = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ";
  const std::string most = line + std::string(1'024 - line.size() - 4, 'x') + "\r\n\r\n";
  CHECK(Client(*served.server).send(most).read_all().ends_with("GET / a 0"));
  CHECK(Client(*served.server).send(line + std::string(1'200, 'x')).read_all().ends_with("header"));

  const auto post = [](std::size_t size) {
    return "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
           std::to_string(size) + "\r\n\r\n" + std::string(size, 'b');
  };
  CHECK(Client(*served.server).send(post(2'048)).read_all().ends_with("POST / a 2048"));
  CHECK(Client(*served.server).send(post(2'049)).read_all().ends_with("body"));
  CHECK(Client(*served.server)
            .send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n")
            .read_all()
            .ends_with("body"));
}

TEST_CASE("http server: half a request gets an answer, and a failing service tells no reason") {
  Served served(small());
  CHECK(Client(*served.server)
            .send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            .end()
            .read_all()
            .ends_with("incomplete"));
  const std::string failed = Client(*served.server).send(get("/throw")).read_all();
  CHECK(failed.ends_with("internal"));
  CHECK_FALSE(has(failed, "secret"));
}

TEST_CASE("http server: who is slow or idle is let go, and others are served meanwhile") {
  HttpServerOptions options = small();
  options.read_timeout = Nanos{50'000'000};
  options.idle_timeout = Nanos{50'000'000};
  Served served(options);
  std::vector<Client> slow;
  for (int i = 0; i < 20; ++i) slow.emplace_back(*served.server);
  for (std::size_t i = 0; i < slow.size(); i += 2) slow[i].send("GET / HT");
  // On a busy machine this client can be too slow itself, now and then.
  bool answered = false;
  for (int i = 0; i < 10'000 && !answered; ++i)
    answered = has(Client(*served.server).send(get("/quick")).read_until("a 0"), "GET /quick a 0");
  CHECK(answered);
  for (Client& client : slow) CHECK(client.read_all().empty());
}

TEST_CASE("http server: a lifetime ends even a busy connection") {
  HttpServerOptions options = small();
  options.most_lifetime = Nanos{100'000'000};
  Served served(options);
  constexpr int kMost = 10'000'000;
  int answered = 0;
  // Another try where a busy machine lets a whole lifetime pass before the first request.
  for (int i = 0; i < 10'000 && answered == 0; ++i) {
    Client client(*served.server);
    while (answered < kMost) {
      const std::string reply = client.send(get("/")).read_until("a 0");
      if (!has(reply, "GET / a 0")) break;
      ++answered;
      if (has(reply, "Connection: close")) break;
    }
  }
  CHECK(answered > 0);
  CHECK(answered < kMost);
}

TEST_CASE("http server: over the bounds of a peer or of all, a connection is closed at once") {
  for (const bool of_peer : {true, false}) {
    HttpServerOptions options = small();
    (of_peer ? options.most_of_a_peer : options.most_connections) = 3;
    Served served(options);
    std::vector<Client> held;
    for (int i = 0; i < 3; ++i) {
      held.emplace_back(*served.server);
      REQUIRE(has(held.back().send(get("/held")).read_until("a 0"), "GET /held a 0"));
    }
    for (int i = 0; i < 200; ++i) CHECK(Client(*served.server).read_all().empty());
    CHECK(served.server->counts().turned_away == 200);
    CHECK(served.server->counts().connections == 3);
    CHECK(has(held.front().send(get("/still")).read_until("a 0"), "GET /still a 0"));
    held.clear();
    // Their places are free again as soon as the server has noticed.
    bool served_again = false;
    for (int i = 0; i < 10'000 && !served_again; ++i)
      served_again = has(Client(*served.server).send(get("/again")).read_until("a 0"), "/again");
    CHECK(served_again);
  }
}

TEST_CASE("http server: 10,000 malformed requests leave nothing behind") {
  Served served(small());
  std::uint64_t state = 42;
  const auto dice = [&state] { return (state = state * 6364136223846793005ULL + 1) >> 33; };
  const std::string valid = get("/m", "X-A: b\r\n");
  std::size_t sent = 0;
  for (; sent < 10'000; ++sent) {
    std::string bytes = valid;
    for (std::uint64_t change = 1 + dice() % 4; change > 0; --change)
      bytes[dice() % bytes.size()] = static_cast<char>(dice() & 0xff);
    if (dice() % 4 == 0) bytes.resize(dice() % bytes.size());
    const std::string all = Client(*served.server).send(bytes).end().read_all();
    REQUIRE_FALSE(has(all, "<nothing more came>"));
    REQUIRE((all.empty() || all.starts_with("HTTP/1.1 ")));
  }
  CHECK(has(Client(*served.server).send(get("/well")).read_until("a 0"), "GET /well a 0"));
  const HttpCounts counts = served.server->counts();
  CHECK(counts.faults > 1'000);
  CHECK(counts.turned_away == 0);
}

TEST_CASE("http server: it stops by itself when asked, with idle connections open") {
  std::optional<Served> served(small());
  Client idle(*served->server);
  REQUIRE(has(idle.send(get("/")).read_until("a 0"), "GET / a 0"));
  served.reset();
  CHECK(idle.read_all().empty());
}

TEST_CASE("http server: stop before run counts, and a second server on the port is refused") {
  HttpServerOptions options = small();
  const auto first = open_http_server(options, echo());
  REQUIRE(first);
  CHECK((*first)->address().port != 0);
  options.listen.port = (*first)->address().port;
  const auto second = open_http_server(options, echo());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Errc::kDenied);
  CHECK(has(second.error().what, "cannot listen on TCP port"));
  CHECK(
      has(second.error().hint, "`ss -ltnp sport = :" + std::to_string(options.listen.port) + "`"));
  (*first)->stop();
  CHECK((*first)->run() == 0);
}

// That nothing is used after it is gone, only a build with sanitizers says.
TEST_CASE("http server: each hang-up is told, and it ends with somebody listening for them") {
  std::atomic<int> times = 0;
  std::promise<void> twice;
  HttpServerOptions options = small();
  options.hung_up = [&] {
    if (++times == 1) ::raise(SIGHUP);
    if (times == 2) twice.set_value();
  };
  {
    Served served(options);
    ::raise(SIGHUP);
    twice.get_future().wait();
  }
  CHECK(times == 2);
}

TEST_CASE("http server: what counts as loopback") {
  IpAddress address = loopback();
  CHECK(is_loopback(address));
  address.bytes = {127, 9, 9, 9};
  CHECK(is_loopback(address));
  address.bytes = {10, 0, 0, 1};
  CHECK_FALSE(is_loopback(address));
  address.bytes = {0, 0, 0, 0};
  CHECK_FALSE(is_loopback(address));
  address = {};
  address.is_v6 = true;
  CHECK_FALSE(is_loopback(address));
  address.bytes[15] = 1;
  CHECK(is_loopback(address));
}

TEST_CASE("http server: a reply that comes later holds up nobody else") {
  std::mutex mutex;
  std::vector<HttpReplyTo> waiting;
  HttpService service = echo();
  service.answer_or_wait = [&](const HttpRequest& request,
                               const HttpReplyTo& reply_to) -> std::optional<HttpReply> {
    if (request.target != "/later") return service.answer(request);
    const std::lock_guard lock(mutex);
    waiting.push_back(reply_to);
    return std::nullopt;
  };
  Served served(small(), service);
  Client patient(*served.server), gone(*served.server), other(*served.server);
  patient.send(get("/later"));
  gone.send(get("/later"));
  const auto are_waiting = [&] {
    const std::lock_guard lock(mutex);
    return waiting.size() == 2;
  };
  // Nobody can say when a request has arrived but the server, and it goes on answering.
  for (int i = 0; i < 10'000 && !are_waiting(); ++i)
    REQUIRE(has(other.send(get("/")).read_until("a 0"), "GET / a 0"));
  REQUIRE(are_waiting());
  gone.socket.close();
  std::thread teller([&] {
    for (const HttpReplyTo& reply_to : waiting) {
      reply_to({200, "text/plain", "at last", {}});
      reply_to({200, "text/plain", "too late", {}});
    }
  });
  CHECK(patient.read_until("at last").ends_with("at last"));
  teller.join();
  CHECK(has(patient.send(get("/next")).read_until("a 0"), "GET /next a 0"));
}

TEST_CASE("http server: a reply that never comes is an internal fault") {
  HttpServerOptions options = small();
  options.answer_timeout = std::chrono::milliseconds(1);
  std::mutex mutex;
  HttpReplyTo never;
  HttpService service = echo();
  service.answer_or_wait = [&](const HttpRequest&, const HttpReplyTo& reply_to) {
    const std::lock_guard lock(mutex);
    never = reply_to;
    return std::optional<HttpReply>();
  };
  Served served(options, service);
  CHECK(Client(*served.server).send(get("/")).read_all().ends_with("internal"));
  const std::lock_guard lock(mutex);
  never({200, "text/plain", "too late", {}});
  CHECK(served.server->counts().faults == 1);
}

}  // namespace gedge
