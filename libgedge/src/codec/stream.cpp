// codec/stream.cpp - which of the two parsers reads a text, and what both share.
#include "codec/stream.hpp"

#include "codec/stream_parsers.hpp"

namespace gedge::codec {

const std::optional<std::string>& StreamContext::root_text(std::string_view key) {
  const auto known = answers_.find(key);
  if (known != answers_.end()) return known->second;
  return answers_.emplace(key, find_root_text(key)).first->second;
}

bool read_stream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                 StreamHandler& handler) {
  if (source.is_json()) return stream_json(source, diagnostics, options, handler);
  return source.check_text(options.max_bytes, diagnostics) &&
         stream_yaml(source, diagnostics, options, handler);
}

std::optional<Document> Document::parse(const Source& source, Diagnostics& diagnostics,
                                        std::uint64_t max_bytes) {
  if (!source.check_text(max_bytes, diagnostics)) return std::nullopt;
  auto tape = std::make_unique<Tape>();
  tape->source = &source;
  tape->diagnostics = &diagnostics;
  tape->is_json = source.is_json();
  const bool read = tape->is_json ? parse_json(source, *tape) : parse_yaml(source, *tape);
  if (!read) return std::nullopt;
  return Document(std::move(tape));
}

}  // namespace gedge::codec
