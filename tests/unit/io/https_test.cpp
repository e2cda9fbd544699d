// The HTTP server with TLS, asked by OpenSSL's own client.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gedge/io/http_server.hpp"
#include "io/descriptor.hpp"
#include "io/socket_address.hpp"
#include "io/tls_context.hpp"
#include "support/folder.hpp"
#include "unit/io/certificates.hpp"

namespace gedge {
namespace {

using test::Credentials;
using test::Folder;
using test::KeyKind;
using test::kYear;
using test::make_credentials;

constexpr int kPatience = 60;  // seconds; far beyond what loopback takes

TlsFiles write(const Folder& folder, const Credentials& credentials) {
  return {folder.put("tls.crt", credentials.certificate), folder.put("tls.key", credentials.key)};
}

struct Served {
  explicit Served(const TlsFiles& files, HttpServerOptions options = {}) {
    options.listen.bytes = {127, 0, 0, 1};
    options.tls = files;
    options.tls_events = {[this](const TlsCertificate& read) { subjects.push_back(read.subject); },
                          [this](const Error& error) { errors.push_back(error.what); }};
    auto opened = open_http_server(
        std::move(options),
        {[](const HttpRequest& request) {
           std::string text = request.target + ' ' + request.authorization;
           if (request.client_names) text += "known as:";
           for (const std::string& name : request.client_names.value_or(std::vector<std::string>{}))
             text += ' ' + name;
           return HttpReply{200, "text/plain", text, {}};
         },
         [](HttpFault fault) {
           return HttpReply{400, "text/plain", fault == HttpFault::kNoTls ? "no TLS" : "?", {}};
         }});
    REQUIRE(opened);
    server = *std::move(opened);
    thread = std::thread([this] { server->run(); });
  }
  ~Served() { stop(); }
  void stop() {
    server->stop();
    if (thread.joinable()) thread.join();
  }
  std::vector<std::string> subjects, errors;  // of the thread that serves, until stop()
  std::unique_ptr<HttpServer> server;
  std::thread thread;
};

Descriptor connect(const HttpServer& server) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{kPatience, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const SocketAddress to = to_socket_address(server.address());
  REQUIRE(::connect(socket.get(), &to.any, length_of(to)) == 0);
  return socket;
}

std::string read_plain(const Descriptor& socket) {
  std::string all;
  char buffer[4'096];
  for (ssize_t count = 0; (count = ::recv(socket.get(), buffer, sizeof buffer, 0)) > 0;)
    all.append(buffer, static_cast<std::size_t>(count));
  return all;
}

struct Context {
  Context() : native(SSL_CTX_new(TLS_client_method())) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { SSL_CTX_free(native); }
  SSL_CTX* native;
};

/// One connection; no certificate is checked, but whose it is can be asked.
struct Client {
  explicit Client(const HttpServer& server, int version = TLS1_3_VERSION,
                  const char* ciphers = nullptr, const Credentials* own = nullptr)
      : socket(connect(server)) {
    if (own != nullptr) show(*own);
    SSL_CTX_set_min_proto_version(context.native, version);
    SSL_CTX_set_max_proto_version(context.native, version);
    SSL_CTX_set_security_level(context.native, 0);
    if (ciphers != nullptr) SSL_CTX_set_cipher_list(context.native, ciphers);
    tls = SSL_new(context.native);
    SSL_set_fd(tls, socket.get());
    shaken = SSL_connect(tls) == 1;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    SSL_free(tls);
    ERR_clear_error();
  }

  void show(const Credentials& own) const {
    BIO* const certificate =
        BIO_new_mem_buf(own.certificate.data(), static_cast<int>(own.certificate.size()));
    BIO* const key = BIO_new_mem_buf(own.key.data(), static_cast<int>(own.key.size()));
    X509* const shown = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
    EVP_PKEY* const secret = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
    REQUIRE(SSL_CTX_use_certificate(context.native, shown) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey(context.native, secret) == 1);
    EVP_PKEY_free(secret);
    X509_free(shown);
    BIO_free(key);
    BIO_free(certificate);
  }

  /// The reply to one request; whole only if the other end said that it is.
  std::string ask(const std::string& path, const std::string& more = {}) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + more + "\r\n";
    if (SSL_write(tls, request.data(), static_cast<int>(request.size())) <= 0) return "unsent";
    std::string all;
    char buffer[4'096];
    int count = 0;
    while ((count = SSL_read(tls, buffer, sizeof buffer)) > 0)
      all.append(buffer, static_cast<std::size_t>(count));
    return SSL_get_error(tls, count) == SSL_ERROR_ZERO_RETURN ? all : all + "<cut off>";
  }
  std::string subject() const {
    X509* const certificate = SSL_get1_peer_certificate(tls);
    if (certificate == nullptr) return {};
    char name[256] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof name);
    X509_free(certificate);
    return name;
  }

  Context context;
  Descriptor socket;
  SSL* tls = nullptr;
  bool shaken = false;
};

std::string problem(const TlsFiles& files) {
  TlsContext context(files);
  const auto read = context.refresh();
  REQUIRE_FALSE(read);
  CHECK(read.error().code == Errc::kInvalidInput);
  return read.error().what;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("https: requests are answered over TLS 1.3 and 1.2, and replies end as they should") {
  const Folder folder;
  const Served served(write(folder, make_credentials("node-1", kYear)));
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    Client client(*served.server, version);
    REQUIRE(client.shaken);
    CHECK(client.subject() == "node-1");
    const std::string reply = client.ask("/x", "Authorization: Bearer abc\r\n");
    CHECK(reply.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(reply.ends_with("\r\n\r\n/x Bearer abc"));
  }
  CHECK(has(Client(*served.server).ask("/x", "Authorization: a\r\nAuthorization: b\r\n"), " 400 "));
  CHECK(served.server->counts().requests == 2);
}

TEST_CASE("https: what is old or weak is not spoken") {
  const Folder folder;
  const Served served(write(folder, make_credentials("node-1", kYear)));
  CHECK_FALSE(Client(*served.server, TLS1_1_VERSION).shaken);
  for (const char* weak : {"ECDHE-ECDSA-AES128-SHA", "AES128-GCM-SHA256", "eNULL"})
    CHECK_FALSE(Client(*served.server, TLS1_2_VERSION, weak).shaken);
  CHECK(Client(*served.server, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256").shaken);
}

TEST_CASE("https: plain HTTP is told so, garbage is not answered") {
  const Folder folder;
  const Served served(write(folder, make_credentials("node-1", kYear)));
  const Descriptor plain = connect(*served.server);
  const std::string request = "GET /check HTTP/1.1\r\nHost: a\r\n\r\n";
  REQUIRE(::send(plain.get(), request.data(), request.size(), MSG_NOSIGNAL) > 0);
  const std::string reply = read_plain(plain);
  CHECK(reply.starts_with("HTTP/1.1 400"));
  CHECK(reply.ends_with("no TLS"));
  const Descriptor garbage = connect(*served.server);
  REQUIRE(::send(garbage.get(), "\x01\x02\x03\x04\x05\x06", 6, MSG_NOSIGNAL) == 6);
  CHECK_FALSE(has(read_plain(garbage), "HTTP"));
  CHECK(has(Client(*served.server).ask("/still"), "/still"));
  CHECK(served.server->counts().handshakes_failed == 2);
}

TEST_CASE("https: a client is known by its certificate, if it shows one that is trusted") {
  const Folder folder;
  const Credentials known =
      make_credentials("prometheus", kYear, KeyKind::kP256, nullptr, "prometheus.monitoring.svc");
  const Credentials late = make_credentials("late", -60);
  const Credentials stranger = make_credentials("prometheus", kYear);
  TlsFiles files = write(folder, make_credentials("node-1", kYear));
  files.clients = folder.put("clients.pem", known.certificate + late.certificate);
  Served served(files);
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    const auto ask = [&](const Credentials* own) {
      Client client(*served.server, version, nullptr, own);
      return client.shaken ? client.ask("/x") : "refused";
    };
    CHECK(ask(&known).ends_with("known as: prometheus.monitoring.svc prometheus"));
    CHECK(ask(nullptr).ends_with("\r\n\r\n/x "));
    for (const Credentials* other : {&stranger, &late}) CHECK_FALSE(has(ask(other), " 200 OK"));
  }
  folder.put("clients.pem", stranger.certificate);
  Client other(*served.server, TLS1_3_VERSION, nullptr, &stranger);
  CHECK(other.ask("/x").ends_with("known as: prometheus"));
  Client before(*served.server, TLS1_3_VERSION, nullptr, &known);
  CHECK_FALSE(has(before.ask("/x"), " 200 OK"));
  folder.put("clients.pem", "nobody");
  Client after(*served.server, TLS1_3_VERSION, nullptr, &stranger);
  CHECK(after.ask("/x").ends_with("known as: prometheus"));
  served.stop();
  CHECK(served.errors == std::vector<std::string>{"there is no certificate in the file"});
}

TEST_CASE("https: where no certificate is asked for, one that is shown is nobody's") {
  const Folder folder;
  const Served served(write(folder, make_credentials("node-1", kYear)));
  const Credentials own = make_credentials("prometheus", kYear);
  Client client(*served.server, TLS1_2_VERSION, nullptr, &own);
  CHECK(client.ask("/x").ends_with("\r\n\r\n/x "));
}

TEST_CASE("https: a pair of files that changes is used at once, half of a pair is not") {
  const Folder folder;
  const Credentials second = make_credentials("second", kYear);
  Served served(write(folder, make_credentials("first", kYear)));
  Client before(*served.server);
  CHECK(before.subject() == "first");
  folder.put("tls.crt", second.certificate);  // the key is still that of the first
  CHECK(Client(*served.server).subject() == "first");
  CHECK(Client(*served.server).subject() == "first");
  folder.put("tls.key", second.key);
  CHECK(Client(*served.server).subject() == "second");
  CHECK(has(before.ask("/old"), "/old"));
  folder.remove("tls.crt");
  CHECK(Client(*served.server).subject() == "second");
  served.stop();
  CHECK(served.subjects == std::vector<std::string>{"CN=first", "CN=second"});
  REQUIRE(served.errors.size() == 2);
  CHECK(has(served.errors[0], "the private key is not that of the certificate"));
  CHECK(has(served.errors[1], "no such file"));
}

TEST_CASE("https: who is in a handshake counts as a connection") {
  const Folder folder;
  HttpServerOptions options;
  options.most_of_a_peer = 20;
  const Served served(write(folder, make_credentials("node-1", kYear)), options);
  std::vector<Descriptor> slow;
  for (int i = 0; i < 20; ++i) slow.push_back(connect(*served.server));
  for (const Descriptor& socket : slow)
    static_cast<void>(::send(socket.get(), "\x16\x03\x01", 3, MSG_NOSIGNAL));
  for (int i = 0; i < 50; ++i) CHECK(read_plain(connect(*served.server)).empty());
  CHECK(served.server->counts().connections == 20);
  CHECK(served.server->counts().turned_away == 50);
}

TEST_CASE("https: who never ends a handshake is let go, and others are served") {
  const Folder folder;
  HttpServerOptions options;
  options.handshake_timeout = Nanos{100'000'000};
  const Served served(write(folder, make_credentials("node-1", kYear)), options);
  std::vector<Descriptor> slow;
  for (int i = 0; i < 40; ++i) slow.push_back(connect(*served.server));
  for (std::size_t i = 0; i < slow.size(); i += 2)
    REQUIRE(::send(slow[i].get(), "\x16\x03\x01", 3, MSG_NOSIGNAL) == 3);
  for (const Descriptor& socket : slow) CHECK(read_plain(socket).empty());
  bool answered = false;  // on a busy machine, ours may be too slow as well
  for (int i = 0; i < 1'000 && !answered; ++i)
    answered = has(Client(*served.server).ask("/quick"), "/quick");
  CHECK(answered);
  // They are counted behind the end that was read above, and before whatever was asked after it.
  CHECK(served.server->counts().handshakes_failed >= 40);
}

TEST_CASE("https: stopping ends handshakes too") {
  const Folder folder;
  Served served(write(folder, make_credentials("node-1", kYear)));
  const Descriptor silent = connect(*served.server);
  Client idle(*served.server);
  REQUIRE(idle.shaken);
  served.stop();
  CHECK(served.server->counts().connections == 2);
}

TEST_CASE("tls files: what is wrong with them") {
  const Folder folder;
  const Credentials good = make_credentials("a", kYear);
  const std::string certificate = folder.put("a.crt", good.certificate);
  const std::string key = folder.put("a.key", good.key);
  const std::string empty = folder.put("empty", "");
  CHECK(problem({empty, key}) == "there is no certificate in the file");
  CHECK(problem({key, key}) == "there is no certificate in the file");
  CHECK(problem({certificate, empty}) == "there is no private key in the file");
  CHECK(problem({certificate, certificate}) == "there is no private key in the file");
  const std::string other = folder.put("b.key", make_credentials("b", kYear).key);
  CHECK(problem({certificate, other}) ==
        "the private key is not that of the certificate in " + certificate);
  const Credentials locked = make_credentials("c", kYear, KeyKind::kP256, "secret");
  CHECK(problem({folder.put("c.crt", locked.certificate), folder.put("c.key", locked.key)}) ==
        "the private key needs a passphrase, and nobody is there to type it");
  const Credentials weak = make_credentials("d", kYear, KeyKind::kWeakRsa);
  CHECK(has(problem({folder.put("d.crt", weak.certificate), folder.put("d.key", weak.key)}),
            "the certificate is too weak"));
  TlsContext missing({folder / "nowhere", key});
  const auto read = missing.refresh();
  REQUIRE_FALSE(read);
  CHECK(read.error().code == Errc::kNotFound);

  TlsContext chain({folder.put("chain", good.certificate + locked.certificate), key});
  CHECK(chain.refresh());
  TlsContext expired(write(folder, make_credentials("e", -60)));
  REQUIRE(expired.refresh());
  CHECK(expired.certificate().subject == "CN=e");
  CHECK(expired.certificate().not_after - expired.certificate().not_before == 3'540);
}

}  // namespace gedge
