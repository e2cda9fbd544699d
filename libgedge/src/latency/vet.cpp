// Two witnesses see each pair. An agent whose reports are contradicted far more often than is usual
// is taken out, worst first, and what is usual is counted anew: the honest are contradicted by
// liars alone, and less with each that goes. Where the second witness is missing or gone, a map of
// all pairs that are left (latency/coordinates) stands in for it.
#include "gedge/latency/vet.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gedge/base/split_mix.hpp"
#include "latency/coordinates.hpp"
#include "latency/links.hpp"

namespace gedge {
namespace {

// All differences are of natural logarithms.
// Added to both RTTs, the larger one: queues differ by that, maps of what is near do.
constexpr double kFloorUs = 50, kFloorShare = 0.05;  // of the median report
constexpr double kLeastDispute = 0.22;               // a quarter
constexpr double kTimesUsual = 6;                    // of the median difference, where that is more
constexpr double kLeastShare = 0.15;  // of an agent's pairs in dispute before it is doubted
constexpr double kTimesShare = 3;     // of the median agent's share, where that is more
constexpr std::size_t kLeastWitnesses = 4;
constexpr double kLeastOff = 0.4;       // of the map, an agent's median: a half more or less
constexpr double kTimesOff = 4;         // of the median agent's, where that is more
constexpr double kTimesCell = 3;        // a single cell is off by so many times that
constexpr std::size_t kLinksEach = 24;  // that each node contributes to the map
constexpr std::size_t kLeastLinks = 8;  // a node, or there is no map: twice the numbers of a place
constexpr int kMaps = 5;                // at most

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Vetting {
 public:
  Vetting(const RttMatrix& reports, std::uint64_t seed)
      : reports_(reports), count_(reports.size()), seed_(seed), trusted_(count_, true) {}

  VettedReports run() {
    learn_tolerance();
    doubt_by_reverse();
    for (int i = 0; i < kMaps && doubt_by_map(); ++i) continue;
    return judge();
  }

 private:
  bool says(std::size_t from, std::size_t to) const {
    return from != to && reported(from, to) != kUnmeasured;
  }
  Rtt reported(std::size_t from, std::size_t to) const {
    return reports_.row(NameIndex{static_cast<std::uint32_t>(from)})[to];
  }
  bool both(std::size_t a, std::size_t b) const { return says(a, b) && says(b, a); }
  double apart(std::size_t a, std::size_t b) const {
    return difference(reported(a, b).us, reported(b, a).us);
  }
  bool disputed(std::size_t a, std::size_t b) const { return apart(a, b) > tolerance_; }
  double difference(double a, double b) const {
    return std::abs(std::log((a + floor_) / (b + floor_)));
  }
  double off_map(std::size_t from, std::size_t to) const {
    return difference(reported(from, to).us, map_->between(from, to));
  }

  void learn_tolerance() {
    std::vector<double> rtts, all;
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < count_; ++b)
        if (says(a, b)) rtts.push_back(reported(a, b).us);
    floor_ = std::max(kFloorUs, kFloorShare * median(std::move(rtts)));
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (both(a, b)) all.push_back(apart(a, b));
    tolerance_ = std::max(kLeastDispute, kTimesUsual * median(std::move(all)));
  }

  /// Fewer than half can be told from the rest.
  bool may_doubt_more() const {
    const auto gone = std::count(trusted_.begin(), trusted_.end(), false);
    return 2 * (static_cast<std::size_t>(gone) + 1) < count_;
  }

