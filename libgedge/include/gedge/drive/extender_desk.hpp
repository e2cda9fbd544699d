// gedge/drive/extender_desk.hpp - an extender between those who ask it and the cluster that it
// follows.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/codec/extender.hpp"
#include "gedge/control/extender.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/cluster_link.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge {

struct ExtenderDeskOptions {
  Compat compat = Compat::k1_36;  ///< of reading pods and nodes
  bool binds = false;             ///< /bind is answered
  /// What the link has not listed yet, or not heard of for too long; asked in the thread that
  /// follows it.
  std::function<std::vector<std::string>()> unsynced = [] { return std::vector<std::string>(); };
};

/// What happens; called in any of the two threads.
struct ExtenderEvents {
  std::function<void()> synced = [] {};
  std::function<void(const BindRequest&)> bound = [](const BindRequest&) {};
  std::function<void(const BindRequest&, const std::string& why)> not_bound =
      [](const BindRequest&, const std::string&) {};
  std::function<void(const Error&)> failed = [](const Error&) {};
  /// Something that had failed works again.
  std::function<void()> recovered = [] {};
};

/// One thread follows the cluster, another one answers. Nothing is answered but probes before the
/// whole cluster is known, and nothing is decided by what may be too old: then a question waits for
/// the link to ask the cluster, and fails where that says nothing within two seconds.
class ExtenderDesk final : private ClusterListener {
 public:
  /// `link` and `clock` outlive it. `link` null: what the extender knows is all there is.
  ExtenderDesk(Extender extender, ClusterLink* link, const Clock& clock,
               const ExtenderDeskOptions& options, ExtenderEvents events);

  /// Follows the cluster until stop(). Errors: those of ClusterLink::wait.
  Status run();
  /// From any thread.
  void stop();
  /// What a server is to serve. The server stops before this ends.
  HttpService service();
  /// From any thread.
  ExtenderFacts facts() const;

 private:
  void put(Facts objects) override;
  void put_listed(Facts objects) override;
  void remove(FactKind kind, std::string_view namespace_name, std::string_view name,
              std::string_view uid) override;
  void keep_only(FactKind kind, std::vector<PodName> names) override;
  void measured(RttMatrix&& rtt) override;
  void answer(std::uint64_t ticket, BindAnswer answer) override;
  void answer(std::uint64_t ticket, const PodReading& reading) override;
  void answer(std::uint64_t, EvictAnswer) override {}
  void answer(std::uint64_t, ClaimAnswer) override {}
  void failed(const Error& error) override { events_.failed(error); }
  void recovered() override { events_.recovered(); }

  std::optional<HttpReply> reply(const HttpRequest& request, const HttpReplyTo& reply_to);
  std::optional<HttpReply> reply(ExtenderCall call, const HttpReplyTo& reply_to);
  std::optional<HttpReply> decide(ExtenderCall call, const HttpReplyTo& reply_to);
  HttpReply filter(ExtenderCall call, Nanos now);
  HttpReply prioritize(ExtenderCall call);
  HttpReply preempt(ExtenderCall call);
  std::optional<HttpReply> bind(const ExtenderCall& call, const HttpReplyTo& reply_to, Nanos now);
  Status meet_nodes(const ExtenderCall& call);
  void send();
  void look();
  void reply_to_questions();
  std::string silence() const;
  Nanos patience() const;
  Nanos now() const { return Nanos(clock_.now()); }

  ClusterLink* link_;
  const Clock& clock_;
  ExtenderDeskOptions options_;
  ExtenderEvents events_;
  std::atomic<bool> stopping_{false};

  mutable std::mutex mutex_;  // of all below
  Extender extender_;
  bool was_synced_ = false, is_synced_ = false;
  std::vector<std::string> unsynced_;
  Micros turned_{0};
  std::optional<Nanos> looked_;        // when what is known was last found to be new enough
  std::optional<Nanos> silent_since_;  // and when it was not any more
  std::optional<Nanos> asked_;         // by anybody
  struct Question {
    ExtenderCall call;
    HttpReplyTo reply_to;
    Nanos since{0};
  };
  std::deque<Question> questions_;  // that came when it had not been looked at for a while
  std::uint64_t refused_requests_ = 0;
  struct Waiting {
    BindRequest bind;
    HttpReplyTo reply_to;
  };
  std::unordered_map<std::uint64_t, Waiting> waiting_;  // only looked up
};

}  // namespace gedge
