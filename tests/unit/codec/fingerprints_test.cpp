// Fingerprints are sums: whatever moves to another place must be told from what stays.
#include "codec/fingerprints.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/dice.hpp"

namespace gedge::codec {
namespace {

using test::Dice;

/// Small values of few texts and keys, so that most parts of one come in another one, elsewhere.
class Values {
 public:
  explicit Values(std::uint64_t seed) : dice_(seed) {}

  /// As JSON with sorted keys and no fields that are null.
  std::string next(int depth = 4) {
    const std::size_t form = depth == 0 ? 0 : dice_.below(depth == 4 ? 2 : 4);
    if (form >= 2) return dice_.pick(scalars_);
    std::string text;
    if (form == 1) {
      for (std::size_t count = dice_.below(4); count > 0; --count)
        text += (text.empty() ? "" : ",") + next(depth - 1);
      return "[" + text + "]";
    }
    if (depth == 0) return dice_.pick(scalars_);
    for (const char* key : {"a", "b", "c"}) {
      std::string value = dice_.chance(50) ? next(depth - 1) : "null";
      if (value != "null") text += std::string(text.empty() ? "\"" : ",\"") + key + "\":" + value;
    }
    return "{" + text + "}";
  }

 private:
  const std::vector<std::string> scalars_ = {"\"x\"", "\"y\"", "\"\"", "\"a\"",   "1",
                                             "\"1\"", "true",  "null", "\"true\""};
  Dice dice_;
};

Fingerprint print_of(const std::string& text) {
  Diagnostics diagnostics;
  const Source source("in", text);
  const auto document = Document::parse(source, diagnostics);
  REQUIRE(document);
  return document->root().fingerprint();
}

TEST_CASE("fingerprints: of 60,000 small values no two that differ have one") {
  Values values(7);
  std::map<std::string, Fingerprint> known;
  std::map<Fingerprint, std::string> texts;
  std::map<std::uint64_t, std::string> halves;
  while (known.size() < 60'000) {
    const std::string text = values.next();
    const Fingerprint print = print_of(text);
    const auto [at, fresh] = known.try_emplace(text, print);
    REQUIRE(at->second == print);
    if (!fresh) continue;
    CAPTURE(text);
    REQUIRE(texts.try_emplace(print, text).first->second == text);
    REQUIRE(halves.try_emplace(print.low, text).first->second == text);
    REQUIRE(halves.try_emplace(print.high, text).first->second == text);
  }
}

TEST_CASE("fingerprints: ways of two steps differ by their order") {
  std::vector<Way> steps = {kItem, kNext};
  for (const char* key : {"a", "b", "labels", "metadata", ""})
    steps.push_back(way_of(digest(key, 0)));
  const Fingerprint value = text_of("x");
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t j = 0; j < steps.size(); ++j) {
      CHECK((steps[i].a * steps[i].d - steps[i].b * steps[i].c) % 2 == 1);
      CHECK((steps[i] * steps[j]) * value == steps[i] * (steps[j] * value));
      if (i != j) CHECK(steps[i] * (steps[j] * value) != steps[j] * (steps[i] * value));
    }
}

}  // namespace
}  // namespace gedge::codec
