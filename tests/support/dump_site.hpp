// support/dump_site.hpp - facts back to the objects that they could have been read from.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"

namespace gedge::test {

/// One API object for each thing in `facts`: nodes, pods (bound and pending, each on its own),
/// namespaces, services and controllers, storage. Delay budgets become the annotation
/// gedge.io/delay-budget.
std::vector<nlohmann::json> objects_of(const Facts& facts);

/// Block YAML; every string is double-quoted, so nothing turns into a number.
std::string to_yaml(const nlohmann::json& value);

/// Square CSV in milliseconds, rows and columns in this order; empty cells where nothing was
/// measured.
std::string to_csv(const RttMatrix& rtt, const std::vector<NameIndex>& order);
std::string to_csv(const RttMatrix& rtt);

}  // namespace gedge::test
