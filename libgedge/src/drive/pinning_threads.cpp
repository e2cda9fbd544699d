#include "drive/pinning_threads.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gedge {
namespace {

constexpr int kPasses = 64;

bool is_gone(const Error& error) { return error.code == Errc::kNotFound; }

class PinningThreads {
 public:
  PinningThreads(Threads& threads, const ProcessId& process, Sight sight, const CpuSet& cpus)
      : threads_(threads), process_(process), sight_(std::move(sight)), cpus_(cpus) {}

  Result<std::size_t> run() {
    GEDGE_TRY(pin_as_seen());
    bool settled = false;  // all that were listed before this list are there
    for (int pass = 0; pass < kPasses; ++pass) {
      const auto changed = look_again();
      if (!changed) return changed.error();
      if (!*changed && (settled || has_nobody_begun())) return count();
      settled = !*changed;
      if (settled) GEDGE_TRY(list_again());
    }
    return Error{Errc::kDenied,
                 "thread " + std::to_string(last_) + " of process " + std::to_string(process_.pid) +
                     " does not stay on CPUs " + to_string(cpus_) + ": the kernel or somebody " +
                     "else gives it " + to_string(had_),
                 {},
                 "look at the cpuset of its control group, and who else pins it"};
  }

 private:
  bool has_nobody_begun() const { return sight_.births && threads_.births() == sight_.births; }

  Status pin(int thread) {
    const Status pinned = threads_.pin(thread, cpus_);
    if (pinned || is_gone(pinned.error())) return {};
    return refused(pinned.error());
  }

  Status pin_as_seen() {
    for (std::size_t i = 0; i < sight_.listed.size(); ++i)
      if (sight_.masks[i] != cpus_) GEDGE_TRY(pin(sight_.listed[i]));
    return {};
  }

  // True where some thread was not there.
  Result<bool> look_again() {
    bool changed = false;
    std::vector<int> there;
    for (const int thread : sight_.listed) {
      if (std::binary_search(there_.begin(), there_.end(), thread)) continue;
      auto mask = threads_.mask(thread);
      if (!mask && is_gone(mask.error())) continue;
      if (!mask) return refused(mask.error());
      if (*mask == cpus_) {
        there.push_back(thread);
        continue;
      }
      GEDGE_TRY(pin(thread));
      changed = true;
      last_ = thread;
      had_ = *std::move(mask);
    }
    there_.insert(there_.end(), there.begin(), there.end());
    std::sort(there_.begin(), there_.end());
    return changed;
  }

  Status list_again() {
    sight_.births = threads_.births();
    auto listed = threads_.of_process(process_.pid);
    if (!listed) return std::move(listed).error();
    sight_.listed = *std::move(listed);
    return {};
  }

  Result<std::size_t> count() const {
    const auto still = threads_.identify(process_.pid);
    if (still && *still == process_) return sight_.listed.size();
    Error error{Errc::kNotFound, "process " + std::to_string(process_.pid) + " has ended", {}, {}};
    const auto mask = threads_.mask(process_.pid);
    if (!still || !mask || *mask != cpus_) return error;
    error.what += " meanwhile, and another one that was given its number was pinned in its place";
    error.hint =
        "let it run elsewhere again: `taskset -apc CPUS " + std::to_string(process_.pid) + '`';
    return error;
  }

  Threads& threads_;
  const ProcessId& process_;
  Sight sight_;
  const CpuSet& cpus_;
  std::vector<int> there_;  // ascending
  int last_ = 0;
  CpuSet had_;
};

}  // namespace

Error refused(Error error) {
  error.code = Errc::kDenied;
  return error;
}

Result<std::size_t> pin_threads(Threads& threads, const ProcessId& process, Sight sight,
                                const CpuSet& cpus) {
  return PinningThreads(threads, process, std::move(sight), cpus).run();
}

}  // namespace gedge
