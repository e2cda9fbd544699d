#include "term/progress.hpp"

#include "term/interrupt.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Micros kPatience{500'000};  // shorter runs show nothing
constexpr Micros kInterval{100'000};  // between two pictures
constexpr std::int64_t kSecond = 1'000'000;
constexpr std::size_t kBarWidth = 21;
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string bar(std::size_t done, std::size_t total) {
  const std::size_t filled = done * (kBarWidth - 1) / total;
  return '[' + std::string(filled, '=') + '>' + std::string(kBarWidth - 1 - filled, ' ') + ']';
}

}  // namespace

ProgressLine::ProgressLine(Stream& err, bool quiet, const Clock& clock)
    : err_(err),
      enabled_(!quiet && err.is_terminal()),
      clock_(clock),
      start_(enabled_ ? clock.now() : Micros{0}) {}

void ProgressLine::show(std::string_view what, std::size_t done, std::size_t total) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  if (what != what_) {
    what_ = what;
    what_since_ = clock_.now();
  }
  done_ = done;
  total_ = total;
  draw_if_due();
}

void ProgressLine::refresh() {
  const std::lock_guard lock(mutex_);
  draw_if_due();
}

void ProgressLine::draw_if_due() {
  if (!enabled_ || what_.empty()) return;
  const Micros now = clock_.now();
  if (now - start_ < kPatience || (visible_ && now - last_ < kInterval)) return;
  last_ = now;
  visible_ = true;
  if (!set_progress_visible(true)) return;
  std::string text = line(now - what_since_);
  if (err_.width() > 0) text = shorten_middle(text, err_.width() - 1);
  err_.write(std::string(kEraseLine) + text);
  err_.flush();
}

void ProgressLine::erase() {
  const std::lock_guard lock(mutex_);
  what_.clear();
  if (!visible_) return;
  visible_ = false;
  set_progress_visible(false);
  err_.write(kEraseLine);
  err_.flush();
}

std::string ProgressLine::line(Micros elapsed) const {
  std::string text = escape_controls(what_);
  if (total_ == 0) return text;
  text += "  " + bar(done_, total_) + "  " + std::to_string(done_) + '/' + std::to_string(total_);
  if (done_ > 0) {
    const auto left = elapsed.count() * static_cast<std::int64_t>(total_ - done_) /
                      static_cast<std::int64_t>(done_);
    text += "   eta " + std::to_string((left + kSecond - 1) / kSecond) + " s";
  }
  return text;
}

ProgressTicker::ProgressTicker(ProgressLine& line) : line_(line) {
  if (line.enabled()) thread_ = std::thread([this] { run(); });
}

ProgressTicker::~ProgressTicker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void ProgressTicker::run() {
  const UninterruptedScope leave_signals_to_the_main_thread;
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kInterval, [this] { return ends_; })) line_.refresh();
}

}  // namespace gedge::cli
