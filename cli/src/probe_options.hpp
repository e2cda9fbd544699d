// probe_options.hpp - the flags that say how probes are sent, for `gedge measure` and `gedge
// agent`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flags.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge::cli {

/// "icmp", as --method has it.
std::string_view word_of(ProbeMethod method);
/// Where a method is answered, if nobody says otherwise; 0 for kIcmp.
std::uint16_t usual_port(ProbeMethod method);
/// Errors: a port for kIcmp. 0: none was given.
Status check_port(ProbeMethod method, std::uint64_t port);

void add_method_flag(FlagSet& flags, ProbeMethod& method);
/// `help` lists the usual ones.
void add_port_flag(FlagSet& flags, std::uint64_t& port, std::string help);
void add_timeout_flag(FlagSet& flags, Nanos& timeout);

}  // namespace gedge::cli
