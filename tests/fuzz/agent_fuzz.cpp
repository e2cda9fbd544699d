// What strangers may send to the agent: no request crashes it, every reply is well-formed, and an
// answer names nobody but the agent's own targets.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/codec/agent_replies.hpp"

namespace {

using namespace gedge;

void require(bool fact) {
  if (!fact) std::abort();
}

AgentFacts make_facts() {
  AgentFacts facts;
  facts.node = "a";
  facts.address = "10.0.0.1";
  facts.method = "icmp";
  facts.rounds = 1;
  for (const AgentTargetKind kind : {AgentTargetKind::kNode, AgentTargetKind::kCluster})
    for (const char* name : {"b", "silent"}) {
      TargetReport report;
      report.target = {kind, name, {}};
      report.asked = true;
      RttSamples samples;
      if (report.target.name == "b") {
        samples.add(Micros{1'500});
        report.recent = {Rtt{1'500}};
        report.answered_at = Nanos{0};
      } else {
        samples.add_lost();
      }
      report.rtt = samples.summary();
      facts.targets.push_back(std::move(report));
    }
  return facts;
}

// The bytes as lines: method, target, host, origin.
HttpRequest request_of(std::string_view bytes) {
  std::vector<std::string> lines(4);
  for (std::string& line : lines) {
    const std::size_t end = bytes.find('\n');
    line = bytes.substr(0, end);
    bytes = end == std::string_view::npos ? std::string_view{} : bytes.substr(end + 1);
  }
  return {lines[0], lines[1], lines[2], lines[3], std::string(bytes)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const AgentFacts facts = make_facts();
  const HttpRequest request = request_of({reinterpret_cast<const char*>(data), size});
  const HttpReply reply = agent_reply(request, facts);
  require(reply.status == 200 || reply.status == 400 || reply.status == 403 ||
          reply.status == 404 || reply.status == 405);
  require(reply.body.ends_with('\n') && reply.body.size() < 8'192 + 8 * size);
  require(reply.status != 200 || request.origin.empty());
  require((reply.status == 405) == !reply.allow.empty());
  const bool error = reply.body.starts_with("{\"Error\":{\"ErrorCode\":\"");
  require(error == (reply.status != 200));
  if (error) {
    // One line without control characters, whatever was quoted in it.
    for (const char c : reply.body.substr(0, reply.body.size() - 1))
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
  return 0;
}
