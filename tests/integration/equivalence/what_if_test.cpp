// What-ifs answered by following the edits, one after the other in one session, against planning
// the edited facts as a whole.
//
//   GEDGE_WHAT_IF_SITES=100000   more of them
//   GEDGE_SEED=4711              only this one
#include <doctest/doctest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "gedge/plan/what_if_session.hpp"
#include "integration/equivalence/cases.hpp"

namespace {

using namespace gedge;
using test::Dice;

constexpr std::uint64_t kFirstSeed = 2'000'000, kSites = 2'500;
constexpr int kQuestions = 6;
constexpr int kEnough = 2'000;

std::string node_edit(Dice& dice, const Facts& facts) {
  const Node& node = dice.pick(facts.nodes);
  const std::string prefix = "node/" + node.name + ":";
  switch (dice.below(10)) {
    case 0:
      return prefix + "cpu=" + dice.pick<std::string>({"+200m", "-500m", "0", "8", "+64"});
    case 1:
      return prefix + "memory=" + dice.pick<std::string>({"+1Gi", "-256Mi", "64Gi"});
    case 2:
      return prefix + "pods=" + dice.pick<std::string>({"+1", "-1", "3", "0"});
    case 3:
      return prefix + "nvidia.com/gpu=" + dice.pick<std::string>({"+1", "0"});
    case 4:
      return prefix + "label." +
             dice.pick<std::string>({"disk=ssd", "rack=k1", "rack-", "generation=3",
                                     "topology.kubernetes.io/zone=z1",
                                     "topology.kubernetes.io/zone-", "kubernetes.io/role=cloud"});
    case 5:
      return prefix + "taint-=" +
             dice.pick<std::string>({"dedicated", "gpu", "flaky", "gpu:NoSchedule",
                                     "node.kubernetes.io/unschedulable"});
    case 6:
    case 7:
      return prefix + "drain";
    default:
      return prefix + "delete";
  }
}

std::string random_edit(Dice& dice, const test::Case& from) {
  const Facts& facts = from.site.facts;
  const std::size_t what = dice.below(10);
  if (what < 5 || facts.pods.empty()) return node_edit(dice, facts);
  if (what < 9) {
    const Pod& pod = dice.pick(facts.pods);
    const std::string prefix = "pod/" + pod.namespace_name + "/" + pod.name + ":";
    return dice.chance(50) ? prefix + "delete" : prefix + "node=" + dice.pick(facts.nodes).name;
  }
  const std::vector<std::string>& names = from.site.rtt.names();
  const std::string a = dice.chance(20) ? dice.pick(facts.nodes).name.str() : dice.pick(names);
  return "rtt/" + a + "," + dice.pick(names) + "=" + dice.pick<std::string>({"100us", "7ms", "1s"});
}

std::string text_of(const std::vector<Decision>& decisions, std::size_t first) {
  std::ostringstream out;
  const auto scored = [&](const std::optional<ScoredNode>& node) {
    if (node) out << " " << node->node << " " << node->score;
    out << ";";
  };
  for (std::size_t i = first; i < decisions.size(); ++i) {
    const Decision& d = decisions[i];
    out << d.namespace_name << "/" << d.pod;
    scored(d.chosen);
    scored(d.runner_up);
    out << " " << d.message;
    for (const auto& [policy, count] : d.rejected_by) out << " " << policy << "=" << count;
    for (const BudgetReport& b : d.budgets)
      out << " " << b.from << "<" << b.limit_us << "="
          << (b.rtt_us ? std::to_string(*b.rtt_us) : "none");
    out << "\n";
  }
  return out.str();
}

std::string text_of(const std::vector<Difference>& differences) {
  std::ostringstream out;
  for (const Difference& d : differences)
    out << static_cast<int>(d.outcome) << " " << d.namespace_name << "/" << d.pod << " " << d.before
        << ">" << d.after << "\n";
  return out.str();
}

std::string text_of(const Plan& plan) {
  std::ostringstream out;
  out << plan.profile << " " << static_cast<int>(plan.compat) << " " << plan.seed << " "
      << plan.skipped.size() << "\n"
      << text_of(plan.decisions, 0);
  for (const Warning& warning : plan.warnings)
    out << warning.code << " " << warning.message << "\n";
  return out.str();
}

struct Tally {
  int questions = 0, followed = 0, refused = 0, changed = 0;
};

// One question, asked both ways. Empty where the answers are equal.
std::string compare(const test::Case& from, WhatIfSession& session, const std::vector<Edit>& edits,
                    Tally& tally) {
  const PlanRequest request = test::request_of(from);
  const auto expected = what_if(request, edits, false);
  const auto answer = session.answer(edits);
  const auto whole = session.whole(edits);
  ++tally.questions;
  if (!expected) {
    ++tally.refused;
    if (answer || whole) return "answered what cannot be: " + expected.error().what + "\n";
    return answer.error().what == expected.error().what ? "" : "other error\n";
  }
  if (!answer || !whole) return "no answer\n";
  tally.followed += answer->followed ? 1 : 0;
  tally.changed += answer->followed && !expected->differences.empty() ? 1 : 0;
  std::string out;
  const auto expect = [&](const char* what, const std::string& want, const std::string& have) {
    if (want != have) out += std::string(what) + "\nexpected\n" + want + "got\n" + have;
  };
  const std::vector<Decision>& all = expected->after.decisions;
  const std::string changes = text_of(expected->differences);
  expect("plan before", text_of(expected->before), text_of(whole->before));
  expect("plan after", text_of(expected->after), text_of(whole->after));
  expect("differences", changes, text_of(answer->differences));
  expect("differences of the whole", changes, text_of(whole->differences));
  REQUIRE(answer->decided.size() <= all.size());
  const auto anew = what_if(request, edits, true);
  const auto replanned = session.whole(edits, true);
  if (!anew || !replanned) return "no plan anew\n";
  expect("plan anew", text_of(anew->after), text_of(replanned->after));
  expect("differences anew", text_of(anew->differences), text_of(replanned->differences));
  expect("decided", text_of(all, all.size() - answer->decided.size()), text_of(answer->decided, 0));
  return out;
}

void check_site(std::uint64_t seed, Tally& tally) {
  const test::Case from = test::make_case(seed);
  Dice dice(seed + 17);
  const auto session = WhatIfSession::start(test::request_of(from));
  REQUIRE(session);
  for (int question = 0; question < kQuestions; ++question) {
    std::vector<Edit> edits;
    std::string texts;
    const std::size_t count = dice.chance(70) ? 1 : 2 + dice.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = random_edit(dice, from);
      const auto edit = parse_edit(text);
      REQUIRE_MESSAGE(edit, text);
      edits.push_back(*edit);
      texts += text + "\n";
    }
    const std::string difference = compare(from, **session, edits, tally);
    REQUIRE_MESSAGE(difference.empty(), "seed ", seed, " question ", question, "\n", texts,
                    difference);
  }
}

}  // namespace

TEST_CASE("what-ifs that follow the edits give the plan of the edited facts") {
  const char* only = std::getenv("GEDGE_SEED");
  const char* many = std::getenv("GEDGE_WHAT_IF_SITES");
  const std::uint64_t sites = many == nullptr ? kSites : std::strtoull(many, nullptr, 10);
  Tally tally;
  if (only != nullptr) return check_site(std::strtoull(only, nullptr, 10), tally);
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + sites; ++seed) check_site(seed, tally);
  MESSAGE(tally.questions, " questions, ", tally.followed, " followed, ", tally.changed,
          " of these with a difference, ", tally.refused, " refused");
  CHECK(tally.followed >= kEnough);
  CHECK(tally.changed >= kEnough / 2);
}
