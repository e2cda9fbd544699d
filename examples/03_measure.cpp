// Measures round-trip times from a program of your own, and compares one with a delay budget.
//
// Handshakes need no right; where they are refused, as most likely here, that is an answer too.
// Prints:
//   this machine answered 5 of 5 probes
//   a budget of 10s holds: yes
#include <cstdio>

#include "gedge/drive/measure.hpp"
#include "gedge/io/system_network.hpp"

int main() {
  using namespace std::chrono_literals;
  const std::vector<gedge::MeasureTarget> targets{{"this machine", "127.0.0.1"}};
  gedge::MeasureOptions options;
  options.method = gedge::ProbeMethod::kTcp;
  options.port = 9;
  options.plan = {.count = 5, .interval = 1ms, .timeout = 10s};

  gedge::SystemNetwork network;
  const gedge::Resolved resolved = gedge::resolve(network, targets, options);
  if (!resolved.errors.empty()) return 1;
  const auto measured = gedge::measure(network, targets, resolved.addresses, options, nullptr);
  if (!measured) return 1;

  const gedge::RttSummary& rtt = measured->targets[0].rtt;
  std::printf("%s answered %u of %u probes\n", targets[0].name.c_str(), rtt.samples, rtt.probes);
  // kUnmeasured is above every limit: what nobody answered keeps no budget.
  const gedge::Rtt limit{10'000'000};
  std::printf("a budget of 10s holds: %s\n", rtt.p95 <= limit ? "yes" : "no");
  return 0;
}
