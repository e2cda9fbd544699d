// web_options.hpp - the flags that say how others are asked over HTTP.
#pragma once

#include <string>

#include "flags.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/files.hpp"
#include "gedge/port/http_client.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

struct WebOptions {
  std::string ca_file, token_file;  ///< may be empty
  bool skip_verify = false;
  Nanos timeout{10'000'000'000};

  /// Anything that only makes sense over HTTPS.
  bool wants_tls() const { return !ca_file.empty() || !token_file.empty() || skip_verify; }
};

/// --token-file, --ca-file, --insecure-skip-tls-verify, --request-timeout.
void add_web_flags(FlagSet& flags, WebOptions& web);
/// --ca-file and --insecure-skip-tls-verify alone.
void add_trust_flags(FlagSet& flags, WebOptions& web);

struct WebAccess {
  HttpTerms terms;
  std::string token;  ///< the first one of its file; empty where none is given
};
/// Reads the files. Errors: those of reading them; kInvalidInput for an empty one.
Result<WebAccess> open_web(FileStore& files, const WebOptions& web);

/// The certificates of --ca-file; empty where none is given. Errors: as of open_web().
Result<std::string> read_trusted(FileStore& files, const WebOptions& web);

/// On standard error, where certificates are not checked.
void warn_unchecked(Io& io, const WebOptions& web, const OutputOptions& output);

}  // namespace gedge::cli
