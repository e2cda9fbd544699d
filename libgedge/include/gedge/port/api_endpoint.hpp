// gedge/port/api_endpoint.hpp - an API server, and as whom it is spoken to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gedge/base/secret.hpp"

namespace gedge {

/// What shows who we are. Over http, none of it is sent.
struct ApiIdentity {
  Secret token;
  std::string certificate;  ///< PEM; others that lead to a known one may follow it
  Secret key;               ///< PEM, without a passphrase

  bool empty() const { return token.empty() && certificate.empty() && key.empty(); }
  friend bool operator==(const ApiIdentity&, const ApiIdentity&) = default;
};

/// As whom the server is asked to treat us, if we may.
struct Impersonation {
  std::string user, uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

struct ApiEndpoint {
  std::string server;           ///< https://HOST[:PORT][/PATH], or http
  std::string tls_server_name;  ///< that its certificate must have; empty: the host of `server`
  std::string trusted;          ///< certificates in PEM that alone are trusted; empty: the system's
  bool verify = true;           ///< false: whoever answers is believed
  /// May hold a password. Empty: the proxy of the environment, but never for this machine itself.
  Secret proxy;
  ApiIdentity identity;
  Impersonation as;
  std::string user_agent = "gedge";
};

}  // namespace gedge
