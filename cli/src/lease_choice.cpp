#include "lease_choice.hpp"

#include <algorithm>

namespace gedge::cli {

Status LeaseChoice::check(bool is_dry_run) const {
  if (is_dry_run && elects)
    return invalid_input("flag '--leader-elect' does not go with '--dry-run'", {},
                         "leave it out: a Lease is written, and keeps others from their work");
  const bool is_one = std::count(name.begin(), name.end(), '/') == 1;
  if (is_one && name.front() != '/' && name.back() != '/') return {};
  return invalid_input("'" + name + "' names no lease", {}, "write for example `" + usual + "`");
}

std::optional<LeaseOptions> LeaseChoice::options(const std::string& host,
                                                 std::uint64_t seed) const {
  if (!elects) return std::nullopt;
  const std::size_t slash = name.find('/');
  LeaseOptions options;
  options.namespace_name = name.substr(0, slash);
  options.name = name.substr(slash + 1);
  options.identity = host + "_" + std::to_string(seed);
  return options;
}

void add_lease_flags(FlagSet& flags, LeaseChoice& choice) {
  flags.heading("Several of them");
  flags.add({.name = "leader-elect", .help = "Work only while holding a Lease"}, choice.elects);
  flags.add({.name = "lease",
             .value = "NAMESPACE/NAME",
             .help = "The Lease to hold",
             .fallback = choice.usual},
            choice.name);
}

}  // namespace gedge::cli
