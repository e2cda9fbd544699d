// io/api_access.hpp - what all requests to one API server have in common.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/port/api_endpoint.hpp"
#include "gedge/port/api_transport.hpp"
#include "io/curl_handle.hpp"
#include "io/curl_library.hpp"

namespace gedge {

/// Outlives the handles that it was set on: they hold addresses of it.
class ApiAccess {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  /// Errors: kInvalidInput as of ApiClient::open(), but for what find_server() says.
  static Result<std::unique_ptr<ApiAccess>> make(ApiEndpoint endpoint);
  /// Takes the URL apart: once, before what needs handles. Errors: kInvalidInput for one that
  /// cannot be used.
  Status find_server(const CurlLibrary& library);
  ApiAccess(const ApiAccess&) = delete;
  ApiAccess& operator=(const ApiAccess&) = delete;

  /// What stays on a handle from call to call. False without memory.
  bool set_up(CurlHandle& handle) const;
  /// Who we are and whom to believe; kept by the handle too, until generation() is another one.
  bool identify(CurlHandle& handle) const;
  std::uint64_t generation() const { return generation_; }
  const ApiEndpoint& endpoint() const { return endpoint_; }
  /// As whom the server is asked to treat us.
  Fields impersonation() const;
  /// Errors: kInvalidInput for a token that no header carries; then nothing changes.
  Status adopt(const ApiIdentity& identity, const std::string& trusted, std::uint64_t generation);
  /// The headers of such a request; null without memory.
  curl_slist* headers(const ApiRequest& request);
  /// Whether it is told who we are.
  bool is_secure() const { return secure_; }
  /// Where a target begins.
  const std::string& base() const { return base_; }
  /// The same without scheme and server.
  const std::string& path() const { return path_; }

  /// HOST:PORT of the proxy that is named, without who may use it; empty: none, or no such URL.
  const std::string& proxy() const { return proxy_; }
  /// That the environment names, if it does.
  bool may_go_by_proxy() const { return secure_ && !is_loopback_ && endpoint_.proxy.empty(); }

  /// Whether a header can carry it: visible characters and blanks.
  static bool is_clean(std::string_view text);
  /// Whether a server would understand it.
  static bool is_sound(const ApiRequest& request);
  /// In what forms its answer may come.
  static std::string_view accepted(const ApiRequest& request);
  /// The time that it may still take.
  static Nanos time_left(const ApiRequest& request, Nanos now);
  /// The target of one that leaves now.
  static std::string target_of(const ApiRequest& request, Nanos now);

 private:
  using List = std::unique_ptr<curl_slist, decltype(&::curl_slist_free_all)>;

  explicit ApiAccess(ApiEndpoint endpoint) : endpoint_(std::move(endpoint)) {}
  Status check() const;
  bool append(List& list, const std::string& line) const;

  const CurlLibrary* library_ = nullptr;
  ApiEndpoint endpoint_;
  std::uint64_t generation_ = 1;
  std::string base_, path_, host_header_, proxy_;
  bool secure_ = false, is_loopback_ = false;
  List connect_to_{nullptr, nullptr};
  // By what is accepted and by the type of what is sent.
  std::map<std::pair<std::string_view, std::string>, List> headers_;
};

}  // namespace gedge
