// Other people's parsers agree with ours on random texts: nlohmann's on JSON, yaml-cpp on YAML.
#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "codec/cursor.hpp"

namespace gedge::codec {
namespace {

using Json = nlohmann::json;

class Texts {
 public:
  explicit Texts(std::uint32_t seed) : random_(seed) {}

  Json value(int depth) {
    switch (pick(depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return pick(2) == 0;
      case 2:
        return static_cast<std::int64_t>(random_()) - 1'000'000'000;
      case 3:
        return static_cast<std::int64_t>((std::uint64_t{random_()} << 32) | random_());
      case 4:
        return static_cast<double>(pick(100'000)) / 64.0;
      case 5:
        return word();
      case 6: {
        Json list = Json::array();
        for (std::uint32_t i = pick(5); i > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        Json map = Json::object();
        for (std::uint32_t i = pick(12); i > 0; --i) map[word()] = value(depth - 1);
        return map;
      }
    }
  }
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  /// A small change that is likely to break the text.
  void damage(std::string& text) {
    const std::size_t at = pick(static_cast<std::uint32_t>(text.size()));
    constexpr std::string_view letters = "{}[]\",:0123456789.eE+-tfn\\u \n\tx";
    switch (pick(4)) {
      case 0:
        text.erase(at, 1 + pick(3));
        break;
      case 1:
        text.insert(at, 1, letters[pick(letters.size())]);
        break;
      case 2:
        text[at] = letters[pick(letters.size())];
        break;
      default:
        text.insert(at, text.substr(pick(static_cast<std::uint32_t>(text.size())), pick(6)));
        break;
    }
  }

 private:
  std::string word() {
    static const std::vector<std::string> kWords = {"a",
                                                    "kind",
                                                    "",
                                                    "x y",
                                                    "no",
                                                    "12",
                                                    "\"",
                                                    "\\",
                                                    "\n",
                                                    "#",
                                                    ": ",
                                                    "\xC3\xA4",
                                                    "\xF0\x9F\x98\x80",
                                                    "\t",
                                                    "-",
                                                    "{",
                                                    "~",
                                                    "1.0"};
    std::string out;
    for (std::uint32_t i = pick(3); i > 0; --i)
      out += kWords[pick(static_cast<std::uint32_t>(kWords.size()))];
    return out;
  }
  std::mt19937 random_;
};

/// Ours keeps numbers as they are written; nlohmann's have to fit a double.
bool is_beyond_double(const std::string& text) {
  try {
    return Json::parse(text).is_discarded();
  } catch (const Json::out_of_range&) {
    return true;
  } catch (const Json::parse_error&) {
    return false;
  }
}

/// nlohmann keeps the last of two equal keys; here that is an error.
bool has_twice(const std::string& text) {
  std::vector<std::vector<std::string>> keys;
  bool twice = false;
  const Json ignored = Json::parse(
      text,
      [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) keys.emplace_back();
        if (event == Json::parse_event_t::object_end) keys.pop_back();
        if (event != Json::parse_event_t::key) return true;
        const auto key = parsed.get<std::string>();
        twice |= std::find(keys.back().begin(), keys.back().end(), key) != keys.back().end();
        keys.back().push_back(key);
        return true;
      },
      false);
  return !ignored.is_discarded() && twice;
}

TEST_CASE("parser oracles: nlohmann accepts and refuses the same JSON, and reads the same values") {
  Texts texts(20240501);
  std::size_t accepted = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    Json document = Json::object();
    document["v"] = texts.value(4);
    std::string text = document.dump(static_cast<int>(texts.pick(3)) - 1, ' ', texts.pick(2) == 0);
    for (std::uint32_t i = texts.pick(3); i > 0 && !text.empty(); --i) texts.damage(text);
    if (text.empty() || text.find_first_not_of(" \t\r\n") != text.find_first_of("{[")) continue;
    if (is_beyond_double(text)) continue;
    const Json expected = Json::parse(text, nullptr, false);
    Diagnostics diagnostics;
    const Source source("in", text);
    const auto got = Document::parse(source, diagnostics);
    const bool ok = got && diagnostics.ok();
    INFO(text);
    if (expected.is_discarded() || has_twice(text)) {
      ++refused;
      REQUIRE_FALSE(ok);
      const Errors errors = diagnostics.take_errors();
      REQUIRE_FALSE(errors.empty());
      REQUIRE(errors[0].where.line > 0);
      continue;
    }
    ++accepted;
    REQUIRE(ok);
    REQUIRE(Json::parse(got->root().to_json()) == expected);
  }
  MESSAGE("seed 20240501: " << accepted << " accepted, " << refused << " refused");
  CHECK(accepted > 5'000);
  CHECK(refused > 5'000);
}

bool same(Cursor ours, const YAML::Node& theirs) {
  if (ours.is_map()) {
    if (!theirs.IsMap() || theirs.size() != ours.size()) return false;
    bool equal = true;
    ours.fields([&](std::string_view key, Cursor value) {
      const YAML::Node other = theirs[std::string(key)];
      equal = equal && other.IsDefined() && same(value, other);
    });
    return equal;
  }
  if (ours.is_list()) {
    if (!theirs.IsSequence() || theirs.size() != ours.size()) return false;
    bool equal = true;
    std::size_t i = 0;
    ours.items([&](Cursor item) { equal = equal && same(item, theirs[i++]); });
    return equal;
  }
  return theirs.IsNull() ? ours.is_null() : theirs.IsScalar() && theirs.Scalar() == ours.raw_text();
}

void write_yaml(YAML::Emitter& out, const Json& value, Texts& texts) {
  if (value.is_object()) {
    out << (texts.pick(3) == 0 ? YAML::Flow : YAML::Block) << YAML::BeginMap;
    for (const auto& [key, inner] : value.items()) {
      out << YAML::Key << YAML::DoubleQuoted << key << YAML::Value;
      write_yaml(out, inner, texts);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << (texts.pick(3) == 0 ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
    for (const Json& inner : value) write_yaml(out, inner, texts);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    out << (texts.pick(2) == 0 ? YAML::DoubleQuoted : YAML::SingleQuoted)
        << value.get<std::string>();
  } else {
    out << value.dump();
  }
}

TEST_CASE("parser oracles: yaml-cpp reads the same from its own YAML") {
  Texts texts(20240502);
  for (int round = 0; round < 2'000; ++round) {
    Json document = Json::object();
    document["v"] = texts.value(4);
    YAML::Emitter out;
    write_yaml(out, document, texts);
    const std::string text = "--- \n" + std::string(out.c_str());
    INFO(text);
    Diagnostics diagnostics;
    const Source source("in", text);
    const auto got = Document::parse(source, diagnostics);
    REQUIRE(got);
    REQUIRE(diagnostics.ok());
    REQUIRE(same(got->root(), YAML::Load(text)));
  }
}

}  // namespace
}  // namespace gedge::codec
