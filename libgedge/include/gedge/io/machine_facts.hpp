// gedge/io/machine_facts.hpp - what a machine is made of, as hwloc tells it.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/pin/machine.hpp"
#include "gedge/port/files.hpp"

namespace gedge {

/// Reads a machine from `source`:
///
///   live             this one, all CPUs that are online, whatever this process may use
///   synthetic:TEXT   hwloc's one-line description: "pack:2 numa:1 core:4 pu:2"
///   FILE             hwloc's XML ("-": standard input)
///   DIRECTORY        a recorded tree: sys/devices/system, and proc where it was recorded
///
/// Opens libhwloc when the first machine is read. What is not this machine is read in a child
/// process first: malformed XML makes libhwloc 2.9 crash. While a directory is read, HWLOC_FSROOT
/// is set in the environment: not for two threads at once. Errors: kNotFound, kInvalidInput for
/// what describes no machine, or one of more than 65,536 CPUs; kDenied where the library or a file
/// cannot be opened.
Result<Machine> read_machine(const std::string& source, FileStore& files);

}  // namespace gedge
