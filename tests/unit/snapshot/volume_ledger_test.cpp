// The ledger of volumes, kept up change by change and asked through its indexes, against a plain
// one that replays the whole history and looks at every volume on every node.
#include "gedge/snapshot/volume_ledger.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gedge/model/pod.hpp"
#include "support/random_claims.hpp"

namespace gedge {
namespace {

using test::Dice;
using Claims = VolumeLedger::Claims;
using Volumes = std::vector<const PersistentVolume*>;

constexpr std::uint64_t kSites = 90;
constexpr int kSteps = 40;
constexpr std::size_t kPods = 30;

struct Event {
  PodIndex pod = kNoPod;
  NodeIndex node = kNoNode;
  bool binds = true;
};

class PlainLedger {
 public:
  explicit PlainLedger(const ClusterState& cluster) : cluster_(cluster), lookup_(cluster.facts()) {}

  void happen(const Event& event) {
    if (event.binds)
      take(event);
    else
      give_back(event);
  }
  /// Null: nothing; a null volume: one is made.
  const Volumes::value_type* taken_for(const PersistentVolumeClaim& claim) const {
    const auto at = held_.find(&claim);
    return at == held_.end() ? nullptr : &at->second.volume;
  }
  Claims open_claims(PodIndex pod) const {
    Claims open;
    for (const PersistentVolumeClaim* claim : waiting(pod))
      if (!held_.contains(claim)) open.push_back(claim);
    return open;
  }
  Volumes match(const Claims& claims, const Node& node) const {
    Claims order = claims;
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return a->request_bytes < b->request_bytes;
    });
    std::set<const PersistentVolume*> taken = taken_;
    std::map<const PersistentVolumeClaim*, const PersistentVolume*> found;
    for (const PersistentVolumeClaim* claim : order) {
      found[claim] = best(*claim, node, taken);
      taken.insert(found[claim]);
    }
    Volumes out;
    for (const PersistentVolumeClaim* claim : claims) out.push_back(found[claim]);
    return out;
  }
  bool serves(const Claims& claims, const Node& node) const {
    const Volumes found = match(claims, node);
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (found[i] == nullptr && !provisions_on(*lookup_.class_of(*claims[i]), node)) return false;
    return true;
  }

 private:
  struct Held {
    const PersistentVolume* volume = nullptr;
    int pods = 0;
  };

  Claims waiting(PodIndex pod) const {
    Claims claims;
    const PodFacts& facts = cluster_.pod_facts(pod);
    for (const PodVolume& used : facts.spec->volumes)
      if (const auto* claim = lookup_.claim(facts.namespace_name(), used.claim);
          claim != nullptr && claim->selected_node.empty() && waits_for_pod(lookup_, *claim))
        claims.push_back(claim);
    return claims;
  }
  void take(const Event& event) {
    const Claims open = open_claims(event.pod);
    const Volumes found = match(open, cluster_.node(event.node));
    for (std::size_t i = 0; i < open.size(); ++i) {
      held_[open[i]].volume = found[i];
      if (found[i] != nullptr) taken_.insert(found[i]);
    }
    for (const PersistentVolumeClaim* claim : waiting(event.pod)) ++held_[claim].pods;
  }
  void give_back(const Event& event) {
    for (const PersistentVolumeClaim* claim : waiting(event.pod)) {
      const auto at = held_.find(claim);
      if (at == held_.end() || --at->second.pods > 0) continue;
      taken_.erase(at->second.volume);
      held_.erase(at);
    }
  }
  const PersistentVolume* best(const PersistentVolumeClaim& claim, const Node& node,
                               const std::set<const PersistentVolume*>& taken) const {
    const PersistentVolume *found = nullptr, *reserved = nullptr;
    for (const PersistentVolume& volume : cluster_.facts().volumes) {
      if (volume.storage_class != lookup_.class_of(claim)->name || taken.contains(&volume) ||
          volume.capacity_bytes < claim.request_bytes || !volume.is_offered ||
          volume.is_block != claim.is_block)
        continue;
      if (volume.claim_name == claim.name && volume.claim_namespace == claim.namespace_name &&
          (volume.claim_uid.empty() || volume.claim_uid == claim.uid) &&
          (reserved == nullptr || volume.name < reserved->name))
        reserved = &volume;
      const bool has_modes = std::all_of(
          claim.access_modes.begin(), claim.access_modes.end(), [&](const std::string& mode) {
            return std::count(volume.access_modes.begin(), volume.access_modes.end(), mode) > 0;
          });
      if (!volume.claim_name.empty() || !has_modes || !claim.selector.matches(volume.labels) ||
          !reaches(volume, node))
        continue;
      if (found == nullptr || volume.capacity_bytes < found->capacity_bytes ||
          (volume.capacity_bytes == found->capacity_bytes && volume.name < found->name))
        found = &volume;
    }
    if (reserved != nullptr) return reaches(*reserved, node) ? reserved : nullptr;
    return found;
  }

