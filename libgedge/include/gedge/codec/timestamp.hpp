// gedge/codec/timestamp.hpp - RFC 3339 times of Kubernetes objects, of measurements and of --now.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/units.hpp"

namespace gedge::codec {

/// "2018-11-10T12:19:15Z", with fractions (cut off) or an offset; a blank for the T, and nothing
/// for UTC. Empty where the text is no such time or no such day exists. A leap second counts as the
/// one before.
std::optional<UnixSeconds> parse_timestamp(std::string_view text);

/// The reverse, in UTC: "2018-11-10T12:19:15Z". Years beyond 9999 have more digits.
std::string format_timestamp(UnixSeconds time);

}  // namespace gedge::codec
