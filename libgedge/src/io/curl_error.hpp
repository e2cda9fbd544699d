// io/curl_error.hpp - what libcurl says went wrong, in our words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gedge/base/error.hpp"
#include "gedge/base/units.hpp"
#include "io/curl_handle.hpp"

namespace gedge {

/// What was too much of an answer.
enum class Excess : std::uint8_t { kNone, kHeader, kBody, kLine };

/// Whether nothing of the head of an answer follows. libcurl takes one that was cut off for whole.
inline bool is_head_end(std::string_view line) { return line == "\r\n" || line == "\n"; }

struct CurlFailure {
  CURLcode code = CURLE_OK;
  const char* message = "";  // libcurl's; empty: that of the code
  bool connected = false, silent = true;
  Micros connect_timeout{0}, timeout{0};
  Excess excess = Excess::kNone;
  std::size_t most_bytes = 0;  // of that
};

Error curl_error(const CurlLibrary& library, const CurlHandle& handle, const CurlFailure& failure);

}  // namespace gedge
