// codec/document_sink.hpp - one description of a document, two texts: JSON and YAML.
//
// A document is a map whose long lists are written item by item, so no tree of the whole answer is
// ever built.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "gedge/codec/write.hpp"

namespace gedge::codec {

using Json = nlohmann::ordered_json;

/// Takes one value as a series of calls, for lists so long that a tree of each item would cost
/// more than all the rest.
class ValueSink {
 public:
  virtual ~ValueSink() = default;
  virtual void begin_map() = 0;
  virtual void end_map() = 0;
  virtual void begin_list() = 0;
  virtual void end_list() = 0;
  /// On the line of its key, where YAML would begin another one.
  virtual void empty_list() = 0;
  virtual void key(std::string_view name) = 0;
  virtual void text(std::string_view value) = 0;
  virtual void number(std::int64_t value) = 0;
  virtual void boolean(bool value) = 0;
  virtual void null() = 0;
};

class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual void field(std::string_view key, const Json& value) = 0;
  /// `item(i)` is called once for each i below `count`, in order. In JSON each item has a line of
  /// its own, so that documents can be compared line by line.
  virtual void list(std::string_view key, std::size_t count,
                    const std::function<Json(std::size_t)>& item) = 0;
  /// The same; `item(i, sink)` gives the sink one value.
  virtual void stream(std::string_view key, std::size_t count,
                      const std::function<void(std::size_t, ValueSink&)>& item) = 0;
  virtual void object(std::string_view key, const std::function<void(DocumentSink&)>& fill) = 0;
};

/// The text of one document, with a line end.
std::string write_document(TextFormat format, const std::function<void(DocumentSink&)>& fill);

/// Takes a text piece by piece; the pieces do not outlive the call.
using TextTaker = std::function<void(std::string_view)>;
/// The same, handed on as it is written: a document that is too long to keep.
void write_document(TextFormat format, const std::function<void(DocumentSink&)>& fill,
                    const TextTaker& take);

/// apiVersion and kind.
void put_head(DocumentSink& sink, std::string_view kind);

}  // namespace gedge::codec
