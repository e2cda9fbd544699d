#include "support/vivaldi.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "support/dice.hpp"

namespace gedge::test {
namespace {

constexpr double kLeastHeight = 10;      // microseconds: a height never reaches zero
constexpr double kLeastDistance = 1e-6;  // microseconds: below, two nodes lie at one place

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

struct Coordinate {
  std::vector<double> at;  // microseconds
  double height = kLeastHeight;
  double error = 1;  // 1: nothing is known
};

struct Sample {
  std::size_t peer;
  double rtt;
};

class Springs {
 public:
  Springs(const Vivaldi& how, std::size_t count) : how_(how), dice_(how.seed), nodes_(count) {
    for (Coordinate& node : nodes_) node.at.assign(how.dimensions, 0);
  }

  double distance(std::size_t a, std::size_t b) const {
    return flat(a, b) + nodes_[a].height + nodes_[b].height;
  }

  void update(std::size_t self, const Sample& sample) {
    Coordinate& node = nodes_[self];
    const double between = distance(self, sample.peer);
    const double sum = node.error + nodes_[sample.peer].error;
    const double weight = sum > 0 ? node.error / sum : 0.5;
    const double off = std::abs(between - sample.rtt) / sample.rtt;
    const double share = how_.memory * weight;
    node.error = off * share + node.error * (1 - share);
    const double force = how_.correction * weight * (sample.rtt - between);
    // The unit vector of a height vector: heights add up where coordinates are subtracted.
    const std::vector<double> way = direction(self, sample.peer);
    const double length = flat(self, sample.peer);
    for (std::size_t i = 0; i < way.size(); ++i)
      node.at[i] += force * way[i] * std::max(length, kLeastDistance) / between;
    node.height += force * (node.height + nodes_[sample.peer].height) / between;
    node.height = std::max(node.height, kLeastHeight);
  }

  void shuffle(std::vector<Sample>& samples) { dice_.shuffle(samples); }

 private:
  double flat(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t i = 0; i < how_.dimensions; ++i)
      sum += (nodes_[a].at[i] - nodes_[b].at[i]) * (nodes_[a].at[i] - nodes_[b].at[i]);
    return std::sqrt(sum);
  }

  /// Of length 1, away from the peer; by chance where both lie at one place.
  std::vector<double> direction(std::size_t self, std::size_t peer) {
    std::vector<double> way(how_.dimensions);
    const double length = flat(self, peer);
    double sum = 0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      way[i] = length > kLeastDistance ? nodes_[self].at[i] - nodes_[peer].at[i]
                                       : static_cast<double>(dice_.between(-1000, 1000)) + 0.5;
      sum += way[i] * way[i];
    }
    for (double& part : way) part /= std::sqrt(sum);
    return way;
  }

  const Vivaldi& how_;
  Dice dice_;
  std::vector<Coordinate> nodes_;
};

std::vector<std::vector<Sample>> samples_of(const RttMatrix& shown) {
  std::vector<std::vector<Sample>> samples(shown.size());
  for (std::size_t a = 0; a < shown.size(); ++a) {
    for (std::size_t b = 0; b < shown.size(); ++b) {
      const Rtt rtt = shown.at(index_of(a), index_of(b));
      if (a == b || rtt == kUnmeasured || rtt.us == 0) continue;
      samples[a].push_back({b, static_cast<double>(rtt.us)});
      samples[b].push_back({a, static_cast<double>(rtt.us)});
    }
  }
  return samples;
}

}  // namespace

RttMatrix vivaldi(const RttMatrix& shown, const Vivaldi& how) {
  const std::size_t count = shown.size();
  std::vector<std::vector<Sample>> samples = samples_of(shown);
  Springs springs(how, count);
  for (std::size_t round = 0; round < how.rounds; ++round) {
    std::size_t most = 0;
    for (auto& own : samples) {
      springs.shuffle(own);
      most = std::max(most, own.size());
    }
    for (std::size_t turn = 0; turn < most; ++turn)
      for (std::size_t self = 0; self < count; ++self)
        if (turn < samples[self].size()) springs.update(self, samples[self][turn]);
  }
  RttMatrix estimates(shown.names());
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Rtt rtt{static_cast<std::uint32_t>(std::lround(springs.distance(a, b)))};
      estimates.set(index_of(a), index_of(b), rtt);
      estimates.set(index_of(b), index_of(a), rtt);
    }
  }
  return estimates;
}

}  // namespace gedge::test
