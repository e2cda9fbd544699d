#include "agent_log.hpp"

#include "gedge/codec/ip_text.hpp"

namespace gedge::cli {

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
