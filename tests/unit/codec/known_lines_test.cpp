// Lines of a watch that are known by their bytes must say what the reader of watches says of them,
// and have the pods that the loader makes of their objects.
#include "gedge/codec/known_lines.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "gedge/codec/fingerprint.hpp"
#include "gedge/codec/watch.hpp"
#include "support/dice.hpp"
#include "support/watched_pods.hpp"

namespace gedge {
namespace {

using test::Dice;
using test::WatchedPods;

std::string describe(const WatchLine& line) {
  std::string out = std::to_string(static_cast<int>(line.type)) + std::to_string(line.code);
  for (const std::string& text : {line.kind, line.namespace_name, line.name, line.uid, line.version,
                                  line.reason, line.message})
    out += "|" + text;
  return out;
}

std::string read_alone(std::string_view object) {
  FactsLoader loader;
  loader.add_cluster({"watch", object});
  const LoadResult result = loader.finish();
  if (!result.loaded) return "";
  Facts facts = result.loaded->facts;
  facts.namespaces.clear();
  return test::describe_pods(facts);
}

/// A watch whose lines are known or read, and each compared with reading it.
class Watched {
 public:
  /// False where what is known is not what is read.
  bool take(const std::string& line) {
    const std::string roomy = line + std::string(KnownLines::kPadding, '"');
    const std::string_view text = std::string_view(roomy).substr(0, line.size());
    const auto read = reader_.read(line);
    const auto known = lines_.find(text);
    if (!known) {
      if (read) lines_.learn(text, *read);
      return true;
    }
    ++found_;
    lines_.add();
    const std::string pod = test::describe_pods(lines_.take());
    if (read && describe(*known) == describe(*read) && pod == read_alone(read->object)) return true;
    CHECK(read);
    if (read) CHECK(describe(*known) == describe(*read));
    if (read) CHECK(pod == read_alone(read->object));
    return false;
  }
  std::size_t found() const { return found_; }

 private:
  WatchReader reader_;
  KnownLines lines_;
  std::size_t found_ = 0;
};

const std::string kBound =
    R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0",)"
    R"("namespace":"shop","uid":"1-2","resourceVersion":"417","creationTimestamp":)"
    R"("2026-05-01T12:00:00Z","labels":{"app":"web"},"managedFields":[{"manager":"gedge",)"
    R"("time":"2026-05-01T12:00:01Z"}]},"spec":{"nodeName":"edge-1","containers":[{"name":"c",)"
    R"("image":"x"}]},"status":{"phase":"Pending","podIP":"10.0.0.1"}}})";

std::string with(std::string line, const std::string& from, const std::string& to) {
  const std::size_t at = line.find(from);
  REQUIRE(at != std::string::npos);
  return line.replace(at, from.size(), to);
}

// `line` once `kBound` is known.
bool is_known(const std::string& line) {
  Watched watched;
  REQUIRE(watched.take(kBound));
  REQUIRE(watched.found() == 0);
  REQUIRE(watched.take(line));
  return watched.found() == 1;
}

}  // namespace

TEST_CASE("known lines: what a pod has for itself, and what nobody reads, may be another text") {
  CHECK(is_known(kBound));
  for (const std::string own : {"web-0", "shop", "1-2", "417", "edge-1", "gedge", "10.0.0.1"})
    CHECK_MESSAGE(is_known(with(kBound, '"' + own + '"', "\"other\"")), own);
  CHECK(is_known(with(kBound, "12:00:00Z", "23:59:58Z")));
  CHECK(is_known(with(kBound, "12:00:01Z", "never")));
  CHECK(is_known(with(kBound, "10.0.0.1", "na\xc3\xafve")));
}

TEST_CASE("known lines: what is read, or stands otherwise, is left to readers") {
  for (const std::string read : {"MODIFIED", "Pod", "v1", "web\"}", "x", "Pending"})
    CHECK_FALSE_MESSAGE(is_known(with(kBound, '"' + read, "\"other" + read)), read);
  for (const std::string odd : {"Web-0", "", "web\\u002d0", "web-0\xff", "web\n0"})
    CHECK_FALSE_MESSAGE(is_known(with(kBound, "web-0", odd)), odd);
  for (const std::string odd : {"Shop", "", "a.b"})
    CHECK_FALSE_MESSAGE(is_known(with(kBound, "shop", odd)), odd);
  CHECK_FALSE(is_known(with(kBound, "edge-1", "")));
  CHECK_FALSE(is_known(with(kBound, "12:00:00Z", "25:00:00Z")));
  CHECK_FALSE(is_known(with(kBound, R"("uid":"1-2",)", "")));
  CHECK_FALSE(is_known(with(kBound, R"("uid":"1-2")", R"("uid":12)")));
  CHECK_FALSE(is_known(kBound + "}"));
  CHECK_FALSE(is_known(kBound.substr(0, kBound.size() - 1)));
}

TEST_CASE("known lines: a pod whose name is in more than its name is read each time") {
  for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
           {R"("labels")", R"("ownerReferences":[{"kind":"StatefulSet","name":"web","uid":"u",)"
                           R"("controller":true}],"labels")"},
           {R"("containers")", R"("volumes":[{"name":"v","ephemeral":{}}],"containers")"}}) {
    Watched watched;
    for (int i = 0; i < 20; ++i)
      REQUIRE(watched.take(with(with(kBound, from, to), "web-0", "web-" + std::to_string(i))));
    CHECK(watched.found() == 0);
  }
}

