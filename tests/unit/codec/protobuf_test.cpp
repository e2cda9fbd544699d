// What an API server says in protobuf: messages written here with the library's writer, whose field
// numbers are those of generated.proto, and hostile ones. That a real server is understood is in
// tests/integration/protobuf_plane_test.py.
#include "gedge/codec/protobuf.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>

using gedge::codec::is_protobuf;
using gedge::codec::json_of_protobuf;
using gedge::codec::meta_of_protobuf;
using protozero::pbf_writer;

namespace {

// A message of fields that are bytes each.
std::string message(std::initializer_list<std::pair<std::uint32_t, std::string_view>> fields) {
  std::string out;
  pbf_writer writer(out);
  for (const auto& [number, bytes] : fields) writer.add_bytes(number, bytes.data(), bytes.size());
  return out;
}

std::string number(std::uint32_t field, std::int64_t value) {
  std::string out;
  pbf_writer(out).add_int64(field, value);
  return out;
}

std::string wrapped(std::string_view kind, std::string_view raw) {
  const std::string type = message({{1, "v1"}, {2, kind}});
  return std::string("k8s\0", 4) + message({{1, type}, {2, raw}, {3, ""}, {4, ""}});
}

// A list of one pod with that spec.
std::string pod_of(std::string_view spec) {
  const std::string meta = message({{2, "7"}}), pod = message({{2, spec}});
  return wrapped("PodList", message({{1, meta}, {2, pod}}));
}

// What is written of that spec.
std::string spec_of(std::string_view spec) {
  const auto json = json_of_protobuf(pod_of(spec), "PodList");
  REQUIRE_MESSAGE(json, (json ? std::string() : json.error().what));
  const std::string_view head =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"spec":)";
  const std::string_view tail = "}]}";
  REQUIRE(json->substr(0, head.size()) == head);
  REQUIRE(json->substr(json->size() - tail.size()) == tail);
  return json->substr(head.size(), json->size() - head.size() - tail.size());
}

std::string failure_of(std::string_view body) {
  const auto json = json_of_protobuf(body, "PodList");
  return json ? "none: " + *json : json.error().what;
}

}  // namespace

TEST_CASE("a body in protobuf is known by its beginning") {
  CHECK(is_protobuf(wrapped("PodList", "")));
  CHECK_FALSE(is_protobuf(""));
  CHECK_FALSE(is_protobuf("k8s"));
  CHECK_FALSE(is_protobuf("{\"kind\":\"PodList\"}"));
}

TEST_CASE("a list of nothing is a list") {
  CHECK(*json_of_protobuf(wrapped("NodeList", message({{1, ""}})), "NodeList") ==
        R"({"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]})");
}

TEST_CASE("each form of field is written as the server writes it in JSON") {
  CHECK(spec_of("") == "{}");
  // A text that is empty says nothing, unless it is a pointer.
  CHECK(spec_of(message({{10, ""}, {19, "gedge"}})) == R"({"schedulerName":"gedge"})");
  const std::string claim = message({{2, message({{5, ""}})}});
  const std::string source = message({{29, message({{1, claim}})}});
  CHECK(spec_of(message({{1, message({{1, "data"}, {2, source}})}})) ==
        R"({"volumes":[{"name":"data","ephemeral":{"volumeClaimTemplate":)"
        R"({"spec":{"storageClassName":""}}}}]})");
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-7}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()})
    CHECK(spec_of(number(25, value)) == "{\"priority\":" + std::to_string(value) + "}");
  CHECK(spec_of(number(11, 1)) == R"({"hostNetwork":true})");
  CHECK(spec_of(number(11, 0)) == R"({"hostNetwork":false})");
  const std::string one = message({{1, "disk"}, {2, "ssd"}}), other = message({{1, "none"}});
  CHECK(spec_of(message({{7, one}, {7, other}})) == R"({"nodeSelector":{"disk":"ssd","none":""}})");
  const std::string cpu = message({{1, "cpu"}, {2, message({{1, "250m"}})}});
  const std::string zero = message({{1, "x"}, {2, ""}});
  CHECK(spec_of(message({{32, cpu}, {32, zero}})) == R"({"overhead":{"cpu":"250m","x":"0"}})");
  CHECK(spec_of(message({{22, message({{1, "a"}})}, {22, ""}})) ==
        R"({"tolerations":[{"key":"a"},{}]})");
  const std::string text = "\"\\\n\x01/\xc3\xa4";
  CHECK(spec_of(message({{10, text}})) == "{\"nodeName\":\"\\\"\\\\\\u000a\\u0001/\xc3\xa4\"}");
}

