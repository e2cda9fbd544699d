#include "io/curl_handle.hpp"

namespace gedge {

bool CurlHandle::restrain() {
  return get() != nullptr && set(CURLOPT_NOSIGNAL, 1L) &&
         set(CURLOPT_QUICK_EXIT, 1L) &&  // a name server that is silent holds nobody up
         set(CURLOPT_PROTOCOLS_STR, "http,https") && set(CURLOPT_FOLLOWLOCATION, 0L) &&
         set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
         set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
}

bool CurlHandle::trust(const std::string& trusted, bool verify) {
  const long peer = verify ? 1 : 0, host = verify ? 2 : 0;
  const bool all = set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2)) &&
                   set(CURLOPT_SSL_VERIFYPEER, peer) && set(CURLOPT_SSL_VERIFYHOST, host);
  if (trusted.empty()) return all;
  curl_blob blob{const_cast<char*>(trusted.data()), trusted.size(), CURL_BLOB_COPY};
  // Else those of the system would be trusted as well.
  const char* const none = nullptr;
  return all && set(CURLOPT_CAINFO, none) && set(CURLOPT_CAPATH, none) &&
         set(CURLOPT_CAINFO_BLOB, &blob);
}

}  // namespace gedge
