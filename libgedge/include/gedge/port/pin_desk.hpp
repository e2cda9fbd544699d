// gedge/port/pin_desk.hpp - where it is kept who holds which CPUs, which processes live, and the
// process that is to be pinned, as interfaces.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/pin/pin_ledger.hpp"

namespace gedge {

/// The ledger is this process's alone for as long as this lives; its end gives it back too.
class PinLock {
 public:
  PinLock() = default;
  PinLock(const PinLock&) = delete;
  PinLock& operator=(const PinLock&) = delete;
  virtual ~PinLock() = default;
};

enum class PinFile : std::uint8_t {
  kLedger,    ///< who holds which CPUs
  kRecord,    ///< what pinning has changed, so that it can be undone
  kVerdicts,  ///< which commands it helps
};

class PinStore {
 public:
  virtual ~PinStore() = default;

  /// Waits for others, but not for ever. Errors: kTimeout, kDenied.
  virtual Result<std::unique_ptr<PinLock>> lock() = 0;
  /// Empty where there is none yet. Errors: kDenied.
  virtual Result<std::string> read(PinFile file) = 0;
  /// All of it or nothing, whenever this process ends. Under the lock only. Errors: kDenied.
  virtual Status replace(PinFile file, std::string_view bytes) = 0;
  /// How messages name it.
  virtual std::string name(PinFile file) const = 0;
};

class Processes {
 public:
  virtual ~Processes() = default;
  /// Is that process or control group there? In doubt true.
  virtual bool lives(const PinHolder& holder) const = 0;
};

enum class MemoryMode : std::uint8_t { kDefault, kBind, kPreferred, kInterleave };

/// A command did not begin.
struct NotBegun {
  int status = 0;  ///< as a shell would report it: 126, 127; 0: the machine refused to pin it
  Error error;
};

/// One process that becomes a command once it is pinned.
class PinnedLaunch {
 public:
  virtual ~PinnedLaunch() = default;

  /// The process is there and waits. It ends by itself where this process ends before `begin`.
  /// Errors: kDenied.
  virtual Result<ProcessId> start() = 0;
  /// Pins it, threads that it starts inherit that, and lets it become the command. Where it cannot,
  /// the process has ended.
  virtual std::optional<NotBegun> begin(const CpuGrant& grant, MemoryMode memory) = 0;
  /// Until it has ended; what is meant for it is passed on. Its exit code as shells report it.
  virtual int wait() = 0;
  /// It ends without having done anything. After `start`, in the place of `begin`.
  virtual void cancel() = 0;
};

}  // namespace gedge
