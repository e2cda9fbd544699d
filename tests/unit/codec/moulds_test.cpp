// Elements that an earlier one recognises by their bytes are not walked: values, places and errors
// must be those of walking every byte.
#include "codec/moulds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "codec/stream.hpp"
#include "codec/stream_parsers.hpp"
#include "support/dice.hpp"

namespace gedge::codec {
namespace {

using test::Dice;

/// Writes down what it is shown, and every place; complains about values called `wrong`.
struct Recorder final : StreamHandler {
  bool wants_elements(Cursor root) override {
    const auto kind = root.find("kind");
    return !kind || kind->raw_text() == "List";
  }
  void element(Cursor element, StreamContext& context) override {
    if (element.mould() != nullptr) ++from_moulds;
    record("element of " + context.root_text("kind").value_or("-"), element);
  }
  void document(Cursor root, bool streamed) override {
    record(streamed ? "streamed" : "document", root);
  }

  void record(const std::string& what, Cursor value) {
    log.push_back(what + " " + value.to_json());
    const Fingerprint print = value.fingerprint();
    log.push_back(std::to_string(print.low) + "," + std::to_string(print.high));
    places.clear();
    places_of(value, false);
    log.push_back(places);
  }
  // Parts that came before stand where they stood first.
  void places_of(Cursor value, bool is_part) {
    const Place place = value.place();
    const bool hidden = is_part || value.shared() != nullptr;
    places += hidden ? "?" : std::to_string(place.line) + ":" + std::to_string(place.column);
    places += " ";
    if (value.is_list()) value.items([&](Cursor item) { places_of(item, hidden); });
    if (!value.is_map()) return;
    value.fields([&](std::string_view key, Cursor field) {
      places_of(field, hidden);
      if (key == "wrong") field.fail("wrong " + std::string(field.raw_text()));
      if (field.raw_text() == "odd") field.warn("Odd", "odd");
    });
  }
  std::vector<std::string> log;
  std::string places;
  std::size_t from_moulds = 0;
};

template <typename Stream>
Recorder read_by(const std::string& text, std::size_t padding, Stream stream) {
  Diagnostics diagnostics;
  const Source source("in", std::string_view(text).substr(0, text.size() - padding), 0, padding);
  Recorder recorder;
  const auto at = [](const SourceSpan& where) {
    return std::to_string(where.line) + ":" + std::to_string(where.column) + " ";
  };
  if (!stream(source, diagnostics, StreamOptions{}, recorder)) recorder.log.push_back("incomplete");
  for (const Warning& warning : diagnostics.take_warnings())
    recorder.log.push_back("warning " + at(warning.where) + warning.message);
  for (const Error& error : diagnostics.take_errors())
    recorder.log.push_back("error " + at(error.where) + error.what);
  return recorder;
}

bool agrees(const std::string& line, const std::string& whole) {
  std::istringstream words(line), others(whole);
  for (std::string word, other; words >> word;)
    if (!(others >> other) || (word != other && word != "?")) return false;
  std::string more;
  return !(others >> more);
}

void compare(Recorder moulds, const Recorder& whole) {
  // Of a text that is refused at first sight nothing is handed on; the other reading comes to know
  // later.
  if (whole.log[0] == "incomplete")
    moulds.log.erase(moulds.log.begin(),
                     std::find(moulds.log.begin(), moulds.log.end(), whole.log[0]));
  CHECK(moulds.log.size() == whole.log.size());
  const std::size_t lines = std::min(moulds.log.size(), whole.log.size());
  for (std::size_t i = 0; i < lines; ++i) {
    if (moulds.log[i] == whole.log[i] || agrees(moulds.log[i], whole.log[i])) continue;
    CAPTURE(i);
    CHECK(moulds.log[i] == whole.log[i]);
    return;
  }
}

/// How many elements were recognised; what was read does not differ.
std::size_t recognised(const std::string& text) {
  const Recorder moulds = read_by(text, 0, stream_json),
                 whole = read_by(text, 0, stream_whole_json);
  compare(moulds, whole);
  CHECK(whole.from_moulds == 0);
  compare(read_by(text + std::string(64, '\n'), 64, stream_json), whole);
  return moulds.from_moulds;
}

std::string element(int i, const std::string& kind, const std::string& name) {
  return R"({"metadata": {"name": ")" + name + R"(", "labels": {"app": ")" + kind +
         R"("}}, "spec": {"containers": [{"image": "image-)" + kind +
         R"(", "args": ["a", "\"b\"", {}]}], "priority": 0}, "status": {"ip": "10.0.0.)" +
         std::to_string(i % 250) + R"("}})";
}

