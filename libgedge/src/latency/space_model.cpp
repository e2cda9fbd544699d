#include "latency/space_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gedge {
namespace {

constexpr double kCut = 0.15;   // of a residual: one odd pair moves its neighbours little
constexpr double kDoubt = 1.0;  // pairs without a residual that count beside the known ones

double residual(const Coordinates& nodes, const Link& link) {
  return std::clamp(std::log(link.value / nodes.between(link.a, link.b)), -kCut, kCut);
}

}  // namespace

SpaceModel::SpaceModel(std::size_t nodes, std::vector<Link> links, std::uint64_t seed)
    : links_(std::move(links)), nodes_(place_nodes(Links(nodes, links_), seed)) {
  compare();
  settle();
  compare();
}

void SpaceModel::compare() {
  near_.emplace(nodes_);
  std::vector<Link> residuals = links_;
  for (Link& link : residuals) link.value = residual(nodes_, link);
  residuals_.emplace(nodes_.size(), residuals);
  sums_.emplace(*near_, *residuals_);
}

// Places were bent by detours that residuals know of now: once more without these.
void SpaceModel::settle() {
  std::vector<Link> straight = links_;
  std::size_t turned = nodes_.size();
  for (Link& link : straight) {
    if (link.a != turned) sums_->turn_to(turned = link.a);
    link.value /= std::exp(sums_->without(link.b, residual(nodes_, link)).mean(kDoubt));
  }
  settle_nodes(nodes_, Links(nodes_.size(), straight));
}

void SpaceModel::turn_to(std::size_t a) {
  a_ = a;
  sums_->turn_to(a);
}

double SpaceModel::rtt(std::size_t b) const {
  return nodes_.between(a_, b) * std::exp(sums_->of(b).mean(kDoubt));
}

}  // namespace gedge
