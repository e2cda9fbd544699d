// gedge/port/http_server.hpp - requests in, replies out, as plain values and an interface.
//
// A test needs no server: it calls the service.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gedge/port/ip_address.hpp"

namespace gedge {

/// A request that was received whole and is well-formed HTTP/1.
struct HttpRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< path and query as they were sent, percent-encoded
  std::string host;    ///< of the header Host, with the port if it has one; may be empty
  std::string origin;  ///< set by browsers when a page of another site asks
  std::string body;
  std::string authorization = {};  ///< of the header of that name; may be empty
  std::string content_type = {};   ///< the same
  /// Of the certificate that the client showed and that is trusted: DNS names, common names. Empty:
  /// it showed none.
  std::optional<std::vector<std::string>> client_names = {};
};

struct HttpReply {
  unsigned status = 200;
  std::string content_type, body;
  std::string allow;           ///< the methods of status 405; else empty
  std::string challenge = {};  ///< WWW-Authenticate of status 401; else empty
};

/// Why no request came to be. The connection is closed after the reply.
enum class HttpFault : std::uint8_t {
  kMalformed,       ///< not HTTP, or something that two parsers could read differently
  kHeaderTooLarge,  ///< request line and headers
  kBodyTooLarge,
  kIncomplete,  ///< it ended before its end
  kNoTls,       ///< plain HTTP where TLS is spoken; the reply goes as plain
  kInternal,    ///< the service failed
};

/// Takes the reply to one request, once, from any thread, as long as the server lives.
using HttpReplyTo = std::function<void(HttpReply)>;

struct HttpService {
  std::function<HttpReply(const HttpRequest&)> answer;
  std::function<HttpReply(HttpFault)> refuse;
  /// If set, called instead of `answer`: the reply, or none yet; then it is given to HttpReplyTo.
  std::function<std::optional<HttpReply>(const HttpRequest&, const HttpReplyTo&)> answer_or_wait =
      {};
};

/// What has happened so far.
struct HttpCounts {
  std::uint64_t connections = 0;        ///< accepted and served
  std::uint64_t turned_away = 0;        ///< closed at once: too many in total, or of that peer
  std::uint64_t requests = 0;           ///< answered
  std::uint64_t faults = 0;             ///< refused
  std::uint64_t handshakes_failed = 0;  ///< of TLS: connections that never came to a request
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  /// Where it listens, with the port that was found.
  virtual IpAddress address() const = 0;
  /// Serves in this thread until it is stopped; returns the signal that stopped it, 0: stop().
  virtual int run() = 0;
  /// From any thread, also before run(). No more connections; replies under way are finished, for
  /// a second at most.
  virtual void stop() = 0;
  /// From any thread.
  virtual HttpCounts counts() const = 0;
};

}  // namespace gedge
