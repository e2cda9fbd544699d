#include "gedge/drive/agent_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "drive/backlog.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostAtOnce = 64;
// How long nobody looks whether it is to stop.
constexpr std::chrono::milliseconds kLook{50};
// A link without room has room again when an answer comes or a probe is given up.
constexpr Nanos kLookAgain{1'000'000};

LinkRequest request_of(const AgentLoopOptions& options, const std::vector<AgentTarget>& targets,
                       const std::string& trusted) {
  LinkRequest request{.method = options.method,
                      .targets = {},
                      .size = options.probe_size,
                      .batched = false,
                      .timeout = options.agent.timeout,
                      .hosts = {},
                      .trusted = trusted,
                      .verify = options.verify};
  for (const AgentTarget& target : targets) {
    request.targets.push_back(target.address);
    request.hosts.push_back(target.host);
  }
  return request;
}

}  // namespace

AgentLoop::AgentLoop(const AgentLoopOptions& options, ProbeNetwork& network, const Clock& clock,
                     Source source, AgentEvents events)
    : options_(options),
      network_(network),
      clock_(clock),
      source_(std::move(source)),
      events_(std::move(events)),
      refreshed_(clock.now()),
      agent_(options.agent, network.random_key()),
      looked_at_(clock.now()) {}

Status AgentLoop::refresh() { return look_up().value_or(Status{}); }

// Empty: there is nothing to tell yet.
std::optional<Status> AgentLoop::look_up() {
  auto targets = source_();
  looking_ = !targets;
  if (looking_) return std::nullopt;
  refreshed_ = clock_.now();
  if (!*targets) return Status(std::move(*targets).error());
  Peers peers{**std::move(targets), {}};
  if (options_.trusted) {
    auto read = options_.trusted();
    if (!read) {
      keep_only(peers.targets);
      return Status(std::move(read).error());
    }
    peers.trusted = *std::move(read);
  }
  return announce(std::move(peers));
}

// Rounds may take longer than the peers stay the same: none is given up while any of its peers is
// still one.
std::optional<Status> AgentLoop::announce(Peers peers) {
  if (current_ && peers.targets == agent_.targets() && peers.trusted == trusted_) return Status{};
  if (peers.targets.empty() && agent_.targets().empty()) return Status{};
  const std::size_t staying = keep_only(peers.targets);
  coming_ = std::move(peers);
  if (staying > 0 && agent_.under_way()) return std::nullopt;
  return change_over();
}

// Who left is not probed any more, whatever becomes of the others.
std::size_t AgentLoop::keep_only(const std::vector<AgentTarget>& next) {
  current_ = false;
  const std::lock_guard lock(mutex_);
  return agent_.keep_only(next);
}

Status AgentLoop::change_over() {
  Peers peers = *std::exchange(coming_, std::nullopt);
  std::unique_ptr<ProbeLink> link;
  if (!peers.targets.empty()) {
    auto opened = network_.open(request_of(options_, peers.targets, peers.trusted));
    if (!opened) return std::move(opened).error();
    link = *std::move(opened);
  }
  link_ = std::move(link);
  trusted_ = std::move(peers.trusted);
  current_ = true;
  {
    const std::lock_guard lock(mutex_);
    if (link_ != nullptr) read_up_to_ = now_ = link_->now();
    looked_at_ = clock_.now();
    agent_.set_targets(std::move(peers.targets), now_);
  }
  if (events_.targets_changed) events_.targets_changed(agent_.targets());
  return {};
}

void AgentLoop::tell(const std::optional<Status>& found) {
  if (!found) return;
  if (!*found && events_.failed) events_.failed(found->error());
  if (*found && events_.refreshed) events_.refreshed();
}

void AgentLoop::run() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    if (looking_ || clock_.now() - refreshed_ >= options_.refresh) tell(look_up());
    if (coming_ && !agent_.under_way()) tell(change_over());
    if (link_ != nullptr)
      step();
    else
      pause();
  }
}

void AgentLoop::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

void AgentLoop::pause() {
  std::unique_lock lock(mutex_);
  const Micros now = clock_.now();
  now_ += now - looked_at_;
  looked_at_ = now;
  wake_.wait_for(lock, kLook, [this] { return stopping_; });
}

void AgentLoop::hand_in(const ProbeEvent& event) {
  switch (event.kind) {
    case ProbeEvent::Kind::kSent:
      agent_.sent(event.cookie, event.at);
      break;
    case ProbeEvent::Kind::kReply:
      static_cast<void>(agent_.reply(event.target, event.cookie, event.at));
      break;
    case ProbeEvent::Kind::kRefused:
      agent_.refused(event.cookie);
  }
}

void AgentLoop::step() {
  // Answers that came before this moment are handed in before anything expires at it. Only this
  // thread changes the agent, so looking at it here takes no lock.
  const Nanos before = link_->now();
  Nanos until = before + kLook;
  if (link_->room() == 0) until = before + kLookAgain;
  if (const auto next = agent_.next()) until = std::min(until, *next);
  const ProbeLink::Received received = link_->receive(until);

  std::array<Probe, kMostAtOnce> probes;
  std::size_t count = 0;
  std::vector<TargetReport> reports;
  bool round_over = false;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t rounds = agent_.rounds();
    for (const ProbeEvent& event : received.events) hand_in(event);
    if (may_expire(received.all, before, read_up_to_)) agent_.expire(before);
    const std::size_t room = std::min(link_->room(), probes.size());
    now_ = link_->now();
    looked_at_ = clock_.now();
    const bool between = coming_ && !agent_.under_way();  // no other round of those before
    if (!between) count = agent_.due(now_, std::span(probes).first(room));
    round_over = agent_.rounds() != rounds;
    if (round_over && events_.round_over) reports = agent_.report(now_);
  }
  if (count > 0) link_->send(std::span(probes).first(count));
  if (round_over && events_.round_over) events_.round_over(reports);
}

// Where anything keeps the other thread waiting, what is known grows old all the same.
AgentLoop::View AgentLoop::view() const {
  const std::lock_guard lock(mutex_);
  const Micros since = clock_.now() - looked_at_;
  const Nanos now = now_ + since;
  return {now, agent_.report(now), agent_.rounds(), agent_.odd_replies(), since < kStill};
}

}  // namespace gedge
