// Suggested changes against brute force: whatever single edit makes a pod schedulable, one is
// suggested.
//
// The edits tried here are enumerated from the facts alone, by other code than the search's: every
// amount that a node lacks, every label value and taint that occurs, every pod deleted or moved,
// every RTT at every limit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "gedge/plan/edit.hpp"
#include "support/random_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

PlanRequest request_of(const RandomSite& site) {
  PlanRequest request;
  request.facts = &site.facts;
  request.rtt = &site.rtt;
  request.rtt_by = site.rtt_by;
  request.profiles = {*builtin_profile("edge", Compat::k1_36)};
  return request;
}

bool placed_after(const PlanRequest& request, const std::vector<std::string>& texts,
                  const Decision& pod) {
  std::vector<Edit> edits;
  for (const std::string& text : texts) {
    const auto edit = parse_edit(text);
    REQUIRE_MESSAGE(edit, text);
    edits.push_back(*edit);
  }
  const auto result = what_if(request, edits, false);
  if (!result) return false;
  for (const Decision& d : result->after.decisions)
    if (d.namespace_name == pod.namespace_name && d.pod == pod.pod) return d.chosen.has_value();
  return false;
}

void add_requirement_labels(const std::vector<NodeSelectorTerm>& terms,
                            std::set<std::pair<std::string, std::string>>& out) {
  for (const NodeSelectorTerm& term : terms)
    for (const Requirement& r : term.expressions) {
      out.insert({r.key, "true"});
      for (const std::string& value : r.values) {
        out.insert({r.key, value});
        const long bound = std::strtol(value.c_str(), nullptr, 10);
        out.insert({r.key, std::to_string(bound + 1)});
        if (bound > 0) out.insert({r.key, std::to_string(bound - 1)});
      }
    }
}

std::vector<std::string> label_edits(const RandomSite& site, const PodSpec& spec,
                                     const Node& node) {
  std::set<std::pair<std::string, std::string>> labels;
  for (const Node& other : site.facts.nodes)
    for (const auto& [key, value] : other.labels) labels.insert({key, value});
  for (const auto& [key, value] : spec.node_selector) labels.insert({key, value});
  add_requirement_labels(spec.required_node_terms, labels);
  for (const PersistentVolume& volume : site.facts.volumes)
    add_requirement_labels(volume.node_terms, labels);
  std::vector<std::string> edits;
  for (const auto& [key, value] : labels)
    edits.push_back("node/" + node.name + ":label." + key + "=" + value);
  for (const auto& [key, value] : node.labels)
    edits.push_back("node/" + node.name + ":label." + key + "-");
  return edits;
}

// Amounts by which a node may fall short: of the pod alone, and with what the others took.
std::vector<std::string> amount_edits(const Explanation& why, const Node& node) {
  std::vector<std::string> edits;
  for (const NodeExplanation& n : why.nodes)
    for (const Rejection& r : n.rejections)
      if (n.node == node.name && r.evidence.measured != kNoNumber &&
          r.evidence.limit != kNoNumber &&
          (r.evidence.reason == Reason::kInsufficient ||
           r.evidence.reason == Reason::kTooManyPods)) {
        const std::string name =
            r.evidence.reason == Reason::kTooManyPods ? "pods" : r.evidence.subject;
        const std::string unit = name == "cpu" ? "m" : "";
        edits.push_back("node/" + node.name + ":" + name + "=+" +
                        std::to_string(r.evidence.measured - r.evidence.limit) + unit);
      }
  return edits;
}

std::vector<std::string> node_edits(const RandomSite& site, const PodSpec& spec,
                                    const Explanation& why) {
  std::vector<std::string> edits;
  for (const Node& node : site.facts.nodes) {
    const std::string prefix = "node/" + node.name + ":";
    for (const Taint& taint : node.taints) edits.push_back(prefix + "taint-=" + taint.key);
    if (node.unschedulable) edits.push_back(prefix + "taint-=node.kubernetes.io/unschedulable");
    edits.push_back(prefix + "drain");
    edits.push_back(prefix + "delete");
    for (std::string& edit : label_edits(site, spec, node)) edits.push_back(std::move(edit));
    for (std::string& edit : amount_edits(why, node)) edits.push_back(std::move(edit));
  }
  return edits;
}

