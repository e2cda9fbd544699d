// Blocks of YAML that came before are not read again: values, places and errors must be those of
// reading every byte.
#include "codec/yaml_reduction.hpp"

#include <doctest/doctest.h>

#include <string>

#include "codec/stream.hpp"
#include "codec/stream_parsers.hpp"
#include "gedge/codec/fingerprint.hpp"
#include "support/dice.hpp"
#include "support/objects.hpp"

namespace gedge::codec {
namespace {

using test::Dice;
using test::Objects;

/// Writes down what it is shown; complains about values called `wrong`.
struct Recorder final : StreamHandler {
  bool wants_elements(Cursor root) override {
    const auto kind = root.find("kind");
    return kind && kind->raw_text() == "List";
  }
  void element(Cursor element, StreamContext&) override { record("element", element); }
  void document(Cursor root, bool) override { record("document", root); }

  void record(const char* what, Cursor value) {
    const Place place = value.place();
    log += what + (" " + std::to_string(place.line)) + ":" + std::to_string(place.column) + " " +
           value.to_json() + "\n";
    if (!value.is_map()) return;
    value.fields([&](std::string_view key, Cursor field) {
      if (field.shared() != nullptr) ++shared;
      if (key == "wrong") field.fail("wrong");
    });
  }
  std::string log;
  int shared = 0;
};

struct Reading {
  std::string log;
  int shared = 0;
};

template <typename F>
Reading read_by(std::string_view text, F stream) {
  Diagnostics diagnostics;
  const Source source("in", text);
  Recorder recorder;
  const bool complete = stream(source, diagnostics, recorder);
  if (!complete) recorder.log += "incomplete\n";
  for (const Error& error : diagnostics.take_errors())
    recorder.log += "error " + std::to_string(error.where.line) + ":" +
                    std::to_string(error.where.column) + " " + error.what + "\n";
  return {recorder.log, recorder.shared};
}

Reading read(std::string_view text) {
  return read_by(text, [](const Source& source, Diagnostics& diagnostics, StreamHandler& handler) {
    return stream_yaml(source, diagnostics, {}, handler);
  });
}

Reading read_whole(std::string_view text) {
  return read_by(text, [](const Source& source, Diagnostics& diagnostics, StreamHandler& handler) {
    return stream_whole_yaml(source, diagnostics, {}, handler, 0);
  });
}

/// True if blocks were left out, and nothing differs.
bool agrees(const std::string& text) {
  const Reading reduced = read(text), whole = read_whole(text);
  CAPTURE(text);
  CHECK(reduced.log == whole.log);
  CHECK(whole.shared == 0);
  return reduced.shared > 0;
}

constexpr const char* kSpec =
    "spec:\n  containers:\n  - name: c\n    args:\n    - a\n    - \"b: c\"\n  flow: {a: [1, 2]}\n";

std::string pods(int count, const std::string& spec = kSpec) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "---\nkind: Pod\nmetadata:\n  name: p" + std::to_string(i) + "\n" + spec;
  return text;
}

TEST_CASE("yaml reduction: blocks that come again are left out, in documents and in lists") {
  CHECK(agrees(pods(100)));
  CHECK(agrees("%YAML 1.1\n" + pods(100)));
  CHECK(agrees(pods(100, std::string(kSpec) + "status:\n  phase: Pending\n")));
  std::string list = "kind: List\nitems:\n", indented = list;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "name: p" + std::to_string(i) + "\n";
    list += "- metadata:\n    " + name + "  spec:\n    a:\n    - b\n    c: |\n      text\n";
    indented += "  - spec:\n      a:\n        b: 1\n    " + name;
  }
  CHECK(agrees(list + "end: 1\n"));
  CHECK(agrees(indented));
  CHECK(agrees(indented.substr(0, indented.size() - 1)));
}

