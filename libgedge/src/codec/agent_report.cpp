#include "gedge/codec/agent_report.hpp"

#include <optional>
#include <set>
#include <utility>

#include "codec/rtt_draft.hpp"

namespace gedge {
namespace {

constexpr std::size_t kShown = 60;  // bytes of what came instead

Error wrong(const std::string& what) {
  return invalid_input(what, {}, "is it an agent of gedge, and is the path right?");
}

std::string begin_of(std::string_view bytes) { return codec::quote(bytes.substr(0, kShown)); }

// The name whose pairs count; empty where there is no pair.
Result<std::string> speaker_of(const codec::Draft& draft, const std::string& expected) {
  std::set<std::uint32_t> froms;
  for (const codec::RttPair& pair : draft.pairs) froms.insert(pair.from);
  for (const std::uint32_t from : froms)
    if (draft.names[from] == expected) return expected;
  if (froms.empty()) return std::string();
  if (froms.size() > 1)
    return wrong("it speaks for " + std::to_string(froms.size()) +
                 " nodes, and an agent is believed about itself only");
  return draft.names[*froms.begin()];
}

}  // namespace

Result<AgentSaid> read_agent_report(const InputFile& file, const std::string& expected) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  RttOptions options;
  options.keep_details = true;
  const codec::RttText text{source, diagnostics, options};
  if (!source.is_json())
    return wrong("the reply is no JSON, it begins with " + begin_of(file.bytes));
  codec::Draft draft;
  if (source.check_text(file.bytes.size(), diagnostics)) draft = codec::read_rtt_object(text);
  if (!diagnostics.ok())
    return wrong("the reply is malformed: " + diagnostics.take_errors()[0].what);
  if (draft.format != RttFormat::kLatencyMatrix)
    return wrong("the reply is no LatencyMatrix, it begins with " + begin_of(file.bytes));
  auto speaker = speaker_of(draft, expected);
  if (!speaker) return std::move(speaker).error();
  AgentSaid said{*std::move(speaker), {}};
  for (std::size_t i = 0; i < draft.pairs.size(); ++i) {
    const codec::RttPair& pair = draft.pairs[i];
    if (draft.names[pair.from] != said.node || pair.from == pair.to) continue;
    PairStats& stats = draft.details.pairs[i];
    const Rtt rtt = pair.rtt.us == 0 ? kUnmeasured : pair.rtt;
    said.peers.push_back({draft.names[pair.to], rtt, stats, draft.details.methods[stats.method]});
    said.peers.back().stats.method = 0;
  }
  return said;
}

}  // namespace gedge
