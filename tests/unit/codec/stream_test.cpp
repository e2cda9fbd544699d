#include "codec/stream.hpp"

#include <doctest/doctest.h>

#include <string>

namespace gedge::codec {
namespace {

/// Writes down what it is shown.
struct Recorder final : StreamHandler {
  bool wants_elements(Cursor root) override {
    const auto kind = root.find("kind");
    return !kind || std::string(*kind->text()).find("List") != std::string::npos;
  }
  void element(Cursor element, StreamContext& context) override {
    log += "element " + element.to_json() + " of " + context.root_text("kind").value_or("-") + "\n";
  }
  void document(Cursor root, bool streamed) override {
    log += (streamed ? "streamed " : "document ") + root.to_json() + "\n";
  }
  std::string log;
};

std::string read(std::string_view text, std::size_t padding = 0) {
  Diagnostics diagnostics;
  const Source source("in", text, 0, padding);
  Recorder recorder;
  const bool ok = read_stream(source, diagnostics, {}, recorder);
  for (const Error& error : diagnostics.take_errors()) recorder.log += "error " + error.what + "\n";
  CHECK(ok == (recorder.log.find("error ") == std::string::npos));
  return recorder.log;
}

TEST_CASE("stream: lists come element by element, whatever the order of fields") {
  const std::string expected = "element {\"a\":1} of PodList\nelement {\"b\":[2]} of PodList\n";
  CHECK(read("kind: PodList\nitems:\n- a: 1\n- b: [2]\n") ==
        expected + "streamed {\"kind\":\"PodList\",\"items\":[]}\n");
  CHECK(read("apiVersion: v1\nitems:\n- a: 1\n- b: [2]\nkind: PodList\n") ==
        expected + "streamed {\"apiVersion\":\"v1\",\"items\":[],\"kind\":\"PodList\"}\n");
  CHECK(read(R"({"kind": "PodList", "items": [{"a": 1}, {"b": [2]}]})") ==
        expected + "streamed {\"kind\":\"PodList\",\"items\":[]}\n");
  CHECK(read(R"({"items": [{"a": 1}, {"b": [2]}], "x": {"kind": "no"}, "kind": "PodList"})") ==
        expected + "streamed {\"items\":[],\"x\":{\"kind\":\"no\"},\"kind\":\"PodList\"}\n");
}

TEST_CASE("stream: the kind of a list is looked for in its own document only") {
  CHECK(read("items: [{kind: Pod}]\n---\nkind: PodList\n") ==
        "element {\"kind\":\"Pod\"} of -\nstreamed {\"items\":[]}\ndocument "
        "{\"kind\":\"PodList\"}\n");
  CHECK(read("a: {kind: nay}\n---\nmetadata: {kind: nay}\nitems: [1]\nkind: NodeList\n") ==
        "document {\"a\":{\"kind\":\"nay\"}}\nelement 1 of NodeList\n"
        "streamed {\"metadata\":{\"kind\":\"nay\"},\"items\":[],\"kind\":\"NodeList\"}\n");
}

/// Counts how often somebody looks for a field in the text.
struct CountingContext final : StreamContext {
  using StreamContext::begin_document;
  std::optional<std::string> find_root_text(std::string_view key) override {
    ++searches;
    if (key == "absent") return std::nullopt;
    return std::string(key) + std::to_string(searches);
  }
  int searches = 0;
};

TEST_CASE("stream: a field of the root is looked for once a document and key") {
  CountingContext context;
  for (int i = 0; i < 1000; ++i) {
    CHECK(context.root_text("kind") == "kind1");
    CHECK_FALSE(context.root_text("absent"));
  }
  CHECK(context.searches == 2);
  context.begin_document();
  CHECK(context.root_text("kind") == "kind3");
  CHECK(context.root_text("kind") == "kind3");
}

TEST_CASE("stream: every document has a kind of its own, also behind its items") {
  std::string yaml, json, of_yaml, of_json;
  for (const std::string kind : {"PodList", "NodeList", "", "ServiceList"}) {
    const std::string is = kind.empty() ? "-" : kind;
    yaml += "---\nitems: [1, 2]\nx: {kind: nay}\n" + (kind.empty() ? "" : "kind: " + kind + "\n");
    json += R"({"items":[1,2])" + (kind.empty() ? "" : R"(,"kind":")" + kind + '"') + "}\n";
    of_yaml += "element 1 of " + is + "\nelement 2 of " + is +
               "\nstreamed {\"items\":[],\"x\":{\"kind\":\"nay\"}" +
               (kind.empty() ? "" : ",\"kind\":\"" + kind + '"') + "}\n";
    of_json += "element 1 of " + is + "\nelement 2 of " + is + "\nstreamed {\"items\":[]" +
               (kind.empty() ? "" : ",\"kind\":\"" + kind + '"') + "}\n";
  }
  CHECK(read(yaml) == of_yaml);
  CHECK(read(json) == of_json);
}

TEST_CASE("stream: a list that is not wanted stays in its document") {
  CHECK(read("kind: Menu\nitems:\n- 1\n- [2]\n") ==
        "document {\"kind\":\"Menu\",\"items\":[1,[2]]}\n");
  CHECK(read(R"({"kind": "Menu", "items": [1, [2]], "z": 3})") ==
        "document {\"kind\":\"Menu\",\"items\":[1,[2]],\"z\":3}\n");
  CHECK(read("kind: List\nitems: null\n") == "document {\"kind\":\"List\",\"items\":null}\n");
  CHECK(read("kind: List\nspec:\n  items: [1]\n") ==
        "document {\"kind\":\"List\",\"spec\":{\"items\":[1]}}\n");
}

TEST_CASE("stream: several documents, JSON too") {
  CHECK(read("a: 1\n---\n---\nb: 2\n...\n---\n- c\n") ==
        "document {\"a\":1}\ndocument null\ndocument {\"b\":2}\nelement \"c\" of -\n");
  CHECK(read("{\"a\":1}{\"b\":2}\n[3]\n{\"items\":[4],\"kind\":\"List\"}") ==
        "document {\"a\":1}\ndocument {\"b\":2}\nelement 3 of -\nelement 4 of List\n"
        "streamed {\"items\":[],\"kind\":\"List\"}\n");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "{\"items\":3,\"items\":[]}";
  CHECK(read(many).find("error no valid JSON: more than 64 documents") != std::string::npos);
}

TEST_CASE("stream: as many objects one after another as there are, each a document") {
  std::string text, wanted;
  for (int i = 0; i < 5'000; ++i) {
    const std::string name = std::to_string(i % 7 == 0 ? i : i % 3);
    const std::string list = i % 5 == 0 ? R"("spec":{"items":[1]},)" : "";
    text += "{\"kind\":\"Menu\"," + list + "\"name\":\"" + name + "\"}" + (i % 2 == 0 ? "\n" : "");
    wanted += "document {\"kind\":\"Menu\"," + list + "\"name\":\"" + name + "\"}\n";
  }
  CHECK(read(text) == wanted);
  // Lists stand among them, and an error ends the text where it is, also a late one.
  CHECK(read(text + "{\"items\":[4],\"kind\":\"List\"}{}") ==
        wanted + "element 4 of List\nstreamed {\"items\":[],\"kind\":\"List\"}\ndocument {}\n");
  for (const char* broken : {"{\"a\":}", "{\"a\":1", "{\"a\":\"", "x", "]", "{\"items\":[1,]}"}) {
    const std::string found = read(text + broken);
    CHECK(found.starts_with(wanted));
    CHECK(found.find("error no valid JSON") != std::string::npos);
    CHECK(found.find("more than 64") == std::string::npos);
  }
}

TEST_CASE("stream: anchors hold across elements and end with the document") {
  CHECK(read("items:\n- &x {a: 1}\n- *x\nkind: List\n") ==
        "element {\"a\":1} of List\nelement {\"a\":1} of List\nstreamed "
        "{\"items\":[],\"kind\":\"List\"}\n");
  CHECK(read("a: &x 1\n---\nb: *x\n") ==
        "document {\"a\":1}\nerror alias '*x' has no anchor before it\n");
  CHECK(read("&r\nkind: List\nitems: [1]\n") == "document {\"kind\":\"List\",\"items\":[1]}\n");
}

TEST_CASE("stream: bytes behind a padded text do not count, whatever they are") {
  for (const char behind : {'\0', ' ', '}', ']', ',', '"', '{', 'x'}) {
    std::string text = R"({"a": {"b": [1, 2]}})";
    const std::size_t size = text.size();
    text.append(64, behind);
    CHECK(read({text.data(), size}, 64) == "document {\"a\":{\"b\":[1,2]}}\n");
    CHECK(read({text.data(), size - 1}, 65).find("error no valid JSON") != std::string::npos);
    CHECK(read({text.data(), size - 2}, 66).find("error no valid JSON") != std::string::npos);
  }
}

TEST_CASE("stream: an element that breaks ends the text, and what came before was seen") {
  CHECK(read("[{\"a\": 1}, {\"b\": }]") ==
        "element {\"a\":1} of -\nerror no valid JSON: '}' where a value should stand\n");
  CHECK(read("- a: 1\n- b: [\n").find("element {\"a\":1} of -\nerror no valid YAML") == 0);
}

}  // namespace
}  // namespace gedge::codec
