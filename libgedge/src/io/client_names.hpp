// io/client_names.hpp - whom the certificate of a client names.
#pragma once

#include <openssl/ssl.h>

#include <optional>
#include <string>
#include <vector>

namespace gedge {

/// Of a server's connection, after its handshake: the DNS names of the client's certificate, then
/// its common names. Empty where it showed none, or where nobody asked whether it is trusted.
std::optional<std::vector<std::string>> names_of_client(SSL* connection);

}  // namespace gedge
