#include "gedge/model/selector.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using gedge::Labels;
using gedge::LabelSelector;
using gedge::make_selector;
using gedge::NodeSelectorTerm;
using gedge::parse_selector;
using gedge::Requirement;
using gedge::SelectorOp;

namespace {

bool selects(const char* text, const Labels& labels) {
  const auto selector = parse_selector(text);
  REQUIRE(selector);
  return selector->matches(labels);
}

std::string printed(const char* text) {
  const auto selector = parse_selector(text);
  return selector ? to_string(*selector) : selector.error().what;
}

}  // namespace

TEST_CASE("a missing key meets only the negative operators") {
  const Labels none;
  CHECK_FALSE(selects("a=b", none));
  CHECK(selects("a!=b", none));
  CHECK_FALSE(selects("a in (b)", none));
  CHECK(selects("a notin (b)", none));
  CHECK_FALSE(selects("a", none));
  CHECK(selects("!a", none));
  CHECK_FALSE(selects("a>0", none));
  CHECK_FALSE(selects("a<0", none));
}

TEST_CASE("all requirements must hold") {
  const Labels labels{{"app", "web"}, {"tier", "a"}};
  CHECK(selects("app=web,tier in (a, b),!legacy", labels));
  CHECK_FALSE(selects("app=web,tier notin (a)", labels));
  CHECK(selects("", labels));
}

TEST_CASE("greater and less compare integers only") {
  CHECK(selects("n>9", Labels{{"n", "10"}}));
  CHECK_FALSE(selects("n>9", Labels{{"n", "9"}}));
  CHECK(selects("n<10", Labels{{"n", "-3"}}));
  CHECK(selects("n<10", Labels{{"n", "007"}}));
  CHECK_FALSE(selects("n<10", Labels{{"n", "7.5"}}));
  CHECK_FALSE(selects("n<10", Labels{{"n", ""}}));
  CHECK_FALSE(selects("n>0", Labels{{"n", "9223372036854775808"}}));
  CHECK(selects("n>0", Labels{{"n", "9223372036854775807"}}));
}

