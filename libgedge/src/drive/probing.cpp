#include "gedge/drive/probing.hpp"

#include <algorithm>
#include <array>

#include "drive/backlog.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostAtOnce = 64;
constexpr Nanos kProgressEvery{20'000'000};
// A link without room has room again when an answer comes or a probe is given up.
constexpr Nanos kLookAgain{1'000'000};
// Nobody notices that it stops so much later.
constexpr Nanos kLookForStop{50'000'000};
// No batch takes so long to send by itself.
constexpr Nanos kInterrupted{2'000'000};

void hand_in(const ProbeEvent& event, Prober& prober, TargetNotes& notes) {
  switch (event.kind) {
    case ProbeEvent::Kind::kSent:
      prober.sent(event.cookie, event.at);
      notes.kernel_stamped = true;
      break;
    case ProbeEvent::Kind::kReply:
      static_cast<void>(prober.reply(event.target, event.cookie, event.at));
      break;
    case ProbeEvent::Kind::kRefused:
      prober.refused(event.cookie);
      notes.refusal = event.refusal;
  }
}

}  // namespace

std::vector<TargetNotes> run_probes(Prober& prober, ProbeLink& link, std::size_t targets,
                                    const ProbingProgress& progress,
                                    const std::atomic<bool>* stop) {
  std::vector<TargetNotes> notes(targets);
  std::array<Probe, kMostAtOnce> probes;
  Nanos shown = link.now(), read_up_to = shown;
  if (progress) progress(prober.settled(), prober.total());
  while (const auto next = prober.next()) {
    if (stop != nullptr && *stop) break;
    // Answers that came before this moment are handed in before anything expires at it.
    const Nanos before = link.now();
    Nanos until = link.room() > 0 ? *next : before + kLookAgain;
    if (stop != nullptr) until = std::min(until, before + kLookForStop);
    const ProbeLink::Received received = link.receive(until);
    for (const ProbeEvent& event : received.events) hand_in(event, prober, notes[event.target]);
    if (may_expire(received.all, before, read_up_to)) prober.expire(before);

    const std::size_t room = std::min(link.room(), probes.size());
    const Nanos now = link.now();
    const std::size_t count = prober.due(now, std::span(probes).first(room));
    const auto batch = std::span(probes).first(count);
    if (count > 0) link.send(batch);
    // Whoever loses the processor in the middle of a batch must not take that for losses.
    if (const Nanos after = link.now(); after - now >= kInterrupted)
      prober.departed_by(batch, after);
    if (progress && now - shown >= kProgressEvery) {
      shown = now;
      progress(prober.settled(), prober.total());
    }
  }
  return notes;
}

}  // namespace gedge
