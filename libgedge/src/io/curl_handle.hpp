// io/curl_handle.hpp - one easy handle of libcurl, and the options that every call of ours has.
#pragma once

#include <memory>
#include <string>

#include "io/curl_library.hpp"

namespace gedge {

class CurlHandle {
 public:
  explicit CurlHandle(const CurlLibrary& library)
      : library_(library), handle_(library.easy_init(), library.easy_cleanup) {}

  CURL* get() const { return handle_.get(); }
  /// False where libcurl has no such option, or no memory.
  template <typename Value>
  bool set(CURLoption option, Value value) {
    return library_.easy_setopt(get(), option, value) == CURLE_OK;
  }
  template <typename Value>
  Value info(CURLINFO what) const {
    Value value{};
    library_.easy_getinfo(get(), what, &value);
    return value;
  }

  /// http and https alone, over HTTP/1.1, without redirects, signals and waits for silent names.
  /// What a proxy says as it leads on is no header of the answer.
  bool restrain();
  /// Certificates are checked if `verify`; `trusted` (PEM) alone are believed, if there are any,
  /// else those of the system.
  bool trust(const std::string& trusted, bool verify);

 private:
  const CurlLibrary& library_;
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;
};

}  // namespace gedge
