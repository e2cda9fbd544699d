#include "render/cluster_view.hpp"

#include <algorithm>
#include <string>

#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

Cell number_cell(std::size_t number) {
  return {std::to_string(number), Ink::kPlain, static_cast<std::int64_t>(number)};
}

Cell duration_cell(const DurationColumn& units, std::int64_t micros) {
  return {units.text(micros), Ink::kPlain, micros};
}

std::string names_of(const RttMatrix& matrix, const std::vector<NameIndex>& members) {
  std::vector<std::string> names;
  for (const NameIndex member : members) names.push_back(matrix.name(member));
  return join_words(names, ", ", ", ");
}

std::string one_duration(std::int64_t micros) { return DurationColumn({micros}).text(micros); }

// Rounded up: nothing lost is 0 %, and nothing else is.
std::string lost_share(const RadiusLoss& loss) {
  const std::uint64_t lost = loss.near - loss.kept;
  return std::to_string(loss.near == 0 ? 0 : (100 * lost + loss.near - 1) / loss.near) + " %";
}

/// What a center serves; without a center: who is out of reach.
struct Served {
  std::vector<NameIndex> names;
  std::int64_t largest = 0, total = 0;
};

std::vector<Served> served_by(const RttMatrix& matrix, const Centers& centers) {
  std::vector<Served> served(centers.chosen.size() + 1);
  for (std::size_t i = 0; i < centers.center_of.size(); ++i) {
    const NameIndex center = centers.center_of[i], name = index_of(i);
    const auto at = std::lower_bound(centers.chosen.begin(), centers.chosen.end(), center);
    Served& here = served[static_cast<std::size_t>(at - centers.chosen.begin())];
    here.names.push_back(name);
    if (center == kNoCenter || center == name) continue;
    const std::int64_t rtt = matrix.between(center, name).us;
    here.largest = std::max(here.largest, rtt);
    here.total += rtt;
  }
  return served;
}

}  // namespace

Status print_clusters(Stream& out, const RttMatrix& matrix, const ClusterReport& report,
                      const TableOptions& options) {
  Table table({{"CLUSTER", Align::kRight},
               {"NODES", Align::kRight},
               {"LARGEST", Align::kRight},
               {"MEMBERS", Align::kLeft, Shrink::kFlows}});
  std::vector<std::int64_t> micros;
  for (const Rtt rtt : report.largest) micros.push_back(rtt.us);
  const DurationColumn units(micros);
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    const std::vector<NameIndex>& members = report.clusters.members[i];
    table.add({number_cell(i + 1),
               number_cell(members.size()),
               members.size() == 1 ? Cell{} : duration_cell(units, micros[i]),
               {names_of(matrix, members)}});
  }
  return finish_table(std::move(table), out, options);
}

void print_clusters_summary(Stream& err, const RttMatrix& matrix, const ClusterReport& report,
                            const ClusterReport& index) {
  std::string line = counted(report.clusters.size(), "cluster");
  if (report.layer) line += " of the layer of " + one_duration(report.layer->us);
  if (report.at_least) line += ", no cover has fewer than " + std::to_string(*report.at_least);
  err.line(line);
  const RadiusLoss& loss = report.loss;
  err.line("of the pairs within " + one_duration(report.within.us) + " " + lost_share(loss) +
           " are between clusters" +
           (report.layer ? ""
                         : "; by layers " + lost_share(index.loss) + ", with " +
                               counted(index.clusters.size(), "cluster")));
  if (!index.is_exact)
    err.line("the search for largest cliques was cut short: layers may have fewer clusters");
  if (loss.worst_near == loss.worst_kept) return;
  err.line("most by '" + escape_controls(matrix.name(loss.worst)) +
           "': " + counted(loss.worst_near, "node") + " within it, " +
           std::to_string(loss.worst_kept) + " in its cluster");
}

Status print_layers(Stream& out, const std::vector<DelayLayers::Layer>& layers,
                    const TableOptions& options) {
  Table table({{"DELAY", Align::kRight},
               {"CLUSTERS", Align::kRight},
               {"LARGEST", Align::kRight},
               {"ALONE", Align::kRight}});
  std::vector<std::int64_t> micros;
  for (const DelayLayers::Layer& layer : layers) micros.push_back(layer.delay.us);
  const DurationColumn units(micros);
  for (const DelayLayers::Layer& layer : layers) {
    std::size_t largest = 0, alone = 0;
    for (const auto& members : layer.clusters.members) {
      largest = std::max(largest, members.size());
      alone += members.size() == 1 ? 1 : 0;
    }
    table.add({duration_cell(units, layer.delay.us), number_cell(layer.clusters.size()),
               number_cell(largest), number_cell(alone)});
  }
  return finish_table(std::move(table), out, options);
}

Status print_centers(Stream& out, const RttMatrix& matrix, const Centers& centers,
                     const TableOptions& options) {
  Table table({{"CENTER", Align::kLeft, Shrink::kFirst},
               {"NODES", Align::kRight},
               {"RADIUS", Align::kRight},
               {"MEAN", Align::kRight},
               {"MEMBERS", Align::kLeft, Shrink::kFlows}});
  const std::vector<Served> served = served_by(matrix, centers);
  std::vector<std::int64_t> micros;
  for (const Served& one : served) micros.push_back(one.largest);
  const DurationColumn units(micros);
  for (std::size_t i = 0; i < served.size(); ++i) {
    const auto& [names, largest, total] = served[i];
    const bool is_center = i < centers.chosen.size();
    if (!is_center && names.empty()) continue;
    const auto count = static_cast<std::int64_t>(names.size());
    table.add({is_center ? Cell{matrix.name(centers.chosen[i])} : Cell{},
               number_cell(names.size()),
               is_center ? duration_cell(units, largest) : Cell{},
               is_center ? duration_cell(units, total / count) : Cell{},
               {names_of(matrix, names), is_center ? Ink::kPlain : Ink::kBad}});
  }
  return finish_table(std::move(table), out, options, "CENTER", "node/");
}

void print_centers_summary(Stream& err, const Centers& centers) {
  const std::size_t reached = centers.center_of.size() - centers.cost.unreached;
  const auto mean =
      static_cast<std::int64_t>(centers.cost.total_us / std::max<std::size_t>(1, reached));
  err.line("largest RTT to a center " + one_duration(centers.cost.radius.us) + ", mean " +
           one_duration(mean) + "; no " + counted(centers.chosen.size(), "center") +
           " can have less than " + one_duration(centers.radius_at_least.us));
  if (!centers.is_settled) err.line("exchanging centers was cut short: others may be nearer");
  if (centers.cost.unreached > 0)
    err.line(counted(centers.cost.unreached, "node") + " without a measured RTT to any center");
}

}  // namespace gedge::cli
