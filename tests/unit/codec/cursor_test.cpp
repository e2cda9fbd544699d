#include "codec/cursor.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace gedge::codec {
namespace {

/// A text and what its readers said.
struct Reading {
  explicit Reading(std::string text)
      : bytes(std::move(text)),
        source("in", bytes),
        document(Document::parse(source, diagnostics)) {}
  Reading(const Reading&) = delete;

  Cursor root() const { return document->root(); }
  Cursor at(std::string_view key) const { return *root().find(key); }
  std::string errors() {
    std::string out;
    for (const Error& error : diagnostics.take_errors())
      out += std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + ": " +
             error.what + (error.hint.empty() ? "" : " | " + error.hint) + "\n";
    return out;
  }

  std::string bytes;
  Source source;
  Diagnostics diagnostics;
  std::optional<Document> document;
};

TEST_CASE("cursor: YAML and JSON of one value read alike") {
  for (const char* text : {"name: web\nreplicas: 3\nratio: 0.5\non: true\nnone: null\n"
                           "list:\n- a\n- b\nmap: {x: 1}\n",
                           R"({"name": "web", "replicas": 3, "ratio": 0.5, "true": true,
                               "none": null, "list": ["a", "b"], "map": {"x": 1}})"}) {
    Reading reading(text);
    REQUIRE(reading.document);
    CHECK(reading.at("name").text() == "web");
    CHECK(reading.at("replicas").integer() == 3);
    CHECK(reading.at("ratio").text_or_number() == "0.5");
    CHECK(reading.at("true").boolean() == true);  // the key `on`, as kubectl reads it
    CHECK(reading.at("none").is_null());
    CHECK_FALSE(reading.at("none").text());
    CHECK_FALSE(reading.at("none").integer());
    CHECK_FALSE(reading.root().find("absent"));
    std::string items;
    CHECK(reading.at("list").items([&](Cursor item) { items += *item.text(); }));
    CHECK(items == "ab");
    CHECK(reading.at("map").find("x")->integer() == 1);
    CHECK(reading.root().size() == 7);
    CHECK(reading.errors() == "");
  }
}

TEST_CASE("cursor: a text field that holds a boolean or number shows the quoted form") {
  Reading reading("country: no\nversion: 1.10\nport: 0x10\n");
  CHECK_FALSE(reading.at("country").text());
  CHECK_FALSE(reading.at("version").text());
  CHECK_FALSE(reading.at("port").text());
  CHECK(reading.errors() ==
        "1:10: 'country' must be text, not a boolean ('no') | quote it: \"no\"\n"
        "2:10: 'version' must be text, not a number ('1.10') | quote it: \"1.10\"\n"
        "3:7: 'port' must be text, not a number ('0x10') | quote it: \"0x10\"\n");
}

TEST_CASE("cursor: typed reads refuse what does not fit and say what they found") {
  Reading reading(R"({"a": "5", "b": 1.5, "c": [1], "d": 70000, "e": "true", "f": 2.0,
 "g": 9223372036854775808, "h": 1e400, "i": true})");
  CHECK_FALSE(reading.at("a").integer());
  CHECK_FALSE(reading.at("b").integer());
  CHECK_FALSE(reading.at("c").integer());
  CHECK_FALSE(reading.at("d").integer(1, 65535));
  CHECK_FALSE(reading.at("e").boolean());
  CHECK(reading.at("f").integer() == 2);
  CHECK_FALSE(reading.at("g").integer());
  CHECK_FALSE(reading.at("h").integer());
  CHECK_FALSE(reading.at("i").text_or_number());
  CHECK(reading.at("g").text_or_number() == "9223372036854775808");
  CHECK_FALSE(reading.at("a").fields([](std::string_view, Cursor) {}));
  CHECK(reading.errors() ==
        "1:7: 'a' must be a whole number, not text ('5') | write it without quotes\n"
        "1:7: 'a' must be a map, not text ('5')\n"
        "1:17: 'b' must be a whole number, not a number ('1.5')\n"
        "1:27: 'c' must be a whole number, not a list\n"
        "1:37: 'd' must be between 1 and 65535, not '70000'\n"
        "1:49: 'e' must be true or false, not text ('true') | write it without quotes\n"
        "2:7: 'g' must be between -9223372036854775808 and 9223372036854775807, not "
        "'9223372036854775808'\n"
        "2:33: 'h' must be a whole number, not a number ('1e400')\n"
        "2:45: 'i' must be text or a number, not a boolean ('true')\n");
}

