// Texts made to break readers: refused with a place, quickly, and in bounded memory.
#include <doctest/doctest.h>

#include <string>

#include "codec/cursor.hpp"
#include "codec/stream.hpp"

namespace gedge::codec {
namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct Counter final : StreamHandler {
  bool wants_elements(Cursor) override { return true; }
  void element(Cursor, StreamContext&) override { ++elements; }
  void document(Cursor root, bool) override { documents += root.is_null() ? 0 : 1; }
  int elements = 0, documents = 0;
};

/// "line:column: what" of every error; "ok: D documents, E elements" without one.
std::string stream(std::string_view bytes, std::uint64_t max_bytes = 1u << 30) {
  Diagnostics diagnostics;
  const Source source("in", bytes);
  Counter counter;
  const bool read = read_stream(source, diagnostics, {"items", max_bytes}, counter);
  std::string out;
  for (const Error& error : diagnostics.take_errors())
    out += std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + ": " +
           error.what + "\n";
  if (!out.empty()) return out;
  CHECK(read);
  return "ok: " + std::to_string(counter.documents) + " documents, " +
         std::to_string(counter.elements) + " elements";
}

TEST_CASE("hostile: stray commas end, and say where") {
  CHECK(stream(",") ==
        "1:1: no valid YAML: did not find expected node content while parsing a block node\n");
  CHECK(stream("--- ,x\n") ==
        "1:5: no valid YAML: did not find expected node content while parsing a block node\n");
  CHECK(stream("a: 1\n---\n,\n") ==
        "3:1: no valid YAML: did not find expected node content while parsing a block node\n");
}

TEST_CASE("hostile: broken YAML") {
  CHECK(stream("a: [1,\nb: 2\n") ==
        "3:1: no valid YAML: did not find expected ',' or ']' while parsing a flow sequence begun "
        "in line 1\n");
  CHECK(
      stream("a:\n\tb: 1\n") ==
      "2:1: no valid YAML: a tab where only spaces may stand while scanning for the next token\n");
  CHECK(stream("a: \"x\n---\n") ==
        "2:1: no valid YAML: found unexpected document indicator while scanning a quoted scalar "
        "begun in line 1\n");
  CHECK(stream("a: b: c\n") ==
        "1:5: no valid YAML: mapping values are not allowed in this context\n");
  CHECK(stream("%YAML 9.0\n---\na: 1\n") ==
        "1:1: no valid YAML: found incompatible YAML document\n");
  CHECK(stream("a: *nobody\n") == "1:4: alias '*nobody' has no anchor before it\n");
  CHECK(stream("a: x\x07y\n") == "1:5: no valid YAML: control characters are not allowed\n");
  CHECK(stream("a: 1\n b: 2\n").find("2:3: no valid YAML: mapping values") == 0);
}

TEST_CASE("hostile: encodings") {
  CHECK(stream("") == "ok: 0 documents, 0 elements");
  CHECK(stream("# only\n# comments\n") == "ok: 0 documents, 0 elements");
  CHECK(stream("---\n---\n...\n") == "ok: 0 documents, 0 elements");
  CHECK(stream("\xEF\xBB\xBF"
               "a: 1\r\nb: 2\r\n") == "ok: 1 documents, 0 elements");
  CHECK(stream("\xEF\xBB\xBF{\"a\": 1}\r\n") == "ok: 1 documents, 0 elements");
  CHECK(stream("a: 1\rb: 2\r\nc: 3\n") == "ok: 1 documents, 0 elements");
  CHECK(stream(std::string_view("a: 1\nb: \0\n", 10)) == "2:4: the text has a NUL byte\n");
  CHECK(stream(std::string_view("\xFF\xFE"
                                "a\0:\0",
                                6)) == "1:1: the text is UTF-16\n");
  CHECK(stream("a: 1\nb: \xC3(\n") == "2:4: the text is not UTF-8\n");
  CHECK(stream("{\"a\": \"\xED\xA0\x80\"}") == "1:8: the text is not UTF-8\n");
  CHECK(stream("a: 12345\n", 5) == "1:1: more than 5 bytes\n");
}

TEST_CASE("hostile: 64 levels are read and 65 refused, in every syntax") {
  const auto json = [](std::size_t depth) { return repeat("[", depth) + repeat("]", depth); };
  CHECK(stream(json(64)) == "ok: 0 documents, 1 elements");
  CHECK(stream(json(65)) == "1:65: nested too deeply\n");
  CHECK(stream(repeat("{\"a\":", 63) + "{}" + repeat("}", 63)) == "ok: 1 documents, 0 elements");
  CHECK(stream(repeat("{\"a\":", 64) + "{}" + repeat("}", 64)) == "1:321: nested too deeply\n");
  CHECK(stream("a: " + json(63)) == "ok: 1 documents, 0 elements");
  CHECK(stream("a: " + json(64)) == "1:67: nested too deeply\n");
  CHECK(stream(repeat("- ", 64) + "x\n") == "ok: 0 documents, 1 elements");
  CHECK(stream(repeat("- ", 65) + "x\n") == "1:129: nested too deeply\n");
  CHECK(stream("{\"items\": [" + json(62) + "]}") == "ok: 1 documents, 1 elements");
  CHECK(stream("{\"items\": [" + json(63) + "]}") == "1:74: nested too deeply\n");
}

TEST_CASE("hostile: a hundred thousand levels cost no stack") {
  CHECK(stream(std::string(100'000, '[')) == "1:65: nested too deeply\n");
  CHECK(stream("a: " + std::string(100'000, '[')) == "1:67: nested too deeply\n");
  CHECK(stream(repeat("- ", 100'000) + "x\n") == "1:129: nested too deeply\n");
  CHECK(stream(repeat("{\"a\":", 100'000)) == "1:321: nested too deeply\n");
  std::string block;
  for (std::size_t i = 0; i < 2'000; ++i) block += std::string(i, ' ') + "k:\n";
  CHECK(stream(block) == "65:65: nested too deeply\n");
}

TEST_CASE("hostile: alias bombs are refused by budget with the line of the anchor") {
  for (const int levels : {9, 60}) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < levels; ++i) {
      const std::string before = "*a" + std::to_string(i - 1);
      bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
              repeat(before + ", ", 8) + before + "]\n";
    }
    CHECK(stream(bomb) == "7:10: aliases expand to too much (anchor at 6:5)\n");
  }
  CHECK(stream("a: &a [*a]\n") == "1:8: alias '*a' stands inside its own anchor (anchor at 1:4)\n");
  CHECK(stream("a: &a\n  b:\n    c: *a\n") ==
        "3:8: alias '*a' stands inside its own anchor (anchor at 1:4)\n");
  std::string anchors;
  for (int i = 0; i < 1'000'000; ++i) anchors += "- &a" + std::to_string(i) + " x\n";
  CHECK(stream(anchors) == "10001:3: more than 10000 anchors in one document\n");
  CHECK(stream("a: &a [" + repeat("x, ", 2'000) + "x]\nb: [" + repeat("*a, ", 1'000) + "]\n") ==
        "2:2001: aliases expand to too much (anchor at 1:4)\n");
  CHECK(stream("a: &a " + std::string(17 << 20, 'x') + "\n") ==
        "1:4: anchors hold more than 16 MiB of text\n");
}

TEST_CASE("hostile: nesting through aliases counts") {
  std::string text = "- &a0 [x]\n";
  for (int i = 1; i < 70; ++i)
    text += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  CHECK(stream(text) == "64:9: nested too deeply\n");
}

TEST_CASE("hostile: broken JSON is refused wherever it stands, also in parts nobody reads") {
  CHECK(stream(R"({"a": 1,})") ==
        "1:9: no valid JSON: '}' where a key in double quotes should stand\n");
  CHECK(stream(R"({"a": [1,]})") == "1:10: no valid JSON: ']' where a value should stand\n");
  CHECK(stream(R"({"a": [1 2]})") == "1:10: no valid JSON: '2' where ',' or ']' should stand\n");
  CHECK(stream(R"({"a" 1})") == "1:6: no valid JSON: '1' where ':', ',' or '}' should stand\n");
  CHECK(stream(R"({"a": 1 "b": 2})") ==
        "1:9: no valid JSON: '\"b\"' where ',' or '}' should stand\n");
  CHECK(stream(R"({a: 1})") ==
        "1:2: no valid JSON: 'a' where a key in double quotes or '}' should stand\n");
  CHECK(stream(R"({"a": {"b": 1})") == "1:1: no valid JSON: this '{' is never closed\n");
  CHECK(stream("{\"a\": [\n  {\"b\": 1}\n") == "1:7: no valid JSON: this '[' is never closed\n");
  CHECK(stream(R"({"a": [1}})") == "1:9: no valid JSON: '}' where ',' or ']' should stand\n");
  CHECK(stream(R"({"a": "x)") == "1:7: no valid JSON: this string is never closed\n");
  CHECK(stream("{\"a\": \"x\ny\"}") == "1:9: no valid JSON: a line ends inside a string\n");
  CHECK(stream("{\"a\": \"x\x01\"}") ==
        "1:9: no valid JSON: a control character inside a string\n");
  CHECK(stream(R"({"a": "b": 1})") == "1:10: no valid JSON: ':' where ',' or '}' should stand\n");
  CHECK(stream(R"(["a": 1])") == "1:5: no valid JSON: ':' where ',' or ']' should stand\n");
  CHECK(stream(R"({"a": 1} x)") == "1:10: no valid JSON: text after the end of the JSON value\n");
  CHECK(stream(R"({"a": 1}})") == "1:9: no valid JSON: text after the end of the JSON value\n");
  CHECK(stream(R"([{"kind": "Pod"}, {"x": [{"deep": tru}]}])") ==
        "1:35: no valid JSON: 'tru' is no value\n");
}

TEST_CASE("hostile: every prefix of a JSON document is refused") {
  const std::string whole =
      R"({"kind": "List", "items": [{"a": [1, -2.5e3, true], "b": {"c": "x\u00e4"}}], "n": null})";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string prefix = whole.substr(0, length);
    CHECK_MESSAGE(stream(prefix).find("no valid JSON") != std::string::npos, prefix);
  }
  CHECK(stream(whole) == "ok: 1 documents, 1 elements");
}

TEST_CASE("hostile: JSON knows no NaN, no other numbers and no half characters") {
  for (const char* value :
       {"NaN", "nan", "Infinity", "-Infinity", "01", "+1", "1.", ".5", "-", "0x10", "1e", "1e+",
        "--1", "1_000", "True", "nul", "'x'", "undefined", "1a"}) {
    const std::string errors = stream("{\"a\": [" + std::string(value) + "]}");
    CHECK_MESSAGE(errors.find("1:8: no valid JSON: ") == 0, value << " gave " << errors);
  }
  for (const char* text : {R"(\ud800)", R"(\udc00)", R"(\ud800\u0041)", R"(\ud800x)", R"(\x41)",
                           R"(\u12)", R"(\u12g4)", R"(\')"}) {
    const std::string errors = stream("[\"" + std::string(text) + "\"]");
    CHECK_MESSAGE(errors.find("1:3: no valid JSON: an escape") == 0, text << " gave " << errors);
  }
}

TEST_CASE("hostile: long lines, long words and binary junk end quickly") {
  const std::string longest = repeat("x", 10'000'000);
  CHECK(stream("a: " + longest) == "ok: 1 documents, 0 elements");
  CHECK(stream("[\"" + longest + "\"]") == "ok: 0 documents, 1 elements");
  CHECK(stream(repeat("x ", 5'000'000)) == "ok: 1 documents, 0 elements");
  std::string junk;
  std::uint32_t state = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 1664525u + 1013904223u;
    junk += static_cast<char>(state >> 24);
  }
  CHECK(stream(junk) != "");
  CHECK(stream(junk).find("ok") == std::string::npos);
  for (char& c : junk) c = static_cast<char>(0x20 + (static_cast<unsigned char>(c) % 0x5F));
  CHECK(stream("{" + junk).find("no valid JSON") != std::string::npos);
}

TEST_CASE("hostile: after a thousand mistakes reading stops") {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "- {x: 1, x: 2}\n";
  for (const bool json : {false, true}) {
    if (json) {
      text = "[";
      for (int i = 0; i < 5'000; ++i) text += "{\"x\": 1, \"x\": 2},";
    }
    Diagnostics diagnostics;
    const Source source("in", text);
    Counter counter;
    CHECK_FALSE(read_stream(source, diagnostics, {}, counter));
    CHECK(counter.elements == 1'000);
    const Errors errors = diagnostics.take_errors();
    REQUIRE(errors.size() == Diagnostics::kMaxErrors + 1);
    CHECK(errors.back().what == "reading stopped after 1000 errors");
  }
}

}  // namespace
}  // namespace gedge::codec
