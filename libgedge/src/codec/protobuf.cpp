#include "gedge/codec/protobuf.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <utility>

#include "codec/json_text.hpp"
#include "codec/protobuf_schema.hpp"
#include "codec/source.hpp"
#include "gedge/base/units.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

using protozero::pbf_reader;

// What runtime.Unknown begins with, which all else is wrapped in, and its fields.
constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::uint32_t kTypeMeta = 1, kRaw = 2, kEncoding = 3, kApiVersion = 1, kKind = 2;
// Of a list, and of what it says of itself.
constexpr std::uint32_t kListMeta = 1, kListVersion = 2, kContinue = 3;
// Of an entry of a map, of a time, and of a quantity.
constexpr std::uint32_t kKey = 1, kValue = 2, kSeconds = 1, kString = 1;
// The years 1 to 9999.
constexpr UnixSeconds kFirstSecond = -62'135'596'800, kLastSecond = 253'402'300'799;
// Of what is written: names may be many times as long as their numbers.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

// The library only asserts it: a release build would read on.
void expect(const pbf_reader& reader, protozero::pbf_wire_type type) {
  if (reader.wire_type() != type) throw std::invalid_argument("a field has another type");
}

std::string_view bytes_of(pbf_reader& reader) {
  expect(reader, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view data = reader.get_view();
  return {data.data(), data.size()};
}

std::int64_t number_of(pbf_reader& reader) {
  expect(reader, protozero::pbf_wire_type::varint);
  return reader.get_int64();
}

pbf_reader reader_of(std::string_view bytes) { return pbf_reader(bytes.data(), bytes.size()); }

class JsonWriter {
 public:
  /// `mends`: texts that are not UTF-8 are written as a server writes them in JSON, with U+FFFD.
  JsonWriter(std::size_t expected, bool mends) : mends_(mends) { out_.reserve(expected); }

  void root(std::string_view version, std::string_view kind, const ProtobufMessage& message,
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
  void text(std::string_view content) {
    if (mends_ && !is_utf8(content))
      out_ +=
          nlohmann::json(content).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    else
      append_json_text(out_, content);
  }

  void part() {
    if (out_.back() != '{') out_ += ',';
  }

  // Of the schema: nothing in it is to be escaped.
  void key(std::string_view name) {
    part();
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }

  void number(std::int64_t value) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
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
    auto known = what.fields.begin();  // a server writes them by number, too
    for (pbf_reader reader = reader_of(bytes); reader.next();) {
      if (known == what.fields.end() || known->number > reader.tag()) known = what.fields.begin();
      known = std::find_if(known, what.fields.end(), [&](const ProtobufField& field) {
        return field.number >= reader.tag();
      });
      const bool is_known = known != what.fields.end() && known->number == reader.tag();
      const ProtobufField* const field = is_known ? &*known : nullptr;
      if (field != open) close(std::exchange(open, nullptr));
      if (!field) {
        reader.skip();
        continue;
      }
      const std::uint64_t bit = std::uint64_t{1} << (known - what.fields.begin());
      if (!open && (seen & bit) != 0) throw std::invalid_argument("fields stand apart");
      seen |= bit;
      if (is_many(*field))
        open = add_element(*field, open == field, reader);
      else
        single(*field, reader);
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

  const ProtobufField* add_element(const ProtobufField& field, bool is_open, pbf_reader& reader) {
    if (out_.size() > kMostBytes) throw std::invalid_argument("it is larger than 1 GiB");
    if (!is_open) {
      key(field.name);
      out_ += is_map(field) ? '{' : '[';
    } else if (!is_map(field)) {
      out_ += ',';
    }
    if (is_map(field))
      entry(field, bytes_of(reader));
    else if (field.form == ProtobufForm::kMessage)
      message(*field.message, bytes_of(reader));
    else
      text(bytes_of(reader));
    return &field;
  }

  void entry(const ProtobufField& field, std::string_view bytes) {
    std::string_view name, value;
    for (pbf_reader reader = reader_of(bytes); reader.next();) {
      if (reader.tag() == kKey)
        name = bytes_of(reader);
      else if (reader.tag() == kValue)
        value = bytes_of(reader);
      else
        reader.skip();
    }
    part();
    text(name);
    out_ += ':';
    text(field.form == ProtobufForm::kQuantities ? quantity(value) : value);
  }

  static std::string_view quantity(std::string_view bytes) {
    pbf_reader reader = reader_of(bytes);
    return reader.next(kString) ? bytes_of(reader) : std::string_view("0");
  }

  void single(const ProtobufField& field, pbf_reader& reader) {
    switch (field.form) {
      case ProtobufForm::kNumber:
        key(field.name);
        return number(number_of(reader));
      case ProtobufForm::kBool:
        key(field.name);
        out_ += number_of(reader) != 0 ? "true" : "false";
        return;
      case ProtobufForm::kInline:
        fields(*field.message, bytes_of(reader));
        return;
      case ProtobufForm::kMessage:
        key(field.name);
        return message(*field.message, bytes_of(reader));
      case ProtobufForm::kAnyText:
        key(field.name);
        return text(bytes_of(reader));
      case ProtobufForm::kText:
      case ProtobufForm::kTime:
        if (const std::string_view bytes = bytes_of(reader); !bytes.empty()) {
          key(field.name);
          if (field.form == ProtobufForm::kTime)
            text(time(bytes));
          else
            text(bytes);
        }
        return;
      case ProtobufForm::kTexts:
      case ProtobufForm::kQuantities:
        return;  // of which there are many
    }
  }

  static std::string time(std::string_view bytes) {
    pbf_reader reader = reader_of(bytes);
    const UnixSeconds seconds = reader.next(kSeconds) ? number_of(reader) : 0;
    if (seconds < kFirstSecond || seconds > kLastSecond)
      throw std::invalid_argument("a time that no calendar has");
    return format_timestamp(seconds);
  }

  std::string out_;
  bool mends_ = false;
};

struct Wrapped {
  std::string_view version, kind, encoding;
  std::optional<std::string_view> raw;
  const ProtobufMessage* message = nullptr;
};

Wrapped unwrap(std::string_view bytes) {
  Wrapped out;
  for (pbf_reader reader = reader_of(bytes); reader.next();) {
    if (reader.tag() == kRaw) {
      out.raw = bytes_of(reader);
    } else if (reader.tag() == kEncoding) {
      out.encoding = bytes_of(reader);
    } else if (reader.tag() == kTypeMeta) {
      for (pbf_reader type = reader_of(bytes_of(reader)); type.next();) {
        if (type.tag() == kApiVersion)
          out.version = bytes_of(type);
        else if (type.tag() == kKind)
          out.kind = bytes_of(type);
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
  return {Errc::kInvalidInput,
          "the server's protobuf cannot be read: " + why,
          {},
          "see what stands between gedge and the API server"};
}

// `list`, or a Status.
Result<Wrapped> open(std::string_view body, std::string_view list) {
  if (!is_protobuf(body)) return unreadable("it does not begin as such");
  Wrapped wrapped = unwrap(body.substr(kMagic.size()));
  const bool is_asked_for = wrapped.kind == list || wrapped.kind == "Status";
  if (is_asked_for) wrapped.message = protobuf_message(wrapped.kind);
  if (wrapped.version != "v1" || !wrapped.message || !wrapped.encoding.empty())
    return unreadable("it is of another kind than was asked for");
  if (!wrapped.raw) return unreadable("it is cut off");
  return wrapped;
}

std::string write(const Wrapped& wrapped, std::size_t expected, bool mends) {
  JsonWriter writer(expected, mends);
  writer.root(wrapped.version, wrapped.kind, *wrapped.message, *wrapped.raw);
  return writer.take();
}

// The metadata of a list are written first: what stands behind them is not looked at.
ListMeta meta_of(std::string_view list) {
  ListMeta meta;
  pbf_reader reader = reader_of(list);
  if (!reader.next(kListMeta)) throw std::invalid_argument("it says nothing of itself");
  for (pbf_reader part = reader_of(bytes_of(reader)); part.next();) {
    if (part.tag() == kListVersion)
      meta.version = bytes_of(part);
    else if (part.tag() == kContinue)
      meta.next = bytes_of(part);
    else
      part.skip();
  }
  return meta;
}

// `read` of what is wrapped, whatever is thrown.
template <typename Read>
auto read_list(std::string_view body, std::string_view list, Read read)
    -> Result<decltype(read(std::declval<const Wrapped&>()))> try {
  auto wrapped = open(body, list);
  if (!wrapped) return std::move(wrapped).error();
  return read(*wrapped);
} catch (const protozero::exception&) {
  return unreadable("it is cut off or damaged");
} catch (const std::invalid_argument& wrong) {
  return unreadable(wrong.what());
} catch (const std::bad_alloc&) {
  return unreadable("there is not enough memory for it");
}

}  // namespace

bool is_protobuf(std::string_view body) { return body.substr(0, kMagic.size()) == kMagic; }

Result<std::string> json_of_protobuf(std::string_view body, std::string_view list) {
  return read_list(body, list, [&](const Wrapped& wrapped) {
    std::string json = write(wrapped, body.size(), false);
    if (!is_utf8(json)) json = write(wrapped, body.size(), true);
    return json;
  });
}

Result<ListMeta> meta_of_protobuf(std::string_view body, std::string_view list) {
  return read_list(body, list, [&](const Wrapped& wrapped) {
    if (wrapped.kind != list) throw std::invalid_argument("it is no list");
    return meta_of(*wrapped.raw);
  });
}

}  // namespace gedge::codec
