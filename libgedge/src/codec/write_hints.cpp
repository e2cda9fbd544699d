// The document Hints.
#include "gedge/codec/write_hints.hpp"

#include <algorithm>
#include <utility>

#include "codec/document_sink.hpp"
#include "codec/write_parts.hpp"
#include "codec/write_terms.hpp"
#include "gedge/codec/api_requests.hpp"

namespace gedge {
namespace {

using codec::Json;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

Json labels_json(const NodeHint& hint) {
  Json labels = Json::object();
  for (const auto& [key, value] : hint.labels) labels[key] = value ? Json(*value) : Json(nullptr);
  return labels;
}

Json beside_json(const WorkloadHint::Beside& beside) {
  Json labels = Json::object();
  for (const auto& [key, value] : beside.peers) labels[key] = value;
  return Json{{"labelSelector", {{"matchLabels", std::move(labels)}}},
              {"namespaces", Json::array({beside.namespace_name})},
              {"topologyKey", beside.label}};
}

// A merge patch replaces lists as a whole, so they are whole.
Json patch_json(const WorkloadHint& hint) {
  Json affinity = Json::object();
  if (!hint.node_terms.empty()) {
    Json terms = Json::array();
    for (const NodeSelectorTerm& term : hint.node_terms) terms.push_back(codec::node_term(term));
    affinity["nodeAffinity"] = {{kRequired, {{"nodeSelectorTerms", std::move(terms)}}}};
  }
  if (!hint.beside.empty()) {
    Json terms = Json::array();
    for (const WorkloadHint::Beside& beside : hint.beside) terms.push_back(beside_json(beside));
    affinity["podAffinity"] = {{kRequired, std::move(terms)}};
  }
  return Json{{"spec", {{"template", {{"spec", {{"affinity", std::move(affinity)}}}}}}}};
}

std::string plural(std::string kind) {
  std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return kind + "s";
}

}  // namespace

std::string write(const Hints& hints, TextFormat format) {
  return codec::write_document(format, [&](codec::DocumentSink& sink) {
    codec::put_head(sink, "Hints");
    sink.list("nodes", hints.nodes.size(), [&](std::size_t i) {
      return Json{{"node", hints.nodes[i].node}, {"labels", labels_json(hints.nodes[i])}};
    });
    sink.list("workloads", hints.workloads.size(), [&](std::size_t i) {
      const WorkloadHint& hint = hints.workloads[i];
      return Json{{"kind", hint.kind},
                  {"namespace", hint.namespace_name},
                  {"name", hint.name},
                  {"patch", patch_json(hint)}};
    });
    sink.list("warnings", hints.warnings.size(), [&](std::size_t i) {
      return Json{{"code", hints.warnings[i].code}, {"message", hints.warnings[i].message}};
    });
  });
}

ApiRequest hint_request(const NodeHint& hint) {
  const Json body{{"metadata", {{"labels", labels_json(hint)}}}};
  return codec::merge_patch_request("/api/v1/nodes", hint.node, body.dump());
}

ApiRequest hint_request(const WorkloadHint& hint) {
  return codec::merge_patch_request(
      "/apis/apps/v1/namespaces/" + hint.namespace_name + "/" + plural(hint.kind), hint.name,
      patch_json(hint).dump());
}

}  // namespace gedge
