#include "web_options.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "gedge/version.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMostTrusted = 4 << 20;  // the system's own bundle has a quarter of a MiB
constexpr std::uint64_t kMostToken = 64 << 10;
constexpr std::string_view kBlanks = " \t\r\n";

// The first line that is not empty: whoever serves may accept several.
std::string first_token(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, text.find_last_not_of(kBlanks) + 1));
}

Result<std::string> read_token(FileStore& files, const std::string& path) {
  const auto bytes = files.read(path, kMostToken);
  if (!bytes) return bytes.error();
  std::string token = first_token(*bytes);
  if (token.empty()) return invalid_input("no token in " + path);
  return token;
}

}  // namespace

Result<std::string> read_trusted(FileStore& files, const WebOptions& web) {
  if (web.ca_file.empty()) return std::string();
  auto trusted = files.read(web.ca_file, kMostTrusted);
  if (trusted && trusted->empty()) return invalid_input("no certificate in " + web.ca_file);
  return trusted;
}

Result<WebAccess> open_web(FileStore& files, const WebOptions& web) {
  WebAccess access;
  HttpTerms& terms = access.terms;
  terms.timeout = std::chrono::duration_cast<Micros>(web.timeout);
  terms.connect_timeout = std::min(terms.connect_timeout, terms.timeout);
  terms.verify = !web.skip_verify;
  terms.user_agent = "gedge/" + std::string(version());
  auto trusted = read_trusted(files, web);
  if (!trusted) return std::move(trusted).error();
  terms.trusted = *std::move(trusted);
  if (web.token_file.empty()) return access;
  auto token = read_token(files, web.token_file);
  if (!token) return std::move(token).error();
  access.token = *std::move(token);
  return access;
}

void warn_unchecked(Io& io, const WebOptions& web, const OutputOptions& output) {
  if (web.skip_verify && !output.quiet)
    io.err.line("certificates were not checked: whoever answered was believed");
}

void add_trust_flags(FlagSet& flags, WebOptions& web) {
  flags.add({.name = "ca-file",
             .value = "FILE",
             .help = "Certificates that alone are trusted, in PEM",
             .fallback = "the system's",
             .live = Live::kFiles},
            web.ca_file);
  flags.add({.name = "insecure-skip-tls-verify", .help = "Believe whoever answers"},
            web.skip_verify);
}

void add_web_flags(FlagSet& flags, WebOptions& web) {
  flags.add({.name = "token-file",
             .value = "FILE",
             .help = "The token that is asked for; over HTTPS only",
             .live = Live::kFiles},
            web.token_file);
  add_trust_flags(flags, web);
  flags.add({.name = "request-timeout",
             .value = "DURATION",
             .help = "For the whole answer to one request",
             .fallback = "10s"},
            span_into(web.timeout, false));
}

}  // namespace gedge::cli
