// io/descriptor.hpp - a file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace gedge {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  /// Closes what it has, and takes this.
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  int get() const { return fd_; }
  /// The caller closes it.
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }
  /// False if the system reports at the end that something was not written.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

}  // namespace gedge
