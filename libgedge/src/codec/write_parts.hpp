// codec/write_parts.hpp - small values that several documents share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/document_sink.hpp"

namespace gedge::codec {

inline Json or_null(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

/// The lists "warnings" and "skipped".
void put_remarks(DocumentSink& sink, const std::vector<Warning>& warnings,
                 const std::vector<SkippedObject>& skipped);

/// "file.yaml:12:3", "file.yaml", or nothing.
std::string place_text(const SourceSpan& where);
/// The reverse, as far as the text says it.
SourceSpan parse_place(const std::string& text);

}  // namespace gedge::codec