  const ClusterState& cluster_;
  VolumeLookup lookup_;
  std::map<const PersistentVolumeClaim*, Held> held_;
  std::set<const PersistentVolume*> taken_;
};

Facts make_facts(Dice& dice) {
  Facts facts;
  facts.files.emplace_back();
  facts.namespaces.push_back({"default", {}});
  const std::size_t nodes = dice.chance(60) ? 2 + dice.below(8) : 60 + dice.below(40);
  for (std::size_t i = 0; i < nodes; ++i) {
    Node node;
    node.name = "n" + std::to_string(i);
    if (!dice.chance(5)) node.labels.set("kubernetes.io/hostname", node.name);
    if (!dice.chance(10))
      node.labels.set("topology.kubernetes.io/zone", "z" + std::to_string(dice.below(4)));
    facts.nodes.push_back(std::move(node));
  }
  facts.specs.emplace_back();
  for (std::size_t i = 0; i < kPods; ++i) {
    Pod pod;
    pod.name = "p" + std::to_string(i);
    if (dice.chance(20)) pod.bound_node = dice.pick(facts.nodes).name;
    facts.pods.push_back(std::move(pod));
  }
  test::add_random_claims(dice, facts, dice.chance(50) ? 8 : 40);
  return facts;
}

/// A state that things happen to, and what a plain ledger makes of all of them.
class Scene {
 public:
  explicit Scene(std::uint64_t seed)
      : dice_(seed), facts_(make_facts(dice_)), cluster_(facts_, rtt_) {
    for (std::uint32_t i = 0; i < cluster_.pod_count(); ++i)
      if (cluster_.is_placed(PodIndex{i}))
        history_.push_back({PodIndex{i}, cluster_.node_of(PodIndex{i}), true});
  }

  void change() {
    const std::size_t what = dice_.below(23);
    const NodeIndex node{static_cast<std::uint32_t>(dice_.below(cluster_.slots()))};
    if (what == 0) {
      relabel(node);
    } else if (what == 1) {
      Change gone;
      gone.kind = Change::Kind::kRemoveNode;
      gone.node = node;
      if (cluster_.pods_on(node).empty()) cluster_.apply(gone);
    } else if (what >= 20) {
      change_storage();
    } else if (what < 4) {
      const ClusterState::Mark mark = cluster_.mark();
      cluster_.undo(mark - std::min<std::size_t>(mark, dice_.below(6)));
    } else {
      const PodIndex pod{static_cast<std::uint32_t>(dice_.below(kPods))};
      if (cluster_.is_placed(pod))
        cluster_.unbind(pod);
      else
        cluster_.bind(pod, node);
    }
  }

  /// Whether any volume or promise of one is in use.
  bool check() {
    for (const Change& change : cluster_.since(heard_))
      if (change.kind == Change::Kind::kBind || change.kind == Change::Kind::kUnbind)
        history_.push_back({change.pod, change.node, change.kind == Change::Kind::kBind});
    heard_ = cluster_.epoch();
    PlainLedger plain(cluster_);
    for (const Event& event : history_) plain.happen(event);
    const VolumeLedger& ledger = cluster_.volume_ledger();
    bool any = false;
    for (const PersistentVolumeClaim& claim : facts_.claims) {
      const auto* const expected = plain.taken_for(claim);
      const auto got = ledger.taken_for(claim);
      REQUIRE(got.has_value() == (expected != nullptr));
      if (got) REQUIRE(*got == *expected);
      any = any || got;
    }
    for (int i = 0; i < 2; ++i) check_pod(plain, ledger);
    check_rows(ledger);
    return any;
  }

