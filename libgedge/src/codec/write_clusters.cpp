// The documents LatencyClusters, LatencyLayers and LatencyCenters.
#include "gedge/codec/write_clusters.hpp"

#include <algorithm>

#include "codec/document_sink.hpp"
#include "codec/write_parts.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

Json names_json(const RttMatrix& matrix, const std::vector<NameIndex>& members) {
  Json names = Json::array();
  for (const NameIndex member : members) names.push_back(matrix.name(member));
  return names;
}

Json loss_json(const ClusterReport& report, const RttMatrix& matrix) {
  const RadiusLoss& loss = report.loss;
  Json json{{"clusters", report.clusters.size()},
            {"pairsWithin", loss.near},
            {"pairsInClusters", loss.kept}};
  json["worst"] = matrix.empty() ? Json(nullptr)
                                 : Json{{"node", matrix.name(loss.worst)},
                                        {"nodesWithin", loss.worst_near},
                                        {"nodesInCluster", loss.worst_kept}};
  return json;
}

Json center_json(const RttMatrix& matrix, const Centers& centers, NameIndex center) {
  Json nodes = Json::array();
  std::vector<NameIndex> served;
  for (std::size_t i = 0; i < centers.center_of.size(); ++i)
    if (centers.center_of[i] == center) served.push_back(index_of(i));
  for (const NameIndex name : served) {
    const Rtt rtt = name == center ? Rtt{0} : matrix.between(center, name);
    nodes.push_back(Json{{"node", matrix.name(name)}, {"rttUs", rtt.us}});
  }
  return Json{{"node", matrix.name(center)}, {"nodes", std::move(nodes)}};
}

}  // namespace

ClusterReport report_clusters(const RttMatrix& matrix, Rtt within, Clusters clusters) {
  ClusterReport report;
  report.within = within;
  report.loss = radius_loss(matrix, within, clusters);
  for (const std::vector<NameIndex>& members : clusters.members) {
    Rtt largest{0};
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < members.size(); ++j)
        largest = std::max(largest, matrix.between(members[i], members[j]));
    report.largest.push_back(largest);
  }
  report.clusters = std::move(clusters);
  return report;
}

std::string write(const RttMatrix& matrix, const ClusterReport& report, const ClusterReport& index,
                  TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "LatencyClusters");
    sink.field("withinUs", report.within.us);
    sink.field("layerUs", report.layer ? Json(report.layer->us) : Json(nullptr));
    sink.field("exact", report.is_exact);
    sink.list("clusters", report.clusters.size(), [&](std::size_t i) {
      return Json{{"largestUs", report.largest[i].us},
                  {"nodes", names_json(matrix, report.clusters.members[i])}};
    });
    Json summary = loss_json(report, matrix);
    summary["clustersAtLeast"] = report.at_least ? Json(*report.at_least) : Json(nullptr);
    sink.field("summary", summary);
    sink.field("index", loss_json(index, matrix));
  });
}

std::string write(const RttMatrix& matrix, const std::vector<DelayLayers::Layer>& layers,
                  TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "LatencyLayers");
    sink.list("layers", layers.size(), [&](std::size_t i) {
      Json clusters = Json::array();
      for (const auto& members : layers[i].clusters.members)
        clusters.push_back(names_json(matrix, members));
      return Json{{"delayUs", layers[i].delay.us}, {"clusters", std::move(clusters)}};
    });
  });
}

std::string write(const RttMatrix& matrix, const Centers& centers, CentersGoal goal,
                  TextFormat format) {
  Json unreached = Json::array();
  for (std::size_t i = 0; i < centers.center_of.size(); ++i)
    if (centers.center_of[i] == kNoCenter) unreached.push_back(matrix.name(index_of(i)));
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "LatencyCenters");
    sink.field("goal", goal == CentersGoal::kRadius ? "radius" : "mean");
    sink.list("centers", centers.chosen.size(),
              [&](std::size_t i) { return center_json(matrix, centers, centers.chosen[i]); });
    sink.field("unreached", unreached);
    sink.field("summary", Json{{"radiusUs", centers.cost.radius.us},
                               {"radiusAtLeastUs", centers.radius_at_least.us},
                               {"totalUs", centers.cost.total_us},
                               {"reached", matrix.size() - centers.cost.unreached},
                               {"settled", centers.is_settled}});
  });
}

}  // namespace gedge
