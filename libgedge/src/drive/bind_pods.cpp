#include "gedge/drive/bind_pods.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "gedge/base/split_mix.hpp"
#include "gedge/codec/api_requests.hpp"

namespace gedge {
namespace {

constexpr unsigned kTooMany = 429;
constexpr Nanos kLook{1'000'000'000};  // calls end by their own timeout

class Binder {
 public:
  Binder(ApiTransport& transport, const Clock& clock, const std::vector<BindRequest>& binds,
         const BindPodsOptions& options)
      : transport_(transport), clock_(clock), options_(options), dice_(split_mix(options.seed)) {
    for (const BindRequest& bind : binds) pods_.emplace_back().bind = &bind;
  }
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;
  ~Binder() {
    for (std::size_t i = 0; i < pods_.size(); ++i)
      if (pods_[i].is_under_way) transport_.cancel(i + 1);
  }

  Result<std::vector<BoundPod>> run();

 private:
  struct Pod {
    const BindRequest* bind = nullptr;
    bool reads = false;  // what became of it; else it is to be bound
    bool is_under_way = false, is_over = false;
    std::uint32_t tries = 0, looks = 0;
    Nanos not_before{0};
    std::optional<Nanos> unclear_since;
    BoundPod result;
  };
  using Outcome = BoundPod::Outcome;

  Nanos now() const { return Nanos(clock_.now()); }
  Nanos send(Nanos now);
  void take(Pod& pod, const ApiAnswer& answer);
  void take_bound(Pod& pod, const ApiAnswer& answer);
  void take_read(Pod& pod, const ApiAnswer& answer);
  void finish(Pod& pod, Outcome outcome, SharedText node = {}) {
    pod.is_over = true;
    pod.result.outcome = outcome;
    pod.result.node = std::move(node);
    ++over_;
  }
  Nanos pause(std::uint32_t before);

  ApiTransport& transport_;
  const Clock& clock_;
  const BindPodsOptions& options_;
  SplitMix dice_;
  std::deque<Pod> pods_;  // the ticket of one is its place, from 1
  std::size_t under_way_ = 0, over_ = 0;
};

Nanos Binder::pause(std::uint32_t before) {
  Nanos wait = options_.first_pause;
  for (std::uint32_t i = 1; i < before && wait < options_.max_pause; ++i) wait *= 2;
  wait = std::min(wait, options_.max_pause);
  const double jitter = dice_.even() * static_cast<double>(wait.count());
  return wait + Nanos{static_cast<std::int64_t>(jitter)};
}

// Returns how long nothing more is to be sent.
Nanos Binder::send(Nanos now) {
  Nanos rest = kLook;
  for (std::size_t i = 0; i < pods_.size() && under_way_ < options_.most_at_once; ++i) {
    Pod& pod = pods_[i];
    if (pod.is_over || pod.is_under_way) continue;
    if (!pod.reads && std::max(now, pod.not_before) >= options_.send_by) {
      finish(pod, Outcome::kTooLate);
      rest = Nanos{0};
      continue;
    }
    if (now < pod.not_before) {
      rest = std::min(rest, pod.not_before - now);
      continue;
    }
    pod.is_under_way = true;
    ++under_way_;
    ApiRequest request =
        pod.reads ? codec::read_request({i + 1, pod.bind->pod}) : codec::bind_request(*pod.bind);
    if (!pod.reads) request.send_by = options_.send_by;
    if (!pod.reads && options_.is_dry_run) request.target += "?dryRun=All";
    transport_.send(i + 1, std::move(request));
  }
  return rest;
}

void Binder::take_bound(Pod& pod, const ApiAnswer& answer) {
  const BindAnswer meaning = codec::bind_answer(answer);
  if (meaning == BindAnswer::kBound) return finish(pod, Outcome::kBound, pod.bind->node);
  if (meaning == BindAnswer::kGone) return finish(pod, Outcome::kGone);
  pod.result.why = codec::refusal(answer, "the bind failed").what;
  ++pod.tries;
  if (meaning == BindAnswer::kRefused || meaning == BindAnswer::kNotSent) {
    const bool may_pass = answer.status == kTooMany || meaning == BindAnswer::kNotSent;
    if (!may_pass || pod.tries >= options_.most_tries) return finish(pod, Outcome::kRefused);
    const Nanos asked = std::min(answer.retry_after.value_or(Nanos{0}), options_.most_retry_after);
    pod.not_before = now() + std::max(asked, pause(pod.tries));
    return;
  }
  pod.reads = true;
  pod.looks = 0;
  pod.unclear_since = now();
}

void Binder::take_read(Pod& pod, const ApiAnswer& answer) {
  const PodReading reading = codec::pod_reading(answer);
  if (reading.kind == PodReading::Kind::kUnreadable) {
    pod.result.why = codec::refusal(answer, "it cannot be read").what;
    if (now() - *pod.unclear_since >= options_.settle_within) return finish(pod, Outcome::kUnclear);
    pod.not_before = now() + pause(++pod.looks);
    return;
  }
  const bool is_other = !pod.bind->uid.empty() && reading.uid != pod.bind->uid;
  if (reading.kind == PodReading::Kind::kMissing || is_other) return finish(pod, Outcome::kGone);
  if (reading.node == pod.bind->node) return finish(pod, Outcome::kBound, reading.node);
  if (!reading.node.empty()) return finish(pod, Outcome::kElsewhere, reading.node);
  if (pod.tries >= options_.most_tries) return finish(pod, Outcome::kRefused);
  pod.reads = false;
  pod.not_before = now() + pause(pod.tries);
}

void Binder::take(Pod& pod, const ApiAnswer& answer) {
  pod.is_under_way = false;
  --under_way_;
  if (pod.reads)
    take_read(pod, answer);
  else
    take_bound(pod, answer);
}

Result<std::vector<BoundPod>> Binder::run() {
  const ApiListener listener{
      [](std::uint64_t, std::string_view) {},
      [this](std::uint64_t ticket, const ApiAnswer& answer) { take(pods_[ticket - 1], answer); }};
  while (over_ < pods_.size()) GEDGE_TRY(transport_.wait(send(now()), listener));
  std::vector<BoundPod> results;
  for (Pod& pod : pods_) results.push_back(std::move(pod.result));
  return results;
}

}  // namespace

Result<std::vector<BoundPod>> bind_pods(ApiTransport& transport, const Clock& clock,
                                        const std::vector<BindRequest>& binds,
                                        const BindPodsOptions& options) {
  return Binder(transport, clock, binds, options).run();
}

}  // namespace gedge
