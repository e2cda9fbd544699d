// gedge/port/http_client.hpp - requests to other machines, many at once, as an interface.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// A GET.
struct HttpCall {
  std::string url;  ///< http:// or https://, without credentials
  /// Of the header Authorization; empty: none. It goes over https, or to this machine only.
  std::string token;
};

/// What an answer may cost, and whom to believe. Every call ends by itself.
struct HttpTerms {
  Micros connect_timeout{5'000'000};
  Micros timeout{10'000'000};  ///< of a whole call, names looked up and bytes read
  std::size_t most_body_bytes = 8 << 20, most_header_bytes = 32 << 10;
  std::size_t most_at_once = 32;  ///< calls under way
  std::string trusted = {};  ///< certificates in PEM that alone are trusted; empty: the system's
  bool verify = true;        ///< false: whoever answers is believed
  std::string user_agent = "gedge";
};

struct HttpAnswer {
  unsigned status = 0;
  std::string location;  ///< where a redirect points to; none is followed
  std::string body;      ///< as it was sent: nothing is asked to be compressed
};

class HttpClient {
 public:
  /// The place of the call, and its answer, whatever the status. Errors: kUnreachable (no address,
  /// nobody there, it broke off), kTimeout, kDenied (a certificate that is not trusted),
  /// kInvalidInput (no URL that is allowed, not HTTP, or more than the terms allow).
  using Done = std::function<void(std::size_t, Result<HttpAnswer>)>;

  virtual ~HttpClient() = default;

  /// Makes all calls, side by side, and hands each to `done` as it ends, in this thread.
  /// Errors: kDenied, where this machine cannot make any; `done` is not called then.
  virtual Status fetch(const std::vector<HttpCall>& calls, const HttpTerms& terms,
                       const Done& done) = 0;
};

}  // namespace gedge