TEST_CASE("yaml reduction: what looks like a block inside of a text or of braces is none") {
  const std::string before = pods(100), after = pods(3);
  const std::vector<std::string> odds = {
      "---\ntext: \"\n" + std::string(kSpec) + "\"\n",
      "---\ntext: '\n" + std::string(kSpec) + "'\n",
      "---\nbraces: {\n" + std::string(kSpec) + "}\n",
      "---\nbraces: [\nspec:\n  a: 1\n]\n",
      "---\nplain: a\n spec:\n  b\n",
      "---\nspec: |\n  spec:\n    containers:\n",
      "---\n|\n spec:\n   x\n",
  };
  for (const std::string& odd : odds) {
    CHECK(agrees(before + odd + after));
    std::string often = before;
    for (int i = 0; i < 5; ++i) often += odd;
    agrees(often + after);
  }
  std::string literals = "---\na: 1\n";
  for (int i = 0; i < 60; ++i)
    literals += "k" + std::to_string(i) + ": |\n  data:\n    deep: 1\nm" + std::to_string(i) +
                ":\n  data:\n    deep: 1\n";
  agrees(literals);
}

TEST_CASE("yaml reduction: blank lines and comments behind a block may belong to its last text") {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "---\nspec:\n  a: |+\n    text\n" + std::string(static_cast<std::size_t>(i % 3), '\n') +
            "name: x\n";
  agrees(text);
  std::string comments;
  for (int i = 0; i < 60; ++i)
    comments +=
        "---\nspec:\n  a: b\n" + std::string(i % 2 == 0 ? "# note\n  c: d\n" : "") + "name: x\n";
  agrees(comments);
  CHECK(agrees(pods(100) + "\n\n# the end\n"));
}

TEST_CASE("yaml reduction: anchors, tags, errors and complaints end it where they stand") {
  const std::string before = pods(100), after = pods(5);
  for (const std::string odd :
       {"---\na: &x 1\nb: *x\n", "---\na: !!str 1\n", "---\nspec: &x\n  a: 1\nb: *x\n",
        "---\na: 1\na: 2\n", "---\nwrong:\n  a: 1\n", "---\na: [\n", "---\n\ta: 1\n",
        "---\n- - a\n", "--- !!map\na: 1\n", "---\n? a\n: b\n", "---\n<<: {a: 1}\n",
        "---\n1.5: a\n", "...\n", "%YAML 1.1\n---\na: 1\n", "---\na: \"\xC2\x85\"\n"}) {
    CAPTURE(odd);
    CHECK(agrees(before + odd + after));
  }
  std::string wrong;
  for (int i = 0; i < 20; ++i) wrong += "---\nwrong:\n  a: 1\n";
  agrees(wrong);
  CHECK_FALSE(agrees(pods(100, "spec:\r\n  a: 1\r\n")));
}

TEST_CASE("yaml reduction: 3,000 damaged texts are read as if every byte was") {
  Dice dice(20);
  const std::vector<std::string> bits = {" ",  "\n",  ":",    "- ", "#", "'",       "\"", "|",
                                         ">",  "{",   "}",    "[",  "]", "&a ",     "*a", "!",
                                         "\t", "---", "\n\n", "x",  "?", "spec:\n", "\r", "%"};
  int reduced = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string text = pods(8) + pods(8, "spec:\n- a: 1\n  b:\n    c: |\n      d:\n        e\n");
    for (std::size_t change = dice.below(3); change < 3; ++change) {
      const std::size_t at = dice.below(text.size());
      text.replace(at, dice.below(3), dice.pick(bits));
    }
    reduced += agrees(text) ? 1 : 0;
  }
  CHECK(reduced > 300);
}

TEST_CASE("yaml reduction: an error in a value that comes again is told in each place") {
  std::string text, expected;
  for (int i = 0; i < 5; ++i) {
    text += "---\nkind: Pod\nmetadata:\n  name: p" + std::to_string(i) +
            "\nspec:\n  containers:\n  - name: c\n    resources:\n      requests:\n"
            "        cpu: \"-1\"\n";
    expected += "app.yaml:" + std::to_string(10 * i + 10) + ":14: 'cpu' is negative: '-1'\n";
  }
  CHECK(Objects().manifests(text).errors() == expected);
}

TEST_CASE("yaml reduction: places are those of the text") {
  std::string text = pods(40);
  const Facts facts = Objects().manifests(text).facts();
  REQUIRE(facts.pods.size() == 40);
  for (const Pod& pod : facts.pods) {
    const auto number = static_cast<std::uint32_t>(std::stoi(pod.name.str().substr(1)));
    CHECK(pod.place.line == 11 * number + 2);
    CHECK(pod.place.column == 1);
  }
  CHECK(facts.specs.size() == 1);
}

}  // namespace
}  // namespace gedge::codec
