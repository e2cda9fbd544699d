// codec/request_parts.hpp - what requests to an API server are made of.
#pragma once

#include <string>
#include <string_view>

#include "codec/document_sink.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge::codec {

inline constexpr Nanos kWriteTimeout{10'000'000'000};
inline constexpr Nanos kReadTimeout{5'000'000'000};  ///< of what a decision waits for

/// As a part of a path, or a value of a query.
std::string encoded(std::string_view text);
/// What is no UTF-8 is replaced.
std::string text_of(const Json& body);

ApiRequest get_request(std::string target);
ApiRequest write_request(ApiVerb verb, ApiLane lane, std::string target, std::string body,
                         const char* content_type);
ApiRequest write_request(ApiVerb verb, ApiLane lane, std::string target, const Json& body,
                         const char* content_type);

}  // namespace gedge::codec
