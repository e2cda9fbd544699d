// codec/document_sink.hpp - one description of a document, several texts: JSON in two layouts,
// YAML.
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

class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual void field(std::string_view key, const Json& value) = 0;
  /// `item(i)` is called once for each i below `count`, in order.
  virtual void list(std::string_view key, std::size_t count,
                    const std::function<Json(std::size_t)>& item) = 0;
  virtual void object(std::string_view key, const std::function<void(DocumentSink&)>& fill) = 0;
};

/// The text of one document, with a line end.
std::string write_document(TextFormat format, const std::function<void(DocumentSink&)>& fill);

/// apiVersion and kind.
void put_head(DocumentSink& sink, std::string_view kind);

}  // namespace gedge::codec