TEST_CASE("cursor: JSON numbers are exact or refused, never narrowed") {
  Reading reading(R"({"a": 9007199254740993, "b": 9223372036854775807, "c": -9223372036854775808,
                      "d": -0, "e": 1.0, "f": 0.1})");
  CHECK(reading.at("a").integer() == 9007199254740993);
  CHECK(reading.at("b").integer() == INT64_MAX);
  CHECK(reading.at("c").integer() == INT64_MIN);
  CHECK(reading.at("d").integer() == 0);
  CHECK(reading.at("e").integer() == 1);
  CHECK(reading.at("f").text_or_number() == "0.1");
  CHECK(reading.errors() == "");
}

TEST_CASE("cursor: columns count bytes, lines end at newlines, excerpts are fit for a terminal") {
  Reading reading("# \xC3\xA4\r\n\xC3\xA4\xC3\xB6: \"\xE2\x82\xAC\" \r\nb:\t[\xC3\xA4, 5]\n");
  REQUIRE(reading.document);
  const SourceSpan first = reading.at("\xC3\xA4\xC3\xB6").where();
  CHECK(first.line == 2);
  CHECK(first.column == 7);
  CHECK(first.excerpt == "\xC3\xA4\xC3\xB6: \"\xE2\x82\xAC\" ");
  CHECK(first.length == 5);
  std::vector<SourceSpan> spans;
  reading.at("b").items([&](Cursor item) { spans.push_back(item.where()); });
  REQUIRE(spans.size() == 2);
  CHECK(spans[1].line == 3);
  CHECK(spans[1].column == 9);
  CHECK(spans[1].excerpt == "b: [\xC3\xA4, 5]");
}

TEST_CASE("cursor: a place far behind and then one before are both right") {
  std::string text = "[\n";
  for (int i = 0; i < 1000; ++i) text += "  " + std::to_string(i) + ",\n";
  text += "  \"end\"\n]";
  Reading reading(text);
  std::vector<Cursor> items;
  reading.root().items([&](Cursor item) { items.push_back(item); });
  REQUIRE(items.size() == 1001);
  CHECK(items[1000].place().line == 1002);
  CHECK(items[7].place().line == 9);
  CHECK(items[7].where().excerpt == "  7,");
  CHECK(items[999].where().excerpt == "  999,");
}

TEST_CASE("cursor: JSON escapes become text") {
  Reading reading(R"({"a\u0062": "\"\\\/\b\f\n\r\t\u00e4\u20ac\ud83d\ude00"})");
  REQUIRE(reading.document);
  CHECK(reading.at("ab").text() == "\"\\/\b\f\n\r\t\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST_CASE("cursor: duplicate keys are refused with both places, however they are written") {
  CHECK(Reading("a: 1\nb: 2\n\"a\": 3\n").errors() ==
        "3:1: key 'a' appears twice, first at 1:1 | remove one of the two\n");
  CHECK(Reading("x: {k: 1, j: 2, k: 3, k: 4}\n").errors() ==
        "1:17: key 'k' appears twice, first at 1:5 | remove one of the two\n"
        "1:23: key 'k' appears twice, first at 1:17 | remove one of the two\n");
  CHECK(Reading(R"({"a": 1, "\u0061": 2})").errors() ==
        "1:10: key 'a' appears twice, first at 1:2 | remove one of the two\n");
  CHECK(Reading("1: a\n\"1\": b\n").errors() ==
        "2:1: key '1' appears twice, first at 1:1 | remove one of the two\n");
  CHECK(Reading("a: 1\nA: 2\n").errors() == "");
  CHECK(Reading("{\"unread\": [{\"deep\": {\"x\": 1, \"x\": 2}}]}").errors() ==
        "1:31: key 'x' appears twice, first at 1:23 | remove one of the two\n");
}

TEST_CASE("cursor: keys become text as in kubectl, or must be quoted") {
  Reading reading("n: a\n017: b\nyes: c\n12:30: d\n");
  std::string keys;
  reading.root().fields([&](std::string_view key, Cursor) { keys += std::string(key) + " "; });
  CHECK(keys == "false 15 true 12:30 ");
  CHECK(Reading("1.5: a\n").errors() == "1:1: a key must be text, not '1.5' | quote it: \"1.5\"\n");
  CHECK(Reading("~: a\n").errors() == "1:1: a key must be text, not '~' | quote it: \"~\"\n");
  CHECK(Reading("? [a]\n: b\n").errors() ==
        "1:3: a key must be text | write the key as one plain word\n");
}