std::vector<std::string> all_single_edits(const RandomSite& site, const Decision& pod,
                                          const PodSpec& spec, const Explanation& why) {
  std::vector<std::string> edits = node_edits(site, spec, why);
  for (const Pod& other : site.facts.pods) {
    if (other.namespace_name == pod.namespace_name && other.name == pod.pod) continue;
    const std::string prefix = "pod/" + other.namespace_name + "/" + other.name + ":";
    edits.push_back(prefix + "delete");
    for (const Node& node : site.facts.nodes) edits.push_back(prefix + "node=" + node.name);
  }
  std::set<std::int64_t> limits;
  for (const DelayBudget& budget : spec.budgets) limits.insert(budget.limit_us);
  std::set<std::string> names(site.rtt.names().begin(), site.rtt.names().end());
  if (site.rtt_by.empty())
    for (const Node& node : site.facts.nodes) names.insert(node.name);
  for (const std::int64_t limit : limits)
    for (const std::string& a : names)
      for (const std::string& b : names)
        if (a < b) edits.push_back("rtt/" + a + "," + b + "=" + std::to_string(limit) + "us");
  return edits;
}

struct Tally {
  int pods = 0, single = 0, several = 0, none = 0, tried = 0;
};

// What must be true of one unschedulable pod.
void check_pod(std::uint64_t seed, const RandomSite& site, const PlanRequest& request,
               const Decision& pod, Tally& tally) {
  const auto why = explain(request, pod.namespace_name, pod.pod, true);
  REQUIRE(why);
  if (why->chosen) return;
  ++tally.pods;
  const std::string name =
      "seed " + std::to_string(seed) + " pod " + pod.namespace_name + "/" + pod.pod;
  if (!why->changes.empty()) {
    const std::vector<std::string>& edits = why->changes.front().edits;
    CHECK_MESSAGE(placed_after(request, edits, pod), name, ": ", edits.front(), " does not hold");
    for (std::size_t leave_out = 0; edits.size() > 1 && leave_out < edits.size(); ++leave_out) {
      std::vector<std::string> fewer = edits;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(leave_out));
      CHECK_MESSAGE(!placed_after(request, fewer, pod), name, ": holds without ", edits[leave_out]);
    }
    if (edits.size() == 1) {
      ++tally.single;
      return;
    }
  }
  ++(why->changes.empty() ? tally.none : tally.several);
  const Pod* facts = nullptr;
  for (const Pod& candidate : site.facts.pods)
    if (candidate.namespace_name == pod.namespace_name && candidate.name == pod.pod)
      facts = &candidate;
  REQUIRE(facts != nullptr);
  for (const std::string& edit : all_single_edits(site, pod, site.facts.spec_of(*facts), *why)) {
    ++tally.tried;
    const bool works = parse_edit(edit) && placed_after(request, {edit}, pod);
    CHECK_MESSAGE(!works, name, ": ", edit, " alone would do");
    if (works) return;
  }
}

// Pods of the seeds FIRST, FIRST + 2, ...: GEDGE_CHANGES_PODS (5,000) in both halves together, or
// those of GEDGE_SEED alone.
void check_half(std::uint64_t first) {
  const char* only = std::getenv("GEDGE_SEED");
  const char* many = std::getenv("GEDGE_CHANGES_PODS");
  const int wanted = (many == nullptr ? 5000 : std::atoi(many)) / 2;
  std::uint64_t seed = only == nullptr ? first : std::strtoull(only, nullptr, 10);
  Tally tally;
  for (; tally.pods < wanted; seed += 2) {
    Dice dice(seed);
    const RandomSite site = make_random_site(dice);
    const PlanRequest request = request_of(site);
    const auto plan = make_plan(request);
    REQUIRE(plan);
    for (const Decision& decision : plan->decisions)
      if (!decision.chosen) check_pod(seed, site, request, decision, tally);
    if (only != nullptr) break;
  }
  MESSAGE(tally.pods, " unschedulable pods up to seed ", seed, ": one edit for ", tally.single,
          ", several for ", tally.several, ", none found for ", tally.none, "; ", tally.tried,
          " single edits tried by brute force");
}

}  // namespace

TEST_CASE(
    "changes: on random unschedulable pods a single edit is found if there is one, odd seeds") {
  check_half(1);
}

TEST_CASE(
    "changes: on random unschedulable pods a single edit is found if there is one, even seeds") {
  check_half(2);
}
