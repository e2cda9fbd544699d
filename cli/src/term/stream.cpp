#include "term/stream.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gedge::cli {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16;
constexpr int kPatienceMs = 100;
// A pipe that can be written to has room for as much.
constexpr std::size_t kAtOnce = PIPE_BUF;

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

bool is_writable(int descriptor, int within_ms) {
  struct pollfd wanted {
    descriptor, POLLOUT, 0
  };
  int ready = 0;
  do ready = ::poll(&wanted, 1, within_ms);
  while (ready < 0 && errno == EINTR);
  return ready == 1;
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
  if (loses_late_) return offer(left);
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

void Stream::offer(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string whole = (is_torn_ ? "\n" : "") + std::string(bytes);
  std::string_view left = whole;
  while (!left.empty() && is_writable(descriptor_, waits_ ? kPatienceMs : 0)) {
    const ssize_t wrote = ::write(descriptor_, left.data(), std::min(left.size(), kAtOnce));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) break;
    left.remove_prefix(static_cast<std::size_t>(wrote));
    is_torn_ = whole[whole.size() - left.size() - 1] != '\n';
  }
  waits_ = left.empty();
  left = left.substr(left.size() - std::min(left.size(), bytes.size()));
  lost_ += static_cast<std::uint64_t>(std::count(left.begin(), left.end(), '\n'));
}

}  // namespace gedge::cli
