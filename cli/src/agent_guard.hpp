// agent_guard.hpp - who may ask `gedge agent`, and what is spoken with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flags.hpp"
#include "gedge/base/result.hpp"
#include "gedge/io/http_server.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge::cli {

struct AgentGuard {
  std::string certificate, key, tokens;   ///< files; empty: no TLS, no token
  std::string clients;                    ///< file of who signs certificates of clients; or empty
  std::vector<std::string> client_names;  ///< of these certificates, those for one of these; or all
  bool insecure = false;                  ///< do without what is missing

  bool has_tls() const { return !certificate.empty(); }
  bool has_tokens() const { return !tokens.empty(); }
  bool asks_who() const { return has_tokens() || !clients.empty(); }
  std::optional<TlsFiles> tls() const {
    return has_tls() ? std::optional(TlsFiles{certificate, key, clients}) : std::nullopt;
  }
};

void add_guard_flags(FlagSet& flags, AgentGuard& guard);

/// Errors: of how the flags go together.
Status check_guard(const AgentGuard& guard);

/// Errors: others than this machine reach the address, and something is missing that nobody
/// allowed to be. `listen` is what the user wrote for it.
Status check_reach(const AgentGuard& guard, const IpAddress& address, const std::string& listen);

/// What is wrong with an agent that was allowed to run nevertheless; empty: nothing.
std::string_view insecurity(const AgentGuard& guard);

}  // namespace gedge::cli
