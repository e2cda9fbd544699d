// gedge/io/system_http.hpp - HTTP through libcurl, which is opened on first use.
#pragma once

#include <string>

#include "gedge/port/http_client.hpp"

namespace gedge {

/// HTTP/1.1 over TCP or TLS 1.2 and later. The proxy of the environment counts, but never for this
/// machine itself.
class SystemHttp final : public HttpClient {
 public:
  Status fetch(const std::vector<HttpCall>& calls, const HttpTerms& terms,
               const Done& done) override;
};

/// A URL as libcurl takes it apart, so that nobody reads it otherwise.
struct UrlParts {
  bool secure = false;  ///< https
  std::string host;     ///< without brackets, in lower case where it was written as an address
  bool bare = false;    ///< neither a path nor a query
  std::string url;      ///< put together again; one that is bare ends with a slash
};

/// Errors: kInvalidInput for what is no http or https URL, or carries a user, a password or a
/// fragment; kDenied where libcurl cannot be opened.
Result<UrlParts> take_url_apart(const std::string& url);

}  // namespace gedge