  std::size_t partly_served = 0, several_claims = 0, renewals = 0;

 private:
  using Places = std::vector<std::uint32_t>;

  // Of the last place, or of one that the last then takes.
  template <typename T>
  void erase_one(std::vector<T>& all, Places& news) {
    if (all.size() < 2) return;
    const std::size_t at = dice_.below(all.size());
    news.push_back(static_cast<std::uint32_t>(at));
    news.push_back(static_cast<std::uint32_t>(all.size() - 1));
    gone<T>().push_back(std::exchange(all[at], all.back()));
    all.pop_back();
  }
  template <typename T>
  void bring_back(std::vector<T>& all, Places& news, bool& has_moved) {
    if (gone<T>().empty()) return;
    has_moved = has_moved || all.size() == all.capacity();
    news.push_back(static_cast<std::uint32_t>(all.size()));
    all.push_back(gone<T>().back());
    gone<T>().pop_back();
  }
  template <typename T>
  std::vector<T>& gone() {
    if constexpr (std::is_same_v<T, PersistentVolume>)
      return gone_volumes_;
    else
      return gone_claims_;
  }
  void change_volume(Places& news) {
    news.push_back(static_cast<std::uint32_t>(dice_.below(facts_.volumes.size())));
    PersistentVolume& volume = facts_.volumes[news.back()];
    const PersistentVolumeClaim& claim = dice_.pick(facts_.claims);
    const bool is_free = !volume.claim_name.empty() || dice_.chance(30);
    volume.claim_name = is_free ? "" : claim.name;
    volume.claim_namespace = is_free ? "" : claim.namespace_name;
    if (dice_.chance(20)) volume.capacity_bytes *= 2;
    if (dice_.chance(20)) volume.storage_class = dice_.pick(facts_.storage_classes).name;
    if (dice_.chance(20)) volume.node_terms = dice_.pick(facts_.volumes).node_terms;
  }
  void change_claim(Places& news) {
    news.push_back(static_cast<std::uint32_t>(dice_.below(facts_.claims.size())));
    PersistentVolumeClaim& claim = facts_.claims[news.back()];
    if (dice_.chance(50))
      claim.volume_name = claim.volume_name.empty() ? dice_.pick(facts_.volumes).name : "";
    else if (dice_.chance(50))
      claim.selected_node = claim.selected_node.empty() ? dice_.pick(facts_.nodes).name.str() : "";
    else
      claim.storage_class = dice_.pick(facts_.storage_classes).name;
    if (dice_.chance(20)) claim.request_bytes /= 2;
  }
  // Everybody is taken to have been where they are now.
  void change_storage() {
    StorageNews news;
    for (std::size_t i = 1 + dice_.below(4); i > 0; --i) switch (dice_.below(6)) {
        case 0:
          erase_one(facts_.volumes, news.volumes);
          break;
        case 1:
          bring_back(facts_.volumes, news.volumes, news.all);
          break;
        case 2:
          erase_one(facts_.claims, news.claims);
          break;
        case 3:
          bring_back(facts_.claims, news.claims, news.all);
          break;
        case 4:
          change_volume(news.volumes);
          break;
        default:
          change_claim(news.claims);
      }
    for (Places* places : {&news.claims, &news.volumes}) {
      std::sort(places->begin(), places->end());
      places->erase(std::unique(places->begin(), places->end()), places->end());
    }
    renewals += news.all || news.empty() ? 0 : 1;
    cluster_.renew_volumes(news);
    heard_ = cluster_.epoch();
    history_.clear();
    for (std::uint32_t i = 0; i < cluster_.pod_count(); ++i)
      if (cluster_.is_placed(PodIndex{i}))
        history_.push_back({PodIndex{i}, cluster_.node_of(PodIndex{i}), true});
    std::sort(history_.begin(), history_.end(), [&](const Event& a, const Event& b) {
      return comes_before(cluster_.pod(a.pod), cluster_.pod(b.pod));
    });
  }

