#include "integration/equivalence/cases.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "integration/equivalence/random_profile.hpp"
#include "support/dump_site.hpp"
#include "support/random_claims.hpp"

namespace gedge::test {
namespace {

constexpr std::size_t kTwoProfiles = 10;  // percent of the cases
constexpr std::size_t kManyClaims = 15;   // percent of the cases
constexpr std::size_t kBoundPods = 3;     // explained in one case, about

using reference::Answer;
using reference::NodeAnswer;

std::string text_of(const std::optional<ScoredNode>& node) {
  return node ? node->node + " " + std::to_string(node->score) : "none";
}

std::string text_of(const RejectedBy& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += name + "=" + std::to_string(count) + " ";
  return out;
}

std::string text_of(const std::vector<BudgetReport>& budgets) {
  std::string out;
  for (const BudgetReport& b : budgets)
    out += b.from + "<=" + std::to_string(b.limit_us) + ":" +
           (b.rtt_us ? std::to_string(*b.rtt_us) : "-") + " ";
  return out;
}

/// Collects differences under one heading.
class Differences {
 public:
  explicit Differences(std::string subject) : subject_(std::move(subject)) {}
  void expect(const char* field, const std::string& expected, const std::string& got) {
    if (expected == got) return;
    out_ << subject_ << ": " << field << "\n  expected: " << expected << "\n  got:      " << got
         << "\n";
  }
  std::string str() const { return out_.str(); }

