// io/curl_lane.hpp - calls that may share connections, driven by the events of an epoll descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "gedge/base/nanos.hpp"
#include "io/curl_library.hpp"

namespace gedge {

/// Neither moved nor copied: libcurl holds its address. The handles in it are taken out before it
/// goes.
class CurlLane {
 public:
  /// Its events bear `mark` in the upper half, and the descriptor in the lower.
  CurlLane(const CurlLibrary& library, int epoll, std::uint32_t mark)
      : library_(library), epoll_(epoll), mark_(mark), multi_(nullptr, library.multi_cleanup) {}
  CurlLane(const CurlLane&) = delete;
  CurlLane& operator=(const CurlLane&) = delete;

  /// More calls than connections queue up. False without memory.
  bool open(long most_connections);
  bool is_open() const { return multi_ != nullptr; }
  /// It begins with the next look, whenever that is.
  bool add(CURL* handle);
  /// It begins now; what comes of it at once is told with the next look.
  bool add(CURL* handle, Nanos now);
  void remove(CURL* handle) { library_.multi_remove_handle(multi_.get(), handle); }

  /// A descriptor has something to say.
  void act(int descriptor, std::uint32_t events, Nanos now);
  /// When expire() is due.
  std::optional<Nanos> due() const { return is_stirred_ ? Nanos{0} : due_; }
  void expire(Nanos now);
  /// One that is over, and how; then it may be removed.
  std::optional<std::pair<CURL*, CURLcode>> next_over();

 private:
  static int on_socket(CURL* handle, curl_socket_t socket, int what, void* lane, void* nothing);
  static int on_timer(CURLM* multi, long milliseconds, void* lane);

  const CurlLibrary& library_;
  int epoll_;
  std::uint32_t mark_;
  std::unique_ptr<CURLM, decltype(&::curl_multi_cleanup)> multi_;
  Nanos now_{0};  // while libcurl is asked
  std::optional<Nanos> due_;
  bool is_stirred_ = false;  // next_over() may know something
};

}  // namespace gedge
