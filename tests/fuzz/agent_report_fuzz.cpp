// What strangers may answer when `gedge measure --agents` asks them: no reply crashes the reader or
// the merging, nobody is believed about others, and nothing becomes an RTT that was not reported.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/codec/agent_report.hpp"
#include "gedge/codec/write_latency.hpp"

namespace {

using namespace gedge;

void require(bool fact) {
  if (!fact) std::abort();
}

// Replies, one a line that is "--"; every second agent has a name in the list.
std::vector<AskedAgent> asked_of(std::string_view bytes) {
  constexpr std::string_view kEnd = "\n--\n";
  constexpr std::size_t kMost = 16;
  std::vector<AskedAgent> asked;
  while (asked.size() < kMost) {
    const std::size_t end = bytes.find(kEnd);
    const std::string number = std::to_string(asked.size());
    AskedAgent agent{
        "http://" + number, asked.size() % 2 == 0 ? "n" + number : "", "10.0.0." + number, {}, {}};
    auto said = read_agent_report({agent.source, bytes.substr(0, end)}, agent.expected);
    if (said)
      agent.said = *std::move(said);
    else
      agent.failure = said.error();
    require(agent.said.has_value() != !agent.failure.what.empty());
    asked.push_back(std::move(agent));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + kEnd.size());
  }
  return asked;
}

bool is_reported(const std::vector<AskedAgent>& asked, Rtt rtt) {
  for (const AskedAgent& agent : asked) {
    if (!agent.said) continue;
    for (const PeerReport& report : agent.said->peers)
      if (report.rtt == rtt) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto asked = asked_of({reinterpret_cast<const char*>(data), size});
  const AgentMatrix merged = merge_agents(asked, {{"10.0.0.99", "far"}}, 1);
  require(merged.agents.size() == asked.size());
  require(merged.is_agent.size() == merged.matrix.size());
  require(merged.matrix.size() <= asked.size() + kMostStrangers);
  const auto n = static_cast<std::uint32_t>(merged.matrix.size());
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < n && n < 64; ++b) {
      const Rtt rtt = merged.matrix.at(NameIndex{a}, NameIndex{b});
      if (a == b || rtt == kUnmeasured) continue;
      require(merged.is_agent[a] && rtt.us > 0 && is_reported(asked, rtt));
    }
  }
  for (const AgentVerdict& agent : merged.agents) {
    require(merged.matrix.find(agent.name).has_value());
    require((agent.state == AgentState::kBelieved) == agent.why.empty());
  }
  if (n < 64) require(write(merged, TextFormat::kJson).ends_with("}\n"));
  return 0;
}
