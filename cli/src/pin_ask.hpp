// pin_ask.hpp - the flags that say how many CPUs are wanted and where that is written down.
#pragma once

#include <string>
#include <vector>

#include "flags.hpp"
#include "gedge/drive/apply_pin.hpp"
#include "gedge/io/system_pins.hpp"
#include "io.hpp"

namespace gedge::cli {

/// --cpus, --policy, under a heading of their own.
void add_ask_flags(FlagSet& flags, CpuAsk& ask);
/// --mode.
void add_mode_flag(FlagSet& flags, CpuAsk& ask);
/// Does --mode contradict the other flags?
Status check_mode(const CpuAsk& ask, const ForOthers& others);
/// Where CPUs of its own were preferred: that there are none, and which it has; else empty.
std::string shares_text(const CpuAsk& ask, const CpuGrant& granted);
/// --memory of a command that is to be started.
void add_memory_flag(FlagSet& flags, MemoryMode& memory);
/// --isolate, --nice-others.
void add_others_flags(FlagSet& flags, ForOthers& others);
/// "moved 312 threads aside; 4 threads stay: migration/1 (19), ..."; `all` leaves none out. A line
/// for each thing that was done.
std::vector<std::string> sentences(const OthersNow& now, const ForOthers& wish, bool all);
/// --state-dir.
void add_state_flag(FlagSet& flags, std::string& directory);
/// What stands in the directory of --state-dir; where that is empty, in the usual one. Where its
/// lock is waited for, that is said unless all is `quiet`.
DiskPinStore open_store(const std::string& asked, Io& io, bool quiet = false);
/// For commands that make no directory: one that is named is there. Errors: kNotFound.
Status check_directory(const std::string& asked, const Io& io);

/// This machine, and the CPUs of it that this process may use.
Result<PinGround> read_ground();
/// As much of it as choosing CPUs for `ask` looks at.
Result<PinGround> read_ground_for(const CpuAsk& ask);

}  // namespace gedge::cli
