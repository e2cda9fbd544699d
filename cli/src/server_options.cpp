#include "server_options.hpp"

#include "gedge/codec/write.hpp"

namespace gedge::cli {
namespace {

constexpr int kLast120 = 22;                         // newer servers have formulas of 1.36
constexpr int kVerified120 = 20, kVerified136 = 36;  // what test vectors were made with

}  // namespace

Compat compat_of_server(int minor) { return minor <= kLast120 ? Compat::k1_20 : Compat::k1_36; }

std::string words_of_server(int minor, Compat compat) {
  const int verified = compat == Compat::k1_20 ? kVerified120 : kVerified136;
  return "Kubernetes 1." + std::to_string(minor) + "; formulas of " +
         std::string(to_string(compat)) +
         (minor == verified ? "" : ", not verified for this server");
}

void add_identity_flags(FlagSet& flags, ServerOptions& options) {
  KubeChoice& choice = options.choice;
  flags.add({.name = "kubeconfig",
             .value = "FILE",
             .help = "Find the API server in this file alone",
             .live = Live::kFiles,
             .shapes_answer = true},
            choice.kubeconfig);
  flags.add({.name = "context",
             .value = "NAME",
             .help = "Context of the kubeconfig",
             .shapes_answer = true},
            choice.context);
  flags.add({.name = "as", .value = "USER", .help = "Act as this user", .shapes_answer = true},
            choice.as.user);
  flags.add({.name = "as-group",
             .value = "GROUP",
             .help = "Act as a member of it",
             .repeats = true,
             .shapes_answer = true},
            choice.as.groups);
  flags.add({.name = "no-exec-credentials",
             .help = "Run no program that a kubeconfig names",
             .shapes_answer = true},
            options.refuses_helpers);
}

void add_server_flags(FlagSet& flags, ServerOptions& options) {
  flags.heading("Which API server");
  add_identity_flags(flags, options);
  flags.add({.name = "insecure-skip-tls-verify",
             .help = "Believe whoever answers; not safe",
             .shapes_answer = true},
            options.insecure);
}

}  // namespace gedge::cli
