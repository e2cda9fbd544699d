#include "probe_options.hpp"

#include <utility>

#include "choices.hpp"
#include "options.hpp"

namespace gedge::cli {
namespace {

constexpr Words<ProbeMethod, 5> kMethods{{{"icmp", ProbeMethod::kIcmp},
                                          {"tcp", ProbeMethod::kTcp},
                                          {"udp", ProbeMethod::kUdp},
                                          {"http", ProbeMethod::kHttp},
                                          {"https", ProbeMethod::kHttps}}};

}  // namespace

std::string_view word_of(ProbeMethod method) {
  for (const auto& [word, value] : kMethods)
    if (value == method) return word;
  return "";
}

std::uint16_t usual_port(ProbeMethod method) {
  switch (method) {
    case ProbeMethod::kTcp:
      return 10'250;  // a kubelet
    case ProbeMethod::kUdp:
      return 8'787;  // an agent
    case ProbeMethod::kHttp:
      return 80;
    case ProbeMethod::kHttps:
      return 443;
    case ProbeMethod::kIcmp:
      break;
  }
  return 0;
}

Status check_port(ProbeMethod method, std::uint64_t port) {
  if (method != ProbeMethod::kIcmp || port == 0) return {};
  return invalid_input("flag '--port' is not for '--method icmp'");
}

void add_method_flag(FlagSet& flags, ProbeMethod& method) {
  flags.add({.name = "method",
             .value = "METHOD",
             .help = "icmp, tcp, udp, http or https",
             .fallback = "icmp",
             .words = list_of(kMethods)},
            word_into(kMethods, method));
}

void add_port_flag(FlagSet& flags, std::uint64_t& port, std::string help) {
  flags.add({.name = "port", .value = "N", .help = std::move(help), .fallback = "the method's"},
            number_into(port, 65'535));
}

void add_timeout_flag(FlagSet& flags, Nanos& timeout) {
  flags.add({.name = "timeout",
             .letter = 'W',
             .value = "DURATION",
             .help = "A later answer is a lost one",
             .fallback = "1s"},
            span_into(timeout, false));
}

}  // namespace gedge::cli
