// lease_choice.hpp - the flags that say how one of several processes is the one that works.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flags.hpp"
#include "gedge/base/result.hpp"
#include "gedge/drive/lease_keeper.hpp"

namespace gedge::cli {

struct LeaseChoice {
  std::string usual;        ///< NAMESPACE/NAME, where none is named
  std::string name{usual};  ///< NAMESPACE/NAME
  bool elects = false;

  /// Errors: kInvalidInput for what is no NAMESPACE/NAME, and where nothing is to be written.
  Status check(bool is_dry_run) const;
  /// Of the process on `host` that drew the number `seed`; none where nobody is elected. It is
  /// checked before.
  std::optional<LeaseOptions> options(const std::string& host, std::uint64_t seed) const;
};

/// --leader-elect, --lease, below a heading of their own.
void add_lease_flags(FlagSet& flags, LeaseChoice& choice);

}  // namespace gedge::cli
