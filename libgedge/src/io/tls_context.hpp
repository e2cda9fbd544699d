// io/tls_context.hpp - the server's side of TLS: a certificate with its key, read again when the
// files change.
#pragma once

#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>

#include "gedge/io/http_server.hpp"
#include "io/changing_file.hpp"

namespace gedge {

class TlsContext {
 public:
  explicit TlsContext(const TlsFiles& files) : certificate_(files.certificate), key_(files.key) {
    if (!files.clients.empty()) clients_.emplace(files.clients);
  }

  /// Reads all files if one has changed; what was read before stays where they are wrong, so
  /// that a pair may be replaced one file after the other. True if something is another now.
  /// Errors: those of reading files; kInvalidInput with what is wrong. Once a change.
  Result<bool> refresh();

  /// After a refresh() that succeeded. Connections may outlive it.
  boost::asio::ssl::context& context() { return *context_; }
  const TlsCertificate& certificate() const { return about_; }

 private:
  ChangingFile certificate_, key_;
  std::optional<ChangingFile> clients_;
  std::unique_ptr<boost::asio::ssl::context> context_;
  TlsCertificate about_;
};

}  // namespace gedge
