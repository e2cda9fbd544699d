#include "policy_pages.hpp"

#include <algorithm>

#include "gedge/policy/profile.hpp"
#include "mdoc.hpp"
#include "node_machines.hpp"

namespace gedge::cli {
namespace {

std::string kind_of(const PolicyInfo& policy) {
  if (policy.filter && policy.score) return "Filter and score";
  return policy.filter ? "Filter" : "Score";
}

std::string versions_of(const PolicyInfo& policy) {
  if (policy.in_1_20 && policy.in_1_36) return "";
  return policy.in_1_20 ? " Only with `--compat 1.20`." : " Only with `--compat 1.36`.";
}

std::string sentence(std::string_view label, std::string_view text) {
  if (text.empty()) return "";
  return ' ' + std::string(label) + ": " + std::string(text) + '.';
}

void add_profiles(Mdoc& page, Compat compat, std::string_view version) {
  page.section("PROFILES OF " + std::string(version));
  std::vector<Mdoc::Item> items;
  for (const std::string_view name : builtin_profile_names()) {
    const auto profile = builtin_profile(name, compat);
    if (!profile) continue;
    std::string filters = "Filters:", scores = " Scores:";
    for (const ProfileEntry& entry : profile->filters) filters += ' ' + entry.policy + ',';
    for (const ProfileEntry& entry : profile->scores)
      scores += ' ' + entry.policy + ' ' + std::to_string(entry.weight) + ',';
    filters.back() = scores.back() = '.';
    items.push_back({".Cm " + std::string(name), filters + scores});
  }
  page.list(items);
}

}  // namespace

std::string policies_page() {
  Mdoc page("gedge-policies", 7, "the rules by which gedge places pods");
  page.section("DESCRIPTION");
  page.text(
      "A filter rejects nodes; a score gives each node that passed every filter a raw number, "
      "which is normalised to "
      "0..100. The total of a node is the sum over the scores of weight times normalised score, in "
      "integers. The node "
      "with the highest total wins, of equals the first by name.\n\n"
      "A policy that does what a plugin of kube-scheduler does bears its name. `gedge policies` "
      "prints this list with "
      "the weights of a profile.");
  std::vector<Mdoc::Item> items;
  std::vector<PolicyInfo> policies = policy_catalogue();
  policies.push_back(machine_fit_info());
  std::sort(policies.begin(), policies.end(),
            [](const PolicyInfo& a, const PolicyInfo& b) { return a.name < b.name; });
  for (const PolicyInfo& policy : policies)
    items.push_back({".Cm " + std::string(policy.name),
                     kind_of(policy) + '.' + sentence("Formula", policy.formula) +
                         sentence("Range", policy.range) + sentence("Source", policy.source) +
                         versions_of(policy)});
  page.section("POLICIES");
  page.list(items);
  add_profiles(page, Compat::k1_36, "--compat 1.36");
  add_profiles(page, Compat::k1_20, "--compat 1.20");
  page.see_also("gedge(1) gedge-policies(1) gedge-config-view(1)");
  return page.done();
}

}  // namespace gedge::cli
