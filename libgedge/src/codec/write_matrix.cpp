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
using codec::PairWalk;
using codec::ValueSink;

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

Json agent_item(const AgentVerdict& agent) {
  Json item{{"name", agent.name}, {"source", agent.source}, {"state", to_string(agent.state)}};
  if (!agent.why.empty()) item["why"] = agent.why;
  return item;
}

// `agents`: null where nobody was asked.
void put_matrix(DocumentSink& sink, PairWalk pairs, const std::vector<AgentVerdict>* agents) {
  codec::put_head(sink, "LatencyMatrix");
  sink.field("nodes", Json(pairs.matrix().names()));
  if (agents != nullptr)
    sink.list("agents", agents->size(), [&](std::size_t i) { return agent_item((*agents)[i]); });
  std::size_t count = 0;
  for (PairWalk counted = pairs; counted.next();) ++count;
  sink.stream("pairs", count, [&](std::size_t /*i*/, ValueSink& value) {
    pairs.next();
    const PairStats stats = pairs.stats();
    const codec::PairNames names{pairs.matrix().name(pairs.from()),
                                 pairs.matrix().name(pairs.to())};
    codec::put_pair(value, names, stats, pairs.details().methods[stats.method]);
  });
}

std::string write_matrix(const RttMatrix& matrix, const PairDetails& details,
                         const std::vector<AgentVerdict>* agents, TextFormat format) {
  return codec::write_document(
      format, [&](DocumentSink& sink) { put_matrix(sink, PairWalk(matrix, details), agents); });
}

}  // namespace

void codec::put_pair(ValueSink& sink, const PairNames& names, const PairStats& stats,
                     std::string_view method) {
  sink.begin_map();
  sink.key("from");
  sink.text(names.from);
  sink.key("to");
  sink.text(names.to);
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

void codec::write_completed(const CompletedMatrix& completed, TextFormat format,
                            const TextTaker& take) {
  write_document(
      format, [&](DocumentSink& sink) { put_matrix(sink, PairWalk(completed), nullptr); }, take);
}

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
