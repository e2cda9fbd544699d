// server_options.hpp - which API server is meant, and as whom it is spoken to, as kubectl's flags
// say.
#pragma once

#include <string>

#include "flags.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/base/units.hpp"
#include "gedge/codec/kubeconfig.hpp"

namespace gedge::cli {

struct ServerOptions {
  KubeChoice choice;
  bool insecure = false;
  bool refuses_helpers = false;           ///< programs of a kubeconfig that say who we are
  Nanos request_timeout{60'000'000'000};  ///< of one answer, where a cluster is listed once
};

/// Which server, and as whom.
void add_identity_flags(FlagSet& flags, ServerOptions& options);
/// The same under a heading, and --insecure-skip-tls-verify.
void add_server_flags(FlagSet& flags, ServerOptions& options);

/// Whose formulas a server of this minor version has.
Compat compat_of_server(int minor);
/// "Kubernetes 1.20; formulas of 1.20", and whether those were verified for it.
std::string words_of_server(int minor, Compat compat);

}  // namespace gedge::cli
