#include "gedge/codec/node_latency.hpp"

#include <algorithm>
#include <utility>

#include "codec/document_sink.hpp"
#include "codec/pair_text.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/codec/write.hpp"

namespace gedge::codec {
namespace {

Json peer_of(const RttMatrix& matrix, const PairDetails& details, NameIndex from, NameIndex to,
             const PairStats* known) {
  const PairStats stats = stats_that_count(matrix, from, to, known);
  Json peer{{"to", matrix.name(to)}};
  const auto put = [&](const char* key, Rtt rtt) {
    if (rtt != kUnmeasured) peer[key] = rtt.us;
  };
  put("minUs", stats.min);
  put("p50Us", stats.p50);
  put("p95Us", stats.p95 == kUnmeasured ? stats.only : stats.p95);
  put("p99Us", stats.p99);
  put("maxUs", stats.max);
  put("meanUs", stats.mean);
  put("mdevUs", stats.mdev);
  put("jitterUs", stats.jitter);
  put("upperUs", stats.upper);
  if (stats.loss_ppm != kNotKnown) peer["lossPpm"] = stats.loss_ppm;
  if (stats.samples != kNotKnown) peer["samples"] = stats.samples;
  if (const std::string& method = details.methods[stats.method]; !method.empty())
    peer["method"] = method;
  if (stats.measured_at != kNever) peer["measuredAt"] = format_timestamp(stats.measured_at);
  if (stats.estimated) peer["estimated"] = true;
  if (stats.suspicious) peer["suspicious"] = true;
  return peer;
}

// Names of objects are lower case letters, digits, '-' and '.'; whatever else there is, the server
// refuses.
std::string encoded(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain)
      out += c;
    else
      out.append({'%', kDigits[byte >> 4U], kDigits[byte & 15U]});
  }
  return out;
}

constexpr std::string_view kDefinition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: nodelatencies.gedge.io
spec:
  group: gedge.io
  scope: Cluster
  names:
    kind: NodeLatency
    listKind: NodeLatencyList
    plural: nodelatencies
    singular: nodelatency
    shortNames: [nlat]
  versions:
  - name: v1alpha1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        description: Round-trip times that the node of this name has measured to others.
        type: object
        required: [spec]
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            properties:
              peers:
                type: array
                maxItems: 16384
                x-kubernetes-list-type: atomic
                items:
                  description: What is known of one pair; times are round trips in microseconds.
                  type: object
                  required: [to]
                  properties:
                    to: {type: string, minLength: 1, maxLength: 253}
                    minUs: {type: integer, format: int64, minimum: 0}
                    p50Us: {type: integer, format: int64, minimum: 0}
                    p95Us: {type: integer, format: int64, minimum: 0}
                    p99Us: {type: integer, format: int64, minimum: 0}
                    maxUs: {type: integer, format: int64, minimum: 0}
                    meanUs: {type: integer, format: int64, minimum: 0}
                    mdevUs: {type: integer, format: int64, minimum: 0}
                    jitterUs: {type: integer, format: int64, minimum: 0}
                    upperUs: {type: integer, format: int64, minimum: 0}
                    lossPpm: {type: integer, format: int64, minimum: 0, maximum: 1000000}
                    samples: {type: integer, format: int64, minimum: 0}
                    method: {type: string, maxLength: 63}
                    measuredAt: {type: string, format: date-time}
                    estimated: {type: boolean}
                    suspicious: {type: boolean}
)";

}  // namespace

std::string write_node_latency(const RttMatrix& matrix, const PairDetails& details,
                               NameIndex from) {
  Json peers = Json::array();
  for (std::uint32_t i = 0; i < matrix.size(); ++i) {
    const NameIndex to{i};
    const PairStats* const known = details.find(from, to);
    if (to == from || (known == nullptr && matrix.at(from, to) == kUnmeasured)) continue;
    peers.push_back(peer_of(matrix, details, from, to, known));
  }
  const Json object{{"apiVersion", kApiVersion},
                    {"kind", "NodeLatency"},
                    {"metadata", {{"name", matrix.name(from)}}},
                    {"spec", {{"peers", std::move(peers)}}}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ApiRequest apply_node_latency_request(std::string_view name, std::string body) {
  ApiRequest request;
  request.verb = ApiVerb::kPatch;
  request.lane = ApiLane::kWrite;
  request.target =
      std::string(kNodeLatencies) + "/" + encoded(name) + "?fieldManager=gedge&force=true";
  request.body = std::move(body);
  request.content_type = "application/apply-patch+yaml";
  return request;
}

std::string_view node_latency_definition() { return kDefinition; }

}  // namespace gedge::codec