TEST_CASE("a time is written as RFC 3339, and none where there is none") {
  const auto list = [](const std::string& created) {
    const std::string meta = message({{8, created}, {9, ""}});
    return json_of_protobuf(wrapped("NodeList", message({{1, ""}, {2, message({{1, meta}})}})),
                            "NodeList");
  };
  const std::string head = R"({"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[)";
  CHECK(*list("") == head + R"({"metadata":{}}]})");
  const std::pair<std::int64_t, const char*> times[] = {{1714564800, "2024-05-01T12:00:00Z"},
                                                        {0, "1970-01-01T00:00:00Z"},
                                                        {-1, "1969-12-31T23:59:59Z"},
                                                        {-62135596800, "0001-01-01T00:00:00Z"},
                                                        {253402300799, "9999-12-31T23:59:59Z"}};
  for (const auto& [seconds, text] : times)
    CHECK(*list(number(1, seconds) + number(2, 0)) ==
          head + R"({"metadata":{"creationTimestamp":")" + text + "\"}}]}");
  CHECK(*list(number(2, 5)) ==
        head + R"({"metadata":{"creationTimestamp":"1970-01-01T00:00:00Z"}}]})");
  for (const std::int64_t seconds :
       {std::int64_t{-62135596801}, std::int64_t{253402300800},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    const auto json = list(number(1, seconds));
    REQUIRE_FALSE(json);
    CHECK(json.error().what == "the server's protobuf cannot be read: a time that no calendar has");
  }
}

TEST_CASE("texts that are not UTF-8 are written as a server writes them in JSON") {
  for (const char* bad : {"\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const auto json =
        nlohmann::json::parse(spec_of(message({{10, "\xc3\xa4" + std::string(bad)}, {19, "ok"}})));
    const auto name = json.at("nodeName").get<std::string>();
    CHECK(name.rfind("\xc3\xa4\xef\xbf\xbd", 0) == 0);
    CHECK(json.at("schedulerName") == "ok");
  }
}

TEST_CASE("fields that servers after 1.20 have are known by their numbers") {
  CHECK(spec_of(message({{38, message({{1, "gate"}})}})) ==
        R"({"schedulingGates":[{"name":"gate"}]})");
  const std::string cpu = message({{1, "cpu"}, {2, message({{1, "1"}})}});
  CHECK(spec_of(message({{40, message({{2, cpu}})}})) ==
        R"({"resources":{"requests":{"cpu":"1"}}})");
  CHECK(spec_of(message({{20, message({{1, "s"}, {24, "Always"}})}})) ==
        R"({"initContainers":[{"name":"s","restartPolicy":"Always"}]})");
  const std::string spread = message({{6, "Honor"}, {7, "Ignore"}, {8, "a"}, {8, "b"}});
  CHECK(spec_of(message({{33, number(5, 3) + spread}})) ==
        R"({"topologySpreadConstraints":[{"minDomains":3,"nodeAffinityPolicy":"Honor",)"
        R"("nodeTaintsPolicy":"Ignore","matchLabelKeys":["a","b"]}]})");
  const std::string term = message({{3, "zone"}, {4, ""}, {5, "a"}, {6, "b"}});
  CHECK(spec_of(message({{18, message({{2, message({{1, term}})}})}})) ==
        R"({"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"([{"topologyKey":"zone","namespaceSelector":{},"matchLabelKeys":["a"],)"
        R"("mismatchLabelKeys":["b"]}]}}})");
}

TEST_CASE("what a list says of itself is read without what is in it") {
  const std::string meta = message({{1, "link"}, {2, "7"}, {3, "t"}, {4, ""}});
  const auto read = [](std::string_view body) { return meta_of_protobuf(body, "PodList"); };
  for (const std::string_view pods : {"", "\x12\x7f cut off"}) {
    const auto said = read(wrapped("PodList", message({{1, meta}}) + std::string(pods)));
    REQUIRE(said);
    CHECK(said->version == "7");
    CHECK(said->next == "t");
  }
  const std::string begin = "the server's protobuf cannot be read: ";
  CHECK(read("{}").error().what == begin + "it does not begin as such");
  CHECK(read(wrapped("PodList", "")).error().what == begin + "it says nothing of itself");
  CHECK(read(wrapped("Status", message({{1, ""}}))).error().what == begin + "it is no list");
  CHECK(read(wrapped("PodList", "\x0a\x7f")).error().what == begin + "it is cut off or damaged");
  CHECK(read(wrapped("PodList", number(1, 3))).error().what == begin + "a field has another type");
  CHECK(read(wrapped("PodList", message({{1, number(3, 3)}}))).error().what ==
        begin + "a field has another type");
}

TEST_CASE("fields are known in whatever order they stand") {
  CHECK(spec_of(message({{22, ""}, {24, "c"}, {10, "a"}, {17, "h"}, {3, "Never"}})) ==
        R"({"tolerations":[{}],"priorityClassName":"c","nodeName":"a"})");
}

TEST_CASE("texts are escaped as JSON wants, wherever in them something is to be") {
  for (std::size_t size = 0; size <= 20; ++size)
    for (std::size_t at = 0; at <= size; ++at)
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string name(size, 'n');
        if (at < size) name[at] = static_cast<char>(byte);
        if (at > 2) name[at / 2] = '"';
        if (name.empty()) continue;
        const auto json = nlohmann::json::parse(spec_of(message({{10, name}})));
        REQUIRE(json["nodeName"] == name);
      }
}

