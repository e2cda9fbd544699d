// A cluster that is followed through random events, against one that is told at each question how
// things stand: the same decisions, whatever happened in between.
//
//   GEDGE_LIVE_SITES=100000   more of them
//   GEDGE_SEED=4711           only this one
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gedge/plan/edit.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "integration/equivalence/cases.hpp"

namespace {

using namespace gedge;
using test::Dice;

constexpr std::uint64_t kFirstSeed = 3'000'000, kSites = 600;
constexpr int kSteps = 40;

std::string text_of(const Result<std::vector<Decision>>& decisions) {
  if (!decisions) return "error: " + decisions.error().what;
  std::ostringstream out;
  const auto scored = [&](const std::optional<ScoredNode>& node) {
    if (node) out << " " << node->node << " " << node->score;
    out << ";";
  };
  for (const Decision& d : *decisions) {
    out << d.namespace_name << "/" << d.pod;
    scored(d.chosen);
    scored(d.runner_up);
    out << " " << d.message;
    for (const auto& [policy, count] : d.rejected_by) out << " " << policy << "=" << count;
    for (const BudgetReport& b : d.budgets)
      out << " " << b.from << "=" << (b.rtt_us ? std::to_string(*b.rtt_us) : "none");
    out << "\n";
  }
  return out.str();
}

/// What is so: kept by plain edits of facts, and told to the cluster that is tested.
class World {
 public:
  World(const test::Case& from, Dice& dice)
      : facts_(from.site.facts), rtt_(from.site.rtt), dice_(dice), live_(options_of(from)) {
    options_ = options_of(from);
    live_.put(Facts(facts_));
    live_.put(RttMatrix(rtt_));
  }

  /// One event or question. Differences between the answers, or nothing.
  std::string step();
  std::uint64_t rebuilds() const { return live_.rebuilds(); }
  int placed() const { return placed_; }
  int claimed() const { return claimed_; }

 private:
  static LiveOptions options_of(const test::Case& from) {
    LiveOptions options;
    options.profiles = from.profiles;
    options.rtt_by = from.site.rtt_by;
    return options;
  }
  static bool waits(const Pod& pod) {
    return pod.bound_node.empty() && pod.phase == PodPhase::kPending;
  }
  std::string ask();
  void tell(const Pod& pod);
  void tell(const Node& node);
  void tell(const PersistentVolume& volume);
  void tell(const PersistentVolumeClaim& claim);
  void change_pod();
  void change_node();
  void change_volume();
  void change_claim();
  std::string take_claims(LiveCluster& fresh, const Decision& decision);
  void end_assumption(const Pod& pod, bool is_as_assumed);
  PersistentVolume* find_volume(const std::string& name);
  PersistentVolumeClaim* find_claim(const PodName& name);

