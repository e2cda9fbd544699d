// LatencyMatrix: of each pair the statistics that are known, null for the others.
#include <string>
#include <vector>

#include "codec/document_sink.hpp"
#include "codec/pair_text.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/codec/write_latency.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;
using codec::ValueSink;

struct Pair {
  NameIndex from, to;
  const PairStats* stats;  // null: the number is all there is
};

void put_time(ValueSink& sink, std::string_view key, Rtt rtt) {
  sink.key(key);
  if (rtt == kUnmeasured)
    sink.null();
  else
    sink.number(rtt.us);
}

void put_count(ValueSink& sink, std::string_view key, std::uint32_t count) {
  sink.key(key);
  if (count == kNotKnown)
    sink.null();
  else
    sink.number(count);
}

void put_flags(ValueSink& sink, const PairStats& stats) {
  if (stats.measured_at != kNever) {
    sink.key("measuredAt");
    sink.text(codec::format_timestamp(stats.measured_at));
  }
  if (stats.estimated) {
    sink.key("estimated");
    sink.boolean(true);
  }
  if (stats.upper != kUnmeasured) put_time(sink, "upperUs", stats.upper);
  if (stats.suspicious) {
    sink.key("suspicious");
    sink.boolean(true);
  }
}

void put_pair(ValueSink& sink, const RttMatrix& matrix, const PairDetails& details,
              const Pair& pair) {
  const PairStats stats = codec::stats_that_count(matrix, pair.from, pair.to, pair.stats);
  const std::string& method = details.methods[stats.method];
  sink.begin_map();
  sink.key("from");
  sink.text(matrix.name(pair.from));
  sink.key("to");
  sink.text(matrix.name(pair.to));
  put_time(sink, "minUs", stats.min);
  put_time(sink, "p50Us", stats.p50);
  put_time(sink, "p95Us", stats.p95 == kUnmeasured ? stats.only : stats.p95);
  put_time(sink, "p99Us", stats.p99);
  put_time(sink, "maxUs", stats.max);
  put_time(sink, "meanUs", stats.mean);
  put_time(sink, "mdevUs", stats.mdev);
  put_time(sink, "jitterUs", stats.jitter);
  put_count(sink, "lossPpm", stats.loss_ppm);
  put_count(sink, "samples", stats.samples);
  sink.key("method");
  sink.text(method.empty() ? "import" : method);
  put_flags(sink, stats);
  sink.end_map();
}

Json agent_item(const AgentVerdict& agent) {
  Json item{{"name", agent.name}, {"source", agent.source}, {"state", to_string(agent.state)}};
  if (!agent.why.empty()) item["why"] = agent.why;
  return item;
}

// `agents`: null where nobody was asked.
std::string write_matrix(const RttMatrix& matrix, const PairDetails& details,
                         const std::vector<AgentVerdict>* agents, TextFormat format) {
  std::vector<Pair> pairs;
  codec::for_each_known_pair(matrix, details,
                             [&](NameIndex from, NameIndex to, const PairStats* stats) {
                               pairs.push_back({from, to, stats});
                             });
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "LatencyMatrix");
    sink.field("nodes", Json(matrix.names()));
    if (agents != nullptr)
      sink.list("agents", agents->size(), [&](std::size_t i) { return agent_item((*agents)[i]); });
    sink.stream("pairs", pairs.size(), [&](std::size_t i, ValueSink& value) {
      put_pair(value, matrix, details, pairs[i]);
    });
  });
}

}  // namespace

std::string write(const RttMatrix& matrix, const PairDetails& details, TextFormat format) {
  return write_matrix(matrix, details, nullptr, format);
}

std::string write(const AgentMatrix& merged, TextFormat format) {
  return write_matrix(merged.matrix, merged.details,
                      merged.agents.empty() ? nullptr : &merged.agents, format);
}

std::string write(const RttMatrix& matrix, TextFormat format) {
  return write(matrix, PairDetails{}, format);
}

}  // namespace gedge
