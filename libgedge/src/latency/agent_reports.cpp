#include "gedge/latency/agent_reports.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace gedge {
namespace {

bool is_v6(std::string_view address) { return address.find(':') != std::string_view::npos; }

std::string quoted(const std::string& name) { return '\'' + name + '\''; }

class Merging {
 public:
  Merging(const std::vector<AskedAgent>& asked, const OtherNames& others)
      : asked_(asked), others_(others), verdicts_(asked.size()), is_second_(asked.size()) {}

  AgentMatrix run(std::uint64_t seed) {
    name_agents();
    refuse_impostors();
    refuse_doubles();
    find_addresses();
    choose_names();
    fill();
    vet(seed);
    merged_.pairs = count_known_pairs(merged_.matrix, merged_.is_agent);
    merged_.agents = std::move(verdicts_);
    std::sort(merged_.agents.begin(), merged_.agents.end(),
              [](const AgentVerdict& a, const AgentVerdict& b) {
                return std::tie(a.name, a.source) < std::tie(b.name, b.source);
              });
    return std::move(merged_);
  }

 private:
  void name_agents() {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const AskedAgent& agent = asked_[i];
      AgentVerdict& verdict = verdicts_[i];
      verdict.source = agent.source;
      const std::string* const names[] = {&agent.expected, agent.said ? &agent.said->node : nullptr,
                                          assigned_name(agent), &agent.address, &agent.source};
      for (const std::string* name : names)
        if (verdict.name.empty() && name != nullptr) verdict.name = *name;
      if (!agent.said)
        judge(i, AgentState::kSilent, agent.failure.what, agent.failure.hint);
      else if (agent.said->peers.empty())
        judge(i, AgentState::kEmpty, "it has measured nothing yet");
    }
  }

  void judge(std::size_t agent, AgentState state, std::string why, std::string hint = {}) {
    verdicts_[agent].state = state;
    verdicts_[agent].why = std::move(why);
    verdicts_[agent].hint = std::move(hint);
  }

  bool counts(std::size_t agent) const {
    return verdicts_[agent].state == AgentState::kBelieved && !is_second_[agent];
  }

  /// What others than itself call it: the list, or who knows addresses; null: nobody does.
  const std::string* assigned_name(const AskedAgent& agent) const {
    if (!agent.expected.empty()) return &agent.expected;
    const auto at = others_.find(agent.address);
    return at == others_.end() ? nullptr : &at->second;
  }