TEST_CASE("a refusal is read") {
  const std::string status = message({{1, ""}, {2, "Failure"}, {3, "not you"}, {4, "Forbidden"}});
  CHECK(*json_of_protobuf(wrapped("Status", status + number(6, 403)), "PodList") ==
        R"({"kind":"Status","apiVersion":"v1","message":"not you",)"
        R"("reason":"Forbidden","code":403})");
}

TEST_CASE("fields that nobody reads are skipped, of whatever type and wherever they stand") {
  std::string spec = message({{10, "a"}}) + number(4, 30);
  pbf_writer writer(spec);
  writer.add_fixed64(500, 1);
  writer.add_fixed32(501, 1);
  spec += message({{22, ""}, {502, "x"}, {24, "c"}});
  CHECK(spec_of(spec) == R"({"nodeName":"a","tolerations":[{}],"priorityClassName":"c"})");
  const std::string cpu = message({{1, "cpu"}, {3, "x"}, {2, message({{2, "x"}, {1, "1"}})}});
  CHECK(spec_of(message({{32, cpu}})) == R"({"overhead":{"cpu":"1"}})");
}

TEST_CASE("what is no such list is refused") {
  const std::string begin = "the server's protobuf cannot be read: ";
  CHECK(failure_of("{}") == begin + "it does not begin as such");
  const std::string other = begin + "it is of another kind than was asked for";
  CHECK(failure_of(wrapped("ConfigMapList", "")) == other);
  for (const char* kind : {"Pod", "NodeList", ""}) CHECK(failure_of(wrapped(kind, "")) == other);
  const auto list_of = [](std::string_view version, std::string_view encoding) {
    const std::string type = message({{1, version}, {3, "x"}, {2, "PodList"}});
    return std::string("k8s\0", 4) + message({{1, type}, {2, ""}, {3, encoding}});
  };
  CHECK(failure_of(list_of("v1", "")).rfind("none: ", 0) == 0);
  CHECK(failure_of(list_of("v2", "")) == other);
  CHECK(failure_of(list_of("v1", "gzip")) == other);
  CHECK(failure_of(pod_of("\x0a")) == begin + "it is cut off or damaged");
  CHECK(failure_of(std::string("k8s\0", 4)) == other);
  const std::string type_only = message({{1, message({{1, "v1"}, {2, "PodList"}})}});
  CHECK(failure_of(std::string("k8s\0", 4) + type_only) == begin + "it is cut off");
  const std::string type = begin + "a field has another type";
  CHECK(failure_of(pod_of(number(10, 1))) == type);         // a text
  CHECK(failure_of(pod_of(message({{25, "1"}}))) == type);  // a number
  CHECK(failure_of(pod_of(number(7, 1))) == type);          // a map
  CHECK(failure_of(pod_of(number(18, 1))) == type);         // a message
  const std::string apart = begin + "fields stand apart";
  CHECK(failure_of(pod_of(message({{10, "a"}, {10, "b"}}))) == apart);
  CHECK(failure_of(pod_of(message({{22, ""}, {24, "c"}, {22, ""}}))) == apart);
}

TEST_CASE("a list that is cut off anywhere, or of which any byte is another, harms nobody") {
  const std::string cpu = message({{1, "cpu"}, {2, message({{1, "1"}})}});
  const std::string labels = message({{1, message({{1, "a"}, {2, "b"}})}});
  const std::string term = message({{1, labels}, {3, "zone"}});
  const std::string affinity = message({{2, message({{1, term}})}});
  const std::string whole =
      pod_of(message({{2, message({{1, "c"}, {8, message({{2, cpu}})}})}, {18, affinity}}) +
             number(25, -1));
  REQUIRE(json_of_protobuf(whole, "PodList"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const auto cut = json_of_protobuf(std::string_view(whole).substr(0, size), "PodList");
    // What follows the list itself are two fields that say nothing.
    if (size < whole.size() - 4) CHECK_FALSE(cut);
  }
  std::size_t read = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      if (const auto json = json_of_protobuf(changed, "PodList")) {
        ++read;
        CHECK(nlohmann::json::accept(*json));
      }
    }
  CHECK(read > whole.size());  // texts may say what they like
}
