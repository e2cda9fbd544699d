#include "io/api_access.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "io/curl_url.hpp"

namespace gedge {
namespace {

constexpr long kLifeSeconds = 3'600;  // then balancers may choose anew
// Shorter than a watch may be silent until it is taken for broken (ReflectorOptions::unpinged): it
// tells of what was written last, so that no connection that was used before that is used again.
constexpr long kIdleSeconds = 20;
constexpr long kNameSeconds = 2;  // a name that leads elsewhere is followed

std::string part_of(const CurlLibrary& library, CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (library.url_get(url, part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string copy(text);
  library.free(text);
  return copy;
}

std::string place_of(const CurlLibrary& library, const std::string& proxy) {
  const std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> url(library.url(),
                                                                  library.url_cleanup);
  if (url == nullptr || library.url_set(url.get(), CURLUPART_URL, proxy.c_str(),
                                        CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return {};
  const std::string port = part_of(library, url.get(), CURLUPART_PORT);
  return part_of(library, url.get(), CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
}

bool is_token_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// As client-go writes keys into names of headers.
std::string header_key(std::string_view key) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_token_byte(c))
      escaped += c;
    else
      (escaped += '%').append({kHex[byte >> 4], kHex[byte & 15]});
  }
  return escaped;
}

bool set_blob(CurlHandle& handle, CURLoption option, const std::string& bytes) {
  curl_blob* const none = nullptr;
  if (bytes.empty()) return handle.set(option, none);
  curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
  return handle.set(option, &blob);
}

Status check_token(std::string_view token) {
  if (ApiAccess::is_clean(token) && token.find(' ') == std::string_view::npos) return {};
  return invalid_input("a token has characters that no token can have", {},
                       "letters, digits and marks, no blanks");
}

}  // namespace

bool ApiAccess::is_clean(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' && byte != 0x7f;
  });
}

bool ApiAccess::is_sound(const ApiRequest& request) {
  return request.target.starts_with('/') && is_clean(request.target) &&
         request.target.find_first_of(" #") == std::string::npos && is_clean(request.content_type);
}

Nanos ApiAccess::time_left(const ApiRequest& request, Nanos now) {
  return request.ends_by_then ? std::min(request.timeout, request.send_by - now) : request.timeout;
}

std::string ApiAccess::target_of(const ApiRequest& request, Nanos now) {
  if (!request.ends_by_then) return request.target;
  return request.target + codec::timeout_query(time_left(request, now));
}

Result<std::unique_ptr<ApiAccess>> ApiAccess::make(ApiEndpoint endpoint) {
  std::unique_ptr<ApiAccess> access(new ApiAccess(std::move(endpoint)));
  GEDGE_TRY(access->check());
  return access;
}

Status ApiAccess::check() const {
  GEDGE_TRY(check_token(endpoint_.identity.token.reveal()));
  if (endpoint_.identity.certificate.empty() != endpoint_.identity.key.empty())
    return invalid_input("a client certificate and its private key come together");
  const Impersonation& as = endpoint_.as;
  bool clean = is_clean(as.user) && is_clean(as.uid) && is_clean(endpoint_.user_agent) &&
               std::all_of(as.groups.begin(), as.groups.end(), is_clean);
  for (const auto& [key, values] : as.extra)
    clean = clean && !key.empty() && std::all_of(values.begin(), values.end(), is_clean);
  if (!clean) return invalid_input("the name of a user has characters that no header carries");
  if (as.user.empty() && !(as.uid.empty() && as.groups.empty() && as.extra.empty()))
    return invalid_input("groups or a UID to impersonate without a user", {}, "name one with `as`");
  return {};
}

Status ApiAccess::find_server(const CurlLibrary& library) {
  library_ = &library;
  auto url = parse_url(library, endpoint_.server);
  if (!url) return std::move(url).error();
  CURLU* const handle = url->handle.get();
  if (!part_of(library, handle, CURLUPART_QUERY).empty())
    return invalid_input("the URL of an API server has no query");
  secure_ = url->parts.secure;
  is_loopback_ = url->is_loopback();
  if (!endpoint_.proxy.empty()) proxy_ = place_of(library, endpoint_.proxy.reveal());
  const std::string& name = endpoint_.tls_server_name;
  if (!name.empty() && secure_) {
    const std::string host = part_of(library, handle, CURLUPART_HOST);
    const std::string port = part_of(library, handle, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    host_header_ = "Host: " + host + (port == "443" ? "" : ":" + port);
    connect_to_ = List(nullptr, library.slist_free_all);
    const bool named = library.url_set(handle, CURLUPART_HOST, name.c_str(), 0) == CURLUE_OK;
    if (!named) return invalid_input("tls-server-name is no name of a host");
    if (!append(connect_to_, "::" + host + ":" + port))
      return Error{Errc::kDenied, "out of memory", {}, {}};
  }
  base_ = part_of(library, handle, CURLUPART_URL);
  path_ = part_of(library, handle, CURLUPART_PATH);
  for (std::string* const text : {&base_, &path_})
    while (text->ends_with('/')) text->pop_back();
  return {};
}

bool ApiAccess::set_up(CurlHandle& handle) const {
  bool all = handle.restrain() && handle.set(CURLOPT_PATH_AS_IS, 1L) &&
             handle.set(CURLOPT_USERAGENT, endpoint_.user_agent.c_str()) &&
             handle.set(CURLOPT_MAXLIFETIME_CONN, kLifeSeconds) &&
             handle.set(CURLOPT_MAXAGE_CONN, kIdleSeconds) &&
             handle.set(CURLOPT_DNS_CACHE_TIMEOUT, kNameSeconds);
  if (connect_to_ != nullptr) all = all && handle.set(CURLOPT_CONNECT_TO, connect_to_.get());
  if (!endpoint_.proxy.empty())
    all = all && handle.set(CURLOPT_PROXY, endpoint_.proxy.reveal().c_str()) &&
          handle.set(CURLOPT_NOPROXY, "");
  else if (is_loopback_)
    all = all && handle.set(CURLOPT_PROXY, "");
  return all;
}

bool ApiAccess::identify(CurlHandle& handle) const {
  const bool trusts = handle.trust(endpoint_.trusted, endpoint_.verify);
  if (!secure_) return trusts;
  const ApiIdentity& own = endpoint_.identity;
  const char* const token = own.token.empty() ? nullptr : own.token.reveal().c_str();
  return trusts && handle.set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER) &&
         handle.set(CURLOPT_XOAUTH2_BEARER, token) &&
         set_blob(handle, CURLOPT_SSLCERT_BLOB, own.certificate) &&
         set_blob(handle, CURLOPT_SSLKEY_BLOB, own.key.reveal());
}

Status ApiAccess::adopt(const ApiIdentity& identity, const std::string& trusted,
                        std::uint64_t generation) {
  GEDGE_TRY(check_token(identity.token.reveal()));
  endpoint_.identity = identity;
  endpoint_.trusted = trusted;
  generation_ = generation;
  return {};
}

bool ApiAccess::append(List& list, const std::string& line) const {
  curl_slist* const longer = library_->slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  static_cast<void>(list.release());
  list.reset(longer);
  return true;
}

ApiAccess::Fields ApiAccess::impersonation() const {
  const Impersonation& as = endpoint_.as;
  Fields fields;
  if (!as.user.empty()) fields.emplace_back("Impersonate-User", as.user);
  if (!as.uid.empty()) fields.emplace_back("Impersonate-Uid", as.uid);
  for (const std::string& group : as.groups) fields.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : as.extra)
    for (const std::string& value : values)
      fields.emplace_back("Impersonate-Extra-" + header_key(key), value);
  return fields;
}

// An API server's own binary form is shorter than JSON, and less work for it.
std::string_view ApiAccess::accepted(const ApiRequest& request) {
  return request.is_answer_unread || request.takes_protobuf
             ? "application/vnd.kubernetes.protobuf, application/json"
             : "application/json";
}

curl_slist* ApiAccess::headers(const ApiRequest& request) {
  const std::string& content_type = request.content_type;
  const std::pair key(accepted(request), content_type);
  const auto known = headers_.find(key);
  if (known != headers_.end()) return known->second.get();
  List list(nullptr, library_->slist_free_all);
  // An empty one is not sent: no request waits to be told to go on with its body.
  bool all = append(list, "Accept: " + std::string(key.first)) && append(list, "Expect:");
  if (!content_type.empty()) all = all && append(list, "Content-Type: " + content_type);
  if (!host_header_.empty()) all = all && append(list, host_header_);
  for (const auto& [name, value] : impersonation()) all = all && append(list, name + ": " + value);
  if (!all) return nullptr;
  return headers_.emplace(key, std::move(list)).first->second.get();
}

}  // namespace gedge
