// gedge/drive/list_kind.hpp - all objects of one kind, listed once through an API server.
#pragma once

#include <string_view>

#include "gedge/drive/cluster_list.hpp"

namespace gedge {

/// As list_cluster() does for each of its kinds. Errors too: kNotFound where the server does not
/// know the kind. `path`: "/api/v1/nodes".
Result<ClusterListing> list_kind(ApiTransport& transport, const Clock& clock, std::string_view path,
                                 const ClusterListOptions& options = {});

}  // namespace gedge
