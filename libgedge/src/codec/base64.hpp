// codec/base64.hpp - bytes as RFC 4648, section 4 writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gedge::codec {

/// Line ends do not count. Empty for anything else that is no base64, or is not padded.
std::optional<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace gedge::codec
