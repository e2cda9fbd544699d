#include "codec/request_parts.hpp"

#include <utility>

namespace gedge::codec {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c))
      out += c;
    else
      out.append({'%', kDigits[byte >> 4U], kDigits[byte & 15U]});
  }
  return out;
}

std::string text_of(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ApiRequest get_request(std::string target) {
  ApiRequest request;
  request.target = std::move(target);
  request.timeout = kReadTimeout;
  return request;
}

ApiRequest write_request(ApiVerb verb, ApiLane lane, std::string target, std::string body,
                         const char* content_type) {
  ApiRequest request;
  request.verb = verb;
  request.lane = lane;
  request.target = std::move(target);
  request.body = std::move(body);
  request.content_type = content_type;
  request.timeout = kWriteTimeout;
  return request;
}

ApiRequest write_request(ApiVerb verb, ApiLane lane, std::string target, const Json& body,
                         const char* content_type) {
  return write_request(verb, lane, std::move(target), text_of(body), content_type);
}

}  // namespace gedge::codec
