// Modules that keep the contract decide exactly as the same policies written in C++ would.
#include <algorithm>
#include <set>

#include "module_support.hpp"
#include "support/random_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::string_view kAnnotation = "gedge.io/allowed-zones";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

// plugins/idle-first as a policy of one's own.
class IdleFirst final : public ScorePolicy {
 public:
  std::string_view name() const override { return "IdleFirst"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool sign(const PodFacts&, Signature&) const override { return true; }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }
  void score(const ClassContext& context, const ClassState*, Rows rows,
             std::span<std::int64_t> out) const override {
    const auto total = context.cluster.allocatable(ResourceIndex::kCpuColumn);
    const auto used = context.cluster.requested(ResourceIndex::kCpuColumn);
    for (std::uint32_t row = rows.first; row < rows.last; ++row) {
      const std::int64_t idle = total[row] - used[row];
      out[row - rows.first] = total[row] > 0 && idle > 0 ? 100 * idle / total[row] : 0;
    }
  }
};

// plugins/zone-allowed likewise.
class ZoneAllowed final : public FilterPolicy {
 public:
  std::string_view name() const override { return "ZoneAllowed"; }
  std::uint8_t reads() const override { return kRowStatic; }
  void filter(const ClassContext& context, const ClassState*, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override {
    const std::string* list = context.pod.spec->annotations.find(kAnnotation);
    if (list == nullptr) return;
    std::set<std::string> allowed;
    std::string word;
    for (const char c : *list + ",") {
      if (c == ',') allowed.insert(std::exchange(word, {}));
      if (c != ',' && c != ' ') word += c;
    }
    allowed.erase("");
    for (std::uint32_t row = rows.first; row < rows.last; ++row) {
      const NodeIndex node{row};
      const std::string* zone = context.cluster.node(node).labels.find(kZone);
      if (!feasible.test(node) || (zone != nullptr && allowed.count(*zone) == 1)) continue;
      feasible.clear(node);
      if (recorder == nullptr) continue;
      recorder->reject(node,
                       {Reason::kModule, Verdict::kUnresolvable, kNoNumber, kNoNumber, Unit::kNone,
                        zone == nullptr ? "node(s) had no zone, and the pod lists those it allows"
                                        : "node(s) were in a zone that the pod does not allow"});
    }
  }
};

class Own final : public PolicySource {
 public:
  std::unique_ptr<FilterPolicy> filter(std::string_view name) const override {
    return name == "ZoneAllowed" ? std::make_unique<ZoneAllowed>() : nullptr;
  }
  std::unique_ptr<ScorePolicy> score(std::string_view name) const override {
    return name == "IdleFirst" ? std::make_unique<IdleFirst>() : nullptr;
  }
};

std::string text(const Decision& d) {
  std::string all = d.namespace_name + "/" + d.pod + "=";
  if (d.chosen) all += d.chosen->node + ":" + std::to_string(d.chosen->score);
  if (d.runner_up) all += ">" + d.runner_up->node + ":" + std::to_string(d.runner_up->score);
  for (const auto& [policy, nodes] : d.rejected_by) all += "," + policy + std::to_string(nodes);
  return all + " " + d.message + "\n";
}

std::string text(const Plan& plan) {
  std::string all;
  for (const Decision& decision : plan.decisions) all += text(decision);
  return all;
}

std::string text(const Explanation& explanation) {
  std::string all;
  for (const NodeExplanation& node : explanation.nodes) {
    all += node.node;
    for (const Rejection& r : node.rejections)
      all += "," + r.policy + "/" + r.evidence.subject + "/" +
             std::to_string(static_cast<int>(r.evidence.verdict));
    for (const PolicyScore& s : node.scores)
      all += "," + s.policy + std::to_string(s.raw) + "/" + std::to_string(s.normalized);
    all += "\n";
  }
  for (const SuggestedChange& change : explanation.changes)
    for (const std::string& edit : change.edits) all += edit + "\n";
  return all;
}

bool have_plugins() { return std::filesystem::exists(plugin_path("idle-first")); }

Modules plugins() { return loaded({plugin_path("zone-allowed"), plugin_path("idle-first")}); }

void list_zones(Dice& dice, Facts& facts) {
  const std::vector<std::string> lists{"z1", "z1,z2",       " z2 , z3 ", "z1, z2,z3",
                                       "",   "z1,,nowhere", "z12"};
  for (PodSpec& spec : facts.specs)
    if (dice.chance(25)) spec.annotations.set(kAnnotation, dice.pick(lists));
}

}  // namespace

TEST_CASE("modules: the policies of plugins decide as the same policies compiled in do") {
  if (!have_plugins()) GEDGE_SKIP("the policy modules are not built");
  const Own own;
  constexpr std::uint64_t kSeed = 1, kSites = 300;
  std::size_t decided = 0, rejected = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + kSites; ++seed) {
    Dice dice(seed);
    RandomSite site = make_random_site(dice);
    list_zones(dice, site.facts);
    const Modules modules = plugins();
    const Profile profile = with_modules(*builtin_profile("edge", Compat::k1_36), modules);
    PlanRequest request = request_of(site.facts, site.rtt, profile, &modules);
    request.rtt_by = site.rtt_by;
    const auto theirs = make_plan(request);
    request.modules = &own;
    const auto ours = make_plan(request);
    REQUIRE_MESSAGE(theirs, theirs.error().what);
    REQUIRE(ours);
    REQUIRE_MESSAGE(text(*theirs) == text(*ours), "seed ", seed);
    decided += ours->placed();
    for (const Decision& d : ours->decisions)
      for (const auto& [policy, nodes] : d.rejected_by) rejected += policy == "ZoneAllowed";
  }
  MESSAGE("seeds ", kSeed, " and on: ", decided, " pods placed, ", rejected,
          " with zones rejected");
  CHECK(decided > 400);
  CHECK(rejected > 50);
}

