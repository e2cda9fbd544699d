// Parts that come again byte by byte are read once: the facts, the errors and their places must be
// those of reading everything.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/shared_parts.hpp"
#include "gedge/codec/fingerprint.hpp"
#include "support/objects.hpp"

namespace gedge {
namespace {

using codec::SharedPart;
using codec::SharedParts;
using test::Objects;
using test::warning_codes;

std::string list_of(const std::vector<std::string>& items) {
  std::string text = R"({"kind": "List", "items": [)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ",\n" : "\n") + items[i];
  return text + "\n]}";
}

TEST_CASE("shared parts: the third of equal values is linked, in a later element only") {
  SharedParts parts;
  const std::string bytes = R"({"a": 1})";
  parts.next_element(true);
  REQUIRE(parts.worth_trying("spec"));
  CHECK(parts.find(bytes) == nullptr);
  CHECK(parts.begin(bytes) == nullptr);
  REQUIRE(parts.worth_trying("spec"));
  CHECK(parts.find(bytes) == nullptr);
  SharedPart* part = parts.begin(bytes);
  REQUIRE(part != nullptr);
  part->tape.entries.emplace_back();
  parts.end(*part);
  REQUIRE(parts.worth_trying("spec"));
  CHECK(parts.find(bytes) == nullptr);
  parts.next_element(true);
  REQUIRE(parts.worth_trying("spec"));
  CHECK(parts.find(bytes) == part);
  parts.next_element(false);
  CHECK_FALSE(parts.worth_trying("spec"));
}

TEST_CASE("shared parts: a key whose values never come again is left alone for longer and longer") {
  SharedParts parts;
  int tried = 0, passed = 0;
  for (int i = 0; i < 5000; ++i) {
    if (!parts.worth_trying("metadata")) {
      ++passed;
      continue;
    }
    parts.find(std::to_string(i));
    parts.begin(std::to_string(i));
    ++tried;
  }
  CHECK(tried + passed == 5000);
  CHECK(tried < 1000);
  CHECK(tried >= 5 * 64);
  CHECK(parts.worth_trying("spec"));
}

TEST_CASE("shared parts: an error in a value that comes again is told in each place") {
  const std::string pod = R"("spec": {"containers": [{"name": "c", "resources": )"
                          R"({"requests": {"cpu": "-1"}}}]}})";
  std::vector<std::string> items;
  for (int i = 0; i < 5; ++i)
    items.push_back(R"({"kind": "Pod", "metadata": {"name": "p)" + std::to_string(i) + "\"}, " +
                    pod);
  std::string expected;
  for (int i = 2; i <= 6; ++i)
    expected += "app.yaml:" + std::to_string(i) + ":117: 'cpu' is negative: '-1'\n";
  CHECK(Objects().manifests(list_of(items)).errors() == expected);
}

TEST_CASE("shared parts: text that breaks off inside a value is refused as anywhere") {
  std::vector<std::string> items;
  for (int i = 0; i < 4; ++i)
    items.push_back(R"({"kind": "Pod", "metadata": {"name": "p)" + std::to_string(i) +
                    R"("}, "spec": {"nodeSelector": {"a": "b"}, "containers": []}})");
  const std::string whole = list_of(items);
  CHECK(Objects().manifests(whole).errors().empty());
  for (std::size_t end = whole.size() - 1; end > whole.size() - 100; --end) {
    CAPTURE(end);
    CHECK_FALSE(Objects().manifests(whole.substr(0, end)).errors().empty());
  }
  for (const std::string broken :
       {R"({"a": "b"])", R"({"a" "b"})", R"({"a": "b",})", R"({"a": b})"}) {
    std::string text = whole;
    text.replace(text.rfind(R"({"a": "b"})"), 10, broken);
    CAPTURE(broken);
    CHECK(Objects().manifests(text).errors().starts_with("app.yaml:5:"));
  }
}

// Pods of few templates, as JSON with one list and as YAML, which shares nothing.
class Pods {
 public:
  explicit Pods(unsigned seed) : random_(seed) {}

  std::vector<std::string> items(std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
      std::string item = R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p)" +
                         std::to_string(i) + "\"";
      if (one_in(3)) item += R"(, "namespace": "n)" + number(2) + "\"";
      if (!one_in(4)) item += R"(, "labels": {"app": "a)" + number(3) + "\"" + own_label() + "}";
      if (one_in(4))
        item += R"(, "annotations": {"gedge.io/delay-budget": "node/e)" + number(3) + "=5ms\"}";
      if (one_in(2)) item += R"(, "managedFields": [{"time": ")" + number(4) + "\"}]";
      item += R"(}, "spec": {"containers": [{"name": "c", "image": "i)" + number(2) +
              R"(", "resources": {"requests": {"cpu": ")" + number(5) + "00m\"}}}]";
      if (one_in(3)) item += R"(, "nodeName": "e)" + number(3) + "\"";
      if (one_in(5)) item += R"(, "tolerations": [{"operator": "Exists"}])";
      item +=
          R"(}, "status": {"phase": ")" + std::string(one_in(2) ? "Running" : "Pending") + "\"}}";
      all.push_back(item);
    }
    return all;
  }

 private:
  std::string number(unsigned below) { return std::to_string(1 + random_() % below); }
  bool one_in(unsigned n) { return random_() % n == 0; }
  std::string own_label() {
    return one_in(5) ? R"(, "apps.kubernetes.io/pod-index": ")" + number(3) + "\"" : "";
  }
  std::mt19937 random_;
};

TEST_CASE("shared parts: 200 lists give the facts that their items give one by one") {
  std::size_t pods = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const std::vector<std::string> items = Pods(seed).items(60);
    std::string documents;
    for (const std::string& item : items) documents += "---\n" + item + "\n";
    const Facts shared = Objects().cluster(list_of(items)).facts();
    const Facts plain = Objects().cluster(documents).facts();
    CHECK(fingerprint(shared, {}) == fingerprint(plain, {}));
    CHECK(shared.specs.size() == plain.specs.size());
    CHECK(warning_codes(shared) == warning_codes(plain));
    pods += shared.pods.size();
  }
  CHECK(pods == 12'000);
}

}  // namespace
}  // namespace gedge
