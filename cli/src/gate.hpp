// gate.hpp - who is answered: whoever knows a token, or shows a certificate.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent_guard.hpp"
#include "gedge/base/error.hpp"
#include "gedge/base/result.hpp"
#include "gedge/io/token_file.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge::cli {

/// Not for two threads at once.
class Gate {
 public:
  /// Lets everybody in.
  Gate() = default;
  /// Errors: those of TokenFile::open().
  static Result<Gate> open(const AgentGuard& guard);

  /// Whether not everybody is let in.
  bool is_guarded() const { return tokens_ || by_certificate_; }
  /// Everybody may ask for /livez and /readyz. `tell`: of tokens that cannot be read any more,
  /// while those known before are.
  bool lets_in(const HttpRequest& request, const std::function<void(const Error&)>& tell);

 private:
  bool is_known_client(const HttpRequest& request) const;

  std::optional<TokenFile> tokens_;
  bool by_certificate_ = false;
  std::vector<std::string> names_;  // empty: any
};

}  // namespace gedge::cli
