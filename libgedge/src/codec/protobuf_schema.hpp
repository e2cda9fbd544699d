// codec/protobuf_schema.hpp - the numbers of fields in what an API server says in protobuf.
//
// Source: the files generated.proto of k8s.io/api and k8s.io/apimachinery, 1.20 to 1.34; a number
// never changes its meaning.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gedge::codec {

/// How a field is written in JSON.
enum class ProtobufForm : std::uint8_t {
  kText,     ///< left out where it is empty
  kAnyText,  ///< a pointer: empty, it says something
  kNumber,   ///< of 32 or 64 bits, with a sign
  kBool,
  kTime,      ///< seconds since 1970, as RFC 3339; left out where it is empty
  kQuantity,  ///< a message of one text, as that text
  kMessage,
  kInline,      ///< a message whose fields are those of the one it stands in
  kTexts,       ///< a map of texts
  kQuantities,  ///< a map of quantities
};

struct ProtobufMessage;

struct ProtobufField {
  std::uint32_t number = 0;
  std::string_view name;
  ProtobufForm form = ProtobufForm::kText;
  bool is_list = false;
  const ProtobufMessage* message = nullptr;  ///< of kMessage and kInline
};

/// At most 64 fields.
struct ProtobufMessage {
  std::span<const ProtobufField> fields;
};

/// Of a kind of v1; null: gedge reads none in protobuf.
const ProtobufMessage* protobuf_message(std::string_view kind);

}  // namespace gedge::codec