  void doubt_by_reverse() {
    std::vector<std::size_t> seen(count_, 0), disputes(count_, 0);
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < count_; ++b) {
        if (a == b || !both(a, b)) continue;
        ++seen[a];
        disputes[a] += disputed(a, b) ? 1 : 0;
      }
    }
    const auto share = [&](std::size_t agent) {
      return seen[agent] < kLeastWitnesses
                 ? 0
                 : static_cast<double>(disputes[agent]) / static_cast<double>(seen[agent]);
    };
    while (may_doubt_more()) {
      std::vector<double> shares;
      std::size_t worst = count_;
      for (std::size_t agent = 0; agent < count_; ++agent) {
        if (!trusted_[agent]) continue;
        shares.push_back(share(agent));
        if (worst == count_ || share(agent) > share(worst)) worst = agent;
      }
      if (share(worst) <= std::max(kLeastShare, kTimesShare * median(std::move(shares)))) return;
      trusted_[worst] = false;
      for (std::size_t peer = 0; peer < count_; ++peer) {
        if (peer == worst || !both(worst, peer)) continue;
        --seen[peer];
        disputes[peer] -= disputed(worst, peer) ? 1 : 0;
      }
    }
  }

  /// Of what trusted agents say of pairs that are not in dispute, some of each node's.
  void make_map() {
    map_.reset();
    SplitMix chance(seed_);
    std::vector<Link> links;
    std::vector<std::uint32_t> peers;
    std::size_t ends = 0;
    for (std::uint32_t a = 0; a < count_; ++a) {
      peers.clear();
      for (std::uint32_t b = 0; b < count_; ++b)
        if (agreed(a, b) > 0) peers.push_back(b);
      ends += peers.size();
      for (std::size_t i = 0; i < peers.size() && i < kLinksEach; ++i) {
        std::swap(peers[i], peers[i + chance.below(peers.size() - i)]);
        links.push_back({a, peers[i], agreed(a, peers[i])});
      }
    }
    if (ends >= 2 * kLeastLinks * count_) map_ = place_nodes(Links(count_, links), chance.next());
  }

  /// Microseconds; 0 if nothing is.
  double agreed(std::size_t a, std::size_t b) const {
    const bool there = says(a, b) && trusted_[a], back = says(b, a) && trusted_[b];
    if (there && back && disputed(a, b)) return 0;
    const double sum = (there ? std::max(reported(a, b).us, 1U) : 0.0) +
                       (back ? std::max(reported(b, a).us, 1U) : 0.0);
    return there && back ? sum / 2 : sum;
  }

  /// True if somebody was.
  bool doubt_by_map() {
    make_map();
    if (!map_) return false;
    std::vector<double> all;
    for (std::size_t from = 0; from < count_; ++from)
      for (std::size_t to = 0; to < count_; ++to)
        if (trusted_[from] && says(from, to)) all.push_back(off_map(from, to));
    off_ = std::max(kLeastOff, kTimesOff * median(std::move(all)));
    std::vector<double> shares(count_, 0), trusted;
    for (std::size_t agent = 0; agent < count_; ++agent) {
      if (!trusted_[agent]) continue;
      shares[agent] = share_off_map(agent);
      trusted.push_back(shares[agent]);
    }
    const double most = std::max(kLeastShare, kTimesShare * median(std::move(trusted)));
    // All beyond at once would take the honest with them that liars have drawn off their place.
    const double worst = *std::max_element(shares.begin(), shares.end());
    bool any = false;
    for (std::size_t agent = 0; agent < count_; ++agent) {
      if (shares[agent] <= most || 2 * shares[agent] < worst || !may_doubt_more()) continue;
      trusted_[agent] = false;
      any = true;
    }
    return any;
  }

  double share_off_map(std::size_t agent) const {
    std::size_t said = 0, off = 0;
    for (std::size_t to = 0; to < count_; ++to) {
      if (!says(agent, to)) continue;
      ++said;
      off += off_map(agent, to) > off_ ? 1 : 0;
    }
    return said < kLeastWitnesses ? 0 : static_cast<double>(off) / static_cast<double>(said);
  }

  VettedReports judge() const {
    VettedReports vetted{reports_, {}, {}};
    for (std::uint32_t from = 0; from < count_; ++from) {
      if (!trusted_[from]) vetted.distrusted.push_back(NameIndex{from});
      for (std::uint32_t to = 0; to < count_; ++to)
        if (says(from, to)) judge(from, to, vetted);
    }
    vetted.matrix.note_symmetry();
    return vetted;
  }

  void judge(std::uint32_t from, std::uint32_t to, VettedReports& vetted) const {
    const auto suspect = [&](Suspicion why) {
      const NameIndex a{from}, b{to};
      vetted.suspicious.push_back({a, b, reported(from, to), why});
      if (why != Suspicion::kDisputed && why != Suspicion::kFar)
        vetted.matrix.set(a, b, kUnmeasured);
    };
    if (!trusted_[from]) return suspect(Suspicion::kReporter);
    const bool alone = !says(to, from) || !trusted_[to];
    const double off = map_ ? off_map(from, to) : 0;
    if (alone && off > kTimesCell * off_)
      return suspect(reported(from, to).us < map_->between(from, to) ? Suspicion::kNear
                                                                     : Suspicion::kFar);
    if (alone || !disputed(from, to)) return;
    const double other = map_ ? off_map(to, from) : 0;
    if (is_refuted(other, off)) return;
    suspect(is_refuted(off, other) ? Suspicion::kReverse : Suspicion::kDisputed);
  }

  /// The map says that the other one of two reports is right.
  bool is_refuted(double off, double other) const {
    return off > off_ && other < off_ && 2 * other < off;
  }

  const RttMatrix& reports_;
  std::size_t count_;
  std::uint64_t seed_;
  std::vector<bool> trusted_;
  double floor_ = kFloorUs;
  double tolerance_ = 0;  // beyond, two directions contradict each other
  double off_ = 0;        // beyond, an agent contradicts the map
  std::optional<Coordinates> map_;
};

}  // namespace

VettedReports vet_reports(const RttMatrix& reports, std::uint64_t seed) {
  if (reports.empty()) return {reports, {}, {}};
  return Vetting(reports, seed).run();
}

}  // namespace gedge
