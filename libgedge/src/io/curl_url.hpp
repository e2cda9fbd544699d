// io/curl_url.hpp - URLs in libcurl's own form.
#pragma once

#include <memory>
#include <string>

#include "gedge/io/system_http.hpp"
#include "io/curl_library.hpp"

namespace gedge {

/// A URL that SystemHttp may be sent to.
struct CurlUrl {
  std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> handle;
  UrlParts parts;

  /// Only this machine answers there, whatever name servers say.
  bool is_loopback() const;
};

/// Errors: those of take_url_apart().
Result<CurlUrl> parse_url(const CurlLibrary& library, const std::string& url);

}  // namespace gedge
