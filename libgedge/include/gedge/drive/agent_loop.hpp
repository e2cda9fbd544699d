// gedge/drive/agent_loop.hpp - an agent between the network that it probes and those who ask it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gedge/control/agent.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {

struct AgentLoopOptions {
  AgentOptions agent;
  ProbeMethod method = ProbeMethod::kIcmp;
  std::size_t probe_size = 56;  ///< bytes of payload
  Micros refresh{30'000'000};   ///< how often it is asked anew who the peers are
  /// Of kHttps: as in HttpTerms; asked once peers are known. Null: what the system trusts.
  std::function<Result<std::string>()> trusted = {};
  bool verify = true;
};

/// What happens; called in the thread that probes, without any lock.
struct AgentEvents {
  std::function<void(const std::vector<AgentTarget>&)> targets_changed;
  /// The peers could not be found out, or not be probed; those known before stay, as far as they
  /// are not known to have left.
  std::function<void(const Error&)> failed;
  /// They were found out, and can be probed.
  std::function<void()> refreshed;
  std::function<void(const std::vector<TargetReport>&)> round_over;
};

/// One thread probes, in run(); any thread may ask, with view().
class AgentLoop {
 public:
  /// Empty: it is not known yet. It is asked again soon then, and should not keep anybody waiting.
  using Source = std::function<std::optional<Result<std::vector<AgentTarget>>>()>;

  /// `network` and `clock` outlive the loop; `source` is called in the thread that probes.
  AgentLoop(const AgentLoopOptions& options, ProbeNetwork& network, const Clock& clock,
            Source source, AgentEvents events);

  /// Finds out who the targets are, and opens what is needed to probe them. Whoever is none any
  /// more is not probed again; a round under way is finished with those that stay, and then the
  /// others are probed too. What the source does not know yet is asked again in run(). Errors:
  /// those of the source, of what is trusted, and of ProbeNetwork::open.
  Status refresh();
  /// Probes until stop(). What fails meanwhile is told to the events, and tried again.
  void run();
  /// From any thread; run() returns within a twentieth of a second, but for a source that blocks.
  void stop();

  struct View {
    Nanos now{0};  ///< of the clock of the reports: the present
    std::vector<TargetReport> targets;
    std::uint64_t rounds = 0;
    OddReplies odd;
    bool alive = true;  ///< it was looked at less than kStill ago
  };
  View view() const;

  /// Longer than any resolver waits.
  static constexpr Micros kStill{60'000'000};

 private:
  struct Peers {
    std::vector<AgentTarget> targets;
    std::string trusted;
  };

  std::optional<Status> look_up();
  std::optional<Status> announce(Peers peers);
  std::size_t keep_only(const std::vector<AgentTarget>& next);
  Status change_over();
  void tell(const std::optional<Status>& found);
  void step();
  void hand_in(const ProbeEvent& event);
  void pause();

  AgentLoopOptions options_;
  ProbeNetwork& network_;
  const Clock& clock_;
  Source source_;
  AgentEvents events_;
  std::unique_ptr<ProbeLink> link_;  // of the targets; null without any
  std::string trusted_;              // by this link
  Nanos read_up_to_{0};              // answers of this link
  Micros refreshed_;
  bool looking_ = false;         // the source does not know yet
  bool current_ = false;         // link and agent are of the peers that were found last
  std::optional<Peers> coming_;  // once the round under way is over

  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_;
  Agent agent_;
  Nanos now_{0};
  Micros looked_at_;
  bool stopping_ = false;
};

}  // namespace gedge