  // Whether the other one speaks or not: silence gives no name away.
  void refuse_impostors() {
    std::set<std::string_view> places;
    for (const auto& [address, name] : others_) places.insert(name);
    std::multimap<std::string_view, const AskedAgent*> assigned;
    for (const AskedAgent& agent : asked_)
      if (const std::string* name = assigned_name(agent)) assigned.emplace(*name, &agent);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const AskedAgent& agent = asked_[i];
      const std::string* const own = assigned_name(agent);
      if (!agent.said || agent.said->node.empty() || (own != nullptr && *own == agent.said->node))
        continue;
      const std::string claim = "it calls itself " + quoted(agent.said->node);
      const auto [first, last] = assigned.equal_range(agent.said->node);
      if (agent.expected.empty() && own != nullptr && places.count(agent.said->node) > 0)
        judge(i, AgentState::kRefused, claim + ", and its address is that of " + quoted(*own));
      else if (std::any_of(first, last, [&](const auto& other) {
                 return !is_other_family(agent, *other.second);
               }))
        judge(i, AgentState::kRefused, claim + ", which is another agent's name");
      else
        continue;
      verdicts_[i].name = own != nullptr           ? *own
                          : !agent.address.empty() ? agent.address
                                                   : agent.source;
    }
  }

  /// One that is not listed by its IPv4 and by its IPv6 address, and answers at both.
  static bool is_other_family(const AskedAgent& agent, const AskedAgent& other) {
    return agent.expected.empty() && is_v6(agent.address) != is_v6(other.address) && other.said &&
           other.said->node == agent.said->node;
  }

  void refuse_doubles() {
    std::map<std::string_view, std::vector<std::size_t>> of_name;
    for (std::size_t i = 0; i < asked_.size(); ++i)
      if (counts(i)) of_name[verdicts_[i].name].push_back(i);
    for (const auto& [name, agents] : of_name) {
      if (agents.size() == 1) continue;
      const auto is_listed = [this](std::size_t agent) { return !asked_[agent].expected.empty(); };
      const bool listed = std::count_if(agents.begin(), agents.end(), is_listed) == 1;
      const bool one_of_each = agents.size() == 2 &&
                               is_v6(asked_[agents[0]].address) != is_v6(asked_[agents[1]].address);
      if (!listed && one_of_each) {
        is_second_[agents[1]] = true;
        continue;
      }
      for (const std::size_t agent : agents)
        if (!listed || !is_listed(agent))
          judge(agent, AgentState::kRefused,
                "another agent is called " + quoted(std::string(name)) + " as well");
    }
  }

  // An address that two agents share, on different ports, says nothing.
  void find_addresses() {
    const auto note = [this](const std::string& other, const std::string& name) {
      if (other.empty() || other == name) return;
      const auto [at, fresh] = known_as_.emplace(other, name);
      if (!fresh && at->second != name) at->second.clear();
    };
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (verdicts_[i].state == AgentState::kRefused) continue;
      names_.insert(verdicts_[i].name);
      note(asked_[i].address, verdicts_[i].name);
      if (asked_[i].said) note(asked_[i].said->node, verdicts_[i].name);
    }
    // A refused agent is a row without reports.
    for (const AgentVerdict& verdict : verdicts_) names_.insert(verdict.name);
  }

  const std::string& own_name(const std::string& name) const {
    if (names_.count(name) > 0) return name;
    if (const auto at = known_as_.find(name); at != known_as_.end() && !at->second.empty())
      return at->second;
    const auto at = others_.find(name);
    return at == others_.end() ? name : at->second;
  }

  void choose_names() {
    std::map<std::string, std::size_t> strangers;  // and how many agents name them
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (!counts(i)) continue;
      std::set<std::string_view> once;
      for (const PeerReport& report : asked_[i].said->peers) {
        const std::string& name = own_name(report.peer);
        if (names_.count(name) == 0 && once.insert(name).second) ++strangers[name];
      }
    }
    std::vector<std::pair<std::size_t, const std::string*>> kept;
    for (const auto& [name, count] : strangers) kept.emplace_back(count, &name);
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < kept.size() && i < kMostStrangers; ++i)
      strangers_.insert(*kept[i].second);
    merged_.left_out = kept.size() - strangers_.size();
    std::vector<std::string> names(names_.begin(), names_.end());
    names.insert(names.end(), strangers_.begin(), strangers_.end());
    merged_.matrix = RttMatrix(std::move(names));
    for (const std::string& name : merged_.matrix.names())
      merged_.is_agent.push_back(names_.count(name) > 0);
  }

  void fill() {
    std::vector<std::pair<NameIndex, std::size_t>> rows;
    for (std::size_t i = 0; i < asked_.size(); ++i)
      if (counts(i)) rows.emplace_back(*merged_.matrix.find(verdicts_[i].name), i);
    std::sort(rows.begin(), rows.end());
    for (const auto& [from, agent] : rows) add_row(from, asked_[agent].said->peers);
  }

  // A peer that is named twice counts as it was named first.
  void add_row(NameIndex from, const std::vector<PeerReport>& peers) {
    const auto first = static_cast<std::ptrdiff_t>(merged_.details.pairs.size());
    std::set<NameIndex> seen{from};
    for (const PeerReport& report : peers) {
      const auto to = merged_.matrix.find(own_name(report.peer));
      if (!to || !seen.insert(*to).second) continue;
      PairStats stats = report.stats;
      stats.from = from;
      stats.to = *to;
      stats.method = merged_.details.method(report.method);
      merged_.details.pairs.push_back(stats);
      merged_.matrix.set(from, *to, report.rtt);
    }
    std::sort(merged_.details.pairs.begin() + first, merged_.details.pairs.end(),
              [](const PairStats& a, const PairStats& b) { return a.to < b.to; });
  }

  void vet(std::uint64_t seed) {
    VettedReports vetted = vet_reports(merged_.matrix, seed);
    for (const SuspiciousCell& cell : vetted.suspicious) find(cell.from, cell.to).suspicious = true;
    for (const NameIndex agent : vetted.distrusted)
      for (std::size_t i = 0; i < asked_.size(); ++i)
        if (counts(i) && verdicts_[i].name == vetted.matrix.name(agent))
          judge(i, AgentState::kDistrusted, "its peers contradict what it reports");
    merged_.matrix = std::move(vetted.matrix);
    merged_.suspicious = std::move(vetted.suspicious);
  }

  PairStats& find(NameIndex from, NameIndex to) {
    std::vector<PairStats>& pairs = merged_.details.pairs;
    return *std::lower_bound(
        pairs.begin(), pairs.end(), std::pair(from, to),
        [](const PairStats& pair, const auto& key) { return std::pair(pair.from, pair.to) < key; });
  }

  const std::vector<AskedAgent>& asked_;
  const OtherNames& others_;
  std::vector<AgentVerdict> verdicts_;  // [asked]
  std::vector<bool> is_second_;         // [asked]: a second address of an agent
  std::set<std::string> names_;         // of agents
  OtherNames known_as_;                 // addresses of agents; empty: of several
  std::set<std::string> strangers_;
  AgentMatrix merged_;
};

}  // namespace

std::string_view to_string(AgentState state) {
  switch (state) {
    case AgentState::kEmpty:
      return "empty";
    case AgentState::kDistrusted:
      return "distrusted";
    case AgentState::kRefused:
      return "refused";
    case AgentState::kSilent:
      return "silent";
    case AgentState::kBelieved:
      break;
  }
  return "believed";
}

KnownPairs count_known_pairs(const RttMatrix& matrix, const std::vector<bool>& is_agent) {
  KnownPairs pairs;
  const auto n = static_cast<std::uint32_t>(matrix.size());
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = 0; b < a; ++b) {
      if (!is_agent[a] && !is_agent[b]) continue;
      const bool there = matrix.at(NameIndex{b}, NameIndex{a}) != kUnmeasured,
                 back = matrix.at(NameIndex{a}, NameIndex{b}) != kUnmeasured;
      const bool all = (there || !is_agent[b]) && (back || !is_agent[a]);
      ++(all ? pairs.known : there || back ? pairs.one_way : pairs.unknown);
    }
  return pairs;
}

AgentMatrix merge_agents(const std::vector<AskedAgent>& asked, const OtherNames& others,
                         std::uint64_t seed) {
  return Merging(asked, others).run(seed);
}

}  // namespace gedge
