// gedge/io/service_manager.hpp - who started this process, where that wants to know how it is.
//
// Source   sd_notify(3): what a unit of systemd of Type=notify says to $NOTIFY_SOCKET.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace gedge {

class ServiceManager {
 public:
  /// `address`: of a Unix socket for datagrams, a path or an abstract name ("@name"); empty: nobody
  /// wants to know.
  explicit ServiceManager(std::string address) : address_(std::move(address)) {}
  /// That of NOTIFY_SOCKET.
  static ServiceManager of_environment();

  /// Best effort, and never waits: "READY=1", "WATCHDOG=1", "STOPPING=1", "STATUS=...". False: it
  /// was not told.
  bool tell(std::string_view state) const;

 private:
  std::string address_;
};

}  // namespace gedge
