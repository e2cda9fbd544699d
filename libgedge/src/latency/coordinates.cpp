// Node by node, Gauss and Newton's step for the four numbers of that node while its peers stand
// still; a sweep is one step for every node.
//
// What is made small is the sum over links of w * log(rtt / distance)^2, with w falling where a
// link does not fit (Cauchy), and a prior: places are normal with the covariance that they have,
// heights log-normal likewise. An axis that only noise spreads shrinks under its own prior until it
// is gone (automatic relevance determination, MacKay 1992), so one space serves networks that are
// flat and those that are not: without it, three axes cost 17 % in p90 where two are enough, and
// two alone end up folded one time in four.
//
// The first third of the sweeps takes differences instead of logarithms, with a wide Cauchy and
// next to no prior: nodes must pass through each other to find their side of the map.
#include "latency/coordinates.hpp"

#include <algorithm>

#include "gedge/base/split_mix.hpp"

namespace gedge {
namespace {

constexpr std::size_t kNumbers = kAxes + 1;  // the height's logarithm is the last
constexpr int kSweeps = 60, kGentleSweeps = 20, kSettlingSweeps = 6;
constexpr double kCut = 0.15;  // residual at which a link counts half
constexpr double kFirstCut = 5 * kCut;
constexpr double kFirstHeight = 0.05;  // of the typical RTT; so for the bounds below
constexpr double kLeastHeight = 1e-4, kMostHeight = 20;
constexpr double kLeastWay = 1e-5;
constexpr double kLongestStep = 0.5;
constexpr double kDamping = 1e-3;  // Levenberg's and Marquardt's, of a node's links
constexpr double kFirstPrior = 0.02;
constexpr double kLeastShare = 0.3;  // of a distance: what a small RTT is weighed as at first

using Vector = std::array<double, kNumbers>;
using Matrix = std::array<Vector, kNumbers>;  // the lower triangle counts

/// Solves A x = b for a positive definite A of `count` rows by Cholesky's method; x replaces b.
/// False if A is not.
bool solve(Matrix& a, Vector& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = a[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= a[i][k] * a[j][k];
      if (i == j && rest <= 0) return false;
      a[i][j] = i == j ? std::sqrt(rest) : rest / a[j][j];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return true;
}

/// Of a place and the logarithm of a height: mean, and precision times the links' variance.
struct Prior {
  Vector mean{};
  Matrix precision{};  // whole, not a triangle
};

class Fit {
 public:
  Fit(Coordinates& nodes, const Links& links) : nodes_(nodes), links_(links) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t node = 0; node < links.nodes(); ++node) {
      if (!links.of(node).empty()) linked_.push_back(node);
      for (const Links::Peer& peer : links.of(node)) sum += std::log(peer.value);
      count += links.of(node).size();
    }
    typical_ = count == 0 ? 1 : std::exp(sum / static_cast<double>(count));
  }

  void scatter(std::uint64_t seed) {
    SplitMix chance(seed);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (double& part : nodes_[i].at) part = typical_ * (chance.even() - 0.5);
      nodes_[i].height = kFirstHeight * typical_;
    }
  }

  void gentle_sweep(double cut) {
    Prior prior;
    for (std::size_t axis = 0; axis < kAxes; ++axis)
      prior.precision[axis][axis] = kFirstPrior / (typical_ * typical_);
    prior.precision[kAxes][kAxes] = kFirstPrior;
    prior.mean[kAxes] = std::log(kFirstHeight * typical_);
    sweep(prior, cut, true);
  }

  void sweep(double cut) { sweep(learn(), cut, false); }

 private:
  /// Mean and covariance of the linked nodes as they lie.
  Prior learn() const {
    Prior prior;
    const double share = 1 / static_cast<double>(linked_.size());
    for (const std::size_t node : linked_)
      for (std::size_t k = 0; k < kNumbers; ++k) prior.mean[k] += share * number(node, k);
    Matrix spread{};
    for (const std::size_t node : linked_)
      for (std::size_t k = 0; k < kNumbers; ++k)
        for (std::size_t l = 0; l < kNumbers; ++l)
          if ((k == kAxes) == (l == kAxes))
            spread[k][l] +=
                share * (number(node, k) - prior.mean[k]) * (number(node, l) - prior.mean[l]);
    for (std::size_t k = 0; k < kAxes; ++k) spread[k][k] += 1e-8 * typical_ * typical_;
    spread[kAxes][kAxes] = std::max(spread[kAxes][kAxes], 0.01);
    for (std::size_t k = 0; k < kNumbers; ++k) {
      Matrix a = spread;
      Vector column{};
      column[k] = variance_;
      if (solve(a, column, kNumbers))
        for (std::size_t l = 0; l < kNumbers; ++l) prior.precision[l][k] = column[l];
    }
    return prior;
  }

