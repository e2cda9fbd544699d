#include "term/progress.hpp"

#include "term/interrupt.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{500};  // shorter runs show nothing
constexpr milliseconds kInterval{100};  // between two pictures
constexpr std::size_t kBarWidth = 21;
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string bar(std::size_t done, std::size_t total) {
  const std::size_t filled = done * (kBarWidth - 1) / total;
  return '[' + std::string(filled, '=') + '>' + std::string(kBarWidth - 1 - filled, ' ') + ']';
}

}  // namespace

ProgressLine::ProgressLine(Stream& err, bool quiet, Clock now)
    : err_(err),
      enabled_(!quiet && err.is_terminal()),
      now_(std::move(now)),
      start_(enabled_ ? now_() : milliseconds{0}) {}

void ProgressLine::show(std::string_view what, std::size_t done, std::size_t total) {
  if (!enabled_) return;
  const milliseconds now = now_();
  if (what != what_) {
    what_ = what;
    what_since_ = now;
  }
  if (now - start_ < kPatience || (visible_ && now - last_ < kInterval)) return;
  last_ = now;
  visible_ = true;
  set_progress_visible(true);
  std::string text = line(what, done, total, now - what_since_);
  if (err_.width() > 0) text = shorten_middle(text, err_.width() - 1);
  err_.write(std::string(kEraseLine) + text);
  err_.flush();
}

void ProgressLine::erase() {
  if (!visible_) return;
  visible_ = false;
  set_progress_visible(false);
  err_.write(kEraseLine);
  err_.flush();
}

std::string ProgressLine::line(std::string_view what, std::size_t done, std::size_t total,
                               milliseconds elapsed) const {
  std::string text = escape_controls(what);
  if (total == 0) return text;
  text += "  " + bar(done, total) + "  " + std::to_string(done) + '/' + std::to_string(total);
  if (done > 0) {
    const auto left =
        elapsed.count() * static_cast<std::int64_t>(total - done) / static_cast<std::int64_t>(done);
    text += "   eta " + std::to_string((left + 999) / 1000) + " s";
  }
  return text;
}

}  // namespace gedge::cli
