#include "gedge/io/service_manager.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "io/descriptor.hpp"
#include "support/folder.hpp"

namespace gedge {
namespace {

/// As systemd listens; `name` begins with '@' or is a path.
class Listener {
 public:
  explicit Listener(const std::string& name)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    name.copy(at.sun_path, sizeof at.sun_path - 1);
    if (name[0] == '@') at.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), length) == 0);
  }
  std::string heard() const {
    char buffer[256];
    const auto count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    return count < 0 ? "-" : std::string(buffer, static_cast<std::size_t>(count));
  }

 private:
  Descriptor socket_;
};

}  // namespace

TEST_CASE("service manager: it is told where it listens, by a path or an abstract name") {
  const test::Folder folder;
  for (const std::string& name : {folder / "notify", "@gedge-test-" + std::to_string(::getpid())}) {
    CAPTURE(name);
    const Listener listener(name);
    const ServiceManager manager(name);
    CHECK(listener.heard() == "-");
    CHECK(manager.tell("READY=1"));
    CHECK(manager.tell("WATCHDOG=1\nSTATUS=leads"));
    CHECK(listener.heard() == "READY=1");
    CHECK(listener.heard() == "WATCHDOG=1\nSTATUS=leads");
    CHECK(listener.heard() == "-");
  }
}

TEST_CASE("service manager: nobody listens, or not where it is said") {
  for (const std::string& name : {std::string(), std::string("/nowhere/at/all"), std::string("@"),
                                  std::string("relative"), "/" + std::string(200, 'x')})
    CHECK_FALSE(ServiceManager(name).tell("READY=1"));
}

TEST_CASE("service manager: one that reads nothing keeps nobody waiting") {
  const std::string name = "@gedge-full-" + std::to_string(::getpid());
  const Listener listener(name);
  const ServiceManager manager(name);
  int told = 0;
  while (told < 100'000 && manager.tell("WATCHDOG=1")) ++told;
  CHECK(told < 100'000);
}

TEST_CASE("service manager: it is found in the environment") {
  const std::string name = "@gedge-environment-" + std::to_string(::getpid());
  const Listener listener(name);
  REQUIRE(::setenv("NOTIFY_SOCKET", name.c_str(), 1) == 0);
  CHECK(ServiceManager::of_environment().tell("READY=1"));
  REQUIRE(::unsetenv("NOTIFY_SOCKET") == 0);
  CHECK(listener.heard() == "READY=1");
  CHECK_FALSE(ServiceManager::of_environment().tell("READY=1"));
}

}  // namespace gedge
