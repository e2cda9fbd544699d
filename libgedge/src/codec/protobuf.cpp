#include "gedge/codec/protobuf.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <utility>

#include "codec/json_text.hpp"
#include "codec/protobuf_schema.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

using protozero::pbf_reader;

// What runtime.Unknown begins with, which all else is wrapped in.
constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::uint32_t kTypeMeta = 1, kRaw = 2, kApiVersion = 1, kKind = 2;
// Of an entry of a map, of a time, and of a quantity.
constexpr std::uint32_t kKey = 1, kValue = 2, kSeconds = 1, kString = 1;

// What the library takes for granted.
void expect(const pbf_reader& reader, protozero::pbf_wire_type type) {
  if (reader.wire_type() != type) throw std::invalid_argument("a field has another type");
}

std::string_view view(pbf_reader& reader) {
  expect(reader, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view data = reader.get_view();
  return {data.data(), data.size()};
}

std::int64_t number_of(pbf_reader& reader) {
  expect(reader, protozero::pbf_wire_type::varint);
  return reader.get_int64();
}

pbf_reader inner(std::string_view bytes) { return pbf_reader(bytes.data(), bytes.size()); }

class JsonWriter {
 public:
  explicit JsonWriter(std::size_t expected) { out_.reserve(expected); }

  void list(std::string_view version, std::string_view kind, const ProtobufMessage& message,
            std::string_view bytes) {
    out_ += "{\"kind\":";
    text(kind);
    out_ += ",\"apiVersion\":";
    text(version);
    const std::uint64_t seen = fields(message, bytes);
    const auto& all = message.fields;
    for (std::size_t i = 0; i < all.size(); ++i)  // of nothing, JSON says that it is a list
      if (all[i].name == "items" && ((seen >> i) & 1U) == 0) out_ += ",\"items\":[]";
    out_ += '}';
  }
  std::string take() { return std::move(out_); }

 private:
  struct Entry {
    std::string_view key, value;
  };

  void text(std::string_view content) { append_json_text(out_, content); }

  void key(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    text(name);
    out_ += ':';
  }

  void number(std::int64_t value) {
    char digits[20];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    out_.append(digits, end);
  }

  void message(const ProtobufMessage& what, std::string_view bytes) {
    out_ += '{';
    fields(what, bytes);
    out_ += '}';
  }

  // Behind what the object has already. Returns which fields there were. Those of a list or a map
  // stand together, and no other comes twice: so all servers write them.
  std::uint64_t fields(const ProtobufMessage& what, std::string_view bytes) {
    std::uint64_t seen = 0;
    const ProtobufField* open = nullptr;
    for (pbf_reader reader = inner(bytes); reader.next();) {
      const auto known =
          std::find_if(what.fields.begin(), what.fields.end(),
                       [&](const ProtobufField& field) { return field.number == reader.tag(); });
      const ProtobufField* const field = known == what.fields.end() ? nullptr : &*known;
      if (field != open || !field) close(std::exchange(open, nullptr));
      if (!field) {
        reader.skip();
        continue;
      }
      const std::uint64_t bit = std::uint64_t{1} << (known - what.fields.begin());
      if (!open && (seen & bit) != 0) throw std::invalid_argument("fields stand apart");
      seen |= bit;
      if (is_many(*field))
        open = add(*field, open == field, reader);
      else
        one(*field, reader);
    }
    close(open);
    return seen;
  }

  static bool is_map(const ProtobufField& field) {
    return field.form == ProtobufForm::kTexts || field.form == ProtobufForm::kQuantities;
  }
  static bool is_many(const ProtobufField& field) { return field.is_list || is_map(field); }

  void close(const ProtobufField* field) {
    if (field) out_ += is_map(*field) ? '}' : ']';
  }

  const ProtobufField* add(const ProtobufField& field, bool is_open, pbf_reader& reader) {
    if (!is_open) {
      key(field.name);
      out_ += is_map(field) ? '{' : '[';
    } else if (!is_map(field)) {
      out_ += ',';
    }
    if (is_map(field))
      entry(field, view(reader));
    else if (field.form == ProtobufForm::kMessage)
      message(*field.message, view(reader));
    else
      text(view(reader));
    return &field;
  }

  void entry(const ProtobufField& field, std::string_view bytes) {
    Entry entry;
    for (pbf_reader reader = inner(bytes); reader.next();) {
      if (reader.tag() == kKey)
        entry.key = view(reader);
      else if (reader.tag() == kValue)
        entry.value = view(reader);
      else
        reader.skip();
    }
    key(entry.key);
    text(field.form == ProtobufForm::kQuantities ? quantity(entry.value) : entry.value);
  }

  static std::string_view quantity(std::string_view bytes) {
    pbf_reader reader = inner(bytes);
    return reader.next(kString) ? view(reader) : std::string_view("0");
  }

  void one(const ProtobufField& field, pbf_reader& reader) {
    switch (field.form) {
      case ProtobufForm::kNumber:
        key(field.name);
        return number(number_of(reader));
      case ProtobufForm::kBool:
        key(field.name);
        out_ += number_of(reader) != 0 ? "true" : "false";
        return;
      case ProtobufForm::kInline:
        fields(*field.message, view(reader));
        return;
      default:
        return part(field, view(reader));
    }
  }

  void part(const ProtobufField& field, std::string_view bytes) {
    if (bytes.empty() && (field.form == ProtobufForm::kText || field.form == ProtobufForm::kTime))
      return;
    key(field.name);
    if (field.form == ProtobufForm::kMessage) return message(*field.message, bytes);
    if (field.form != ProtobufForm::kTime) return text(bytes);
    pbf_reader time = inner(bytes);
    text(format_timestamp(time.next(kSeconds) ? number_of(time) : 0));
  }

  std::string out_;
};

struct Wrapped {
  std::string_view version, kind;
  std::optional<std::string_view> raw;
};

Wrapped unwrap(std::string_view bytes) {
  Wrapped out;
  for (pbf_reader reader = inner(bytes); reader.next();) {
    if (reader.tag() == kRaw) {
      out.raw = view(reader);
    } else if (reader.tag() == kTypeMeta) {
      for (pbf_reader type = inner(view(reader)); type.next();) {
        if (type.tag() == kApiVersion)
          out.version = view(type);
        else if (type.tag() == kKind)
          out.kind = view(type);
        else
          type.skip();
      }
    } else {
      reader.skip();
    }
  }
  return out;
}

Error unreadable(const std::string& why) {
  return {Errc::kInvalidInput, "the server's protobuf cannot be read: " + why, {}, {}};
}

}  // namespace

bool is_protobuf(std::string_view body) { return body.substr(0, kMagic.size()) == kMagic; }

Result<std::string> json_of_protobuf(std::string_view body) try {
  if (!is_protobuf(body)) return unreadable("it does not begin as such");
  const Wrapped wrapped = unwrap(body.substr(kMagic.size()));
  const ProtobufMessage* const message = protobuf_message(wrapped.kind);
  if (wrapped.version != "v1" || !message)
    return unreadable("it is of another kind than was asked for");
  if (!wrapped.raw) return unreadable("it is cut off");
  JsonWriter writer(body.size());
  writer.list(wrapped.version, wrapped.kind, *message, *wrapped.raw);
  return writer.take();
} catch (const std::exception& wrong) {
  return unreadable(wrong.what());
}

}  // namespace gedge::codec