std::vector<std::string> elements(int count, int kinds) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i)
    all.push_back(element(i, std::to_string(i % kinds), "pod-" + std::to_string(i)));
  return all;
}

std::string list_of(const std::vector<std::string>& items, const std::string& between = ",\n ") {
  std::string text = R"({"kind": "List", "items": [)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? between : "\n ") + items[i];
  return text + "\n]}\n";
}

TEST_CASE("moulds: what differs in texts alone is recognised, templates interleaved or not") {
  CHECK(recognised(list_of(elements(400, 1))) > 350);
  CHECK(recognised(list_of(elements(400, 7))) > 300);
  CHECK(recognised(list_of(elements(400, 7), ",")) > 300);
  std::vector<std::string> shuffled = elements(400, 7);
  Dice(1).shuffle(shuffled);
  CHECK(recognised(list_of(shuffled)) > 300);
  std::string pretty;
  for (const char c : list_of(elements(400, 7), ",")) {
    pretty += c;
    if (c == ',' || c == '{' || c == '[') pretty += "\n    ";
  }
  CHECK(recognised(pretty) > 300);
}

// Each text is the same for long, and then another one: equal at its beginning, longer, shorter.
TEST_CASE("moulds: texts that differ from a later element on, in 200 lists") {
  const std::vector<std::string> contents = {"a", "ab",       "",      "abcdefgh", "abcdefghi",
                                             "b", "\xC3\xA4", "a\\\"", "x}, {y"};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const std::size_t kinds = 1 + dice.below(3), rare = 1 + dice.below(20);
    std::vector<std::vector<std::string>> texts(kinds, std::vector<std::string>(6, "a"));
    std::vector<std::string> items;
    for (std::size_t i = 0; i < 200; ++i) {
      const std::size_t kind = dice.below(kinds);
      std::vector<std::string>& own = texts[kind];
      if (i > 60 && dice.chance(rare)) own[dice.below(own.size())] = dice.pick(contents);
      std::string item = R"({"id": ")" + std::to_string(i) + R"(", "kind": )" +
                         std::to_string(kind % 2) + R"(, "list": [")" + own[0] + R"(", [")" +
                         own[1] + R"(", 1, ")" + own[2] + R"("]], "map": {"x": ")" + own[3] +
                         R"(", "y": {"z": ")" + own[4] + R"("}}, )";
      items.push_back(item + "\"end" + std::string(kind / 2, 's') + R"(": ")" + own[5] + "\"}");
    }
    CAPTURE(seed);
    CHECK(recognised(list_of(items)) > 100);
  }
}

TEST_CASE("moulds: contents with escapes, quotes, braces and other scripts") {
  for (const std::string name :
       {"", "\\\"", "a\\\\", "\\u0041", "}, {", "\xC3\xA4\xE2\x82\xAC", "items\\\": [", "/", "\\n",
        "a rather long name that takes more than a few words to be written down in full"}) {
    std::vector<std::string> items = elements(300, 3);
    for (int i = 0; i < 30; ++i) {
      const std::size_t place = 200 + 3 * static_cast<std::size_t>(i);
      items[place] = element(i, "1", name);
      items[place + 1] = element(i, name, "x");
    }
    CAPTURE(name);
    CHECK(recognised(list_of(items)) > 100);
  }
}