  void relabel(NodeIndex node) {
    Node& other = nodes_.emplace_back(cluster_.node(node));
    if (dice_.chance(50))
      other.labels.set("topology.kubernetes.io/zone", "z" + std::to_string(dice_.below(4)));
    else
      other.labels.set("kubernetes.io/hostname", dice_.pick(facts_.nodes).name.str());
    Change change;
    change.kind = Change::Kind::kReplaceNode;
    change.node = node;
    change.facts = &other;
    cluster_.apply(change);
  }

  void check_pod(const PlainLedger& plain, const VolumeLedger& ledger) {
    Claims open;
    for (int attempt = 0; attempt < 4 && open.empty(); ++attempt)
      open = plain.open_claims(PodIndex{static_cast<std::uint32_t>(dice_.below(kPods))});
    NodeMask served(cluster_.slots(), true);
    ledger.keep_served(open, served);
    for (std::uint32_t row = 0; row < cluster_.slots(); ++row) {
      const Node& node = cluster_.node(NodeIndex{row});
      REQUIRE(served.test(NodeIndex{row}) == plain.serves(open, node));
      if (row % 7 == 0) REQUIRE(ledger.match(open, NodeIndex{row}) == plain.match(open, node));
    }
    const std::size_t rows = served.count();
    partly_served += rows > 0 && rows < cluster_.slots() ? 1 : 0;
    several_claims += rows > 0 && rows < cluster_.slots() && open.size() > 1 ? 1 : 0;
  }

  void check_rows(const VolumeLedger& ledger) {
    const PersistentVolume& volume = facts_.volumes[dice_.below(facts_.volumes.size())];
    const StorageClass& storage =
        facts_.storage_classes[dice_.below(facts_.storage_classes.size())];
    NodeMask reaching(cluster_.slots(), true), provisioning(cluster_.slots(), true);
    ledger.keep_reaching(volume, reaching);
    ledger.keep_provisioning(storage, provisioning);
    for (std::uint32_t row = 0; row < cluster_.slots(); ++row) {
      const Node& node = cluster_.node(NodeIndex{row});
      REQUIRE(reaching.test(NodeIndex{row}) == reaches(volume, node));
      REQUIRE(provisioning.test(NodeIndex{row}) == provisions_on(storage, node));
    }
  }

  Dice dice_;
  Facts facts_;
  RttMatrix rtt_;
  ClusterState cluster_;
  std::deque<Node> nodes_;
  std::vector<Event> history_;
  ClusterState::Epoch heard_ = 0;
  std::vector<PersistentVolume> gone_volumes_;
  std::vector<PersistentVolumeClaim> gone_claims_;
};

}  // namespace

TEST_CASE("the ledger of volumes says what one says that replays everything and looks everywhere") {
  std::size_t in_use = 0, partly_served = 0, several_claims = 0, renewals = 0;
  for (std::uint64_t seed = 1; seed <= kSites; ++seed) {
    INFO("seed " << seed);
    Scene scene(seed);
    const int first = seed % 3 == 0 ? kSteps / 2 : 0;  // the first question may come late
    for (int step = 0; step < kSteps; ++step) {
      INFO("step " << step);
      scene.change();
      if (step >= first && scene.check()) ++in_use;
    }
    partly_served += scene.partly_served;
    several_claims += scene.several_claims;
    renewals += scene.renewals;
  }
  MESSAGE(in_use, " states with claims that hold something, ", partly_served,
          " pods served on some rows, ", several_claims, " of these with several claims, ",
          renewals, " renewals in part");
  CHECK(in_use > 15 * kSites);
  CHECK(partly_served > 15 * kSites);
  CHECK(several_claims > kSites);
  CHECK(renewals > 2 * kSites);
}

}  // namespace gedge
