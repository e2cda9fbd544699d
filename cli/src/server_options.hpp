// server_options.hpp - which API server is meant, and as whom it is spoken to, as kubectl's flags
// say.
#pragma once

#include "flags.hpp"
#include "gedge/codec/kubeconfig.hpp"

namespace gedge::cli {

struct ServerOptions {
  KubeChoice choice;
  bool insecure = false;
  bool refuses_helpers = false;  ///< programs of a kubeconfig that say who we are
};

void add_server_flags(FlagSet& flags, ServerOptions& options);

}  // namespace gedge::cli
