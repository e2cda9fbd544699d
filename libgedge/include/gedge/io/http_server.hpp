// gedge/io/http_server.hpp - an HTTP/1 server on a socket of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge {

/// PEM files. They are looked at for each connection, and read again when they have changed.
struct TlsFiles {
  std::string certificate;   ///< the server's own first, then those that lead to a known one
  std::string key;           ///< without a passphrase
  std::string clients = {};  ///< those who sign certificates of clients; empty: none is asked for
};

struct TlsCertificate {
  std::string subject;  ///< as RFC 2253 writes it: "CN=node-1"
  UnixSeconds not_before = 0, not_after = 0;
};

/// What became of the files, from open_http_server() on; called in the thread that serves.
struct TlsEvents {
  std::function<void(const TlsCertificate&)> changed;
  /// They are wrong, and those read before are used on.
  std::function<void(const Error&)> failed;
};

struct HttpServerOptions {
  IpAddress listen;
  /// HTTPS only: TLS 1.2 with forward secrecy, or 1.3.
  std::optional<TlsFiles> tls = {};
  TlsEvents tls_events = {};
  std::size_t most_connections = 256;  ///< one more is closed at once, not queued
  std::size_t most_of_a_peer = 64;     ///< connections from one address
  std::size_t most_header_bytes = 16 << 10;
  std::size_t most_body_bytes = 1 << 20;
  Nanos handshake_timeout{5'000'000'000};  ///< of TLS
  Nanos read_timeout{5'000'000'000};       ///< from the first byte of a request to its last
  Nanos idle_timeout{30'000'000'000};      ///< without any byte
  Nanos answer_timeout{30'000'000'000};    ///< of a reply that the service gives later
  Nanos write_timeout{10'000'000'000};     ///< of a whole reply
  Nanos most_lifetime{600'000'000'000};    ///< of a connection
  bool stops_on_signals = false;           ///< SIGINT and SIGTERM; they are taken from now on
  std::function<void()> hung_up;           ///< told of SIGHUP, which is taken from now on
};

/// Whether nobody but this machine can reach it.
bool is_loopback(const IpAddress& address);

/// One thread serves all connections; the service must be quick. Parsing is strict: what two
/// parsers could read differently is refused, and the connection closed.
/// Memory: a connection takes at most the largest header and body, and its reply; 70 KiB more
/// with TLS.
/// Errors: kDenied with the reason of the system (address in use, no permission); those of reading
/// the files of TLS, and kInvalidInput with what is wrong in them.
Result<std::unique_ptr<HttpServer>> open_http_server(HttpServerOptions options,
                                                     HttpService service);

}  // namespace gedge
