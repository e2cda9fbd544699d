#include "support/relay/tunnel.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace gedge::test {
namespace {

constexpr unsigned kV4Bits = 16, kV6Bits = 64;

std::string reason(std::string_view what) {
  return std::string(what) + ": " + std::generic_category().message(errno);
}

// Closes itself.
class ControlSocket {
 public:
  explicit ControlSocket(int family) : fd_(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;
  ~ControlSocket() { ::close(fd_); }
  bool ask(unsigned long request, void* about) const { return ::ioctl(fd_, request, about) == 0; }

 private:
  int fd_;
};

void name_it(ifreq& request, const std::string& name) {
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
}

bool set_v4(const std::string& label, const std::string& address) {
  const ControlSocket control(AF_INET);
  ifreq request{};
  name_it(request, label);
  auto* in = reinterpret_cast<sockaddr_in*>(&request.ifr_addr);
  in->sin_family = AF_INET;
  if (::inet_pton(AF_INET, address.c_str(), &in->sin_addr) != 1) return false;
  if (!control.ask(SIOCSIFADDR, &request)) return false;
  in->sin_addr.s_addr = htonl(~0U << (32 - kV4Bits));
  return control.ask(SIOCSIFNETMASK, &request);
}

bool set_v6(const std::string& name, const std::string& address) {
  const ControlSocket control(AF_INET6);
  in6_ifreq request{};
  request.ifr6_ifindex = static_cast<int>(::if_nametoindex(name.c_str()));
  request.ifr6_prefixlen = kV6Bits;
  if (::inet_pton(AF_INET6, address.c_str(), &request.ifr6_addr) != 1) return false;
  return control.ask(SIOCSIFADDR, &request);
}

bool bring_up(const std::string& name) {
  const ControlSocket control(AF_INET);
  ifreq request{};
  name_it(request, name);
  if (!control.ask(SIOCGIFFLAGS, &request)) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  return control.ask(SIOCSIFFLAGS, &request);
}

bool write_file(const char* path, std::string_view text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

}  // namespace

std::string enter_new_network(bool new_user) {
  if (!new_user) return ::unshare(CLONE_NEWNET) == 0 ? "" : reason("no network namespace");
  const std::string user = "0 " + std::to_string(::getuid()) + " 1",
                    group = "0 " + std::to_string(::getgid()) + " 1";
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return reason("no user namespace");
  if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", user) ||
      !write_file("/proc/self/gid_map", group))
    return reason("no ids in the user namespace");
  return "";
}

int open_tunnel(const std::string& name, const std::string& v4, const std::string& v6,
                std::string& why) {
  const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return why = reason("/dev/net/tun"), -1;
  ifreq request{};
  name_it(request, name);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (::ioctl(fd, TUNSETIFF, &request) != 0) return why = reason("TUNSETIFF"), ::close(fd), -1;
  if (!set_v4(name, v4) || !bring_up(name) || !bring_up("lo"))
    return why = reason("cannot set up " + name), ::close(fd), -1;
  if (!v6.empty() && !set_v6(name, v6)) return why = reason("no IPv6"), ::close(fd), -1;
  return fd;
}

bool add_address(const std::string& name, int label, const std::string& v4, const std::string& v6) {
  return set_v4(name + ':' + std::to_string(label), v4) && (v6.empty() || set_v6(name, v6));
}

}  // namespace gedge::test
