#include "server_options.hpp"

namespace gedge::cli {

void add_server_flags(FlagSet& flags, ServerOptions& options) {
  KubeChoice& choice = options.choice;
  flags.heading("Which API server");
  flags.add({.name = "kubeconfig",
             .value = "FILE",
             .help = "Find the API server in this file alone",
             .live = Live::kFiles},
            choice.kubeconfig);
  flags.add({.name = "context", .value = "NAME", .help = "Context of the kubeconfig"},
            choice.context);
  flags.add({.name = "as", .value = "USER", .help = "Act as this user"}, choice.as.user);
  flags.add(
      {.name = "as-group", .value = "GROUP", .help = "Act as a member of it", .repeats = true},
      choice.as.groups);
  flags.add({.name = "insecure-skip-tls-verify", .help = "Believe whoever answers; not safe"},
            options.insecure);
  flags.add({.name = "no-exec-credentials", .help = "Run no program that a kubeconfig names"},
            options.refuses_helpers);
}

}  // namespace gedge::cli
