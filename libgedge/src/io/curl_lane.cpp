#include "io/curl_lane.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <chrono>

namespace gedge {

bool CurlLane::open(long most_connections) {
  multi_.reset(library_.multi_init());
  if (multi_ == nullptr) return false;
  CURLM* const multi = multi_.get();
  const auto set = [&](CURLMoption option, auto value) {
    return library_.multi_setopt(multi, option, value) == CURLM_OK;
  };
  return set(CURLMOPT_SOCKETFUNCTION, &CurlLane::on_socket) && set(CURLMOPT_SOCKETDATA, this) &&
         set(CURLMOPT_TIMERFUNCTION, &CurlLane::on_timer) && set(CURLMOPT_TIMERDATA, this) &&
         set(CURLMOPT_MAX_TOTAL_CONNECTIONS, most_connections) &&
         set(CURLMOPT_MAXCONNECTS, most_connections);
}

bool CurlLane::add(CURL* handle) {
  const bool added = library_.multi_add_handle(multi_.get(), handle) == CURLM_OK;
  if (added) due_ = Nanos{0};
  return added;
}

bool CurlLane::add(CURL* handle, Nanos now) {
  const bool added = add(handle);
  if (added) expire(now);
  is_stirred_ = added;
  return added;
}

void CurlLane::act(int descriptor, std::uint32_t events, Nanos now) {
  int what = 0, running = 0;
  if ((events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
  now_ = now;
  library_.multi_socket_action(multi_.get(), descriptor, what, &running);
}

void CurlLane::expire(Nanos now) {
  int running = 0;
  now_ = now;
  due_.reset();
  is_stirred_ = false;
  library_.multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
}

std::optional<std::pair<CURL*, CURLcode>> CurlLane::next_over() {
  int left = 0;
  while (const CURLMsg* const message = library_.multi_info_read(multi_.get(), &left))
    if (message->msg == CURLMSG_DONE) return std::pair(message->easy_handle, message->data.result);
  return {};
}

int CurlLane::on_socket(CURL* /*handle*/, curl_socket_t socket, int what, void* lane,
                        void* /*nothing*/) {
  const auto& own = *static_cast<CurlLane*>(lane);
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(own.epoll_, EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  epoll_event event{};
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  event.data.u64 = std::uint64_t{own.mark_} << 32 | static_cast<std::uint32_t>(socket);
  if (::epoll_ctl(own.epoll_, EPOLL_CTL_ADD, socket, &event) == 0) return 0;
  if (errno != EEXIST) return -1;
  return ::epoll_ctl(own.epoll_, EPOLL_CTL_MOD, socket, &event) == 0 ? 0 : -1;
}

int CurlLane::on_timer(CURLM* /*multi*/, long milliseconds, void* lane) {
  auto& own = *static_cast<CurlLane*>(lane);
  if (milliseconds < 0)
    own.due_.reset();
  else
    own.due_ = own.now_ + std::chrono::milliseconds(milliseconds);
  return 0;
}

}  // namespace gedge
