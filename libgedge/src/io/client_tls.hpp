// io/client_tls.hpp - the client's side of TLS, on sockets that never wait.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "gedge/port/api_endpoint.hpp"

namespace gedge {

struct TlsFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};
using ClientTls = std::unique_ptr<SSL_CTX, TlsFree>;
using TlsSession = std::unique_ptr<SSL, TlsFree>;

/// TLS 1.2 and later; whom to believe and what to show as the endpoint says. Null where that cannot
/// be used.
ClientTls make_client_tls(const ApiEndpoint& endpoint);

/// Offers HTTP/2, and HTTP/1.1 after it. `name`: that the server's certificate must have, a name or
/// an address; the same for all of a context, as what was agreed on the last connection is offered
/// to the next. The socket outlives it. Null without memory.
TlsSession make_tls_session(SSL_CTX* context, int socket, const std::string& name);

/// Of a handshake that failed: nothing is offered to the next connection of its context.
void begin_anew(SSL* session);

/// Whether the server has agreed to HTTP/2.
bool speaks_http2(const SSL* session);

}  // namespace gedge
