// codec/rtt_columns.hpp - headers that say what the columns of a latency table are.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "codec/rtt_draft.hpp"

namespace gedge::codec {

struct RttColumn {
  enum class Role : std::uint8_t {
    kIgnored,
    kFrom,
    kTo,
    kStat,
    kMeasuredAt,
    kMdev,
    kJitter,
    kLoss,  // millionths
    kSamples,
    kMethod,
    kEstimated,
    kSuspicious
  };
  Role role = Role::kIgnored;
  RttStats::Field stat = RttStats::kOnly;
  std::optional<TimeUnit> unit;  // where the header says it: "rtt_ms", "p95Us", "avg (ms)"
};

RttColumn rtt_column(std::string_view header);

bool is_edge_header(const std::vector<std::string_view>& header);
bool is_wonder_network(const std::vector<std::string_view>& header);
/// "city,Lat,Long,Population", which lies beside the files of WonderNetwork.
bool is_wonder_cities(const std::vector<std::string_view>& header);

}  // namespace gedge::codec