  Facts facts_;
  RttMatrix rtt_;
  Dice& dice_;
  LiveOptions options_;
  LiveCluster live_;
  std::vector<Pod> removed_pods_;
  std::vector<Node> removed_nodes_;
  std::vector<PersistentVolume> removed_volumes_;
  std::map<PodName, SharedText> assumed_;       // pods whose node nobody has confirmed
  std::map<std::string, PodName> reserved_;     // volumes that nobody has said are a claim's
  std::map<PodName, SharedText> given_a_node_;  // claims of which nobody has said so
  int placed_ = 0, claimed_ = 0;
};

std::string World::ask() {
  std::vector<PodName> wanted;
  const bool all = dice_.chance(60);
  for (const Pod& pod : facts_.pods)
    if (waits(pod) && (all || dice_.chance(50))) wanted.push_back({pod.namespace_name, pod.name});
  LiveCluster fresh(options_);
  fresh.put(Facts(facts_));
  fresh.put(RttMatrix(rtt_));
  const auto expected = fresh.place(wanted), answer = live_.place(wanted);
  const std::string want = text_of(expected), have = text_of(answer);
  if (want != have) return "expected\n" + want + "got\n" + have;
  if (!answer) return "";
  for (const Decision& decision : *answer)
    for (Pod& pod : facts_.pods)
      if (decision.chosen && pod.name == decision.pod &&
          pod.namespace_name == decision.namespace_name) {
        pod.bound_node = decision.chosen->node;
        assumed_[{pod.namespace_name, pod.name}] = pod.bound_node;
        ++placed_;
        std::string difference = take_claims(fresh, decision);
        if (!difference.empty()) return difference;
      }
  return "";
}

PersistentVolume* World::find_volume(const std::string& name) {
  for (PersistentVolume& volume : facts_.volumes)
    if (volume.name == name) return &volume;
  return nullptr;
}

PersistentVolumeClaim* World::find_claim(const PodName& name) {
  for (PersistentVolumeClaim& claim : facts_.claims)
    if (fact_name(claim) == name) return &claim;
  return nullptr;
}

std::string World::take_claims(LiveCluster& fresh, const Decision& decision) {
  const PodName pod{decision.namespace_name, decision.pod};
  const auto text_of = [](const std::vector<ClaimRequest>& requests) {
    std::string text;
    for (const ClaimRequest& r : requests)
      text += r.claim.namespace_name.str() + "/" + r.claim.name.str() + " " + r.node.str() + " " +
              r.volume + "\n";
    return text;
  };
  const std::vector<ClaimRequest> requests = live_.take_claims(pod);
  const std::string want = text_of(fresh.take_claims(pod)), have = text_of(requests);
  if (want != have) return "claims of " + pod.name.str() + ": expected\n" + want + "got\n" + have;
  for (const ClaimRequest& request : requests) {
    ++claimed_;
    if (request.volume.empty()) {
      find_claim(request.claim)->selected_node = request.node;
      given_a_node_[request.claim] = request.node;
      continue;
    }
    PersistentVolume& volume = *find_volume(request.volume);
    volume.claim_namespace = request.claim.namespace_name;
    volume.claim_name = request.claim.name;
    volume.claim_uid = request.uid;
    reserved_[volume.name] = request.claim;
  }
  return "";
}

// What was asked of the cluster for the claims of a pod that went, or came elsewhere.
void World::end_assumption(const Pod& pod, bool is_as_assumed) {
  if (assumed_.erase({pod.namespace_name, pod.name}) == 0 || is_as_assumed) return;
  for (const PodVolume& used : facts_.spec_of(pod).volumes) {
    const PodName name{pod.namespace_name, used.claim};
    PersistentVolumeClaim* const claim = find_claim(name);
    if (given_a_node_.erase(name) > 0 && claim != nullptr) claim->selected_node.clear();
    std::erase_if(reserved_, [&](const auto& reserved) {
      if (reserved.second != name) return false;
      if (PersistentVolume* const volume = find_volume(reserved.first)) {
        volume->claim_namespace.clear();
        volume->claim_name.clear();
        volume->claim_uid.clear();
      }
      return true;
    });
  }
}

void World::tell(const PersistentVolume& volume) {
  Facts told;
  told.volumes.push_back(volume);
  live_.put(std::move(told));
}

void World::tell(const PersistentVolumeClaim& claim) {
  Facts told;
  told.claims.push_back(claim);
  live_.put(std::move(told));
}

void World::change_volume() {
  if (facts_.volumes.empty()) return;
  const std::size_t i = dice_.below(facts_.volumes.size());
  PersistentVolume& volume = facts_.volumes[i];
  PersistentVolume old = volume;
  switch (dice_.below(5)) {
    case 0:  // what was said before it was reserved; the reservation stands
      if (!reserved_.contains(volume.name)) return tell(volume);
      old.claim_namespace.clear();
      old.claim_name.clear();
      old.claim_uid.clear();
      return tell(old);
    case 1:
      volume.capacity_bytes += std::int64_t{1} << 30;
      if (!volume.claim_name.empty()) reserved_.erase(volume.name);
      return tell(volume);
    case 2:
      live_.remove(FactKind::kVolume, "", volume.name);
      facts_.volumes.erase(facts_.volumes.begin() + static_cast<std::ptrdiff_t>(i));
      if (!reserved_.contains(old.name)) removed_volumes_.push_back(old);
      return;
    case 3: {
      if (removed_volumes_.empty()) return;
      facts_.volumes.push_back(removed_volumes_.back());
      removed_volumes_.pop_back();
      return tell(facts_.volumes.back());
    }
    default:  // its claim is bound to it
      if (PersistentVolumeClaim* const claim =
              find_claim({volume.claim_namespace, volume.claim_name})) {
        reserved_.erase(volume.name);
        tell(volume);
        claim->volume_name = volume.name;
        given_a_node_.erase(fact_name(*claim));
        tell(*claim);
      }
  }
}

void World::change_claim() {
  if (facts_.claims.empty()) return;
  const std::size_t i = dice_.below(facts_.claims.size());
  PersistentVolumeClaim& claim = facts_.claims[i];
  const PodName name = fact_name(claim);
  PersistentVolumeClaim old = claim;
  switch (dice_.below(4)) {
    case 0:  // what was said before it was given a node
      if (given_a_node_.contains(name)) old.selected_node.clear();
      return tell(old);
    case 1:
      claim.request_bytes += std::int64_t{1} << 30;
      if (!claim.selected_node.empty()) given_a_node_.erase(name);
      return tell(claim);
    case 2: {
      live_.remove(FactKind::kClaim, name.namespace_name.str(), name.name.str());
      facts_.claims.erase(facts_.claims.begin() + static_cast<std::ptrdiff_t>(i));
      if (given_a_node_.contains(name)) return;
      facts_.claims.push_back(old);  // and comes again
      return tell(old);
    }
    default:
      for (StorageClass& storage : facts_.storage_classes) {
        storage.provisions = !storage.provisions;
        Facts told;
        told.storage_classes.push_back(storage);
        return live_.put(std::move(told));
      }
  }
}

void World::tell(const Pod& pod) {
  const auto assumed = assumed_.find({pod.namespace_name, pod.name});
  if (assumed != assumed_.end() && !pod.bound_node.empty())
    end_assumption(pod, assumed->second == pod.bound_node);
  Facts told;
  told.specs.push_back(facts_.spec_of(pod));
  told.pods.push_back(pod);
  told.pods.front().spec = SpecIndex{0};
  live_.put(std::move(told));
}

void World::tell(const Node& node) {
  Facts told;
  told.nodes.push_back(node);
  live_.put(std::move(told));
}

void World::change_pod() {
  if (facts_.pods.empty()) return;
  const std::size_t i = dice_.below(facts_.pods.size());
  Pod& pod = facts_.pods[i];
  switch (dice_.below(7)) {
    case 0:  // an assumption is taken back; nothing where it was none
      live_.forget({pod.namespace_name, pod.name});
      end_assumption(pod, false);
      if (const Pod* known = live_.find_pod({pod.namespace_name, pod.name}))
        pod.bound_node = known->bound_node;
      return;
    case 1:
      live_.remove(FactKind::kPod, pod.namespace_name, pod.name);
      end_assumption(pod, false);
      removed_pods_.push_back(pod);
      facts_.pods.erase(facts_.pods.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    case 2:
      pod.extra_labels.set("app", dice_.chance(50) ? "web" : "db");
      return tell(pod);
    case 3:
      pod.phase = dice_.chance(50) ? PodPhase::kSucceeded : PodPhase::kFailed;
      return tell(pod);
    case 4:  // somebody else bound it, perhaps to a node that is not there
      pod.bound_node = dice_.chance(90) && !facts_.nodes.empty() ? dice_.pick(facts_.nodes).name
                                                                 : SharedText("nowhere");
      return tell(pod);
    case 5:
      pod.terminating = true;
      return tell(pod);
    default:
      if (!pod.bound_node.empty()) tell(pod);  // confirmed
  }
}

void World::change_node() {
  if (facts_.nodes.empty()) return;
  const std::size_t i = dice_.below(facts_.nodes.size());
  Node& node = facts_.nodes[i];
  switch (dice_.below(6)) {
    case 0:
      live_.remove(FactKind::kNode, "", node.name);
      removed_nodes_.push_back(node);
      facts_.nodes.erase(facts_.nodes.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    case 1:
      node.unschedulable = !node.unschedulable;
      return tell(node);
    case 2:
      node.labels.set("topology.kubernetes.io/zone", dice_.chance(50) ? "z1" : "z2");
      return tell(node);
    case 3:
      node.allocatable.set("cpu", dice_.between(0, 8'000));
      return tell(node);
    case 4:
      node.allocatable.set(dice_.chance(50) ? "nvidia.com/gpu" : "example.org/new", 2);
      return tell(node);
    default:
      return tell(node);  // a heartbeat
  }
}

std::string World::step() {
  const std::size_t what = dice_.below(26);
  if (what < 6) return ask();
  if (what < 12) {
    change_pod();
  } else if (what < 16) {
    change_node();
  } else if (what < 18 && !removed_pods_.empty()) {
    Pod pod = removed_pods_.back();
    removed_pods_.pop_back();
    pod.bound_node = {};
    pod.phase = PodPhase::kPending;
    facts_.pods.push_back(pod);
    test::sort_pods(facts_);
    tell(pod);
  } else if (what >= 23) {
    change_claim();
  } else if (what >= 20) {
    change_volume();
  } else if (what == 18 && !removed_nodes_.empty()) {
    const Node node = removed_nodes_.back();
    removed_nodes_.pop_back();
    facts_.nodes.push_back(node);
    std::sort(facts_.nodes.begin(), facts_.nodes.end(),
              [](const Node& a, const Node& b) { return a.name < b.name; });
    tell(node);
  }
  return "";
}

}  // namespace

TEST_CASE("a cluster that follows what happens decides as one that is told how things stand") {
  const char* only = std::getenv("GEDGE_SEED");
  const char* many = std::getenv("GEDGE_LIVE_SITES");
  const std::uint64_t sites = many == nullptr ? kSites : std::strtoull(many, nullptr, 10);
  int placed = 0, claimed = 0, steps = 0;
  std::uint64_t rebuilds = 0;
  for (std::uint64_t i = 0; i < sites; ++i) {
    const std::uint64_t seed = only == nullptr ? kFirstSeed + i : std::strtoull(only, nullptr, 10);
    const test::Case from = test::make_case(seed);
    Dice dice(seed + 29);
    World world(from, dice);
    for (int step = 0; step < kSteps; ++step, ++steps) {
      const std::string difference = world.step();
      REQUIRE_MESSAGE(difference.empty(), "seed ", seed, " step ", step, "\n", difference);
    }
    placed += world.placed();
    claimed += world.claimed();
    rebuilds += world.rebuilds();
    if (only != nullptr) break;
  }
  MESSAGE(steps << " steps, " << placed << " pods placed, " << claimed << " claims, " << rebuilds
                << " rebuilds");
  if (only == nullptr) {
    CHECK(placed > 1'000);
    CHECK(claimed > 100);
  }
}
