#include "io/curl_library.hpp"

#include <string>

#include "io/shared_library.hpp"

namespace gedge {
namespace {

constexpr const char* kFile = "libcurl.so.4";

Result<CurlLibrary> open_library() {
  SharedLibrary file(kFile, "libcurl4");
  CurlLibrary library;
  file.find(library.global_init, "curl_global_init");
  file.find(library.easy_init, "curl_easy_init");
  file.find(library.easy_cleanup, "curl_easy_cleanup");
  file.find(library.easy_setopt, "curl_easy_setopt");
  file.find(library.easy_getinfo, "curl_easy_getinfo");
  file.find(library.easy_strerror, "curl_easy_strerror");
  file.find(library.multi_init, "curl_multi_init");
  file.find(library.multi_cleanup, "curl_multi_cleanup");
  file.find(library.multi_add_handle, "curl_multi_add_handle");
  file.find(library.multi_remove_handle, "curl_multi_remove_handle");
  file.find(library.multi_perform, "curl_multi_perform");
  file.find(library.multi_poll, "curl_multi_poll");
  file.find(library.multi_info_read, "curl_multi_info_read");
  file.find(library.multi_setopt, "curl_multi_setopt");
  file.find(library.multi_socket_action, "curl_multi_socket_action");
  file.find(library.share_init, "curl_share_init");
  file.find(library.share_setopt, "curl_share_setopt");
  file.find(library.share_cleanup, "curl_share_cleanup");
  file.find(library.slist_append, "curl_slist_append");
  file.find(library.slist_free_all, "curl_slist_free_all");
  file.find(library.url, "curl_url");
  file.find(library.url_cleanup, "curl_url_cleanup");
  file.find(library.url_get, "curl_url_get");
  file.find(library.url_set, "curl_url_set");
  file.find(library.free, "curl_free");
  GEDGE_TRY(file.check());
  if (library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return file.unusable(std::string(kFile) + " cannot be used");
  return library;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::get() {
  static const Result<CurlLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gedge
