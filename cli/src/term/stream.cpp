#include "term/stream.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace gedge::cli {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16;

std::size_t terminal_width(int descriptor) {
  struct winsize size {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Whoever shares our terminal or pipe may have made it non-blocking.
void wait_until_writable(int descriptor) {
  struct pollfd wanted {
    descriptor, POLLOUT, 0
  };
  static_cast<void>(::poll(&wanted, 1, -1));
}

}  // namespace

Stream::Stream(int descriptor, ColorChoice choice, const ColorEnvironment& environment)
    : descriptor_(descriptor), style_(false), terminal_(::isatty(descriptor) == 1) {
  if (terminal_) width_ = terminal_width(descriptor);
  set_color(choice, environment);
}

Stream Stream::in_memory(std::size_t width, bool color) { return {width, color}; }

void Stream::set_color(ColorChoice choice, const ColorEnvironment& environment) {
  style_ = Style(wants_color(choice, environment, terminal_));
}

void Stream::write(std::string_view bytes) {
  if (descriptor_ >= 0 && bytes.size() >= kFlushAt) {
    flush();
    return send(bytes);
  }
  buffer_ += bytes;
  if (descriptor_ >= 0 && buffer_.size() >= kFlushAt) flush();
}

void Stream::flush() {
  if (descriptor_ < 0) return;
  send(buffer_);
  buffer_.clear();
}

void Stream::send(std::string_view left) {
  while (!left.empty() && !closed_ && error_ == 0) {
    const ssize_t wrote = ::write(descriptor_, left.data(), left.size());
    if (wrote >= 0)
      left.remove_prefix(static_cast<std::size_t>(wrote));
    else if (errno == EPIPE)
      closed_ = true;
    else if (errno == EAGAIN)
      wait_until_writable(descriptor_);
    else if (errno != EINTR)
      error_ = errno;
  }
}

}  // namespace gedge::cli