TEST_CASE("known lines: nothing of a pod is left for the next one") {
  Watched watched;
  REQUIRE(watched.take(kBound));
  const std::string bare = with(kBound, R"("uid":"1-2",)", R"("uid":"",)");
  REQUIRE(watched.take(bare));
  REQUIRE(watched.take(with(with(kBound, "edge-1", "edge-2"), "1-2", "3-4")));
  REQUIRE(watched.take(bare));
  CHECK(watched.found() == 3);
}

TEST_CASE("known lines: random pods, most of them known, are those that are read") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    WatchedPods pods(seed);
    Watched watched;
    for (int i = 0; i < 400; ++i) REQUIRE(watched.take(pods.line()));
    CHECK(watched.found() > 80);
  }
}

TEST_CASE("known lines: damaged ones are known only where they can be read, and say that") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    WatchedPods pods(seed);
    Watched watched;
    for (int i = 0; i < 1000; ++i) {
      const std::string line = pods.line();
      REQUIRE(watched.take(dice.chance(30) ? line : test::damaged(line, dice)));
    }
    found += watched.found();
  }
  CHECK(found > 1500);
}

TEST_CASE(
    "known lines: the shape that was found longest ago makes room, and one that comes again "
    "is learned again") {
  const auto shaped = [](int i) {
    return with(kBound, "\"web\"", "\"a" + std::to_string(i) + '"');
  };
  Watched watched;
  const int shapes = static_cast<int>(KnownLines::kMostShapes);
  for (int i = 0; i <= shapes; ++i) {
    for (int turn = 0; turn < 2; ++turn) REQUIRE(watched.take(shaped(i)));
    REQUIRE(watched.take(shaped(1)));
  }
  std::size_t before = watched.found();
  REQUIRE(watched.take(shaped(1)));
  CHECK(watched.found() == before + 1);
  REQUIRE(watched.take(shaped(0)));
  CHECK(watched.found() == before + 1);
  REQUIRE(watched.take(shaped(0)));
  CHECK(watched.found() == before + 2);
}

TEST_CASE("known lines: where none comes again few are learned, and then those that do") {
  Watched watched;
  for (int i = 0; i < 3000; ++i)
    REQUIRE(watched.take(with(kBound, "\"web\"", "\"a" + std::to_string(i) + '"')));
  CHECK(watched.found() == 0);
  for (int i = 0; i < 600; ++i) REQUIRE(watched.take(kBound));
  CHECK(watched.found() > 560);
  CHECK(watched.found() < 599);
}

TEST_CASE("known lines: what is found again pays for what is learned, whatever else comes") {
  const auto shaped = [](const std::string& text) {
    return with(kBound, "\"web\"", '"' + text + '"');
  };
  Watched watched;
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(watched.take(shaped("a" + std::to_string(i))));
    for (int turn = 0; turn < 4; ++turn) REQUIRE(watched.take(kBound));
  }
  for (int i = 0; i < 100; ++i) {  // a new one, and the same again
    const std::size_t before = watched.found();
    for (int turn = 0; turn < 2; ++turn) REQUIRE(watched.take(shaped("b" + std::to_string(i))));
    CHECK(watched.found() == before + 1);
    for (int turn = 0; turn < 4; ++turn) REQUIRE(watched.take(kBound));
  }
}

TEST_CASE("known lines: pods of several lines are sorted, and share their specs and nodes") {
  WatchReader reader;
  KnownLines lines;
  const auto read = reader.read(kBound);
  REQUIRE(read);
  std::vector<std::string> kept;
  for (const std::string name : {"b", "a", "c"})
    kept.push_back(with(kBound, "web-0", name) + std::string(KnownLines::kPadding, ' '));
  lines.learn(kBound, *read);
  for (const std::string& line : kept) {
    REQUIRE(lines.find(std::string_view(line).substr(0, line.size() - KnownLines::kPadding)));
    lines.add();
  }
  CHECK(lines.size() == 3);
  const Facts facts = lines.take();
  CHECK(lines.size() == 0);
  REQUIRE(facts.pods.size() == 3);
  CHECK(facts.specs.size() == 1);
  CHECK(facts.pods[0].name == "a");
  CHECK(facts.pods[2].name == "c");
  CHECK(facts.pods[0].bound_node.data() == facts.pods[2].bound_node.data());
  CHECK(lines.take().pods.empty());
}

}  // namespace gedge
