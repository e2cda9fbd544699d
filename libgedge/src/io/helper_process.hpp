// io/helper_process.hpp - a program that says who we are, while it runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/api_credentials.hpp"
#include "io/descriptor.hpp"

namespace gedge {

/// It has a process group of its own, no standard input, and of our environment what such programs
/// need. What it says about errors is not read: it may hold secrets.
class HelperProcess {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of its answer

  /// Its events at `epoll` bear `mark` in the upper half. `info`: for KUBERNETES_EXEC_INFO.
  /// Errors: kDenied where it cannot be started, with the hint on how to get it.
  static Result<std::unique_ptr<HelperProcess>> start(const CredentialHelper& helper,
                                                      const std::string& info, Nanos deadline,
                                                      int epoll, std::uint32_t mark);
  /// It is killed with all that it started.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  Nanos deadline() const { return deadline_; }
  /// Once it is over: what it wrote. Errors: kDenied where it failed or wrote too much, kTimeout.
  std::optional<Result<Secret>> look(Nanos now);

 private:
  HelperProcess(std::string name, Nanos deadline, int output)
      : name_(std::move(name)), deadline_(deadline), output_(output) {}
  Status watch(int epoll, std::uint32_t mark);
  bool read_output();
  std::optional<int> exit_status() const;
  void end();

  std::string name_;
  Nanos deadline_;
  Descriptor output_;
  Descriptor exit_{-1};
  pid_t process_ = -1;
  std::string bytes_;
};

}  // namespace gedge
