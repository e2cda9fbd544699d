#include "gedge/drive/compare_pinned.hpp"

#include <utility>

#include "gedge/codec/pin_verdicts.hpp"

namespace gedge {
namespace {

class Trial {
 public:
  Trial(PinStore& store, const Processes& processes, const MakeLaunch& make, const Clock& clock,
        const PinGround& ground, const TrialAsk& ask)
      : store_(store),
        processes_(processes),
        make_(make),
        clock_(clock),
        ground_(ground),
        ask_(ask) {}

  Result<Micros> plain() {
    const auto launch = make_();
    const Micros start = clock_.now();
    const auto run = run_plain(*launch, ground_);
    return judged(run, clock_.now() - start);
  }

  // Choosing and holding count: they are part of what a pin costs.
  Result<Micros> pinned() {
    const auto launch = make_();
    const Micros start = clock_.now();
    const auto run =
        run_pinned(*launch, keep_ledger(store_, processes_, ground_, ask_.cpu), ask_.memory);
    const Micros time = clock_.now() - start;
    if (run) cpus_ = run->grant.cpus;
    return judged(run, time);
  }

  const CpuSet& cpus() const { return cpus_; }

 private:
  static Result<Micros> judged(const Result<PinnedRun>& run, Micros time) {
    if (!run) return run.error();
    if (run->not_begun) return run->not_begun->error;
    if (run->status == 0) return time;
    return Error{Errc::kDenied,
                 "the command ended with " + std::to_string(run->status) +
                     ", and only runs that end with 0 can be compared",
                 {},
                 "try it by itself first"};
  }

  PinStore& store_;
  const Processes& processes_;
  const MakeLaunch& make_;
  const Clock& clock_;
  const PinGround& ground_;
  const TrialAsk& ask_;
  CpuSet cpus_;
};

Result<std::vector<PinVerdict>> read_verdicts(PinStore& store) {
  const auto bytes = store.read(PinFile::kVerdicts);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return std::vector<PinVerdict>();
  const std::string name = store.name(PinFile::kVerdicts);
  auto reading = read_pin_verdicts({name, *bytes});
  if (reading.verdicts) return *std::move(reading.verdicts);
  Error error = reading.errors.empty() ? invalid_input("it cannot be read")
                                       : std::move(reading.errors.front());
  error.hint = "remove " + name + ": the verdicts in it are found again by `gedge pin compare`";
  return error;
}

}  // namespace

Result<PinnedRun> run_plain(PinnedLaunch& launch, const PinGround& ground) {
  const auto hold = [&](const ProcessId&) -> Result<CpuGrant> {
    return CpuGrant{ground.allowed, {}};
  };
  return run_pinned(launch, {hold, [](const ProcessId&) { return Status(); }},
                    MemoryMode::kDefault);
}

Result<PinTrial> compare_pinned(PinStore& store, const Processes& processes, const MakeLaunch& make,
                                const Clock& clock, const PinGround& ground, const TrialAsk& ask,
                                const std::function<void(std::size_t)>& done) {
  if (ask.pairs < kLeastPairs || ask.pairs > kMostPairs)
    return invalid_input("between " + std::to_string(kLeastPairs) + " and " +
                         std::to_string(kMostPairs) + " pairs can be judged");
  Trial runs(store, processes, make, clock, ground, ask);
  std::size_t ended = 0;
  const auto take = [&](Result<Micros> time, Micros& out) -> Status {
    if (!time) return std::move(time).error();
    out = *time;
    done(++ended);
    return {};
  };
  PinTrial trial;
  TrialPair pair;
  GEDGE_TRY(take(runs.plain(), pair.plain));
  for (std::size_t i = 0; i < ask.pairs; ++i) {
    const bool pinned_first = i % 2 != 0;
    if (pinned_first) GEDGE_TRY(take(runs.pinned(), pair.pinned));
    GEDGE_TRY(take(runs.plain(), pair.plain));
    if (!pinned_first) GEDGE_TRY(take(runs.pinned(), pair.pinned));
    trial.pairs.push_back(pair);
  }
  trial.cpus = runs.cpus();
  auto outcome = judge_trial(trial.pairs);
  if (!outcome) return std::move(outcome).error();
  trial.outcome = *std::move(outcome);
  return trial;
}

Status remember_verdict(PinStore& store, PinVerdict verdict) {
  const auto lock = store.lock();
  if (!lock) return lock.error();
  auto verdicts = read_verdicts(store);
  if (!verdicts) return std::move(verdicts).error();
  remember(*verdicts, std::move(verdict));
  return store.replace(PinFile::kVerdicts, write_pin_verdicts(*verdicts));
}

Result<std::optional<PinVerdict>> recall_verdict(PinStore& store,
                                                 std::span<const std::string> command, int cpus) {
  const auto verdicts = read_verdicts(store);
  if (!verdicts) return verdicts.error();
  const PinVerdict* const known = recall(*verdicts, command, cpus);
  return known != nullptr ? std::optional(*known) : std::nullopt;
}

}  // namespace gedge