 private:
  std::string subject_;
  std::ostringstream out_;
};

std::string compare_decisions(const Decision& expected, const Decision& got) {
  Differences out("pod " + expected.namespace_name + "/" + expected.pod);
  out.expect("pod decided at this turn", expected.namespace_name + "/" + expected.pod,
             got.namespace_name + "/" + got.pod);
  out.expect("node and score", text_of(expected.chosen), text_of(got.chosen));
  out.expect("runner-up", text_of(expected.runner_up), text_of(got.runner_up));
  out.expect("rejectedBy", text_of(expected.rejected_by), text_of(got.rejected_by));
  out.expect("message", expected.message, got.message);
  out.expect("budgets", text_of(expected.budgets), text_of(got.budgets));
  return out.str();
}

const char* text_of(bool unresolvable) { return unresolvable ? " unresolvable" : " unschedulable"; }

std::string rejections_of(const NodeAnswer& node, Compat compat) {
  std::string out;
  for (const auto& [policy, objections] : node.rejections) {
    const bool unresolvable =
        std::any_of(objections.begin(), objections.end(),
                    [](const Evidence& e) { return e.verdict == Verdict::kUnresolvable; });
    out += policy + text_of(unresolvable);
    for (const Evidence& e : objections)
      for (const std::string& text : reference::words(e, compat)) out += " [" + text + "]";
    out += "; ";
  }
  return out;
}

std::string rejections_of(const NodeExplanation& node, Compat compat) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<bool, std::string>> policies;
  for (const Rejection& r : node.rejections) {
    if (policies.count(r.policy) == 0) order.push_back(r.policy);
    auto& [unresolvable, texts] = policies[r.policy];
    unresolvable = unresolvable || r.evidence.verdict == Verdict::kUnresolvable;
    for (const std::string& text : reason_texts(r.evidence, compat)) texts += " [" + text + "]";
  }
  std::string out;
  for (const std::string& policy : order)
    out += policy + text_of(policies[policy].first) + policies[policy].second + "; ";
  return out;
}

std::string text_of(const std::vector<PolicyScore>& scores) {
  std::string out;
  for (const PolicyScore& s : scores)
    out += s.policy + " " + std::to_string(s.raw) + "->" + std::to_string(s.normalized) + "*" +
           std::to_string(s.weight) + " ";
  return out;
}

std::string compare_explanations(const Answer& expected, const Explanation& got, Compat compat) {
  std::string out;
  if (expected.nodes.size() != got.nodes.size()) return "explanation: other number of nodes\n";
  for (std::size_t i = 0; i < expected.nodes.size(); ++i) {
    const NodeAnswer& want = expected.nodes[i];
    const NodeExplanation& have = got.nodes[i];
    Differences node("explanation of " + expected.decision.pod + " on " + want.node);
    node.expect("node", want.node, have.node);
    node.expect("rejections", rejections_of(want, compat), rejections_of(have, compat));
    node.expect("scores", text_of(want.scores), text_of(have.scores));
    node.expect("feasible", want.feasible ? "yes" : "no", have.feasible ? "yes" : "no");
    node.expect("total", want.feasible ? std::to_string(want.total) : "none",
                have.total ? std::to_string(*have.total) : "none");
    out += node.str();
  }
  Differences whole("explanation of " + expected.decision.pod);
  whole.expect("node and score", text_of(expected.decision.chosen), text_of(got.chosen));
  whole.expect("runner-up", text_of(expected.decision.runner_up), text_of(got.runner_up));
  whole.expect("message", expected.decision.message, got.message);
  whole.expect("rejectedBy", text_of(expected.decision.rejected_by), text_of(got.rejected_by));
  return out + whole.str();
}

std::string text_of(const ProfileEntry& entry) {
  std::ostringstream out;
  out << entry.policy << " weight " << entry.weight;
  const PolicyArgs& args = entry.args;
  for (const WeightedResource& r : args.resources) out << " " << r.name << ":" << r.weight;
  if (!args.strategy.empty()) out << " strategy " << args.strategy;
  for (const auto& [utilization, score] : args.shape)
    out << " (" << utilization << "," << score << ")";
  for (const std::string& name : args.ignored_resources) out << " ignores " << name;
  for (const std::string& name : args.ignored_resource_groups) out << " ignores group " << name;
  out << " hard=" << args.hard_pod_affinity_weight
      << " ignore=" << args.ignore_preferred_terms_of_existing_pods;
  out << " added=" << args.added_required_terms.size() << "+" << args.added_preferred_terms.size();
  if (args.list_defaulting) out << " list";
  for (const TopologySpread& s : args.default_spread)
    out << " " << s.topology_key << "/" << s.max_skew << (s.hard ? "/hard" : "/soft");
  return out.str();
}

/// A bound pod is explained as if it were placed anew with everything else as it is.
std::string compare_bound(const Case& from, Coverage& coverage) {
  std::string out;
  const auto world =
      reference::make_world(from.site.facts, from.site.rtt, from.site.rtt_by, from.compat());
  const std::size_t every = std::max<std::size_t>(1, world.seats.size() / kBoundPods);
  for (std::size_t i = from.seed % every; i < world.seats.size(); i += every) {
    if (world.seats[i].node == nullptr) continue;
    auto without = world;
    reference::lift(without, without.seats[i]);
    std::vector<std::string> unknown;
    const Answer expected =
        reference::decide(without, from.profiles.front(), without.seats[i], unknown);
    const auto got = gedge::explain(request_of(from), expected.decision.namespace_name,
                                    expected.decision.pod, false);
    ++coverage.explained;
    out += got ? compare_explanations(expected, *got, from.compat())
               : "explain fails: " + got.error().what + "\n";
  }
  return out;
}

/// Pods choose between two profiles by their schedulerName.
void add_second_profile(Dice& dice, Case& to) {
  to.profiles.push_back(make_random_profile(dice, to.compat()));
  to.profiles[0].scheduler_name = "default-scheduler";
  to.profiles[1].scheduler_name = "second";
  for (PodSpec& spec : to.site.facts.specs)
    if (dice.chance(50)) spec.scheduler_name = "second";
}

}  // namespace

Case make_case(std::uint64_t seed, SiteOptions options) {
  Dice dice(seed);
  Case out;
  out.seed = seed;
  const Compat compat = dice.chance(50) ? Compat::k1_20 : Compat::k1_36;
  out.profiles = {make_random_profile(dice, compat)};
  out.site = make_random_site(dice, options);
  if (dice.chance(kTwoProfiles)) add_second_profile(dice, out);
  if (dice.chance(kManyClaims)) add_random_claims(dice, out.site.facts, out.site.facts.pods.size());
  return out;
}

