// io/curl_transfer.hpp - one call through libcurl: what it may do, and what came of it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gedge/port/http_client.hpp"
#include "io/curl_error.hpp"
#include "io/curl_handle.hpp"
#include "io/curl_library.hpp"
#include "io/curl_url.hpp"

namespace gedge {

/// Neither moved nor copied: libcurl holds its address. `terms` outlive it.
class CurlTransfer {
 public:
  /// Errors: kInvalidInput for a URL or a token that is not allowed; kDenied without memory.
  static Result<std::unique_ptr<CurlTransfer>> make(const CurlLibrary& library,
                                                    const HttpCall& call, const HttpTerms& terms);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* handle() const { return handle_.get(); }
  /// What came of it, once libcurl says that it is over.
  Result<HttpAnswer> finish(CURLcode code);

 private:
  CurlTransfer(const CurlLibrary& library, CurlUrl url, const HttpTerms& terms);
  Status prepare(const HttpCall& call);
  bool limit();
  bool take(std::string_view bytes);
  bool take_header(std::string_view line);
  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
  Error error_of(CURLcode code) const;

  const CurlLibrary& library_;
  const HttpTerms& terms_;
  CurlUrl url_;
  CurlHandle handle_;
  std::array<char, CURL_ERROR_SIZE> message_{};
  std::string body_;
  std::size_t header_bytes_ = 0;
  bool is_head_whole_ = false;
  Excess excess_ = Excess::kNone;
};

}  // namespace gedge
