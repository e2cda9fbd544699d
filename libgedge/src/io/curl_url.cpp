#include "io/curl_url.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = 2'048;

// Which URL is not repeated where it may hold a password.
Error wrong(const std::string& what,
            std::string hint = "write for example `http://10.0.0.7:8787`") {
  return invalid_input(what, {}, std::move(hint));
}

class Reader {
 public:
  Reader(const CurlLibrary& library, CURLU* handle) : library_(library), handle_(handle) {}

  std::string part(CURLUPart what, unsigned flags = 0) const {
    char* text = nullptr;
    if (library_.url_get(handle_, what, &text, flags) != CURLUE_OK || text == nullptr) return {};
    std::string copy(text);
    library_.free(text);
    return copy;
  }
  bool has(CURLUPart what) const { return !part(what).empty(); }

 private:
  const CurlLibrary& library_;
  CURLU* handle_;
};

}  // namespace

bool CurlUrl::is_loopback() const {
  in_addr v4{};
  in6_addr v6{};
  if (parts.host == "localhost" || parts.host.ends_with(".localhost")) return true;
  if (::inet_pton(AF_INET, parts.host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  return ::inet_pton(AF_INET6, parts.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Result<CurlUrl> parse_url(const CurlLibrary& library, const std::string& url) {
  CurlUrl parsed{{library.url(), library.url_cleanup}, {}};
  if (parsed.handle == nullptr) return Error{Errc::kDenied, "out of memory", {}, {}};
  CURLU* const handle = parsed.handle.get();
  const bool clean = url.size() <= kMostBytes && std::none_of(url.begin(), url.end(), [](char c) {
                       return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
                     });
  if (!clean || library.url_set(handle, CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
    return wrong(url.find('@') == std::string::npos ? '\'' + url + "' is no URL that can be used"
                                                    : "this is no URL that can be used");
  const Reader reader(library, handle);
  if (reader.has(CURLUPART_USER) || reader.has(CURLUPART_PASSWORD))
    return wrong("a URL with a user or a password",
                 "everybody can read it; give a token in a file");
  const std::string scheme = reader.part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    return wrong("'" + scheme + "' is neither http nor https");
  if (reader.has(CURLUPART_FRAGMENT)) return wrong("a URL with a fragment means nothing here");
  UrlParts& parts = parsed.parts;
  parts.secure = scheme == "https";
  parts.host = reader.part(CURLUPART_HOST);
  if (parts.host.size() > 2 && parts.host.front() == '[')
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  parts.bare = reader.part(CURLUPART_PATH) == "/" && !reader.has(CURLUPART_QUERY);
  parts.url = reader.part(CURLUPART_URL);
  return parsed;
}

Result<UrlParts> take_url_apart(const std::string& url) {
  const auto library = CurlLibrary::get();
  if (!library) return library.error();
  auto parsed = parse_url(**library, url);
  if (!parsed) return std::move(parsed).error();
  return std::move(parsed->parts);
}

}  // namespace gedge
