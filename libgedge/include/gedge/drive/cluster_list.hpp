// gedge/drive/cluster_list.hpp - everything of a cluster that a plan depends on, listed once
// through its API server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/clock.hpp"

namespace gedge {

struct ClusterListOptions {
  Nanos timeout{60'000'000'000};  ///< of one answer
  std::uint32_t page_size = 5'000;
  std::uint32_t most_tries = 5;  ///< of one kind, where the server is busy or forgot the list
  std::uint64_t seed = 0;        ///< of jitter between them
  int minor = 20;                ///< of the server's version: which groups it has
};

/// Objects of one kind.
struct ListedPage {
  std::string name;  ///< "GET /api/v1/pods", for messages
  std::string json;  ///< a List as the server sent it; 64 bytes of room behind it
};

struct ClusterListing {
  std::vector<ListedPage> pages;  ///< for FactsLoader::add_cluster()
  /// UnreadKind: what we have no right to read is as if it were not there.
  std::vector<Warning> warnings;
};

/// Lists nodes, pods and all other kinds that a FactsLoader reads of a cluster, each page by page
/// at one version, four kinds at once. A kind that the server does not know is empty. A page that
/// failed is asked for again, a list whose rest the server has forgotten begins anew, and a server
/// that says when to come back is obeyed.
///
/// Errors: kDenied without the right to list nodes or pods; kTimeout, kUnreachable; kInvalidInput
/// for what is no list.
Result<ClusterListing> list_cluster(ApiTransport& transport, const Clock& clock,
                                    const ClusterListOptions& options = {});

}  // namespace gedge
