// io/curl_error.hpp - what libcurl says went wrong, in our words.
#pragma once

#include <string>
#include <string_view>

#include "gedge/base/error.hpp"
#include "io/call_failure.hpp"
#include "io/curl_handle.hpp"

namespace gedge {

/// Whether nothing of the head of an answer follows. libcurl takes one that was cut off for whole.
inline bool is_head_end(std::string_view line) { return line == "\r\n" || line == "\n"; }

struct CurlFailure : CallFailure {
  CURLcode code = CURLE_OK;
  const char* message = "";      // libcurl's; empty: that of the code
  std::string proxy = {};        // HOST:PORT of the one that was named; empty: none, or unknown
  bool may_go_by_proxy = false;  // of the environment
};

Error curl_error(const CurlLibrary& library, const CurlHandle& handle, const CurlFailure& failure);

}  // namespace gedge
