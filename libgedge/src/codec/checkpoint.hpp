// codec/checkpoint.hpp - the files in which managers of a kubelet keep their state, and what is the
// same in all of them: the text of the state may stand within another one, with its checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/cpu_manager_texts.hpp"
#include "codec/cursor.hpp"
#include "gedge/codec/load.hpp"

namespace gedge::codec {

inline constexpr std::uint64_t kMostCheckpointBytes = 64 << 20;

inline void refuse_checkpoint(Cursor at) {
  at.fail("checkpoint is corrupted", "drain the node, then remove the state file");
}

/// Calls `read` with the state that stands as a text in `data`.
template <typename Read>
void read_within(Cursor data, std::int64_t checksum, Read&& read) {
  const auto text = data.text();
  if (!text) return;
  if (fnv("(string)" + std::string(*text)) != checksum) return refuse_checkpoint(data);
  const Source source(data.source().name() + " (data)", *text);
  if (const auto document = Document::parse(source, data.diagnostics(), kMostCheckpointBytes))
    read(document->root());
}

/// `Reader` has read(Cursor) for the whole file, and take() for the state.
template <typename Reading, typename Reader>
Reading read_checkpoint(const InputFile& file) {
  Diagnostics diagnostics;
  const Source source(file.name, file.bytes, 0, file.padding);
  Reading reading;
  Reader reader;
  if (const auto document = Document::parse(source, diagnostics, kMostCheckpointBytes))
    reader.read(document->root());
  if (diagnostics.ok()) reading.state = reader.take();
  reading.errors = diagnostics.take_errors();
  return reading;
}

}  // namespace gedge::codec
