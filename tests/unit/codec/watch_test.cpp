#include "gedge/codec/watch.hpp"

#include <doctest/doctest.h>

#include <string>

#include "gedge/codec/load.hpp"

using namespace gedge;

namespace {

const std::string kAdded =
    R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0",)"
    R"("namespace":"shop","uid":"1-2-3","resourceVersion":"417","labels":{"name":"other"}},)"
    R"("spec":{"containers":[{"name":"c","image":"x"}]},"status":{"phase":"Pending"}}})";

}  // namespace

TEST_CASE("watch: an event says what happened to whom") {
  WatchReader reader;
  for (const std::size_t padding : {std::size_t{0}, std::size_t{64}}) {
    const std::string bytes = kAdded + std::string(64, '}');
    const auto line = reader.read(std::string_view(bytes).substr(0, kAdded.size()), padding);
    REQUIRE(line);
    CHECK(line->type == WatchType::kAdded);
    CHECK(line->kind == "Pod");
    CHECK(line->namespace_name == "shop");
    CHECK(line->name == "web-0");
    CHECK(line->uid == "1-2-3");
    CHECK(line->version == "417");
    CHECK(line->object == kAdded.substr(25, kAdded.size() - 26));
  }
}

TEST_CASE("watch: who manages which field lies where nobody needs to read it") {
  WatchReader reader;
  const std::string line =
      R"({"type":"MODIFIED","object":{"metadata":{"name":"a","managedFields":[{"f":[1]}, {}],)"
      R"("uid":"u"},"spec":{"managedFields":[2]}}})";
  const auto read = reader.read(line);
  REQUIRE(read);
  CHECK(read->managed_fields == R"([{"f":[1]}, {}])");
  CHECK(read->managed_fields.data() == line.data() + line.find(R"([{"f")"));
  CHECK(read->uid == "u");
  CHECK(reader.read(R"({"type":"ADDED","object":{"metadata":{"managedFields":null}}})")
            ->managed_fields.empty());
  CHECK(reader.read(R"({"type":"ADDED","object":{"metadata":{"name":"b"}}})")
            ->managed_fields.empty());
}

TEST_CASE("watch: the object of an event is read as one of a cluster") {
  WatchReader reader;
  const auto line = reader.read(kAdded);
  REQUIRE(line);
  FactsLoader loader;
  loader.add_cluster({"watch", line->object});
  const LoadResult result = loader.finish();
  REQUIRE(result.loaded);
  REQUIRE(result.loaded->facts.pods.size() == 1);
  CHECK(result.loaded->facts.pods.front().uid == "1-2-3");
}

TEST_CASE("watch: fields may come in any order, be null, or be of a newer server") {
  WatchReader reader;
  const auto line = reader.read(
      R"( {"more":[{"type":1}],"object":{"metadata":{"uid":null,"name":"a\u0062","x":{}},)"
      R"("kind":"Node"},"type":"BOOKMARK"} )");
  REQUIRE(line);
  CHECK(line->type == WatchType::kBookmark);
  CHECK(line->name == "ab");
  CHECK(line->uid.empty());
  const auto newer = reader.read(R"({"type":"SHUFFLED","object":{}})");
  REQUIRE(newer);
  CHECK(newer->type == WatchType::kOther);
  CHECK(newer->object == "{}");
  CHECK(newer->message == "SHUFFLED");
}

TEST_CASE("watch: an error says its code and reason") {
  WatchReader reader;
  const auto line = reader.read(
      R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","message":"too old",)"
      R"("reason":"Expired","code":410}})");
  REQUIRE(line);
  CHECK(line->type == WatchType::kError);
  CHECK(line->code == 410);
  CHECK(line->reason == "Expired");
  CHECK(line->message == "too old");
  CHECK_FALSE(line->retry_after);
}

TEST_CASE("watch: an error says when to come again, where that is a number of seconds") {
  WatchReader reader;
  for (const auto& [details, seconds] :
       {std::pair(R"({"retryAfterSeconds":7})", 7),
        {R"({"retryAfterSeconds":-7})", 0},
        {R"({"a":[{}],"retryAfterSeconds":1000000000000,"b":{}})", 86'400},
        {R"({"retryAfterSeconds":"7"})", -1},
        {R"({"retryAfterSeconds":{"a":7}})", -1},
        {"[7]", -1},
        {"null", -1},
        {"7", -1}}) {
    CAPTURE(details);
    const auto line = reader.read(std::string(R"({"type":"ERROR","object":{"details":)") + details +
                                  R"(,"code":429}})");
    REQUIRE(line);
    CHECK(line->code == 429);
    CHECK(line->retry_after.has_value() == (seconds >= 0));
    if (line->retry_after) CHECK(*line->retry_after == Nanos{1'000'000'000} * seconds);
  }
}

TEST_CASE("watch: what is no event is refused, and the reader goes on") {
  WatchReader reader;
  for (const std::string bad :
       {"", " ", "{", "[]", "null", "{}", R"({"type":"ADDED"})", R"({"object":{}})",
        R"({"type":"ADDED","object":{}}{})", R"({"type":"ADDED","object":[]})",
        R"({"type":7,"object":{}})", R"({"type":"ADDED","object":{"metadata":[]}})",
        R"({"type":"ADDED","object":{"kind":"Pod)", R"({"type":"ERROR","object":{"code":"x"}})",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"\xff\"}}"})
    CHECK_MESSAGE(!reader.read(bad), bad);
  for (std::size_t size = 0; size < kAdded.size(); ++size)
    CHECK_MESSAGE(!reader.read(std::string_view(kAdded).substr(0, size)), size);
  CHECK(reader.read(kAdded));
}

TEST_CASE("watch: a list says its version and whether there is more") {
  WatchReader reader;
  const auto last =
      reader.read_list(R"({"kind":"PodList","items":[{"metadata":{"resourceVersion":"1"}}],)"
                       R"("metadata":{"resourceVersion":"99"}})");
  REQUIRE(last);
  CHECK(last->version == "99");
  CHECK(last->next.empty());
  const auto page = reader.read_list(
      R"({"metadata":{"resourceVersion":"99","continue":"abc","remainingItemCount":3},)"
      R"("items":[]})");
  REQUIRE(page);
  CHECK(page->next == "abc");
  for (const std::string bad :
       {"", "{}", R"({"items":[]})", R"({"metadata":{}})", R"({"items":[],"metadata":{}}x)"})
    CHECK_MESSAGE(!reader.read_list(bad), bad);
}

TEST_CASE("watch: of what is no answer of an API server is shown how it begins") {
  WatchReader reader;
  const auto said = [&](const std::string& body) {
    const auto list = reader.read_list(body);
    REQUIRE_FALSE(list);
    return list.error().what;
  };
  CHECK(said("\n <html><body>Log in</body></html>") ==
        "the server sent no list: <html><body>Log in</body></html>");
  CHECK(said("Bearer 0123456789abcdef was sent") ==
        "the server sent no list: Bearer [redacted] was sent");
  CHECK(said(std::string(300, '<')) == "the server sent no list: " + std::string(200, '<'));
  CHECK(said(R"({"kind":"PodList)").find("PodList") == std::string::npos);
  const auto line = reader.read("<html>");
  REQUIRE_FALSE(line);
  CHECK(line.error().what == "the server sent no event of a watch: <html>");
}
