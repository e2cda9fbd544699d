#include "agent_log.hpp"

#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/timestamp.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

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

void AgentLog::event(std::string_view name, Pairs pairs) {
  if (quiet_) return;
  std::string line = "at=" + codec::format_timestamp(clock_.date()) + " event=" + std::string(name);
  for (const auto& [key, value] : pairs) line += ' ' + std::string(key) + '=' + value_text(value);
  const std::lock_guard lock(mutex_);
  err_.line(line);
  err_.flush();
}

void AgentLog::failed(const Error& error) {
  if (error.what == last_failure_) return;
  last_failure_ = error.what;
  event("failed", {{"what", error.what}, {"fix", error.hint}});
}

void AgentLog::left_out(const Errors& names) {
  std::set<std::string> now;
  for (const Error& name : names)
    if (now.insert(name.what).second && left_out_.count(name.what) == 0)
      event("left-out", {{"what", name.what}});
  left_out_ = std::move(now);
}

void AgentLog::compare(const std::vector<TargetReport>& reports) {
  std::map<std::pair<AgentTargetKind, std::string>, bool> answers;
  for (const TargetReport& report : reports) {
    if (!report.asked) continue;
    const std::pair key(report.target.kind, report.target.name);
    const bool answered = report.rtt.measured();
    answers.emplace(key, answered);
    const auto before = answers_.find(key);
    if (before != answers_.end() && before->second == answered) continue;
    event(answered ? "answers" : "silent",
          {{"to", report.target.name},
           {"kind", report.target.kind == AgentTargetKind::kNode ? "node" : "cluster"},
           {"address", to_text(report.target.address)}});
  }
  answers_ = std::move(answers);
}

}  // namespace gedge::cli
