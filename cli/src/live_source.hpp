// live_source.hpp - `--cluster live`: the facts of a cluster that runs, as its API server says
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/drive/cluster_list.hpp"
#include "io.hpp"
#include "server_options.hpp"

namespace gedge::cli {

/// "live", or "live:CONTEXT".
bool is_live(std::string_view source);
/// Takes that context. Errors: another one was asked for.
Status choose_context(std::string_view source, KubeChoice& choice);
/// Of who follows a cluster, which without --cluster is a live one: takes a live source out of
/// `cluster`. Errors: it is not alone there, and those of choose_context().
Status take_live(std::vector<std::string>& cluster, KubeChoice& choice);

struct LiveServer {
  std::string url;
  int minor = 0;               ///< of its version
  std::string namespace_name;  ///< of the context
};

struct LiveReading : LiveServer {
  std::vector<ListedPage> pages;
  std::vector<Warning> warnings;  ///< of the kubeconfig, and of what could not be read
  Errors errors;                  ///< if there are any, nothing else counts
};

/// In the library of daemons.
using ListLive = int (*)(const ServerOptions&, LiveReading&, Io&);
inline constexpr const char* kListLive = "gedge_list_live";
using MayBeLive = int (*)(const ServerOptions&, Io&);
inline constexpr const char* kMayBeLive = "gedge_may_be_live";

/// Lists the cluster that `source` names, through that library.
LiveReading list_live(Io& io, const ServerOptions& options, std::string_view source);

/// There is a kubeconfig, or the account of a pod: without --cluster, a live one is meant.
bool may_be_live(Io& io, const ServerOptions& options);

}  // namespace gedge::cli
