#include "agent_guard.hpp"

#include "gedge/io/http_server.hpp"

namespace gedge::cli {

void add_guard_flags(FlagSet& flags, AgentGuard& guard) {
  flags.heading("Who may ask");
  flags.add({.name = "tls-cert",
             .value = "FILE",
             .help = "Serve HTTPS with this certificate, in PEM",
             .live = Live::kFiles},
            guard.certificate);
  flags.add({.name = "tls-key",
             .value = "FILE",
             .help = "The key of the certificate, in PEM",
             .live = Live::kFiles},
            guard.key);
  flags.add({.name = "token-file",
             .value = "FILE",
             .help = "Answer those who know a token of this file",
             .live = Live::kFiles},
            guard.tokens);
  flags.add({.name = "client-ca",
             .value = "FILE",
             .help = "Answer clients whose certificate these have signed",
             .live = Live::kFiles},
            guard.clients);
  flags.add({.name = "client-name",
             .value = "NAME",
             .help = "Of these, only those whose certificate is for it",
             .repeats = true},
            guard.client_names);
  flags.add({.name = "insecure", .help = "Do without TLS or without tokens"}, guard.insecure);
}

Status check_guard(const AgentGuard& guard) {
  if (guard.certificate.empty() != guard.key.empty())
    return invalid_input(guard.key.empty() ? "flag '--tls-cert' needs '--tls-key'"
                                           : "flag '--tls-key' needs '--tls-cert'");
  if (!guard.clients.empty() && !guard.has_tls())
    return invalid_input("flag '--client-ca' needs '--tls-cert'");
  if (!guard.client_names.empty() && guard.clients.empty())
    return invalid_input("flag '--client-name' needs '--client-ca'");
  for (const std::string* file : {&guard.certificate, &guard.key, &guard.tokens, &guard.clients})
    if (*file == "-")
      return invalid_input("certificates and tokens are read again: standard input will not do", {},
                           "name a file");
  return {};
}

Status check_reach(const AgentGuard& guard, const IpAddress& address, const std::string& listen) {
  if (is_loopback(address) || guard.insecure || (guard.has_tls() && guard.asks_who())) return {};
  std::string missing, flags;
  if (!guard.has_tls()) {
    missing = "without TLS";
    flags = "`--tls-cert FILE --tls-key FILE`";
  }
  if (!guard.asks_who()) {
    missing += missing.empty() ? "without a token" : " and without a token";
    flags += std::string(flags.empty() ? "" : " and ") + "`--token-file FILE`";
  }
  return invalid_input("others could reach '" + listen + "', " + missing, {},
                       "give " + flags + ", listen on 127.0.0.1, or allow it with `--insecure`");
}

std::string_view insecurity(const AgentGuard& guard) {
  if (!guard.insecure || (guard.has_tls() && guard.asks_who())) return {};
  return guard.asks_who() ? "tokens and replies can be read on their way"
                          : "whoever reaches this address may ask";
}

}  // namespace gedge::cli
