// Documents that differ from earlier ones in some words are known by their bytes: values, places,
// fingerprints and errors must be those of parsing every one.
#include "codec/yaml_moulds.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "codec/stream.hpp"
#include "codec/stream_parsers.hpp"
#include "support/dice.hpp"

namespace gedge::codec {
namespace {

using test::Dice;

std::string describe(const Fingerprint& fingerprint) {
  return std::to_string(fingerprint.low) + "," + std::to_string(fingerprint.high);
}

/// Writes down every value of what it is shown with its place; complains about values of `wrong`.
struct Recorder final : StreamHandler {
  bool wants_elements(Cursor root) override {
    const auto kind = root.find("kind");
    return kind && kind->raw_text() == "List";
  }
  void element(Cursor element, StreamContext&) override { record(element); }
  void document(Cursor root, bool) override {
    if (root.mould() != nullptr) ++known;
    log += "document " + describe(root.fingerprint()) + "\n";
    record(root);
  }
  void record(Cursor value) {
    const Place place = value.place();
    const SourceSpan span = value.where();
    log += std::to_string(place.line) + ":" + std::to_string(place.column) + "+" +
           std::to_string(span.length) + " " + span.excerpt + " ";
    if (value.is_map()) {
      log += "map " + std::to_string(value.size()) + "\n";
      value.fields([&](std::string_view key, Cursor field) {
        log += std::string(key) + " ";
        // What is linked to knows no key.
        if (field.shape() == Shape::kScalar) log += std::to_string(field.key()->place().column);
        if (key == "wrong") field.fail("wrong");
        record(field);
      });
    } else if (value.is_list()) {
      log += "list\n";
      value.items([&](Cursor item) { record(item); });
    } else {
      log += std::to_string(static_cast<int>(value.type())) + (value.is_quoted() ? "'" : " ") +
             std::string(value.raw_text()) + "\n";
    }
  }
  std::string log;
  int known = 0;
};

struct Reading {
  std::string log;
  int known = 0;
};

Reading read(const std::string& text, bool whole) {
  Diagnostics diagnostics;
  const Source source("in", text);
  Recorder recorder;
  const StreamOptions options;
  const bool complete = whole ? stream_whole_yaml(source, diagnostics, options, recorder, 0)
                              : stream_yaml(source, diagnostics, options, recorder);
  if (!complete) recorder.log += "incomplete\n";
  for (const Error& error : diagnostics.take_errors())
    recorder.log += "error " + std::to_string(error.where.line) + ":" +
                    std::to_string(error.where.column) + " " + error.what + "\n";
  return {recorder.log, recorder.known};
}

/// How many documents were known; nothing else may differ.
int known_of(const std::string& text) {
  const Reading known = read(text, false), whole = read(text, true);
  CAPTURE(text);
  REQUIRE(known.log == whole.log);
  REQUIRE(whole.known == 0);
  return known.known;
}

// Two plain words, a key, and two texts in quotes, one of them a key.
std::string document(const std::string& word, const std::string& key, const std::string& quoted,
                     const std::string& quoted_key = "q", const std::string& item = "item") {
  return "---\nkind: Pod\nmetadata:\n  name: " + word + "\n  labels:\n    app: " + word + "\n    " +
         key + ": \"10\"   # why\n    '" + quoted_key + "': 1\n    text: \"" + quoted +
         "\"\nspec:\n  flow: {a: " + word + ", b: [" + item + ", 1], \"" + quoted_key +
         "x\": {}}\n  list:\n  - " + item + "\n  - c: |\n      a: b\n  empty:\n";
}

std::string documents(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += document("pod-" + number, "delay_node-" + number, "a b: #" + number, "k" + number,
                     "i" + number);
  }
  return text;
}

TEST_CASE("yaml moulds: documents of one kind that differ in words are known by their bytes") {
  CHECK(known_of(documents(50)) >= 45);
  CHECK(known_of("# first\n" + documents(50)) >= 45);
  CHECK(known_of("a: 1\n" + documents(50) + "---\nb: [1, 2]\n") >= 45);
  CHECK(known_of("%YAML 1.1\n" + documents(50)) == 0);
  std::string two_kinds;
  for (int i = 0; i < 40; ++i)
    two_kinds += "---\nname: a" + std::to_string(i) + "\n---\nname: b" + std::to_string(i) +
                 "\nother: c" + std::to_string(i % 3) + "\n";
  CHECK(known_of(two_kinds) >= 70);
}

TEST_CASE(
    "yaml moulds: what differs later becomes a hole too, and what is no word a kind of its own") {
  std::string text = documents(10);
  for (int i = 0; i < 30; ++i)
    text += "---\nkind: Pod\nreplicas: " + std::to_string(i % 3) + "\nzone: z" +
            std::to_string(i / 10) + "\nname: n" + std::to_string(i) + "\n";
  CHECK(known_of(text) >= 20);
}

// What stands in one of the holes of a document, between others.
const std::vector<std::string> kOdd = {"true",
                                       "no",
                                       "off",
                                       "Y",
                                       "null",
                                       "~",
                                       "1",
                                       "1e3",
                                       "0x10",
                                       "0o7",
                                       "017",
                                       ".5",
                                       ".inf",
                                       "1_000",
                                       "-",
                                       "- a",
                                       "2021-01-01",
                                       "12:30",
                                       "a: b",
                                       "a:b",
                                       "a #b",
                                       "a#b",
                                       "#",
                                       "",
                                       " ",
                                       "a b",
                                       "a ",
                                       " a",
                                       "\"",
                                       "'",
                                       "\"a\"",
                                       "'a'",
                                       "\\",
                                       "\\n",
                                       "a\\\"b",
                                       "''",
                                       "a''b",
                                       "*a",
                                       "&a b",
                                       "!a b",
                                       "!!str a",
                                       "|",
                                       ">",
                                       "%a",
                                       "@a",
                                       "`a",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       "a,b",
                                       "a, b",
                                       ",",
                                       "?",
                                       "? a",
                                       "<<",
                                       "=",
                                       "a=b",
                                       "a\tb",
                                       "\t",
                                       "\n",
                                       "a\nb",
                                       "a\n    b",
                                       "a\n\n  b",
                                       "---",
                                       "a\n---\nb",
                                       "...",
                                       "a\n...\nb",
                                       "\xC3\xA4",
                                       "\xC2\x85",
                                       "a\r\nb",
                                       "a\rb",
                                       "\xE2\x80\xA8",
                                       "app",
                                       "text",
                                       "k0",
                                       "kind",
                                       "aA0._/-z",
                                       "0a",
                                       "-a",
                                       "_a",
                                       "a:",
                                       ":a",
                                       "a/b",
                                       "wrong",
                                       "x\n    app: y"};

TEST_CASE("yaml moulds: odd words in each place are read as the parser reads them") {
  const std::string before = documents(6), after = documents(4);
  std::vector<std::string> odd = kOdd;
  for (const std::size_t size : {500u, 512u, 513u, 1023u, 1024u, 1100u})
    odd.push_back(std::string(size, 'l'));
  for (const std::string& word : odd) {
    CAPTURE(word);
    for (const std::string& one :
         {document(word, "delay", "q"), document("a", word, "q"), document("a", "delay", word),
          document("a", "delay", "q", word), document("a", "delay", "q", "k", word)})
      known_of(before + one + after);
  }
}

// Six documents of which each holds a word of its own where `%` stands, and one with that word.
int known_in(const std::string& pattern, const std::string& word = "last") {
  std::string text;
  for (int i = 0; i <= 6; ++i) {
    std::string one = pattern;
    one.replace(one.find('%'), 1, i < 6 ? "w" + std::to_string(i) : word);
    text += one;
  }
  return known_of(text);
}

TEST_CASE("yaml moulds: documents of which not every byte is plain are parsed") {
  CHECK(known_in("---\na: %\nb: c\n") == 5);
  CHECK(known_in("---\na: % # c\n\nb: c\n") == 5);
  CHECK(known_in("---\na: %\nb: \xC3\xA4\n") == 0);
  CHECK(known_in("---\n\xC3\xA4\xC3\xA4: [x, x, %]\n") == 0);
  CHECK(known_in("---\na: %\nb: \t c\n") == 0);
  CHECK(known_in("---\na: %\r\n") == 0);
  CHECK(known_in("---\na: &b %\n") == 0);
  CHECK(known_in("---\n- a: %\n") == 0);
  CHECK(known_in("---\n%\n") == 0);
}

TEST_CASE("yaml moulds: two documents of which only the second begins with a bare line are two") {
  CHECK(known_in("---\na: b\n--- # c\nd: %\n") == 0);
  CHECK(known_in("---\na: b\n...\n---\nd: %\n") == 10);
}

TEST_CASE("yaml moulds: a key may be as far from its colon as the parser looks for that") {
  CHECK(known_in("---\n% : c\n") == 0);
  CHECK(known_in("---\n%" + std::string(1'015, ' ') + ": c\n", std::string(40, 'k')) == 0);
  CHECK(known_in("---\n\"%\"" + std::string(1'015, ' ') + ": c\n", std::string(40, 'k')) == 0);
}

TEST_CASE("yaml moulds: words that are text are known wherever they stand") {
  const std::string before = documents(6);
  const int count = known_of(before);
  for (const std::string word :
       {"aA0._/-z", "a", "z", "0a", "a/b", "trueish", "nulls", "2021-01-01"}) {
    CAPTURE(word);
    CHECK(known_of(before + document(word, word, word, word + "q", word)) == count + 1);
  }
  for (const std::string word : {"true", "1", "1e3", "~", "-a", "0x10"}) {
    CAPTURE(word);
    CHECK(known_of(before + document(word, "delay", "q")) == count);
    CHECK(known_of(before + document("a", "delay", word)) == count + 1);
  }
}

TEST_CASE("yaml moulds: a key that comes twice is found") {
  const std::string before = documents(6), after = documents(2);
  for (const std::string key : {"app", "text", "k"})
    CHECK(read(before + document("a", key, "q", "k") + after, false).log.find("appears twice") !=
          std::string::npos);
  std::string two_keys;
  for (int i = 0; i < 6; ++i)
    two_keys += "---\na" + std::to_string(i) + ": 1\nb" + std::to_string(i) + ":\n  c: x\n";
  CHECK(known_of(two_keys + "---\nsame: 1\nother:\n  c: x\n") == 5);
  CHECK(known_of(two_keys + "---\nsame: 1\nsame:\n  c: x\n") == 4);
}

TEST_CASE("yaml moulds: the end of the text is no end of a document that is cut off") {
  const std::string text = documents(8);
  const std::size_t begin = text.rfind("---\n");
  for (std::size_t size = begin; size < text.size(); ++size) known_of(text.substr(0, size));
  CHECK(known_of(text + "more: 1\n") + 1 == known_of(text));
  CHECK(known_of(text + "--- # note\na: 1\n") + 1 == known_of(text));
}

TEST_CASE("yaml moulds: what a reader has to say about a known document is said in its place") {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "---\nname: pod-" + std::to_string(i) + "\n" +
            (i < 15 ? "fine" + std::to_string(i) : "wrong") + std::string(": value-") +
            std::to_string(i) + "\n";
  const Reading reading = read(text, false);
  CHECK(reading.log.find("error 48:8 wrong") != std::string::npos);
  // From there on everything is parsed.
  CHECK(reading.known == 14);
  known_of(text);
}

TEST_CASE("yaml moulds: 4,000 damaged texts are read as if every byte was parsed") {
  Dice dice(30);
  int known = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::string text = documents(4 + static_cast<int>(dice.below(6)));
    for (std::size_t change = dice.below(4); change < 3; ++change) {
      const std::size_t at = dice.below(text.size());
      text.replace(at, dice.below(4), dice.pick(kOdd));
    }
    known += known_of(text) > 0 ? 1 : 0;
  }
  CHECK(known > 1'000);
}

TEST_CASE("yaml moulds: random documents of few kinds and many words") {
  Dice dice(31);
  const std::vector<std::string> words = {"a", "b", "abc", "nulls", "x.y/z", "0a", "true", "1"};
  int known = 0;
  for (int round = 0; round < 1'000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) {
      // No blocks: places in what comes again block by block are those of the first time.
      text += "---\n" + dice.pick(words) + ": " + dice.pick(words) + "\nd: {in: '" +
              dice.pick(words) + "', " + dice.pick(words) + ": " +
              dice.pick(std::vector<std::string>{"z", "1", "", "{c: 1}"}) + "}\n";
      if (dice.chance(30)) text += "list: [" + dice.pick(words) + "," + dice.pick(words) + "]\n";
    }
    known += known_of(text);
  }
  CHECK(known > 1'000);
}

}  // namespace
}  // namespace gedge::codec
