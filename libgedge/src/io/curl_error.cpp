#include "io/curl_error.hpp"

#include <string>
#include <utility>

#include "io/numeric_server.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

std::string uncapitalised(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  const bool word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// Without who a URL says that we are, and how that is proved.
std::string without_user(std::string text) {
  constexpr std::string_view kScheme = "://";
  const std::size_t scheme = text.find(kScheme);
  if (scheme == std::string::npos) return text;
  const std::size_t begin = scheme + kScheme.size(), at = text.rfind('@');
  return at == std::string::npos || at < begin ? text : text.erase(begin, at + 1 - begin);
}

std::string proxy_of(const CurlFailure& failure) {
  return failure.proxy.empty() ? "the proxy" : "the proxy at " + failure.proxy;
}

// libcurl does not say whether it has gone by a proxy that the environment names: it may be one of
// those that NO_PROXY leaves out.
std::string hint_of_environment(const CurlFailure& failure) {
  const char* const name = failure.may_go_by_proxy ? proxy_variable() : nullptr;
  if (name == nullptr) return {};
  return std::string(name) + " is set: if it goes by that proxy, does that lead there?";
}

}  // namespace

Error curl_error(const CurlLibrary& library, const CurlHandle& handle, const CurlFailure& failure) {
  if (failure.excess != Excess::kNone) return excess_error(failure);
  std::string details = uncapitalised(without_user(
      *failure.message != '\0' ? failure.message : library.easy_strerror(failure.code)));
  // Of a proxy that was asked to lead on; 0: there was none, or it said nothing.
  constexpr long kFirstRefusal = 300;
  if (const long said = handle.info<long>(CURLINFO_HTTP_CONNECTCODE); said >= kFirstRefusal)
    return {Errc::kUnreachable,
            proxy_of(failure) + " does not lead there: it answers " + std::to_string(said),
            {},
            {}};
  switch (failure.code) {
    case CURLE_OPERATION_TIMEDOUT: {
      Error error = timeout_error(failure);
      if (!failure.connected && !failure.proxy.empty())
        error.what = proxy_of(failure) + " does not lead there: " + error.what;
      return error;
    }
    case CURLE_COULDNT_CONNECT: {
      const long number = handle.info<long>(CURLINFO_OS_ERRNO);
      if (number != 0) details = reason_of(static_cast<int>(number));
      if (!failure.proxy.empty())
        details = "no connection to " + proxy_of(failure) + ": " + details;
      return {Errc::kUnreachable, std::move(details), {}, hint_of_environment(failure)};
    }
    case CURLE_PEER_FAILED_VERIFICATION:
      return {Errc::kDenied, "its certificate is not trusted: " + details, {}, {}};
    case CURLE_SSL_CERTPROBLEM:
      return {Errc::kDenied, "the certificate to show cannot be used: " + details, {}, {}};
    case CURLE_SSL_CACERT_BADFILE:
      return invalid_input("the certificates to be trusted cannot be read", {},
                           "a file in PEM, which begins with -----BEGIN CERTIFICATE-----");
    case CURLE_SSL_CONNECT_ERROR:
      return {Errc::kUnreachable, "no TLS with it: " + details, {}, {}};
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return {Errc::kUnreachable, "the connection broke off: " + details, {}, {}};
    case CURLE_OUT_OF_MEMORY:  // what libcurl says of a line without end
      return invalid_input("a header of the answer is too long");
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return invalid_input("what answers does not speak HTTP: " + details);
    default:
      return {Errc::kUnreachable, std::move(details), {}, hint_of_environment(failure)};
  }
}

}  // namespace gedge
