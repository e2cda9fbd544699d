// scale/site_demand.hpp - what a placement of replicas costs those who ask.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gedge/scale/site_scaler.hpp"
#include "gedge/scale/users.hpp"

namespace gedge {

class SiteScaler::Demand {
 public:
  Demand(const SiteScalerOptions& options, const SiteLook& look);

  /// `units` [sites], of replicas.
  UserCost cost(std::span<const double> units) const;
  double sum() const { return sum_; }
  /// Sites, the one first where one replica more is worth most; ties as declared.
  std::vector<std::uint32_t> best_first(const std::vector<double>& units) const;
  /// The site that loses least with a replica less, of those that have one; ties: the last one.
  std::optional<std::uint32_t> least_lost(const std::vector<double>& units) const;

 private:
  const SiteScalerOptions& options_;
  std::vector<double> demand_;
  double of_one_, sum_ = 0;
};

}  // namespace gedge
