// agent_log.hpp - what the daemon says on standard error: one line an event, KEY=VALUE.
#pragma once

#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/control/agent.hpp"
#include "gedge/port/wall_clock.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// From any thread. Bounded by what changes: a peer that is silent for a year is one line.
class AgentLog {
 public:
  using Pairs = std::initializer_list<std::pair<std::string_view, std::string>>;

  AgentLog(Stream& err, const WallClock& clock, bool quiet)
      : err_(err), clock_(clock), quiet_(quiet) {}

  /// "at=2026-11-22T01:00:00Z event=listening address=127.0.0.1:8787"; values with blanks, quotes
  /// or control characters are quoted and escaped.
  void event(std::string_view name, Pairs pairs);
  /// The peers could not be found out or not be probed; told again only after recovered().
  void failed(const Error& error);
  void recovered() { last_failure_.clear(); }
  /// Names that no address is known of; each is told once until it has one.
  void left_out(const Errors& names);
  /// Who answers that did not, and the reverse.
  void compare(const std::vector<TargetReport>& reports);

 private:
  Stream& err_;
  const WallClock& clock_;
  bool quiet_;
  std::mutex mutex_;
  std::map<std::pair<AgentTargetKind, std::string>, bool> answers_;
  std::string last_failure_;
  std::set<std::string> left_out_;
};

}  // namespace gedge::cli
