// codec/http_target.hpp - the path and the query of a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gedge::codec {

struct HttpTarget {
  std::vector<std::string> path;  ///< segments, decoded: an encoded slash is part of a segment
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in their order

  /// The value of a parameter; empty where it is absent.
  std::optional<std::string_view> find(std::string_view name) const;
};

/// Empty for what is no path ("*", "http://..."), for a wrong percent code, and for control
/// characters or bytes that are no UTF-8, encoded or not; also where a parameter comes twice.
std::optional<HttpTarget> parse_http_target(std::string_view text);

/// ASCII letters alone change.
std::string lower_case(std::string_view text);
/// Whether a Host names this machine: no name, an address, localhost or `name`. A name that
/// somebody else's name server may lead here is no way to ask (DNS rebinding).
bool is_own_host(std::string_view host, std::string_view name = {});

}  // namespace gedge::codec
