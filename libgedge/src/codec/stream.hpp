// codec/stream.hpp - reads texts of many objects one object at a time, in bounded memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "codec/cursor.hpp"

namespace gedge::codec {

/// What stands around a streamed element.
class StreamContext {
 public:
  virtual ~StreamContext() = default;
  /// A scalar field of the document's root, wherever it stands: what was not met yet is looked for
  /// in the rest of the text. Empty where it is absent or no text, and for a root that is a list.
  /// Cost: one pass over the document for each key, however often it is asked for.
  const std::optional<std::string>& root_text(std::string_view key);

 protected:
  /// Answers of the document before do not count any more.
  void begin_document() { answers_.clear(); }

 private:
  /// What root_text says, found by reading the document again if need be.
  virtual std::optional<std::string> find_root_text(std::string_view key) = 0;

  std::map<std::string, std::optional<std::string>, std::less<>> answers_;
};

class StreamHandler {
 public:
  virtual ~StreamHandler() = default;
  /// The root has a list under the streamed key; `root` holds the fields before it. True: its
  /// elements come one by one through `element`, and `document` sees an empty list in their place.
  virtual bool wants_elements(Cursor root) = 0;
  /// One element of the streamed list, or of a root that is a list. Lives until the call returns.
  virtual void element(Cursor element, StreamContext& context) = 0;
  /// The root of a document; not called for a root that is a list. `streamed`: elements came
  /// before.
  virtual void document(Cursor root, bool streamed) = 0;
};

struct StreamOptions {
  std::string_view list_key = "items";
  std::uint64_t max_bytes = 1ull << 30;
};

/// Reads every document of `source`, JSON or YAML. Returns false after an error that ends the text
/// (syntax, nesting, encoding, size); everything is reported to `diagnostics`.
bool read_stream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                 StreamHandler& handler);

}  // namespace gedge::codec
