#include "codec/write_parts.hpp"

#include <array>
#include <charconv>

namespace gedge {
namespace codec {
namespace {

/// Takes ":NUMBER" off the end; 0 if there is none.
int take_number(std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return 0;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data() + colon + 1, end, number);
  if (failed != std::errc{} || rest != end || number <= 0) return 0;
  text.resize(colon);
  return number;
}

}  // namespace

void put_remarks(DocumentSink& sink, const std::vector<Warning>& warnings,
                 const std::vector<SkippedObject>& skipped) {
  sink.list("warnings", warnings.size(), [&](std::size_t i) {
    const Warning& w = warnings[i];
    return Json{{"code", w.code}, {"message", w.message}, {"where", place_text(w.where)}};
  });
  sink.list("skipped", skipped.size(), [&](std::size_t i) {
    return Json{{"kind", skipped[i].kind}, {"name", skipped[i].name}};
  });
}

std::string place_text(const SourceSpan& where) {
  if (where.line == 0) return where.origin;
  return where.origin + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

SourceSpan parse_place(const std::string& text) {
  SourceSpan where{text, 0, 0, "", 1};
  const int column = take_number(where.origin);
  const int line = column > 0 ? take_number(where.origin) : 0;
  if (line == 0) return {text, 0, 0, "", 1};
  where.line = line;
  where.column = column;
  return where;
}

}  // namespace codec

namespace {
constexpr std::array<std::string_view, 2> kCompats{"1.20", "1.36"};
}

std::string_view to_string(Compat compat) { return kCompats[compat == Compat::k1_20 ? 0 : 1]; }

std::optional<Compat> parse_compat(std::string_view text) {
  if (text == kCompats[0]) return Compat::k1_20;
  if (text == kCompats[1]) return Compat::k1_36;
  return std::nullopt;
}

}  // namespace gedge
