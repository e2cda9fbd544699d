#include "event_log.hpp"

#include <algorithm>
#include <array>

#include "gedge/codec/timestamp.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::array<std::string_view, 16> kWarnings{
    "certificate-ends", "frozen",   "insecure",      "lease-taken", "left-out",     "lost",
    "misplaced",        "no-place", "no-target",     "not-bound",   "not-rescaled", "not-resized",
    "overcommitted",    "silent",   "unschedulable", "warning"};

std::string_view word_of(LogLevel level) {
  return level == LogLevel::kError ? "error" : level == LogLevel::kWarn ? "warn" : "info";
}

std::string value_text(const std::string& value) {
  const bool plain = !value.empty() && value.find_first_of(" \"=\\") == std::string::npos;
  if (plain && escape_controls(value) == value) return value;
  std::string text;
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return '"' + escape_controls(text) + '"';
}

}  // namespace

LogLevel level_of(std::string_view event) {
  if (event == "failed" || event == "profile-refused") return LogLevel::kError;
  const bool warns = std::find(kWarnings.begin(), kWarnings.end(), event) != kWarnings.end();
  return warns ? LogLevel::kWarn : LogLevel::kInfo;
}

std::string EventLog::line_of(std::string_view name, Pairs pairs) const {
  std::string line = "at=" + codec::format_timestamp(clock_.date()) +
                     " level=" + std::string(word_of(level_of(name))) +
                     " event=" + std::string(name);
  for (const auto& [key, value] : pairs) line += ' ' + std::string(key) + '=' + value_text(value);
  return line;
}

void EventLog::write(const std::string& line) {
  err_.line(line);
  err_.flush();
}

void EventLog::tell_lost() {
  const std::uint64_t before = err_.lost();
  if (before == lost_) return;
  write(line_of("lost", {{"lines", std::to_string(before - lost_)}}));
  if (err_.lost() == before)
    lost_ = before;
  else
    ++lost_;  // that very line
}

void EventLog::event(std::string_view name, Pairs pairs) {
  if (level_of(name) < least_) return;
  const std::lock_guard lock(mutex_);
  tell_lost();
  write(line_of(name, pairs));
}

void EventLog::failed(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (error.what == last_failure_) return;
    last_failure_ = error.what;
  }
  event("failed", {{"what", error.what}, {"fix", error.hint}});
}

void EventLog::recovered() {
  const std::lock_guard lock(mutex_);
  last_failure_.clear();
}

}  // namespace gedge::cli
