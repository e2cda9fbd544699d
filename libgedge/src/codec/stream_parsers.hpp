// codec/stream_parsers.hpp - the two parsers behind read_stream and Document::parse;
// YAML, and what becomes one tape, is already checked as UTF-8.
#pragma once

#include "codec/stream.hpp"

namespace gedge::codec {

bool stream_yaml(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                 StreamHandler& handler);
/// The same, of all bytes: blocks that came before are read again. The first `skip` values were
/// handed on already.
bool stream_whole_yaml(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                       StreamHandler& handler, std::size_t skip);
bool stream_json(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                 StreamHandler& handler);
/// The same, by one index of all bytes: nothing is recognised by what came before.
bool stream_whole_json(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                       StreamHandler& handler);

/// One document onto one tape; a second one that is not empty is refused.
bool parse_yaml(const Source& source, Tape& tape);
bool parse_json(const Source& source, Tape& tape);

}  // namespace gedge::codec