TEST_CASE("moulds: a list wherever it stands, and several documents") {
  const std::string list = list_of(elements(200, 2));
  const std::string inner = list.substr(list.find('['), list.rfind('}') - list.find('['));
  CHECK(recognised(inner) > 150);
  CHECK(recognised(R"({"items": )" + inner + R"(, "kind": "List", "z": {"items": [1]}})") > 150);
  CHECK(recognised(R"({"a": {"b": "\"items\": ["}, "kind": "List", "items": )" + inner + "}") >
        150);
  CHECK(recognised(R"({"a": "items", "kind": "List", "items" : )" + inner + "}") > 150);
  CHECK(recognised(R"({"a": {"items": [{}]}, "kind": "List", "items": )" + inner + "}") == 0);
  CHECK(recognised(R"({"kind": "Menu", "items": )" + inner + "}") == 0);
  CHECK(recognised(R"({"kind": "List", "items": )" + inner + R"(, "items": )" + inner + "}") > 150);
  CHECK(recognised(list + list + inner + "\n" + list) > 600);
  CHECK(recognised(list + R"({"kind": "Pod"})" + list) > 150);
  std::string many;
  for (int i = 0; i < 64; ++i) many += R"({"items": [{"a": "b"}]})";
  recognised(many);
  // More of them only element by element: as a whole each one costs an index of the rest.
  many += R"({"items": [{"a": "b"}]})";
  const Recorder by_element = read_by(many, 0, stream_json);
  CHECK(std::count(by_element.log.begin(), by_element.log.end(), "incomplete") == 0);
  CHECK(read_by(many, 0, stream_whole_json).log.back().find("more than 64") != std::string::npos);
  for (const char* tail : {"", "}", "]", ",", ",}", "1}", "]}", ":1}", R"("a": 1})", R"(,"a": 1)",
                           R"(,"a": 1, "a": 2})", R"(,"kind": "List"} x)", R"(,"kind": "List"} {)",
                           R"(, "z": "odd"})", R"(, "wrong": 1})", R"(, "kind": "List})"}) {
    CAPTURE(tail);
    recognised(R"({"items": )" + inner + tail);
  }
}

TEST_CASE("moulds: elements that are broken, no objects, or complained about") {
  for (const std::string odd : {"null",
                                "1",
                                "\"a\"",
                                "[]",
                                "{}",
                                "{",
                                "}",
                                "]",
                                "",
                                "{\"a\" 1}",
                                "{\"a\": [}",
                                "{\"a\": \"",
                                "{\"a\": 1, \"a\": 2}",
                                "{\"wrong\": \"x\"}",
                                "{\"a\": \"odd\"}",
                                "{\"a\": 01}",
                                "{\"a\": tru}",
                                "{\"a\": \"\\x\"}",
                                "{\"a\": \"\t\"}",
                                "{\"a\": 1},"}) {
    for (const std::size_t at : {0U, 2U, 150U, 199U}) {
      std::vector<std::string> items = elements(200, 2);
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), odd);
      CAPTURE(odd);
      CAPTURE(at);
      recognised(list_of(items));
    }
  }
  std::vector<std::string> items = elements(200, 2);
  for (const std::size_t at : {50U, 120U, 160U})
    items[at].replace(items[at].find("priority"), 8, "wrong");
  CHECK(recognised(list_of(items)) > 0);
}

TEST_CASE("moulds: text that breaks off") {
  const std::string text = list_of(elements(150, 2));
  for (std::size_t size = text.size() - 1; size > text.size() - 700; size -= 3) {
    CAPTURE(size);
    recognised(text.substr(0, size));
  }
}

TEST_CASE("moulds: 3,000 damaged texts are read as if every byte was walked") {
  Dice dice(8);
  const std::vector<std::string> bits = {"\"", "\\", "{",  "}", "[",    "]",    ",", ":",
                                         "1",  " ",  "\n", "a", "\\\"", "null", "-", "\xC3\xA4"};
  std::size_t from_moulds = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string text = list_of(elements(60 + static_cast<int>(dice.below(60)), 2),
                               dice.chance(50) ? "," : ",\n  ");
    for (std::size_t change = dice.below(4); change < 3; ++change) {
      const std::size_t at = dice.below(text.size());
      text.replace(at, dice.below(3), dice.pick(bits));
    }
    CAPTURE(round);
    from_moulds += recognised(text);
  }
  CHECK(from_moulds > 10'000);
}

TEST_CASE("moulds: many kinds of elements, and elements too large for any") {
  CHECK(recognised(list_of(elements(6'000, 1'500))) < 6'000);
  std::vector<std::string> large = elements(100, 1);
  for (std::string& item : large) item.insert(1, "\"a\": \"" + std::string(70'000, 'x') + "\", ");
  CHECK(recognised(list_of(large)) == 0);
}

}  // namespace
}  // namespace gedge::codec