PlanRequest request_of(const Case& from) {
  PlanRequest request;
  request.facts = &from.site.facts;
  request.rtt = &from.site.rtt;
  request.rtt_by = from.site.rtt_by;
  request.profiles = from.profiles;
  return request;
}

std::string describe(const Case& from) {
  std::ostringstream out;
  out << "# seed " << from.seed << "  (GEDGE_SEED=" << from.seed << " runs it alone), "
      << (from.compat() == Compat::k1_20 ? "1.20" : "1.36") << "\n";
  for (const Profile& profile : from.profiles) {
    out << "# profile " << profile.name << " for " << profile.scheduler_name << "\n";
    for (const ProfileEntry& entry : profile.filters)
      out << "#   filter " << text_of(entry) << "\n";
    for (const ProfileEntry& entry : profile.scores) out << "#   score " << text_of(entry) << "\n";
  }
  out << "# rtt by '" << from.site.rtt_by << "'\n";
  std::istringstream matrix(to_csv(from.site.rtt));
  for (std::string line; std::getline(matrix, line);) out << "#   " << line << "\n";
  for (const nlohmann::json& object : objects_of(from.site.facts))
    out << "---\n" << to_yaml(object);
  return out.str();
}

void Coverage::add(const Coverage& other) {
  for (const auto& [name, count] : other.rejected) rejected[name] += count;
  for (const auto& [name, count] : other.decided) decided[name] += count;
  for (const auto& [name, count] : other.strategies) strategies[name] += count;
  for (const auto& [name, count] : other.reasons) reasons[name] += count;
  cases += other.cases;
  cyclic += other.cyclic;
  pods += other.pods;
  placed += other.placed;
  explained += other.explained;
}

void Coverage::add(const std::vector<Profile>& profiles, const reference::ReferencePlan& plan) {
  std::set<std::string> rejecting, deciding;
  ++cases;
  for (const Answer& answer : plan.answers) {
    ++pods;
    placed += answer.decision.chosen ? 1 : 0;
    for (const auto& [policy, count] : answer.decision.rejected_by) rejecting.insert(policy);
    deciding.insert(answer.deciding.begin(), answer.deciding.end());
    for (const NodeAnswer& node : answer.nodes)
      for (const auto& [policy, objections] : node.rejections)
        for (const Evidence& e : objections)
          ++reasons[reference::words({e.reason, e.verdict, 0, 0, Unit::kNone, "..."}, Compat::k1_36)
                        .front()];
  }
  for (const std::string& policy : rejecting) ++rejected[policy];
  for (const std::string& policy : deciding) ++decided[policy];
  for (const ProfileEntry& entry : profiles.front().scores)
    if (!entry.args.strategy.empty() && deciding.count(entry.policy) != 0)
      ++strategies[entry.args.strategy];
}

std::string compare(const Case& from, bool explain, Coverage& coverage) {
  auto world =
      reference::make_world(from.site.facts, from.site.rtt, from.site.rtt_by, from.compat());
  const reference::ReferencePlan expected = reference::make_reference_plan(world, from.profiles);
  if (!expected.unknown.empty()) return "the reference knows no " + expected.unknown.front() + "\n";
  if (expected.cyclic) {
    ++coverage.cyclic;
    return "";
  }
  coverage.add(from.profiles, expected);
  const PlanRequest request = request_of(from);
  const Result<Plan> got = make_plan(request);
  if (!got) return "the engine fails: " + got.error().what + "\n";
  if (got->decisions.size() != expected.answers.size()) return "other number of decisions\n";
  std::string out;
  for (std::size_t i = 0; i < expected.answers.size(); ++i) {
    const Answer& answer = expected.answers[i];
    out += compare_decisions(answer.decision, got->decisions[i]);
    if (!explain && out.empty()) continue;
    const auto explanation =
        gedge::explain(request, answer.decision.namespace_name, answer.decision.pod, false);
    ++coverage.explained;
    out += explanation ? compare_explanations(answer, *explanation, from.compat())
                       : "explain fails: " + explanation.error().what + "\n";
    if (!out.empty()) break;  // whatever follows differs because of this
  }
  if (explain && out.empty() && from.profiles.size() == 1) out += compare_bound(from, coverage);
  return out;
}

}  // namespace gedge::test
