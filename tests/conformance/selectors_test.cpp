#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gedge/model/selector.hpp"
#include "support/conformance.hpp"

namespace {

using gedge::LabelSelector;
using gedge::Requirement;
using gedge::Result;
using gedge::SelectorOp;
using gedge::test::expect_equal;
using nlohmann::json;

/// As the vectors write operators.
std::string name_of(SelectorOp op) {
  constexpr std::array<const char*, 9> kNames{"=",      "==", "!=", "in", "notin",
                                              "exists", "!",  "gt", "lt"};
  return kNames[static_cast<std::size_t>(op)];
}

/// A metav1.LabelSelector, as the API server would read it.
Result<LabelSelector> read_object(const json& object) {
  if (object.is_null()) return LabelSelector{true, {}};
  const std::vector<std::pair<std::string, SelectorOp>> operators{
      {"In", SelectorOp::kIn},
      {"NotIn", SelectorOp::kNotIn},
      {"Exists", SelectorOp::kExists},
      {"DoesNotExist", SelectorOp::kDoesNotExist}};
  std::vector<Requirement> requirements;
  const json& labels = object.value("matchLabels", json::object());
  for (const auto& [key, value] : labels.items()) {
    requirements.push_back({key, SelectorOp::kEquals, {value.get<std::string>()}});
  }
  for (const json& expression : object.value("matchExpressions", json::array())) {
    const auto op = expression.value("operator", "");
    const auto known = std::find_if(operators.begin(), operators.end(),
                                    [&](const auto& o) { return o.first == op; });
    if (known == operators.end()) return gedge::invalid_input("unknown operator");
    requirements.push_back({expression.value("key", ""), known->second,
                            expression.value("values", std::vector<std::string>{})});
  }
  return gedge::make_selector(std::move(requirements));
}

json described(const LabelSelector& selector) {
  json out = json::array();
  for (const Requirement& r : selector.requirements) {
    const std::set<std::string> values(r.values.begin(), r.values.end());
    out.push_back({{"key", r.key}, {"operator", name_of(r.op)}, {"values", values}});
  }
  return out;
}

void check_vector(const json& vector) {
  const json& expected = vector.at("expected");
  const bool is_text = vector.at("type") == "string";
  const auto selector = is_text ? gedge::parse_selector(vector.at("selector").get<std::string>())
                                : read_object(vector.at("labelSelector"));
  expect_equal("valid", expected.at("valid").get<bool>(), static_cast<bool>(selector));
  if (!selector || !expected.at("valid").get<bool>()) return;
  expect_equal("string", expected.at("string").get<std::string>(), to_string(*selector));
  expect_equal("requirements", expected.value("requirements", json::array()), described(*selector));
  expect_equal("selectable", expected.at("selectable").get<bool>(), !selector->nothing);
  const json& sets = vector.at("labels");
  REQUIRE(sets.size() == expected.at("matches").size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    gedge::Labels labels;
    for (const auto& [key, value] : sets[i].items()) labels.set(key, value.get<std::string>());
    CHECK_MESSAGE(selector->matches(labels) == expected.at("matches")[i].get<bool>(),
                  "matches[" << i << "]: expected " << expected.at("matches")[i]);
  }
}

}  // namespace

TEST_CASE("every selector vector agrees") {
  gedge::test::for_each_vector("selectors.jsonl", check_vector);
}
