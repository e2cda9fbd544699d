// gedge/drive/publish_latency.hpp - what was measured, as NodeLatency objects of a cluster.
#pragma once

#include <cstddef>

#include "gedge/base/error.hpp"
#include "gedge/base/result.hpp"
#include "gedge/drive/cluster_list.hpp"
#include "gedge/latency/material_change.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/clock.hpp"

namespace gedge {

struct PublishOptions {
  MaterialChange material;
  ClusterListOptions listing;
  int most_tries = 4;  ///< of one object, where the server is busy or cannot be reached
};

struct Publication {
  std::size_t written = 0, unchanged = 0;
  Errors failures;  ///< of objects that the server did not take
};

/// One object for each name that pairs begin at, by server-side apply; those that say nothing new
/// are left as they are. Errors: those of reading what is there, among them kNotFound where the
/// server does not know the kind.
Result<Publication> publish_latency(ApiTransport& transport, const Clock& clock,
                                    const RttMatrix& matrix, const PairDetails& details,
                                    const PublishOptions& options = {});

}  // namespace gedge