TEST_CASE("label integers reach both ends of int64") {
  CHECK(gedge::parse_label_integer("-9223372036854775808") ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(gedge::parse_label_integer("+9223372036854775807") ==
        std::numeric_limits<std::int64_t>::max());
  for (const char* text :
       {"", "+", "-", "--1", "1x", " 1", "9223372036854775808", "-9223372036854775809"}) {
    CAPTURE(text);
    CHECK_FALSE(gedge::parse_label_integer(text));
  }
}

TEST_CASE("the null selector matches nothing") {
  CHECK_FALSE(LabelSelector{true, {}}.matches({}));
  CHECK(LabelSelector{}.matches({}));
  CHECK(to_string(LabelSelector{true, {}}).empty());
}

TEST_CASE("selectors are printed sorted by key with sorted values") {
  CHECK(printed(" b = 2 , a notin ( z, x ,x) ,!c,d ") == "a notin (x,z),b=2,!c,d");
  CHECK(printed("a in ()") == "a in ()");
  CHECK(printed("a in (,)") == "a in ()");
  CHECK(printed("a in (,b)") == "a in (,b)");
  CHECK(printed("a in (b,)") == "a in (,b)");
  CHECK(printed("a in (,,,)") == "a in ()");
  CHECK(printed("a=,b==") == "a=,b==");
  CHECK(printed("in,notin notin (in)") == "in,notin notin (in)");
  CHECK(printed("a>1,a<3") == "a>1,a<3");
}

TEST_CASE("a selector that is wrong names what stands where") {
  const auto selector = parse_selector("app=web,,tier");
  REQUIRE_FALSE(selector);
  CHECK(selector.error().code == gedge::Errc::kInvalidInput);
  CHECK(selector.error().what == "found ',' where a label key is expected");
  CHECK(selector.error().where.column == 9);
  CHECK(selector.error().where.excerpt == "app=web,,tier");

  const auto key = parse_selector("ok,-bad=1");
  REQUIRE_FALSE(key);
  CHECK(key.error().what == "label key '-bad' is not valid");
  CHECK(key.error().where.column == 4);
  CHECK(key.error().where.length == 4);
}

TEST_CASE("selectors of the wrong form are refused") {
  for (const char* text :
       {",",         "a,",         ",a",       "a,,b",    "=b",          "a b",       "a===b",
        "a=b=c",     "a in",       "a in b",   "a in (b", "a in (b c)",  "a in (b))", "a in ((b)",
        "a in (,,)", "a in (b,,)", "!a=b",     "!!a",     "!",           "a>",        "a>x",
        "a>-1",      "a<1.5",      "a In (b)", "a!b",     "a=b\xc3\xa4", "a;b"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_selector(text));
  }
  CHECK_FALSE(parse_selector(std::string("a\0b", 3)));
  CHECK_FALSE(parse_selector(std::string(64, 'a')));
  CHECK(parse_selector(std::string(63, 'a')));
}

TEST_CASE("label keys and values have the bounds of Kubernetes") {
  CHECK(gedge::is_label_key("a"));
  CHECK(gedge::is_label_key("example.com/A_b.c-d"));
  CHECK(gedge::is_label_key(std::string(253, 'a') + "/" + std::string(63, 'b')));
  CHECK_FALSE(gedge::is_label_key(std::string(254, 'a') + "/b"));
  CHECK_FALSE(gedge::is_label_key("a/" + std::string(64, 'b')));
  for (const char* key : {"", "/", "/a", "a/", "a/b/c", "A/b", "a..b/c", "a-/b", ".a", "a_"}) {
    CAPTURE(key);
    CHECK_FALSE(gedge::is_label_key(key));
  }
  CHECK(gedge::is_label_value(""));
  CHECK(gedge::is_label_value(std::string(63, 'x')));
  CHECK_FALSE(gedge::is_label_value(std::string(64, 'x')));
  CHECK_FALSE(gedge::is_label_value("a b"));
  CHECK_FALSE(gedge::is_label_value("-a"));
}

TEST_CASE("requirements of objects are checked") {
  CHECK(make_selector({}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kIn, {}}}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kEquals, {"x", "y"}}}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kExists, {"x"}}}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kDoesNotExist, {"x"}}}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kGt, {"1", "2"}}}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kGt, {"-1"}}}));
  CHECK_FALSE(make_selector({{"a", SelectorOp::kIn, {"ok", "not ok"}}}));
  CHECK_FALSE(make_selector({{"", SelectorOp::kExists, {}}}));

  const auto sorted =
      make_selector({{"b", SelectorOp::kExists, {}}, {"a", SelectorOp::kIn, {"y", "x"}}});
  REQUIRE(sorted);
  CHECK(sorted->requirements[0] == Requirement{"a", SelectorOp::kIn, {"x", "y"}});
  CHECK(sorted->requirements[1].key == "b");
}

TEST_CASE("a node selector term needs something to match and all of it") {
  const Labels labels{{"disk", "ssd"}, {"cores", "8"}};
  const Requirement ssd{"disk", SelectorOp::kIn, {"ssd"}};
  const Requirement big{"cores", SelectorOp::kGt, {"8"}};
  const Requirement here{"metadata.name", SelectorOp::kIn, {"edge-1"}};
  const Requirement elsewhere{"metadata.name", SelectorOp::kNotIn, {"edge-1"}};
  CHECK_FALSE(NodeSelectorTerm{}.matches(labels, "edge-1"));
  CHECK(NodeSelectorTerm{{ssd}, {}, false}.matches(labels, "edge-1"));
  CHECK_FALSE(NodeSelectorTerm{{ssd}, {}, true}.matches(labels, "edge-1"));
  CHECK_FALSE(NodeSelectorTerm{{ssd, big}, {}, false}.matches(labels, "edge-1"));
  CHECK(NodeSelectorTerm{{}, {here}, false}.matches(labels, "edge-1"));
  CHECK_FALSE(NodeSelectorTerm{{}, {here}, false}.matches(labels, "edge-2"));
  CHECK_FALSE(NodeSelectorTerm{{ssd}, {elsewhere}, false}.matches(labels, "edge-1"));
  CHECK(NodeSelectorTerm{{ssd}, {elsewhere}, false}.matches(labels, "edge-2"));
}
