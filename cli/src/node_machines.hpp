// node_machines.hpp - the directory of --machines, and the policy that asks the machines in it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flags.hpp"
#include "gedge/plan/engine.hpp"
#include "gedge/policy/machine_fit.hpp"
#include "gedge/policy/profile.hpp"
#include "input.hpp"
#include "io.hpp"

namespace gedge::cli {

/// --machines.
void add_machines_flag(FlagSet& flags, std::string& directory);

/// What MachineFit is: no profile names it, and --machines adds it to each.
PolicyInfo machine_fit_info();

/// Policies of modules, and MachineFit. Outlives the policies that it makes.
class MachinePolicies final : public PolicySource {
 public:
  /// `modules` may be null, and outlives this.
  explicit MachinePolicies(const PolicySource* modules) : modules_(modules) {}

  /// One file or directory a node, see the manual. Errors: of files that cannot be read; of
  /// kubelets that would not start.
  Errors read(const std::string& directory, Compat compat, InputReader& reader, Io& io);
  /// The profile with MachineFit as its last filter, and as a score of weight 1.
  Profile with(Profile profile) const;

  std::unique_ptr<FilterPolicy> filter(std::string_view name) const override;
  std::unique_ptr<ScorePolicy> score(std::string_view name) const override;
  std::optional<Error> failure() const override;

 private:
  const PolicySource* modules_;
  NodeMachines machines_;
};

}  // namespace gedge::cli