TEST_CASE("cursor: tags that change nothing are accepted, others are refused") {
  Reading reading(
      "a: !!str 5\nb: !!int \"7\"\nc: ! yes\nd: !!map {x: 1}\ne: !!seq [1]\nf: !!bool no\n");
  REQUIRE(reading.document);
  CHECK(reading.at("a").text() == "5");
  CHECK(reading.at("b").integer() == 7);
  CHECK(reading.at("c").text() == "yes");
  CHECK(reading.at("f").boolean() == false);
  CHECK(reading.errors() == "");
  CHECK(Reading("a: !!python/object x\n").errors() ==
        "1:4: tag '!!python/object' is not read here | remove the tag\n");
  CHECK(Reading("a: !!float 1\nb: !!binary aGk=\nc: !mine {}\n").errors() ==
        "1:4: tag '!!float' is not read here | remove the tag\n"
        "2:4: tag '!!binary' is not read here | remove the tag\n"
        "3:4: tag '!mine' is not read here | remove the tag\n");
}

TEST_CASE("cursor: aliases are expanded, merge keys are refused") {
  Reading reading("a: &x {p: 1, q: [1, 2]}\nb: *x\nc: [*x, &y hi, *y]\n");
  REQUIRE(reading.document);
  CHECK(reading.root().to_json() ==
        R"({"a":{"p":1,"q":[1,2]},"b":{"p":1,"q":[1,2]},"c":[{"p":1,"q":[1,2]},"hi","hi"]})");
  CHECK(reading.at("b").where().line == 1);  // where the value stands
  CHECK(reading.errors() == "");
  CHECK(Reading("a: &x {p: 1}\nb:\n  <<: *x\n").errors() ==
        "3:3: merge keys ('<<') are not read | write the merged fields out\n");
  CHECK(Reading("a: &x [1]\n? *x\n: 2\n").errors() ==
        "2:3: a key must be text | write the key as one plain word\n");
  CHECK(Reading("a: &x 1\na2: &x 2\nb: *x\n").root().find("b")->integer() == 2);
  CHECK(Reading("a: &x hello\nb: *x\n---\n").root().find("b")->text() == "hello");
}

TEST_CASE("cursor: to_json writes valid JSON from YAML numbers and text") {
  CHECK(
      Reading("--- [+5, .5, 5., 08, 1_0, 0x10, ~, no, \"a\\n\\\"\\x01\", -0.5]").root().to_json() ==
      R"([5,0.5,5.0,8,10,16,null,false,"a\u000a\"\u0001",-0.5])");
}

TEST_CASE("cursor: a fingerprint sees content and neither order of fields nor syntax") {
  const auto print = [](const char* text) { return Reading(text).root().fingerprint(); };
  const auto base = print("a: 1\nb: [x, \"5\"]\nc: {d: true}\n");
  CHECK(base == print(R"({"c": {"d": true}, "b": ["x", "5"], "a": 1.0, "gone": null})"));
  CHECK(base == print("--- {a: 0x1, b: [\"x\", !!str 5], c: {d: yes}}"));
  CHECK(base != print("a: 1\nb: [\"5\", x]\nc: {d: true}\n"));
  CHECK(base != print("a: 1\nb: [x, 5]\nc: {d: true}\n"));
  CHECK(base != print("a: 1\nb: [x, \"5\"]\nc: {d: false}\n"));
  CHECK(base != print("a: 1\nb: [x, \"5\"]\nc: {e: true}\n"));
  CHECK(print("--- {a: {b: 1}, c: {}}") != print("--- {a: {}, c: {b: 1}}"));
  CHECK(print("--- [[a], []]") != print("--- [[], [a]]"));
}

TEST_CASE("cursor: messages quote hostile text without control characters or direction marks") {
  CHECK(quote("a\x1b[31m\n") == "'a\\x1b[31m\\x0a'");
  CHECK(quote("\xE2\x80\xAE"
              "evil") == "'\\xe2\\x80\\xaeevil'");
  CHECK(quote("\xC2\x9B"
              "x") == "'\\xc2\\x9bx'");
  CHECK(quote("\xFF\xC3") == "'\\xff\\xc3'");
  CHECK(quote("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80") == "'gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80'");
  CHECK(quote(std::string(500, 'x')) == "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace gedge::codec
