// NetworkTopology: the largest RTT between the nodes of two zones, or of two regions, in whole
// milliseconds. What the plugin that reads it makes of a gap, and of nodes in one zone, is in
// network_topology.cpp.
#include "codec/write_topology.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/document_sink.hpp"
#include "codec/topology_keys.hpp"

namespace gedge::codec {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Which place each name of the matrix is in; kNowhere for names whose place nobody says.
struct Places {
  std::string key;                 // the label
  std::vector<std::string> names;  // sorted
  std::vector<std::size_t> of;     // by name of the matrix
};

Places places_by(const RttMatrix& matrix, const Whereabouts& where, std::string_view key) {
  std::map<std::string, std::string> place_of;  // by name
  for (const Node& node : where.nodes)
    if (const std::string* value = node.labels.find(key)) place_of[node.name] = *value;
  if (where.rtt_by == key)
    for (const std::string& name : matrix.names()) place_of[name] = name;
  Places places{std::string(key), {}, {}};
  for (const std::string& name : matrix.names())
    if (const auto at = place_of.find(name); at != place_of.end())
      places.names.push_back(at->second);
  std::sort(places.names.begin(), places.names.end());
  places.names.erase(std::unique(places.names.begin(), places.names.end()), places.names.end());
  for (const std::string& name : matrix.names()) {
    const auto at = place_of.find(name);
    if (at == place_of.end()) {
      places.of.push_back(kNowhere);
      continue;
    }
    const auto found = std::lower_bound(places.names.begin(), places.names.end(), at->second);
    places.of.push_back(static_cast<std::size_t>(found - places.names.begin()));
  }
  return places;
}

/// From every place to every other one; kUnmeasured where no pair was measured.
struct Costs {
  std::vector<Rtt> largest;  // [places * places], row = origin
  std::vector<bool> gaps;    // of the same shape: a pair was not measured either way
  std::size_t inside = 0;    // pairs within one place, measured
};

Costs costs_between(const RttMatrix& matrix, const Places& places) {
  const std::size_t n = places.names.size();
  Costs costs{std::vector<Rtt>(n * n, kUnmeasured), std::vector<bool>(n * n), 0};
  for (std::uint32_t i = 0; i < matrix.size(); ++i)
    for (std::uint32_t j = 0; j < matrix.size(); ++j) {
      if (places.of[i] == kNowhere || places.of[j] == kNowhere || i == j) continue;
      const Rtt there = matrix.at(NameIndex{i}, NameIndex{j});
      // A round trip: where one direction was not measured, the other one stands for it.
      const Rtt rtt = there == kUnmeasured ? matrix.at(NameIndex{j}, NameIndex{i}) : there;
      const std::size_t cell = places.of[i] * n + places.of[j];
      if (places.of[i] == places.of[j]) {
        if (rtt != kUnmeasured) ++costs.inside;
      } else if (rtt == kUnmeasured) {
        costs.gaps[cell] = true;
      } else if (costs.largest[cell] == kUnmeasured || costs.largest[cell] < rtt) {
        costs.largest[cell] = rtt;
      }
    }
  return costs;
}

Json topology_json(const Places& places, const Costs& costs) {
  Json origins = Json::array();
  const std::size_t n = places.names.size();
  for (std::size_t from = 0; from < n; ++from) {
    Json list = Json::array();
    for (std::size_t to = 0; to < n; ++to) {
      const Rtt rtt = costs.largest[from * n + to];
      if (rtt == kUnmeasured) continue;
      const std::int64_t whole_ms = (std::int64_t{rtt.us} + 999) / 1000;
      list.push_back(Json{{"destination", places.names[to]}, {"networkCost", whole_ms}});
    }
    if (!list.empty())
      origins.push_back(Json{{"origin", places.names[from]}, {"costList", std::move(list)}});
  }
  return Json{{"topologyKey", places.key}, {"originList", std::move(origins)}};
}

void report_losses(const Places& places, const Costs& costs, WrittenRtt& written) {
  const auto lose = [&](std::string code, std::string message) {
    written.losses.push_back({std::move(code), places.key + ": " + message, {}});
  };
  const auto nowhere =
      static_cast<std::size_t>(std::count(places.of.begin(), places.of.end(), kNowhere));
  if (nowhere > 0)
    lose("LostNodes", counted(nowhere, "name") + " of the matrix without this label");
  const std::size_t n = places.names.size();
  std::size_t absent = 0, partial = 0;
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) {
      const std::size_t cell = from * n + to;
      if (from == to) continue;
      if (costs.largest[cell] == kUnmeasured)
        ++absent;
      else if (costs.gaps[cell])
        ++partial;
    }
  if (absent > 0)
    lose("LostPairs", "no RTT was measured between " + counted(absent, "ordered pair") +
                          " of places: no cost, and NetworkOverhead takes 100");
  if (partial > 0)
    lose("LostPairs", "of " + counted(partial, "ordered pair") +
                          " of places some nodes are unmeasured: the largest RTT that is known "
                          "counts");
  if (costs.inside > 0)
    lose("LostPairs", counted(costs.inside, "RTT") +
                          " inside one place cannot be said: NetworkOverhead takes 1 in a zone");
}

}  // namespace

WrittenRtt write_network_topology(const RttMatrix& matrix, const Whereabouts& where) {
  WrittenRtt written;
  Json list = Json::array();
  for (const std::string_view key : {kRegionLabel, kZoneLabel}) {
    const Places places = places_by(matrix, where, key);
    if (places.names.empty()) continue;
    const Costs costs = costs_between(matrix, places);
    list.push_back(topology_json(places, costs));
    report_losses(places, costs, written);
  }
  if (list.empty()) {
    written.errors.push_back(invalid_input(
        "no name of the matrix is a node with a zone or a region", {},
        "give the nodes with `--cluster`; their label " + std::string(kZoneLabel) + " counts"));
    return written;
  }
  written.losses.push_back({"RoundedCosts",
                            "costs are whole milliseconds, rounded up, of the largest pair of "
                            "nodes; `--cost-unit ms` reads them back",
                            {}});
  const Json weights =
      Json::array({Json{{"name", "UserDefined"}, {"topologyList", std::move(list)}}});
  written.text = write_document(TextFormat::kYaml, [&](DocumentSink& sink) {
    sink.field("apiVersion", "networktopology.diktyo.x-k8s.io/v1alpha1");
    sink.field("kind", "NetworkTopology");
    sink.field("metadata", Json{{"name", "gedge-latency"}, {"namespace", "default"}});
    sink.field("spec", Json{{"weights", weights}, {"configmapName", ""}});
  });
  return written;
}

}  // namespace gedge::codec
