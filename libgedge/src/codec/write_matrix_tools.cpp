// The documents MatrixCheck and MatrixDifference.
#include <string>

#include "codec/document_sink.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/codec/write_latency.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;

Json time_or_null(Rtt rtt) { return rtt == kUnmeasured ? Json(nullptr) : Json(rtt.us); }

Json finding_json(const RttMatrix& matrix, const Finding& finding) {
  const bool dated = finding.measured_at != kNever;
  return Json{
      {"oddity", to_string(finding.oddity)},
      {"from", matrix.name(finding.from)},
      {"to", matrix.name(finding.to)},
      {"rttUs", time_or_null(finding.rtt)},
      {"otherUs", time_or_null(finding.other)},
      {"via", finding.via ? Json(matrix.name(*finding.via)) : Json(nullptr)},
      {"measuredAt", dated ? Json(codec::format_timestamp(finding.measured_at)) : Json(nullptr)},
      {"lost", finding.lost}};
}

Json difference_json(const PairDifference& pair) {
  return Json{{"from", pair.from},
              {"to", pair.to},
              {"change", to_string(pair.change)},
              {"beforeUs", time_or_null(pair.before)},
              {"afterUs", time_or_null(pair.after)},
              {"marginUs", pair.margin ? Json(pair.margin->count()) : Json(nullptr)},
              {"significance", to_string(pair.significance)}};
}

}  // namespace

std::string write(const RttMatrix& matrix, const MatrixCheck& check, TextFormat format) {
  Json summary{{"names", matrix.size()}, {"detoursVia", check.vias}};
  for (std::size_t i = 0; i < kOddities; ++i)
    summary[std::string(to_string(static_cast<Oddity>(i)))] = check.counts[i];
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "MatrixCheck");
    sink.list("findings", check.findings.size(),
              [&](std::size_t i) { return finding_json(matrix, check.findings[i]); });
    sink.field("summary", summary);
  });
}

std::string write(const MatrixDifference& difference, TextFormat format) {
  const std::vector<PairDifference>& pairs = difference.pairs;
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "MatrixDifference");
    sink.field("differs", difference.differs());
    sink.field("added", Json(difference.added));
    sink.field("removed", Json(difference.removed));
    sink.list("pairs", pairs.size(), [&](std::size_t i) { return difference_json(pairs[i]); });
    sink.field("summary", Json{{"same", difference.same}, {"changed", pairs.size()}});
  });
}

}  // namespace gedge
