// bench_bind: binds pods of a real API server as fast as it takes them, without deciding anything:
// the ceiling of any scheduler. One thread, raw TLS connections that are open before it begins, one
// request at a time on each; watches of the server are read to nowhere meanwhile, as a scheduler
// holds them.
//
//   bench_bind HOST PORT CONNECTIONS WATCH... < INPUT
//
// INPUT: the bearer token, then lines NAMESPACE/POD NODE. WATCH: targets of watches. The server is
// one that a benchmark has started on this machine: whoever answers is believed.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "bench_bind: " << what << "\n";
  std::exit(1);
}

struct Bind {
  std::string space, pod, node;
};

class Connection {
 public:
  Connection(SSL_CTX* context, const addrinfo& to) : ssl_(SSL_new(context), SSL_free) {
    descriptor_ = ::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(descriptor_, to.ai_addr, to.ai_addrlen) != 0) fail("no connection");
    SSL_set_fd(ssl_.get(), descriptor_);
    if (SSL_connect(ssl_.get()) != 1) fail("no TLS");
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }
  void say(const std::string& text) {
    if (SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) <= 0)
      fail("cannot write");
  }
  /// Reads what has come. True: a whole answer, its status is in `status`.
  bool hear(int& status) {
    std::array<char, 16'384> bytes;
    do {
      const int count = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0) fail("the server has closed a connection");
      if (!is_watch) heard_.append(bytes.data(), static_cast<std::size_t>(count));
    } while (SSL_pending(ssl_.get()) > 0);
    if (is_watch) return false;
    const std::size_t head = heard_.find("\r\n\r\n");
    if (head == std::string::npos || heard_.size() < head + 4 + length_in(head)) return false;
    std::from_chars(heard_.data() + 9, heard_.data() + 12, status);
    heard_.clear();
    return true;
  }

  bool is_watch = false;

 private:
  std::size_t length_in(std::size_t head) const {
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    const std::size_t at = heard_.find(kLength);
    std::size_t length = 0;
    if (at > head) fail("an answer without its length: " + heard_.substr(0, head));
    std::from_chars(heard_.data() + at + kLength.size(), heard_.data() + head + 2, length);
    return length;
  }

  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  int descriptor_ = -1;
  std::string heard_;
};

struct Server {
  std::string host, port, token;

  std::string request(const std::string& verb, const std::string& target,
                      const std::string& body) const {
    return verb + " " + target + " HTTP/1.1\r\nHost: " + host + ":" + port +
           "\r\nAuthorization: Bearer " + token + "\r\nAccept: application/json" +
           (body.empty() ? "" : "\r\nContent-Type: application/json") +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string bind(const Bind& bind) const {
    return request("POST", "/api/v1/namespaces/" + bind.space + "/pods/" + bind.pod + "/binding",
                   R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + bind.pod +
                       R"(","namespace":")" + bind.space +
                       R"("},"target":{"apiVersion":"v1","kind":"Node","name":")" + bind.node +
                       R"("}})");
  }
};

std::vector<Bind> read_binds(std::istream& in) {
  std::vector<Bind> binds;
  std::string pod, node;
  while (in >> pod >> node) {
    const std::size_t slash = pod.find('/');
    binds.push_back({pod.substr(0, slash), pod.substr(slash + 1), node});
  }
  return binds;
}

void bind_all(const Server& server, const std::vector<Bind>& binds,
              std::vector<std::unique_ptr<Connection>>& connections) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  std::size_t sent = 0, done = 0;
  for (const auto& connection : connections) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = connection.get();
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, connection->descriptor(), &event) != 0) fail("no epoll");
    if (!connection->is_watch && sent < binds.size()) connection->say(server.bind(binds[sent++]));
  }
  std::array<epoll_event, 64> events{};
  while (done < binds.size()) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 60'000);
    if (count <= 0) fail("a minute of silence");
    for (int i = 0; i < count; ++i) {
      auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
      int status = 0;
      if (!connection.hear(status)) continue;
      if (status != 201) fail("a bind was answered with " + std::to_string(status));
      ++done;
      if (sent < binds.size()) connection.say(server.bind(binds[sent++]));
    }
  }
  ::close(epoll);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) fail("usage: bench_bind HOST PORT CONNECTIONS WATCH... < INPUT");
  Server server{argv[1], argv[2], {}};
  std::cin >> server.token;
  const std::vector<Bind> binds = read_binds(std::cin);
  addrinfo* found = nullptr;
  if (::getaddrinfo(argv[1], argv[2], nullptr, &found) != 0) fail("no such server");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> address(found, ::freeaddrinfo);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < std::atoi(argv[3]); ++i)
    connections.push_back(std::make_unique<Connection>(context.get(), *address));
  for (int i = 4; i < argc; ++i) {
    connections.push_back(std::make_unique<Connection>(context.get(), *address));
    connections.back()->is_watch = true;
    connections.back()->say(server.request("GET", argv[i], ""));
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t used = std::clock();
  bind_all(server, binds, connections);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  const auto count = static_cast<double>(binds.size());
  std::cout << count / took.count() << " binds/s, processor " << 1e6 * processor / count
            << " us each\n";
  return 0;
}
