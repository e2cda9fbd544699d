// The documents Validation and Version.
#include "codec/document_sink.hpp"
#include "codec/write_parts.hpp"
#include "gedge/codec/write.hpp"

namespace gedge {

using codec::DocumentSink;
using codec::Json;

std::string write(const Validation& validation, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "Validation");
    codec::put_remarks(sink, validation.warnings, validation.skipped);
    sink.field("summary", Json{{"sources", validation.sources},
                               {"nodes", validation.nodes},
                               {"pods", validation.pods},
                               {"rttNames", validation.rtt_names},
                               {"warnings", validation.warnings.size()}});
  });
}

std::string write_version(std::string_view version, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "Version");
    sink.field("version", version);
    sink.field("compat", Json{to_string(Compat::k1_20), to_string(Compat::k1_36)});
  });
}

}  // namespace gedge
