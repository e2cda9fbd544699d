// codec/protobuf_schema.hpp - the numbers of fields in what an API server says in protobuf.
//
// Source: the files generated.proto of k8s.io/api and k8s.io/apimachinery, of 1.20, and of 1.34
// for what is newer; a number never changes its meaning.
#pragma once

#include <cstddef>
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
  kTime,  ///< seconds since 1970, as RFC 3339; left out where it is empty
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

/// Fields by number, 64 at most: else this does not compile.
struct ProtobufMessage {
  explicit consteval ProtobufMessage(std::span<const ProtobufField> all) : fields(all) {
    if (all.size() > 64) throw "too many";
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i - 1].number >= all[i].number) throw "not by number";
  }
  std::span<const ProtobufField> fields;
};

/// Of a kind of v1; null: gedge reads none in protobuf.
const ProtobufMessage* protobuf_message(std::string_view kind);

}  // namespace gedge::codec
