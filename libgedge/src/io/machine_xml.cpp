#include "io/machine_xml.hpp"

#include <expat.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>

#include "io/shared_library.hpp"

namespace gedge {
namespace {

constexpr const char* kFile = "libexpat.so.1";

// The functions of libexpat, found when the first description is read.
struct ExpatLibrary {
  decltype(&::XML_ParserCreate) create = nullptr;
  decltype(&::XML_ParserFree) destroy = nullptr;
  decltype(&::XML_SetUserData) set_user = nullptr;
  decltype(&::XML_SetStartElementHandler) on_element = nullptr;
  decltype(&::XML_SetEntityDeclHandler) on_entity = nullptr;
  decltype(&::XML_Parse) parse = nullptr;
  decltype(&::XML_StopParser) stop = nullptr;
  decltype(&::XML_GetErrorCode) error = nullptr;
  decltype(&::XML_ErrorString) words_of = nullptr;
  decltype(&::XML_GetCurrentByteIndex) place = nullptr;
  decltype(&::XML_GetCurrentByteCount) length = nullptr;
};

Result<ExpatLibrary> open_library() {
  SharedLibrary file(kFile, "libexpat1");
  ExpatLibrary library;
  file.find(library.create, "XML_ParserCreate");
  file.find(library.destroy, "XML_ParserFree");
  file.find(library.set_user, "XML_SetUserData");
  file.find(library.on_element, "XML_SetStartElementHandler");
  file.find(library.on_entity, "XML_SetEntityDeclHandler");
  file.find(library.parse, "XML_Parse");
  file.find(library.stop, "XML_StopParser");
  file.find(library.error, "XML_GetErrorCode");
  file.find(library.words_of, "XML_ErrorString");
  file.find(library.place, "XML_GetCurrentByteIndex");
  file.find(library.length, "XML_GetCurrentByteCount");
  GEDGE_TRY(file.check());
  return library;
}

bool names_a_set(std::string_view attribute) {
  for (const std::string_view kind : {"cpuset", "nodeset"})
    if (attribute.ends_with(kind) &&
        (attribute.size() == kind.size() || attribute[attribute.size() - kind.size() - 1] == '_'))
      return true;
  return false;
}

// As hwloc prints 32 bits: "0x0000000f"; nothing for zeros between others.
bool is_part_of_set(std::string_view text) {
  constexpr std::size_t kMostDigits = 8;
  if (text.empty()) return true;
  if (text.starts_with("0x")) text.remove_prefix(2);
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Parts with commas between them, the highest first; all CPUs beyond them behind "0xf...f".
bool is_set(std::string_view text) {
  constexpr std::string_view kAllBeyond = "0xf...f";
  if (text.empty()) return false;
  if (text.starts_with(kAllBeyond)) {
    text.remove_prefix(kAllBeyond.size());
    if (text.empty()) return true;
    if (text.front() != ',') return false;
    text.remove_prefix(1);
  }
  for (;;) {
    const std::size_t end = text.find(',');
    if (!is_part_of_set(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

std::string cut(std::string_view text) {
  constexpr std::size_t kMost = 100;
  return std::string(text.substr(0, kMost)) + (text.size() > kMost ? "..." : "");
}

SourceSpan span_at(const std::string& name, std::string_view text, std::size_t at,
                   std::size_t length) {
  constexpr std::size_t kMostExcerpt = 400;
  at = std::min(at, text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // 0 where there is none
  const std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  return {name, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(at - begin) + 1, std::string(line.size() <= kMostExcerpt ? line : ""),
          static_cast<int>(std::max<std::size_t>(length, 1))};
}

class Reading {
 public:
  Reading(const ExpatLibrary& expat, const std::string& name, std::string_view text)
      : expat_(expat), name_(name), text_(text), parser_(expat.create(nullptr), expat.destroy) {}

  Status run() {
    if (parser_ == nullptr) return Error{Errc::kDenied, "out of memory", {}, {}};
    expat_.set_user(parser_.get(), this);
    expat_.on_element(parser_.get(), see_element);
    expat_.on_entity(parser_.get(), see_entity);
    constexpr int kIsAll = 1;
    if (expat_.parse(parser_.get(), text_.data(), static_cast<int>(text_.size()), kIsAll) ==
        XML_STATUS_OK)
      return {};
    if (wrong_) return *std::move(wrong_);
    const char* const words = expat_.words_of(expat_.error(parser_.get()));
    return at(place(), 1, std::string("no valid XML: ") + (words != nullptr ? words : "unknown"));
  }

 private:
  std::size_t place() const {
    return static_cast<std::size_t>(std::max<XML_Index>(expat_.place(parser_.get()), 0));
  }
  Error at(std::size_t offset, std::size_t length, std::string what) const {
    return invalid_input(std::move(what), span_at(name_, text_, offset, length),
                         "write it anew with `lstopo --of xml FILE.xml`");
  }
  void stop(Error error) {
    if (!wrong_) wrong_ = std::move(error);
    expat_.stop(parser_.get(), XML_FALSE);
  }

  // Where the value of an attribute of the tag at hand begins.
  std::size_t value_of(std::string_view attribute) const {
    const std::size_t begin = place();
    const std::string_view tag =
        text_.substr(begin, static_cast<std::size_t>(expat_.length(parser_.get())));
    for (std::size_t found = tag.find(attribute); found != std::string_view::npos;
         found = tag.find(attribute, found + 1)) {
      const bool is_whole =
          found > 0 && std::string_view(" \t\r\n").find(tag[found - 1]) != std::string_view::npos;
      const std::size_t quote = tag.find_first_of("\"'", found);
      if (is_whole && quote != std::string_view::npos) return begin + quote + 1;
    }
    return begin;
  }

  static void XMLCALL see_element(void* self, const XML_Char*, const XML_Char** attributes) {
    Reading& reading = *static_cast<Reading*>(self);
    for (; *attributes != nullptr; attributes += 2) {
      const std::string_view name = attributes[0], value = attributes[1];
      if (!names_a_set(name) || is_set(value)) continue;
      reading.stop(reading.at(reading.value_of(name), value.size(),
                              "'" + cut(value) + "' is no set as hwloc writes it"));
      return;
    }
  }

  static void XMLCALL see_entity(void* self, const XML_Char* entity, int, const XML_Char*, int,
                                 const XML_Char*, const XML_Char*, const XML_Char*,
                                 const XML_Char*) {
    Reading& reading = *static_cast<Reading*>(self);
    reading.stop(
        reading.at(reading.place(), 1, "entity '" + cut(entity) + "': no machine needs entities"));
  }

  const ExpatLibrary& expat_;
  const std::string& name_;
  std::string_view text_;
  std::unique_ptr<XML_ParserStruct, decltype(&::XML_ParserFree)> parser_;
  std::optional<Error> wrong_;
};

}  // namespace

Status check_machine_xml(const std::string& name, std::string_view text) {
  static const Result<ExpatLibrary> library = open_library();
  if (!library) return library.error();
  return Reading(*library, name, text).run();
}

}  // namespace gedge
