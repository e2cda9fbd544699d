#include "io/curl_library.hpp"

#include <dlfcn.h>

#include <string>

namespace gedge {
namespace {

constexpr const char* kFile = "libcurl.so.4";

Error missing(std::string what) {
  return {Errc::kDenied, std::move(what), {}, "install it; on Debian: `apt-get install libcurl4`"};
}

class Symbols {
 public:
  explicit Symbols(void* handle) : handle_(handle) {}

  template <typename Function>
  void find(Function& into, const char* name) {
    into = reinterpret_cast<Function>(::dlsym(handle_, name));
    if (into == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

Result<CurlLibrary> open_library() {
  void* const handle = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return missing(std::string("cannot open ") + kFile);
  CurlLibrary library;
  Symbols symbols(handle);
  symbols.find(library.global_init, "curl_global_init");
  symbols.find(library.easy_init, "curl_easy_init");
  symbols.find(library.easy_cleanup, "curl_easy_cleanup");
  symbols.find(library.easy_setopt, "curl_easy_setopt");
  symbols.find(library.easy_getinfo, "curl_easy_getinfo");
  symbols.find(library.easy_strerror, "curl_easy_strerror");
  symbols.find(library.multi_init, "curl_multi_init");
  symbols.find(library.multi_cleanup, "curl_multi_cleanup");
  symbols.find(library.multi_add_handle, "curl_multi_add_handle");
  symbols.find(library.multi_remove_handle, "curl_multi_remove_handle");
  symbols.find(library.multi_perform, "curl_multi_perform");
  symbols.find(library.multi_poll, "curl_multi_poll");
  symbols.find(library.multi_info_read, "curl_multi_info_read");
  symbols.find(library.multi_setopt, "curl_multi_setopt");
  symbols.find(library.multi_socket_action, "curl_multi_socket_action");
  symbols.find(library.share_init, "curl_share_init");
  symbols.find(library.share_setopt, "curl_share_setopt");
  symbols.find(library.share_cleanup, "curl_share_cleanup");
  symbols.find(library.slist_append, "curl_slist_append");
  symbols.find(library.slist_free_all, "curl_slist_free_all");
  symbols.find(library.url, "curl_url");
  symbols.find(library.url_cleanup, "curl_url_cleanup");
  symbols.find(library.url_get, "curl_url_get");
  symbols.find(library.url_set, "curl_url_set");
  symbols.find(library.free, "curl_free");
  if (!symbols.missing().empty())
    return missing(std::string(kFile) + " is too old: it has no " + symbols.missing());
  if (library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return missing(std::string(kFile) + " cannot be used");
  return library;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::get() {
  static const Result<CurlLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gedge
