#include "gedge/io/service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "io/descriptor.hpp"

namespace gedge {

ServiceManager ServiceManager::of_environment() {
  const char* const address = std::getenv("NOTIFY_SOCKET");
  return ServiceManager(address != nullptr ? address : "");
}

bool ServiceManager::tell(std::string_view state) const {
  sockaddr_un to{};
  const bool is_usable = address_.size() > 1 && address_.size() < sizeof to.sun_path &&
                         (address_[0] == '/' || address_[0] == '@');
  if (!is_usable) return false;
  to.sun_family = AF_UNIX;
  std::copy(address_.begin(), address_.end(), to.sun_path);
  if (address_[0] == '@') to.sun_path[0] = '\0';
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  const auto sent = ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&to), length);
  return sent == static_cast<ssize_t>(state.size());
}

}  // namespace gedge