  double number(std::size_t node, std::size_t k) const {
    return k < kAxes ? nodes_[node].at[k] : std::log(nodes_[node].height);
  }

  void sweep(const Prior& prior, double cut, bool gentle) {
    double squares = 0, weights = 0;
    for (const std::size_t node : linked_) {
      Matrix a{};
      Vector b{};
      for (const Links::Peer& peer : links_.of(node)) {
        const auto [square, weight] = add(node, peer, cut, gentle, a, b);
        squares += weight * square;
        weights += weight;
      }
      add_prior(node, prior, a, b);
      if (solve(a, b, kNumbers)) step(node, b);
    }
    if (weights > 0) variance_ = squares / weights;
  }

  struct Weighed {
    double square, weight;
  };
  /// Adds the derivatives of one link.
  Weighed add(std::size_t node, const Links::Peer& peer, double cut, bool gentle, Matrix& a,
              Vector& b) const {
    const double way = std::max(nodes_.way(node, peer.node), kLeastWay * typical_);
    const double height = nodes_[node].height;
    const double distance = way + height + nodes_[peer.node].height;
    const double scale = 1 / (gentle ? std::max(peer.value, kLeastShare * distance) : distance);
    const double off = gentle ? (peer.value - distance) * scale : std::log(peer.value / distance);
    const double weight = 1 / (1 + off * off / (cut * cut));
    Vector slope;
    for (std::size_t axis = 0; axis < kAxes; ++axis)
      slope[axis] = (nodes_[node].at[axis] - nodes_[peer.node].at[axis]) / way * scale;
    slope[kAxes] = height * scale;
    for (std::size_t i = 0; i < kNumbers; ++i) {
      b[i] += weight * slope[i] * off;
      for (std::size_t j = 0; j <= i; ++j) a[i][j] += weight * slope[i] * slope[j];
    }
    return {off * off, weight};
  }

  void add_prior(std::size_t node, const Prior& prior, Matrix& a, Vector& b) const {
    const double damping = kDamping * static_cast<double>(links_.of(node).size());
    for (std::size_t i = 0; i < kNumbers; ++i) {
      for (std::size_t j = 0; j < kNumbers; ++j)
        b[i] -= prior.precision[i][j] * (number(node, j) - prior.mean[j]);
      for (std::size_t j = 0; j <= i; ++j) a[i][j] += prior.precision[i][j];
      a[i][i] += i < kAxes ? damping / (typical_ * typical_) : damping;
    }
  }

  void step(std::size_t node, const Vector& by) {
    double square = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) square += by[axis] * by[axis];
    const double longest = kLongestStep * typical_;
    const double share = square > longest * longest ? longest / std::sqrt(square) : 1;
    for (std::size_t axis = 0; axis < kAxes; ++axis) nodes_[node].at[axis] += share * by[axis];
    const double height = nodes_[node].height * std::exp(std::clamp(by[kAxes], -1.0, 1.0));
    nodes_[node].height = std::clamp(height, kLeastHeight * typical_, kMostHeight * typical_);
  }

  Coordinates& nodes_;
  const Links& links_;
  std::vector<std::size_t> linked_;  // nodes with a link
  double typical_;                   // geometric mean of the links, microseconds
  double variance_ = 0.01;           // of the residuals, weighed as they are
};

}  // namespace

Coordinates place_nodes(const Links& links, std::uint64_t seed) {
  Coordinates nodes(links.nodes());
  Fit fit(nodes, links);
  fit.scatter(seed);
  for (int i = 0; i < kSweeps; ++i) {
    const double left = std::max(0.0, 1 - 2.0 * i / kSweeps);
    const double cut = kCut + (kFirstCut - kCut) * left;
    if (i < kGentleSweeps) {
      fit.gentle_sweep(cut);
    } else {
      fit.sweep(cut);
    }
  }
  return nodes;
}

void settle_nodes(Coordinates& nodes, const Links& links) {
  Fit fit(nodes, links);
  for (int i = 0; i < kSettlingSweeps; ++i) fit.sweep(kCut);
}

}  // namespace gedge