TEST_CASE("modules: explanations show the policies of plugins as those compiled in") {
  if (!have_plugins()) GEDGE_SKIP("the policy modules are not built");
  SiteBuilder b;
  b.node("a", {{std::string(kZone), "berlin"}});
  b.node("b", {{std::string(kZone), "paris"}});
  b.node("c");
  b.pod("web").spec.annotations.set(kAnnotation, "paris");
  b.pod("hog").on("b").request(kCpu, 1000);
  const auto site = b.build();
  const Own own;
  const Modules modules = plugins();
  const Profile profile = with_modules(*builtin_profile("kube", Compat::k1_36), modules);
  PlanRequest request = request_of(site->facts, site->matrix, profile, &modules);
  const auto theirs = explain(request, "default", "web", true);
  request.modules = &own;
  const auto ours = explain(request, "default", "web", true);
  REQUIRE(theirs);
  REQUIRE(ours);
  CHECK(text(*theirs) == text(*ours));
  REQUIRE(theirs->chosen);
  CHECK(theirs->chosen->node == "b");
  REQUIRE(theirs->nodes.size() == 3);
  CHECK(theirs->nodes[0].rejections[0].evidence.subject ==
        "node(s) were in a zone that the pod does not allow");
  CHECK(theirs->nodes[1].scores.back().policy == "IdleFirst");
  CHECK(theirs->nodes[1].scores.back().raw == 75);
  CHECK(theirs->nodes[2].rejections[0].evidence.subject ==
        "node(s) had no zone, and the pod lists those it allows");
}

TEST_CASE("modules: policies join a profile before its DelayBudget, with weight 1") {
  if (!have_plugins()) GEDGE_SKIP("the policy modules are not built");
  const Modules modules = plugins();
  const Profile edge = with_modules(*builtin_profile("edge", Compat::k1_36), modules);
  REQUIRE(edge.filters.size() > 2);
  CHECK(edge.filters.back().policy == "DelayBudget");
  CHECK(edge.filters[edge.filters.size() - 2].policy == "ZoneAllowed");
  CHECK(edge.scores.back().policy == "IdleFirst");
  CHECK(edge.scores.back().weight == 1);
  const Profile kube = with_modules(*builtin_profile("kube", Compat::k1_36), modules);
  CHECK(kube.filters.back().policy == "ZoneAllowed");

  Profile own = *builtin_profile("edge", Compat::k1_36);
  own.scores.push_back({"IdleFirst", 7, {}});
  own.filters.insert(own.filters.begin(), {"ZoneAllowed", 1, {}});
  const Profile kept = with_modules(own, modules);
  CHECK(kept.scores.size() == own.scores.size());
  CHECK(kept.scores.back().weight == 7);
  CHECK(kept.filters.size() == own.filters.size());
  CHECK(kept.filters.front().policy == "ZoneAllowed");
}

TEST_CASE("modules: the module's own lists of policies are in the order of loading") {
  if (!have_plugins()) GEDGE_SKIP("the policy modules are not built");
  const Modules modules = plugins();
  CHECK(modules.filter_names() == std::vector<std::string>{"ZoneAllowed"});
  CHECK(modules.score_names() == std::vector<std::string>{"IdleFirst"});
  REQUIRE(modules.policies().size() == 2);
  CHECK(modules.policies()[0].info.filter);
  CHECK(modules.policies()[1].module == plugin_path("idle-first"));
}

TEST_CASE("modules: a policy keeps its module loaded, and equal pods share a class") {
  if (!have_plugins()) GEDGE_SKIP("the policy modules are not built");
  std::unique_ptr<FilterPolicy> filter;
  {
    const Modules modules = plugins();
    filter = modules.filter("ZoneAllowed");
  }
  REQUIRE(filter);
  SiteBuilder b;
  b.node("a", {{std::string(kZone), "berlin"}});
  b.node("b", {{std::string(kZone), "paris"}});
  for (const char* name : {"one", "two"})
    b.pod(name, {{"app", name}}).spec.annotations.set(kAnnotation, "paris");
  b.pod("free");
  const auto site = b.build();
  const auto signature = [&](const char* pod) {
    Signature made;
    REQUIRE(filter->sign(site->pod_facts(pod), made));
    return std::string(made.bytes());
  };
  CHECK(signature("one") == signature("two"));
  CHECK(signature("one") != signature("free"));

  const ClassContext context{*site->state, site->pod_facts("one")};
  const auto state = filter->prepare(context);
  NodeMask feasible = site->state->alive();
  filter->filter(context, state.get(), {0, 2}, feasible, nullptr);
  CHECK_FALSE(feasible.test(site->node("a")));
  CHECK(feasible.test(site->node("b")));
}
